// SPDX-License-Identifier: Apache-2.0

/// GpuFragmentation: places pods that use GPUs, or shares of one, where they leave the fewest fragments of GPUs.
///
/// The measure and the rule are those of "Beware of Fragmentation: Scheduling GPU-Sharing Workloads with Fragmentation
/// Gradient Descent" (USENIX ATC 2023). What is free of a node's GPUs is a fragment for a class of tasks if no such
/// task can run there; if one can, only the GPUs are that have less free than it needs of each. The fragments of a node
/// are the mean over the classes, weighted by how common they are (args.workload). A pod goes to the node, and to the
/// GPU of it, where they grow least.
///
/// Kubernetes counts resources by node, not by GPU: it lets three shares of 0.6 onto two GPUs. So this plugin keeps the
/// books of each GPU. Filter admits a pod that the GPUs themselves can hold, Reserve chooses them, and PreBind writes
/// them into the pod's annotation alibabacloud.com/gpu-index ("0", or "0-1-2" for several) before it is bound: there
/// whoever starts the container finds them, and so does this plugin after a restart. A pod that was bound by somebody
/// else, without the annotation, is taken to be on the GPUs where it fits tightest.

#include <berth/plugin.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <unordered_map>

namespace {

constexpr std::int32_t whole = 1000;  ///< thousandths of a GPU

/// What a pod or a class of tasks asks for: `each` thousandths of so many GPUs.
struct Demand {
    std::int64_t cpu = 0;
    std::int32_t gpus = 0, each = 0;
};
struct Class {
    Demand demand;
    double part;  ///< of all tasks
};

using Free = std::vector<std::int32_t>;  ///< of each GPU of a node
using Chosen = std::vector<std::uint32_t>;

bool fits(const Demand &want, const Free &free) {
    return std::ranges::count_if(free, [&](auto f) { return f >= want.each; }) >= want.gpus;
}

/// Thousandths of GPUs of a node that are, on the average, of no use to the workload.
double fragments(const std::vector<Class> &workload, const Free &free, std::int64_t cpu) {
    std::int32_t all = 0;
    for (auto f : free) all += f;
    if (all == 0) return 0;
    double sum = 0;
    for (const auto &[want, part] : workload) {
        std::int32_t useless = all;
        if (want.gpus > 0 && want.cpu <= cpu && fits(want, free)) {
            useless = 0;
            for (auto f : free)
                if (f < want.each) useless += f;
        }
        sum += part * useless;
    }
    return sum;
}

/// The GPUs that can hold it, the tightest first.
Chosen candidates(const Demand &want, const Free &free) {
    Chosen fit;
    for (std::uint32_t i = 0; i < free.size(); ++i)
        if (free[i] >= want.each) fit.push_back(i);
    std::ranges::stable_sort(fit, {}, [&](auto i) { return free[i]; });
    return fit;
}
/// So many of them as it wants; fewer if there are not enough.
Chosen tightest(const Demand &want, const Free &free) {
    auto fit = candidates(want, free);
    if (fit.size() > static_cast<std::size_t>(want.gpus)) fit.resize(static_cast<std::size_t>(want.gpus));
    return fit;
}

void take(const Demand &want, const Chosen &gpus, Free &free) {
    for (auto i : gpus)
        if (i < free.size()) free[i] = std::max(0, free[i] - want.each);
}
void give(const Demand &want, const Chosen &gpus, Free &free) {
    for (auto i : gpus)
        if (i < free.size()) free[i] = std::min(whole, free[i] + want.each);
}

std::string written(const Chosen &gpus) {
    std::string text;
    for (auto i : gpus) text += (text.empty() ? "" : "-") + std::to_string(i);
    return text;
}
Chosen read(std::string_view text) {
    Chosen gpus;
    for (const char *at = text.data(), *end = at + text.size(); at < end; ++at) {
        std::uint32_t i = 0;
        auto [next, error] = std::from_chars(at, end, i);
        if (error != std::errc()) return {};
        gpus.push_back(i);
        at = next;
    }
    return gpus;
}

class GpuFragmentation {
    static constexpr const char *annotation = "alibabacloud.com/gpu-index";

