// SPDX-License-Identifier: Apache-2.0
#include "live/needed_rights.h"

#include "model/pod_group.h"
#include "plugin/host_context.h"

#include <algorithm>

namespace berth::live {
namespace {

using Verbs = std::set<std::string>;

std::string joined(const auto &texts) {
    std::string out;
    for (const auto &text : texts) (out += out.empty() ? "" : ", ") += text;
    return out;
}

class Collector {
    NeededRights &out_;

public:
    explicit Collector(NeededRights &out) : out_(out) {}

    void need(const Needer &who, const std::string &group, const std::string &resource, const Verbs &verbs,
              const std::string &name_space = {}, const std::string &name = {}) {
        for (const auto &verb : verbs) out_[{group, resource, name, name_space, verb}].insert(who);
    }

    void of_host(const config::Configuration &configuration) {
        const Needer scheduler{false, "the scheduler"}, events{false, "events"};
        need(scheduler, "", "pods", {"get", "list", "watch"});
        need(scheduler, "", "pods/status", {"patch"});
        need(scheduler, "", "nodes", {"list", "watch"});
        if (configuration.schedules_groups) {
            const auto &groups = model::pod_group_kind();
            need(scheduler, groups.group, groups.resource, {"list", "watch"});
            need(scheduler, groups.group, groups.resource + "/status", {"patch"});
        }
        need(events, "events.k8s.io", "events", {"create", "patch"});
        // Clients of metrics and explanations are authenticated and authorized.
        const Needer serving{false, std::string(serving_part)};
        need(serving, "authentication.k8s.io", "tokenreviews", {"create"});
        need(serving, "authorization.k8s.io", "subjectaccessreviews", {"create"});
        need(serving, "", "configmaps", {"get", "list", "watch"}, "kube-system", "extension-apiserver-authentication");
        const auto &election = configuration.leader_election;
        if (!election.leader_elect) return;
        const Needer leader{false, "leader election"};
        const auto &space = election.resource_namespace;
        need(leader, "", "events", {"create"}, space);  // the event LeaderElection
        need(leader, "coordination.k8s.io", "leases", {"create"}, space);
        need(leader, "coordination.k8s.io", "leases", {"get", "update"}, space, election.resource_name);
    }

    void of_watches(std::span<const plugin::Profile> profiles) {
        for (const auto &[kind, plugins, part] : plugin::watched_kinds(profiles))
            for (const auto &plugin : plugins)
                need({true, plugin}, kind.group, kind.resource, {"list", "watch"}, part.name_space(), part.name());
    }

    /// `kind`, as a note says it: "apps/v1/statefulsets", "v1/pods/binding".
    void of_plugin(const std::string &plugin, const std::string &kind, const Verbs &verbs) {
        auto first = kind.substr(0, kind.find('/'));
        bool core = first.size() > 1 && first[0] == 'v' && first[1] >= '0' && first[1] <= '9';
        auto version = core ? 0 : first.size() + 1;
        auto resource = kind.substr(std::min(kind.find('/', version), kind.size() - 1) + 1);
        need({true, plugin}, core ? "" : first, resource, verbs);
    }

    void of_instance(const plugin::Instance &instance) {
        if (!instance.context) return;  // it stands for the extenders
        for (const auto *declared : {&instance.context->writes, &instance.context->reads})
            for (const auto &one : *declared) {
                auto blank = one.find(' ');
                of_plugin(instance.name, one.substr(blank + 1), {one.substr(0, blank)});
            }
    }
};

}  // namespace

std::string names_of(const std::set<Needer> &who) {
    std::vector<std::string> parts, plugins;
    for (const auto &one : who) (one.is_plugin ? plugins : parts).push_back(one.name);
    if (plugins.empty()) return joined(parts);
    return joined(parts) + (parts.empty() ? "" : "; ") + (plugins.size() == 1 ? "plugin " : "plugins ") +
           joined(plugins);
}

NeededRights needed_rights(const config::Configuration &configuration, std::span<const plugin::Profile> profiles) {
    NeededRights out;
    Collector collector(out);
    collector.of_host(configuration);
    collector.of_watches(profiles);
    for (const auto &profile : profiles)
        for (const auto &instance : profile.instances) collector.of_instance(*instance);
    return out;
}

std::vector<kube::Right> rights_of(const NeededRights &needed) {
    std::vector<kube::Right> out;
    for (const auto &[right, who] : needed) out.push_back(right);
    return out;
}

std::string rule_to_add(const kube::Right &of, const Verbs &verbs) {
    std::string role = of.name_space.empty() ? "ClusterRole" : "Role in namespace " + of.name_space;
    return "add to the scheduler's " + role + " the rule {apiGroups: [\"" + of.group + "\"], resources: [" +
           of.resource + "]" + (of.name.empty() ? "" : ", resourceNames: [" + of.name + "]") + ", verbs: [" +
           joined(verbs) + "]}";
}

std::vector<std::string> missing_texts(const NeededRights &needed, const std::vector<kube::Right> &missing) {
    struct Found {
        Verbs verbs;
        std::set<Needer> who;
    };
    std::map<kube::Right, Found> of_resource;  // without their verbs
    for (const auto &right : missing) {
        auto place = right;
        place.verb.clear();
        auto &found = of_resource[place];
        found.verbs.insert(right.verb);
        if (auto at = needed.find(right); at != needed.end()) found.who.insert(at->second.begin(), at->second.end());
    }
    std::vector<std::string> out;
    for (const auto &[place, found] : of_resource)
        out.push_back(names_of(found.who) + " may not " + joined(found.verbs) + " " + place.resource +
                      (place.name.empty() ? "" : " " + place.name) + (place.group.empty() ? "" : " of " + place.group) +
                      (place.name_space.empty() ? "" : " in namespace " + place.name_space) + ": " +
                      rule_to_add(place, found.verbs));
    std::ranges::sort(out);
    return out;
}

}  // namespace berth::live
