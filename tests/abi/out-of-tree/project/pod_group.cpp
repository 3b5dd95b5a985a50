// SPDX-License-Identifier: Apache-2.0

/// PodGroups: the pods of a PodGroup (scheduling.x-k8s.io/v1alpha1, the custom resource of the scheduler-plugins
/// project) start when at least spec.minMember of them have a place, and not before.
///
/// A pod says by the label scheduling.x-k8s.io/pod-group to which group of its namespace it belongs. PreFilter refuses
/// it while fewer than minMember pods of the group exist, so that a group that cannot be complete takes no place.
/// Permit lets it wait, its place reserved, for the others. When the time of one is over (spec.scheduleTimeoutSeconds,
/// else args.permitWaitingTimeSeconds), or it lost its place otherwise, all that wait are rejected, so that two groups
/// do not hold half of the cluster each for ever.
///
/// A plugin sees the pods that have a place, and of the others those that it is asked about: PreEnqueue counts them.
/// How a group's pods are sorted in the queue is not this plugin's business.

#include <berth/plugin.hpp>

#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

class PodGroups {
    static constexpr const char *label = "scheduling.x-k8s.io/pod-group";
    static constexpr const char *group = "scheduling.x-k8s.io", *version = "v1alpha1", *resource = "podgroups";

    using Uids = std::set<std::string, std::less<>>;

    const berth::Host &host_;
    std::int64_t patience_;
    berth::Kind groups_;
    berth::StateKey<std::int64_t> lacking_;             ///< members that still need a place beside this one
    std::map<std::string, Uids, std::less<>> known_;    ///< by "namespace/group": pods that came and are not bound
    std::map<std::string, Uids, std::less<>> refused_;  ///< of those, the ones that nothing but this plugin wakes

    static std::string_view named(std::span<const berth_label> labels) {
        for (const auto &l : labels)
            if (berth::view(l.key) == label) return berth::view(l.value);
        return {};
    }
    /// "namespace/group", or "" for a pod on its own.
    static std::string group_of(berth::Pod pod) {
        auto name = named(pod.labels());
        return name.empty() ? std::string() : std::string(pod.name_space()).append("/").append(name);
    }

    /// The members that have a place, those that wait in Permit among them.
    Uids placed(berth::Pod pod, berth::Nodes nodes) const {
        auto pods = nodes.pods();
        // Labels are looked at once for each distinct set of them.
        std::vector<bool> member;
        for (const auto &set : pods.label_sets()) member.push_back(named({set.labels, set.len}) == named(pod.labels()));
        Uids found;
        for (std::uint32_t row = 0; row < pods.rows(); ++row)
            if (pods.exists(row) && !pods.terminating(row) && member[pods.label_set_code(row)] &&
                berth::view(pods.namespaces()[pods.namespace_code(row)]) == pod.name_space())
                found.emplace(pods[row].uid());
        return found;
    }

    std::vector<std::string> waiting(const std::string &of) const {
        std::vector<std::string> uids;
        host_.each_waiting([&](const berth_pod *other, std::string_view) {
            if (group_of({other, &host_}) == of) uids.emplace_back(berth::view(other->uid));
        });
        return uids;
    }

public:
    static constexpr const char *description = "Starts the pods of a PodGroup when enough of them have a place";
    static constexpr std::array watches{"scheduling.x-k8s.io/v1alpha1/podgroups"};

    static void default_args(berth::ArgsReader &args) { args.integer("permitWaitingTimeSeconds", 60, 1, 3600); }

    PodGroups(berth::Args args, const berth::Host &host)
        : host_(host),
          patience_(args.integer<std::int64_t>("permitWaitingTimeSeconds", 60)),
          groups_(host.kind(group, version, resource)),
          lacking_(host.state_key<std::int64_t>("lacking")) {
        // What is known of a group's pods goes with it.
        host.subscribe(groups_, [this](const berth::Object &before, const berth::Object &after) {
            if (after) return;
            const auto gone = std::string(before.name_space()).append("/").append(before.name());
            known_.erase(gone);
            refused_.erase(gone);
        });
    }

