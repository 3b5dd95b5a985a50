// SPDX-License-Identifier: Apache-2.0
#include "cli/answers.h"
#include "cli/config.h"
#include "cli/offline.h"
#include "decode/write.h"
#include "plugin/host_context.h"

#include <algorithm>
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
    void allow(const std::string &group, const std::string &resource, const Verbs &verbs,
               const std::string &name = {}) {
        rules_[{group, resource, name}].insert(verbs.begin(), verbs.end());
    }

    config::Draft list() const {
        auto strings = [](const auto &texts) {
            auto out = config::Draft::list({});
            for (const auto &text : texts) out.add(config::Draft::text(text, {}));
            return out;
        };
        auto out = config::Draft::list({});
        for (const auto &[what, verbs] : rules_) {
            const auto &[group, resource, name] = what;
            auto rule = config::Draft::object({});
            rule.put("apiGroups", strings(std::vector{group}));
            rule.put("resources", strings(std::vector{resource}));
            if (!name.empty()) rule.put("resourceNames", strings(std::vector{name}));
            rule.put("verbs", strings(verbs));
            out.add(std::move(rule));
        }
        return out;
    }
};

/// The rights that Berth needs, whatever its plugins do.
struct Rights {
    Rules cluster;
    std::map<std::string, Rules> spaces;

    explicit Rights(const config::Configuration &configuration) {
        cluster.allow("", "pods", {"get", "list", "watch"});
        cluster.allow("", "pods/status", {"patch"});
        cluster.allow("", "nodes", {"list", "watch"});
        cluster.allow("events.k8s.io", "events", {"create", "patch"});
        // Whoever asks for metrics or explanations is asked who they are and what they may.
        cluster.allow("authentication.k8s.io", "tokenreviews", {"create"});
        cluster.allow("authorization.k8s.io", "subjectaccessreviews", {"create"});
        spaces["kube-system"].allow("", "configmaps", {"get", "list", "watch"}, "extension-apiserver-authentication");
        const auto &election = configuration.leader_election;
        if (!election.leader_elect) return;
        auto &space = spaces[election.resource_namespace];
        space.allow("", "events", {"create"});  // who became leader
        space.allow("coordination.k8s.io", "leases", {"create"});
        space.allow("coordination.k8s.io", "leases", {"get", "update"}, election.resource_name);
    }

    /// `kind`, as a note says it: "v1/services", "apps/v1/statefulsets", "v1/pods/binding".
    void allow(const std::string &kind, const Verbs &verbs) {
        auto first = kind.substr(0, kind.find('/'));
        bool core = first.size() > 1 && first[0] == 'v' && first[1] >= '0' && first[1] <= '9';
        auto version = core ? 0 : first.size() + 1;
        auto resource = kind.substr(std::min(kind.find('/', version), kind.size() - 1) + 1);
        cluster.allow(core ? "" : first, resource, verbs);
    }

    void allow(const plugin::Instance &instance) {
        for (const auto &watch : instance.context->watches) allow(watch, {"list", "watch"});
        for (const auto &write : instance.context->writes) {
            auto blank = write.find(' ');
            allow(write.substr(blank + 1), {write.substr(0, blank)});
        }
    }
};

config::Draft role(const char *kind, const std::string &space, const Rules &rules) {
    auto out = config::Draft::object({});
    out.put("apiVersion", config::Draft::text("rbac.authorization.k8s.io/v1", {}));
    out.put("kind", config::Draft::text(kind, {}));
    out.put_at("metadata.name", config::Draft::text("berth", {}));
    if (!space.empty()) out.put_at("metadata.namespace", config::Draft::text(space, {}));
    out.put("rules", rules.list());
    return out;
}

}  // namespace

int config_rbac(const ConfigOptions &options) {
    auto configuration = read_config(options.files.empty() ? "" : options.files.front());
    if (!configuration) return refuse(configuration.error().text);
    warn(configuration->warnings);
    auto catalog = open_catalog(options.plugins);
    if (!catalog) return refuse(catalog.error().text);
    Offline offline;
    auto profiles = offline.profiles(*configuration, *catalog, options.plugins.checks);
    warn(catalog->warnings());
    if (!profiles) return refuse(profiles.error().text);

    Rights rights(*configuration);
    for (const auto &profile : *profiles)
        for (const auto &instance : profile.instances) rights.allow(*instance);
    auto items = config::Draft::list({});
    items.add(role("ClusterRole", "", rights.cluster));
    for (const auto &[space, rules] : rights.spaces) items.add(role("Role", space, rules));
    if (options.format == ConfigFormat::Json) {
        auto list = config::Draft::object({});
        list.put("apiVersion", config::Draft::text("v1", {}));
        list.put("kind", config::Draft::text("List", {}));
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
