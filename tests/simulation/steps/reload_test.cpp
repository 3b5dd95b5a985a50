// SPDX-License-Identifier: Apache-2.0

// Configurations come and go while pods are being scheduled, half of them broken. No pod is lost or bound twice, and
// what is decided afterwards is what a scheduler decides that has just begun.

#include "model/look_ups.h"
#include "paths.h"
#include "random_objects.h"

#include <array>
#include <deque>
#include <set>

using namespace running_world;
using random_objects::Maker;

namespace {

constexpr std::array good{
    "profiles: [{schedulerName: default-scheduler, percentageOfNodesToScore: 100}]",
    "profiles: [{schedulerName: default-scheduler, percentageOfNodesToScore: 100, plugins: {multiPoint: {enabled: "
    "[{name: PodTopologySpread, weight: 50}, {name: InterPodAffinity, weight: 7}]}}}]",
    "profiles: [{schedulerName: default-scheduler, percentageOfNodesToScore: 100, plugins: {filter: {disabled: "
    "[{name: InterPodAffinity}]}}}, {schedulerName: other, percentageOfNodesToScore: 100}]",
    "profiles: [{schedulerName: other, percentageOfNodesToScore: 100, pluginConfig: [{name: NodeResourcesFit, args: "
    "{scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 3}]}}}]}]",
    "profiles: [{schedulerName: default-scheduler, percentageOfNodesToScore: 100, pluginConfig: [{name: "
    "PodTopologySpread, args: {defaultingType: List, defaultConstraints: [{maxSkew: 1, topologyKey: disk, "
    "whenUnsatisfiable: ScheduleAnyway}, {maxSkew: 3, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}]}}]}]",
};
constexpr std::array broken{
    "profiles: [{schedulerName: default-scheduler, plugins: {filter: {enabled: [{name: NoSuchPlugin}]}}}]",
    "profiles: [{schedulerName: default-scheduler, pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: "
    "{type: Whatever}}}]}]",
    "profiles: [{schedulerName: default-scheduler}, {schedulerName: default-scheduler}]",
    "profiles: [{schedulerName: ",
};

/// Keeps what was asked until the test lets it be answered.
class Api : public env::Api {
    struct Asked {
        env::ApiRequest request;
        std::function<void(env::ApiAnswer)> done;
    };
    std::deque<Asked> asked_;

public:
    std::map<std::string, int> bound;  ///< how often, by key

    void send(env::ApiRequest request, std::function<void(env::ApiAnswer)> done) override {
        asked_.push_back({std::move(request), std::move(done)});
    }
    bool waits() const { return !asked_.empty(); }
    void answer_one(bool well) {
        auto [request, done] = std::move(asked_.front());
        asked_.pop_front();
        if (well && request.subresource == "binding") ++bound[request.name_space + "/" + request.name];
        done(well ? env::ApiAnswer{201, "{}"} : env::ApiAnswer{500, "{}"});
    }
};

class Errors : public env::Log {
public:
    bool enabled(env::Severity, int) const override { return false; }
    void write(env::Severity, int, std::string_view, const Pairs &, std::source_location) override {}
    void write_text(env::Severity, int, std::string_view, std::string_view) override {}
};

/// A scheduler whose configuration can be changed.
class Changing {
    Errors log_;
    plugin::Catalog catalog_{*plugin::Catalog::open({{berth::paths::plugins()}, {}, true})};
    plugin::Services services_;

public:
    sim::VirtualClock clock{1767225600LL * 1'000'000'000};
    Api api;
    Sink sink;
    Scheduler scheduler{clock, nullptr, sink, {}};

    explicit Changing(const std::string &config) {
        services_.clock = &clock;
        services_.api = &api;
        services_.log = &log_;
        services_.seed = 1;
        services_.checks = plugin::Checks::Strict;
        scheduler.offer(services_);
        REQUIRE(change(config));
    }
    bool change(const std::string &config) {
        auto configuration = config::read(
            "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n" + config, "c.yaml");
        if (!configuration) return false;
        auto built = plugin::build_profiles(*configuration, catalog_, services_);
        if (!built) return false;
        scheduler.use(std::move(*built));
        return true;
    }
    /// Until nothing is ready or waits for the API server.
    void settle(bool answers) {
        for (;;) {
            if (clock.run() || scheduler.schedule_one()) continue;
            if (!answers || !api.waits()) return;
            api.answer_one(true);
        }
    }
};

std::string text_of(const model::Decision &d) {
    std::map<std::string, std::string> nodes;
    for (const auto &n : d.nodes) {
        auto &line = nodes[n.name];
        line = n.verdict.plugin + " " + n.verdict.message() + " " + std::to_string(n.total);
        for (const auto &s : n.scores)
            line += " " + s.plugin + "=" + std::to_string(s.raw) + "/" + std::to_string(s.weighted);
    }
    std::string out = d.profile + " " + d.message + "\n";
    for (const auto &[name, line] : nodes) out += name + ": " + line + "\n";
    return out;
}

class Game {
    Maker make_;
    std::string config_ = good[2];
    Changing it_{config_};
    std::map<std::string, model::NodePtr> nodes_;
    std::map<std::string, model::PodPtr> pods_;  ///< as the API server has them
    int serial_ = 0;