    void declare(berth::Declare d) const { d.watch(group, version, resource); }

    berth::Verdict pre_enqueue(berth::Pod pod) {
        if (auto of = group_of(pod); !of.empty()) known_[of].emplace(pod.uid());
        return berth::ok;
    }

    berth::Verdict pre_filter(berth::Call, berth::State state, berth::Pod pod, berth::Nodes nodes) {
        const auto of = group_of(pod);
        if (of.empty()) return berth::skip();
        auto object = host_.get(groups_, pod.name_space(), named(pod.labels()));
        if (!object) return berth::unresolvable("PodGroup \"" + of + "\" not found");
        const auto least = object.at("/spec/minMember").integer().value_or(1);
        auto members = placed(pod, nodes);
        state.put(lacking_, least - static_cast<std::int64_t>(members.size()) - 1);

        auto &known = known_[of];
        known.emplace(pod.uid());
        auto exist = [&] {
            auto all = members;
            all.insert(known.begin(), known.end());
            return static_cast<std::int64_t>(all.size());
        };
        if (exist() >= least) {
            // The arrival of a pod is no event for the others: this is what wakes
            // them. Who is gone is not to be woken.
            for (const auto &uid : std::exchange(refused_[of], {}))
                if (uid != pod.uid() && !host_.activate(uid)) known.erase(uid);
        }
        if (exist() >= least) return berth::ok;
        refused_[of].emplace(pod.uid());
        return berth::unresolvable("only " + std::to_string(exist()) + " of the " + std::to_string(least) +
                                   " pods that PodGroup \"" + of + "\" needs exist");
    }

    berth::Permit permit(berth::Call, berth::State state, berth::Pod pod, berth::Node) const {
        const auto of = group_of(pod);
        if (of.empty()) return berth::ok;
        if (state.need(lacking_) > 0) {
            auto object = host_.get(groups_, pod.name_space(), named(pod.labels()));
            auto own = object ? object.at("/spec/scheduleTimeoutSeconds").integer() : std::nullopt;
            return berth::Permit::wait(std::chrono::seconds(own.value_or(patience_)));
        }
        for (const auto &uid : waiting(of)) (void)host_.allow_waiting(uid);
        return berth::ok;
    }

    berth::Verdict reserve(berth::Pod, std::string_view) const { return berth::ok; }
    void unreserve(berth::Pod pod, std::string_view) {
        const auto of = group_of(pod);
        if (of.empty()) return;
        refused_[of].emplace(pod.uid());
        for (const auto &uid : waiting(of))
            if (uid != pod.uid())
                (void)host_.reject_waiting(uid, "another pod of PodGroup \"" + of + "\" gave up its place");
    }
    void post_bind(berth::Pod pod, std::string_view) {
        const auto of = group_of(pod);
        if (of.empty()) return;
        for (auto *pods : {&known_, &refused_})
            if (auto at = pods->find(of); at != pods->end()) at->second.erase(std::string(pod.uid()));
    }

    /// A group that comes or asks for fewer, and room.
    void events(berth::Events on) const {
        on.add_hinted("podgroups.v1alpha1.scheduling.x-k8s.io", BERTH_EVENT_ADD | BERTH_EVENT_UPDATE);
        on.add("AssignedPod", BERTH_EVENT_DELETE);
        on.add("Node", BERTH_EVENT_ADD | BERTH_EVENT_UPDATE_NODE_ALLOCATABLE);
    }
    berth::Hint hint(berth::Event event, berth::Pod pod) const {
        auto object = event.new_object();
        return object && object.name_space() == pod.name_space() && object.name() == named(pod.labels())
                   ? berth::Hint::Queue
                   : berth::Hint::Skip;
    }
};

}  // namespace

BERTH_PLUGIN(PodGroups, "PodGroups", "1.0.0")
