// SPDX-License-Identifier: Apache-2.0
#include "config/defaults_file.h"

#include "config/defaults_text.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace berth::config {
namespace {

[[noreturn]] void refuse(const std::string &why) {
    std::fprintf(stderr, "berth was built with a broken default configuration: %s\n", why.c_str());
    std::abort();
}

}  // namespace

DefaultsFile::DefaultsFile(const std::string &stem) : name_("configs/defaults/" + stem + ".yaml") {
    auto at = std::ranges::find(defaults_texts(), stem, &DefaultsText::stem);
    if (at == defaults_texts().end()) refuse("there is no " + name_);
    auto document = decode::read_document(at->text, name_);
    if (!document) refuse(document.error().text);
    document_ = *std::move(document);
}

ExtensionPoint DefaultsFile::point(std::string_view key) const {
    auto point = model::extension_point_of_key(key);
    if (!point) refuse(name_ + ": no extension point is called \"" + std::string(key) + '"');
    return *point;
}

std::vector<std::pair<ExtensionPoint, std::string>> DefaultsFile::enabled_at(decode::Fields &root,
                                                                             std::string_view name) const {
    std::vector<std::pair<ExtensionPoint, std::string>> out;
    for (auto &fields : root.objects(name)) {
        auto where = point(fields.string("point").value_or(""));
        for (auto &plugin : fields.strings("plugins")) out.emplace_back(where, std::move(plugin));
        fields.finish();
    }
    return out;
}

std::vector<Hook> DefaultsFile::hooks(decode::Fields &root) const {
    std::vector<Hook> out;
    for (auto &fields : root.objects("hooks")) {
        out.push_back({point(fields.string("point").value_or("")), point(fields.string("of").value_or("")),
                       fields.strings("plugins")});
        fields.finish();
    }
    return out;
}

void DefaultsFile::check(const decode::FieldErrors &errors) const {
    if (!errors.empty()) refuse(decode::messages(errors));
}

}  // namespace berth::config