    const berth::Host &host_;
    std::string gpus_of_, share_of_;  ///< the names of the two resources
    std::uint32_t gpus_column_;
    std::vector<Class> workload_;
    std::unordered_map<std::string, Chosen> chosen_;  ///< by the uids of pods that have or had no annotation
    std::vector<Free> free_;                          ///< by slot, as of that snapshot
    std::uint64_t snapshot_ = 0;

    /// What PreFilter finds out for a pod. A node that is tried with other pods on it has its GPUs here.
    struct Placing {
        Demand want;
        std::unordered_map<std::uint32_t, Free> tried;
    };
    berth::StateKey<Placing> placing_;

    Demand demand(berth::Pod pod) const {
        const auto &asked = pod.requests();
        Demand want{asked.cpu, 0, whole};
        for (std::uint64_t i = 0; i < asked.scalars_len; ++i) {
            const auto &[name, amount] = asked.scalars[i];
            // A pod of whole GPUs may say the same in thousandths beside it; that is no share.
            if (berth::view(name) == gpus_of_ && amount > 0)
                return {asked.cpu, static_cast<std::int32_t>(amount), whole};
            if (berth::view(name) == share_of_ && amount > 0) want = {asked.cpu, 1, static_cast<std::int32_t>(amount)};
        }
        return want;
    }

    Chosen gpus_of(berth::Pod pod) const {
        if (auto kept = chosen_.find(std::string(pod.uid())); kept != chosen_.end()) return kept->second;
        return read(pod.at("/metadata/annotations")[annotation].string());
    }

    /// The GPUs of a node whose choice leaves the fewest fragments, of equal ones the tightest, and how many those are.
    std::pair<Chosen, double> best(const Demand &want, const Free &free, std::int64_t cpu) const {
        if (want.gpus != 1) {  // whole ones, all alike; or none
            auto gpus = tightest(want, free);
            auto after = free;
            take(want, gpus, after);
            return {gpus, fragments(workload_, after, cpu - want.cpu)};
        }
        std::pair<Chosen, double> found{};
        std::int32_t tried = 0;  // GPUs with as much free are all alike
        for (auto i : candidates(want, free)) {
            if (std::exchange(tried, free[i]) == free[i]) continue;
            auto after = free;
            take(want, {i}, after);
            auto left = fragments(workload_, after, cpu - want.cpu);
            if (found.first.empty() || left < found.second) found = {{i}, left};
        }
        return found;
    }

    void count(berth::Nodes nodes, const berth::Column &gpus, std::uint32_t slot) {
        auto &free = free_[slot];
        free.assign(gpus.has(slot) ? static_cast<std::size_t>(gpus.int64(slot)) : 0, whole);
        if (free.empty()) return;
        auto pods = nodes.pods();
        std::vector<std::uint32_t> unknown;
        for (auto row : pods.on(slot)) {
            auto pod = pods[row];
            if (auto want = demand(pod); want.gpus > 0) {
                if (auto at = gpus_of(pod); !at.empty()) take(want, at, free);
                else unknown.push_back(row);
            }
        }
        for (auto row : unknown) {
            auto pod = pods[row];
            auto &at = chosen_[std::string(pod.uid())] = tightest(demand(pod), free);
            take(demand(pod), at, free);
        }
    }

