// SPDX-License-Identifier: Apache-2.0
// `berth config rbac`: the RBAC rules that Berth and its plugins need.
#include "cli/config.h"
#include "cli/exit_codes.h"
#include "decode/write.h"
#include "live/needed_rights.h"
#include "offline/profiles.h"

#include <map>
#include <set>
#include <tuple>

namespace berth::cli {
namespace {

using Verbs = std::set<std::string>;

/// The rules of one role: what may be done to which resource, or only to the one of a name.
class Rules {
    std::map<std::tuple<std::string, std::string, std::string>, Verbs> rules_;  ///< group, resource, name

public:
    void allow(const kube::Right &right) { rules_[{right.group, right.resource, right.name}].insert(right.verb); }

    config::MutableTree list() const {
        auto strings = [](const auto &texts) {
            auto out = config::MutableTree::list({});
            for (const auto &text : texts) out.add(config::MutableTree::text(text, {}));
            return out;
        };
        auto out = config::MutableTree::list({});
        for (const auto &[what, verbs] : rules_) {
            const auto &[group, resource, name] = what;
            auto rule = config::MutableTree::object({});
            rule.put("apiGroups", strings(std::vector{group}));
            rule.put("resources", strings(std::vector{resource}));
            if (!name.empty()) rule.put("resourceNames", strings(std::vector{name}));
            rule.put("verbs", strings(verbs));
            out.add(std::move(rule));
        }
        return out;
    }
};

config::MutableTree role(const char *kind, const std::string &space, const Rules &rules) {
    auto out = config::MutableTree::object({});
    out.put("apiVersion", config::MutableTree::text("rbac.authorization.k8s.io/v1", {}));
    out.put("kind", config::MutableTree::text(kind, {}));
    out.put_at("metadata.name", config::MutableTree::text("berth", {}));
    if (!space.empty()) out.put_at("metadata.namespace", config::MutableTree::text(space, {}));
    out.put("rules", rules.list());
    return out;
}

}  // namespace

int config_rbac(const ConfigOptions &options) {
    auto configuration = read_configuration(options);
    if (!configuration) return refuse(configuration.error().text);
    auto catalog = plugin::open_catalog(options.plugins);
    if (!catalog) return refuse(catalog.error().text);
    offline::Offline offline;
    auto profiles = offline.profiles(*configuration, *catalog, options.plugins.checks);
    warn(catalog->warnings());
    if (!profiles) return refuse(profiles.error().text);

    Rules cluster;
    std::map<std::string, Rules> spaces;
    for (const auto &[right, who] : live::needed_rights(*configuration, *profiles))
        (right.name_space.empty() ? cluster : spaces[right.name_space]).allow(right);
    auto items = config::MutableTree::list({});
    items.add(role("ClusterRole", "", cluster));
    for (const auto &[space, rules] : spaces) items.add(role("Role", space, rules));
    if (options.format == ConfigFormat::Json) {
        auto list = config::MutableTree::object({});
        list.put("apiVersion", config::MutableTree::text("v1", {}));
        list.put("kind", config::MutableTree::text("List", {}));
        list.put("items", std::move(items));
        return print(list, options.format);
    }
    for (const auto &item : items.items()) {
        if (&item != &items.items().front()) std::cout << "---\n";
        if (int code = print(item, options.format); code != done) return code;
    }
    return done;
}

}  // namespace berth::cli
