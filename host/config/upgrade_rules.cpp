// SPDX-License-Identifier: Apache-2.0
#include "config/upgrade_rules.h"

#include "config/defaults_file.h"

#include <algorithm>
#include <map>

namespace berth::config {
namespace {

std::vector<std::pair<std::string, std::string>> pairs(decode::Fields &from, std::string_view name) {
    std::vector<std::pair<std::string, std::string>> out;
    for (auto &[key, value] : from.string_map(name).value_or(std::map<std::string, std::string>{}))
        out.emplace_back(key, value);
    return out;
}

UpgradeRules parse() {
    DefaultsFile file("upgrade");
    decode::FieldErrors errors;
    decode::Fields root(file.document(), errors);
    UpgradeRules out;
    out.source = file.document();
    for (auto &rule : root.objects("folded")) {
        out.folded.push_back({rule.string("name").value_or(""), rule.string("into").value_or(""),
                              file.point(rule.string("point").value_or("")), rule.any("args"), pairs(rule, "moved")});
        rule.finish();
    }
    for (auto &rule : root.objects("labels")) {
        out.labels.push_back({rule.string("name").value_or(""), rule.string("into").value_or(""),
                              file.point(rule.string("point").value_or("")), pairs(rule, "operators"),
                              rule.strings("lost"), rule.string("message").value_or("")});
        rule.finish();
    }
    for (auto &rule : root.objects("gone")) {
        out.gone.push_back({rule.strings("plugins"), rule.string("message").value_or("")});
        rule.finish();
    }
    out.hooks = file.hooks(root);
    out.added = file.enabled_at(root, "added");
    root.finish();
    file.check(errors);
    return out;
}

}  // namespace

bool UpgradeRules::is_gone(std::string_view plugin) const {
    return std::ranges::any_of(gone, [&](const auto &some) { return some.contain(plugin); });
}

std::optional<std::string> UpgradeRules::gone_because(std::string_view plugin, Release release) const {
    constexpr std::string_view place = "{release}";
    for (const auto &some : gone) {
        if (!some.contain(plugin)) continue;
        auto out = some.message;
        if (const auto at = out.find(place); at != out.npos) out.replace(at, place.size(), release.text());
        return out;
    }
    return std::nullopt;
}

const UpgradeRules &upgrade_rules() {
    static const UpgradeRules rules = parse();
    return rules;
}

}  // namespace berth::config