    /// Brings free_ up to the snapshot at hand: only nodes on which something changed are counted again.
    void follow(berth::Nodes nodes) {
        if (snapshot_ == nodes.raw()->snapshot_id) return;
        struct Changes {
            std::set<std::string> left;
            std::vector<std::uint32_t> slots, came;
        } changes;
        static constexpr berth_plugin_changes functions{
            sizeof functions, 0,
            [](void *ctx, std::uint32_t, const berth_pod *pod, std::uint32_t) {
                static_cast<Changes *>(ctx)->left.emplace(berth::view(pod->uid));
            },
            [](void *ctx, std::uint32_t slot) { static_cast<Changes *>(ctx)->slots.push_back(slot); },
            [](void *ctx, std::uint32_t row) { static_cast<Changes *>(ctx)->came.push_back(row); }};
        const bool known =
            host_.delta().changes(host_.raw(), nodes.raw(), snapshot_, &functions, &changes) == BERTH_STATUS_SUCCESS;
        free_.resize(nodes.slots());
        if (!known) {
            changes.slots.assign(nodes.order().begin(), nodes.order().end());
            for (const auto &[uid, gpus] : chosen_) changes.left.insert(uid);
            for (std::uint32_t row = 0; row < nodes.pods().rows(); ++row)
                if (nodes.pods().exists(row)) changes.came.push_back(row);
        }
        // A pod that changed left and came again: its GPUs are kept.
        for (auto row : changes.came) changes.left.erase(std::string(nodes.pods()[row].uid()));
        for (const auto &uid : changes.left) chosen_.erase(uid);
        auto gpus = nodes.column(gpus_column_);
        for (auto slot : changes.slots) count(nodes, gpus, slot);
        snapshot_ = nodes.raw()->snapshot_id;
    }

    const Free &free(const Placing &placing, std::uint32_t slot) const {
        auto tried = placing.tried.find(slot);
        return tried == placing.tried.end() ? free_[slot] : tried->second;
    }
    Placing &placing(berth::State state) const {
        if (auto *found = state.get(placing_)) return *found;
        throw std::logic_error("GpuFragmentation has to be enabled at preFilter, too");
    }

public:
    static constexpr const char *description = "Places pods where they leave the fewest fragments of GPUs";
    static constexpr std::array writes{"patch v1/pods"};

    static void default_args(berth::ArgsReader &args) {
        args.string("gpus", "nvidia.com/gpu");
        args.string("share", "alibabacloud.com/gpu-milli");
        auto workload = args.field("workload");
        if (workload.size() == 0 || !workload.is_array())
            args.error("workload", "expected a list of classes of tasks: {cpu: 4000, gpus: 1, share: 500, weight: 3}");
        for (std::size_t i = 0; workload.is_array() && i < workload.size(); ++i)
            for (const char *name : {"cpu", "gpus", "share", "weight"})
                if (auto value = workload.at(i)[name]; value && value.integer().value_or(-1) < 0)
                    args.error("workload[" + std::to_string(i) + "]." + name, "expected a whole number of 0 or more");
        args.set("workload", berth::json(workload));
    }

    GpuFragmentation(berth::Args args, const berth::Host &host)
        : host_(host),
          gpus_of_(args.string("gpus", "nvidia.com/gpu")),
          share_of_(args.string("share", "alibabacloud.com/gpu-milli")),
          gpus_column_(host.column(BERTH_COLUMN_NODE_ALLOCATABLE, gpus_of_)),
          placing_(host.state_key<Placing>("placing")) {
        double sum = 0;
        for (std::size_t i = 0; i < args["workload"].size(); ++i) {
            auto entry = args["workload"].at(i);
            auto number = [&](const char *name, std::int64_t absent) { return entry[name].integer().value_or(absent); };
            workload_.push_back({{number("cpu", 0), static_cast<std::int32_t>(number("gpus", 0)),
                                  static_cast<std::int32_t>(number("share", whole))},
                                 static_cast<double>(number("weight", 1))});
            sum += workload_.back().part;
        }
        for (auto &c : workload_) c.part /= sum > 0 ? sum : 1;
    }

    void declare(berth::Declare d) const { d.write(BERTH_VERB_PATCH, "", "v1", "pods"); }

    berth::Verdict pre_filter(berth::Call, berth::State state, berth::Pod pod, berth::Nodes nodes) {
        follow(nodes);
        const auto &want = state.put(placing_, Placing{demand(pod), {}}).want;
        if (want.each > whole) return berth::unresolvable("a share of more than one GPU is asked for");
        return want.gpus > 0 ? berth::Verdict(berth::ok) : berth::skip();
    }
    berth::Verdict add_pod(berth::Call, berth::State state, berth::Pod, berth::Pod other, berth::Node node) const {
        auto &here = placing(state);
        auto &gpus = here.tried.try_emplace(node.slot(), free_[node.slot()]).first->second;
        auto at = gpus_of(other);
        take(demand(other), at.empty() ? tightest(demand(other), gpus) : at, gpus);
        return berth::ok;
    }
    berth::Verdict remove_pod(berth::Call, berth::State state, berth::Pod, berth::Pod other, berth::Node node) const {
        auto &here = placing(state);
        give(demand(other), gpus_of(other), here.tried.try_emplace(node.slot(), free_[node.slot()]).first->second);
        return berth::ok;
    }