    model::PodPtr pod(const std::string &name, const std::string &scheduler, const std::string &where) {
        return running_world::pod(name, "namespace: n1, uid: u-" + name + ", labels: {app: a},",
                                  "schedulerName: " + scheduler + ", " +
                                      (where.empty() ? "" : "nodeName: " + where + ",") +
                                      "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: "
                                      "DoNotSchedule, labelSelector: {matchLabels: {app: a}}}],");
    }
    /// What the API server bound becomes known.
    void confirm() {
        for (auto &[key, known] : pods_) {
            if (!known->node_name().empty() || it_.api.bound[key] == 0) continue;
            auto after =
                pod(std::string(known->name()), std::string(known->scheduler_name()), it_.sink.last.at(key).node);
            it_.scheduler.observer().pod_updated(known, after);
            known = after;
        }
    }
    bool waits(const model::PodPtr &one) const {
        bool found = false;
        it_.scheduler.queue().each([&](const queue::QueuedPod &queued) { found |= queued.pod->uid() == one->uid(); });
        return found;
    }

    void step() {
        switch (make_.below(12)) {
            case 0: {
                auto node = make_.node(make_.node_name());
                auto &known = nodes_[std::string(node->name)];
                known ? it_.scheduler.observer().node_updated(known, node) : it_.scheduler.observer().node_added(node);
                known = node;
                break;
            }
            case 1:
            case 2:
            case 3: {
                auto one = pod("p" + std::to_string(++serial_), make_.below(3) ? "default-scheduler" : "other", "");
                pods_[one->key()] = one;
                it_.scheduler.observer().pod_added(one);
                break;
            }
            case 4: {
                if (pods_.empty()) break;
                auto at = std::next(pods_.begin(), make_.below(pods_.size()));
                it_.scheduler.observer().pod_deleted(at->second);
                pods_.erase(at);
                break;
            }
            case 5:
            case 6:
                if (it_.api.waits()) it_.api.answer_one(make_.below(4) != 0);
                break;
            case 7: it_.clock.run(); break;
            case 8: confirm(); break;
            default: it_.scheduler.schedule_one();
        }
    }

    void reload() {
        if (make_.below(2)) {
            CHECK_FALSE(it_.change(broken[make_.below(broken.size())]));
            return;
        }
        config_ = good[make_.below(good.size())];
        REQUIRE(it_.change(config_));
    }

    /// With nothing on its way: the next decision is that of a scheduler that has just begun.
    void compare() {
        it_.settle(true);
        confirm();
        REQUIRE(it_.scheduler.binding() == 0);
        reload();
        it_.sink.last.clear();
        while (it_.sink.last.empty())
            if (!it_.clock.run() && !it_.scheduler.schedule_one()) return;
        const auto decision = it_.sink.last.begin()->second;
        Changing fresh(config_);
        for (const auto &[name, node] : nodes_) fresh.scheduler.observer().node_added(node);
        for (const auto &[key, one] : pods_)
            if (!one->node_name().empty()) fresh.scheduler.observer().pod_added(one);
        const auto key = decision.pod.name_space + "/" + decision.pod.name;
        fresh.scheduler.observer().pod_added(pods_.at(key));
        fresh.settle(false);
        const auto anew = text_of(fresh.sink.last.at(key));
        fresh.settle(true);  // who asked the API server is owed an answer
        INFO(config_);
        CHECK(text_of(decision) == anew);
    }

    void nobody_is_lost() {
        REQUIRE(it_.change(good[2]));
        it_.settle(true);
        confirm();
        for (const auto &[key, one] : pods_) {
            INFO(key);
            CHECK(it_.api.bound[key] <= 1);
            CHECK((waits(one) || !one->node_name().empty()));
        }
    }

public:
    explicit Game(unsigned seed) : make_(seed) {}
    void play() {
        for (int round = 0; round < 6; ++round) {
            for (int i = 0; i < 25; ++i) step();
            reload();
            for (int i = 0; i < 10; ++i) step();
            compare();
        }
        nobody_is_lost();
    }
};

}  // namespace

TEST_CASE("reload: the columns that instances declared are freed when they have ended", "[sim]") {
    Changing it("profiles: [{schedulerName: default-scheduler}]");
    it.scheduler.observer().node_added(node("n"));
    auto &cache = it.scheduler.cache();
    // VolumeZone declares it; no node has it.
    const auto id = cache.ask_column(BERTH_COLUMN_NODE_LABEL, "topology.kubernetes.io/zone");
    auto there = [&] {
        for (int i = 0; i < 2000; ++i) cache.begin_attempt();
        cache.end_attempt();
        const auto &nodes = cache.snapshot();
        berth_column column{};
        column.struct_size = sizeof column;
        return model::look_ups(nodes).column(id, &column) == BERTH_STATUS_SUCCESS &&
               (column.flags & BERTH_FLAG_COLUMN_ABSENT) == 0;
    };
    CHECK(there());
    REQUIRE(
        it.change("profiles: [{schedulerName: default-scheduler, plugins: {multiPoint: {disabled: [{name: '*'}]}, "
                  "queueSort: {enabled: [{name: PrioritySort}]}, bind: {enabled: [{name: DefaultBinder}]}}}]"));
    CHECK(there());
    for (int i = 0; i < 3; ++i) it.settle(true);
    CHECK_FALSE(there());
}

TEST_CASE("reload: random worlds lose no pod, bind none twice, and decide as if begun anew", "[sim]") {
    const auto seed = GENERATE(range(1u, 8u));
    INFO("seed " << seed);
    Game(seed).play();
}