    berth::Verdict filter(berth::Call, berth::State state, berth::Pod, berth::Node node) const {
        const auto &here = placing(state);
        const auto &gpus = free(here, node.slot());
        if (fits(here.want, gpus)) return berth::ok;
        if (gpus.size() < static_cast<std::size_t>(here.want.gpus))
            return berth::unresolvable("node(s) had too few GPUs");
        if (here.want.each == whole) return berth::unschedulable("node(s) had too few GPUs that nobody uses");
        return berth::unschedulable("node(s) had no GPU with so much free");
    }

    void score(berth::Call call, berth::State state, berth::Pod, berth::Nodes nodes, berth::Slots slots,
               berth::Scores out) const {
        const auto &here = placing(state);
        for (std::size_t i : call.each(slots)) {
            auto node = nodes[slots[i]];
            const auto cpu = node.allocatable_cpu() - node.requested_cpu();
            const auto &gpus = free(here, slots[i]);
            // In millionths of a GPU, more is better.
            out[i] = std::llround(1000 * (fragments(workload_, gpus, cpu) - best(here.want, gpus, cpu).second));
        }
    }
    /// 0 to 100 by the distance from worst to best. None but the best has 100, so that it wins alone.
    void normalize(berth::Scores scores) const {
        if (scores.empty()) return;
        const auto [least, most] = std::ranges::minmax(scores);
        for (auto &s : scores) s = most == least ? 100 : 100 * (s - least) / (most - least);
    }

    berth::Verdict reserve(berth::Call, berth::State state, berth::Pod pod, berth::Node node) {
        const auto &here = placing(state);
        if (here.want.gpus == 0) return berth::ok;
        auto gpus = best(here.want, free(here, node.slot()), node.allocatable_cpu() - node.requested_cpu()).first;
        if (gpus.size() < static_cast<std::size_t>(here.want.gpus)) return berth::unschedulable("its GPUs are gone");
        if (host_.log_enabled(2))
            host_.info(2, "\"Chose GPUs\" pod=\"" + std::string(pod.name_space()) + "/" + std::string(pod.name()) +
                              "\" node=\"" + std::string(node.name()) + "\" gpus=\"" + written(gpus) + "\"");
        chosen_[std::string(pod.uid())] = std::move(gpus);
        return berth::ok;
    }
    void unreserve(berth::Pod pod, std::string_view) { chosen_.erase(std::string(pod.uid())); }

    berth::Verdict pre_bind(berth::Call, berth::State, berth::Pod pod, std::string_view, berth::Done done) const {
        auto gpus = chosen_.find(std::string(pod.uid()));
        if (gpus == chosen_.end()) return berth::ok;
        // With the uid a pod that took its name meanwhile is left alone.
        const std::string body = R"({"metadata":{"uid":)" + berth::json_quote(pod.uid()) + R"(,"annotations":{")" +
                                 annotation + R"(":")" + written(gpus->second) + R"("}}})";
        berth::Request request;
        request.verb = BERTH_VERB_PATCH;
        request.resource = "pods";
        request.name_space = pod.name_space();
        request.name = pod.name();
        request.content_type = "application/merge-patch+json";
        request.body = body;
        host_.send(request, [done](int status, std::string_view text) {
            done(status >= 200 && status < 300 ? berth::Verdict(berth::ok) : berth::error(text));
        });
        return berth::in_progress();
    }

    void events(berth::Events on) const {
        on.add("AssignedPod", BERTH_EVENT_DELETE);
        on.add("Node", BERTH_EVENT_ADD | BERTH_EVENT_UPDATE_NODE_ALLOCATABLE);
    }
};

}  // namespace

BERTH_PLUGIN(GpuFragmentation, "GpuFragmentation", "1.0.0")
