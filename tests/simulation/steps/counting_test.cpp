// SPDX-License-Identifier: Apache-2.0

// InterPodAffinity and PodTopologySpread keep their counts from one pod to the next. After any sequence of events they
// must decide what a scheduler decides that has just begun.

#include "paths.h"
#include "random_objects.h"

using namespace running_world;
using random_objects::Maker;

namespace {

const std::string profile =
    "profiles: [{schedulerName: default-scheduler, percentageOfNodesToScore: 100, pluginConfig: [{name: "
    "PodTopologySpread, args: {defaultingType: List, defaultConstraints: [{maxSkew: 1, topologyKey: disk, "
    "whenUnsatisfiable: ScheduleAnyway}, {maxSkew: 3, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}]}}]}]\n";

/// Says yes to everything.
class Api : public env::Api {
    env::Clock &clock_;

public:
    explicit Api(env::Clock &clock) : clock_(clock) {}
    void send(env::ApiRequest, std::function<void(env::ApiAnswer)> done) override {
        clock_.post([done = std::move(done)] { done({201, "{}"}); });
    }
};

/// One scheduler, told what happens.
class Told {
    QuietLog log_;
    sim::VirtualClock clock_{1767225600LL * 1'000'000'000};
    Api api_{clock_};
    plugin::Catalog catalog_;
    Sink sink_;

public:
    Scheduler scheduler{clock_, nullptr, sink_, {}};

    Told() : catalog_(*plugin::Catalog::open({{berth::paths::plugins()}, {}, true})) {
        auto configuration = config::read(
            "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n" + profile, "c.yaml");
        if (!configuration) FAIL(configuration.error().text);
        plugin::Services services;
        services.clock = &clock_;
        services.api = &api_;
        services.log = &log_;
        services.seed = 1;
        services.checks = plugin::Checks::Strict;
        scheduler.offer(services);
        auto built = plugin::build_profiles(*configuration, catalog_, services);
        if (!built) FAIL(built.error().text);
        scheduler.use(std::move(*built));
    }

    model::Decision decide(const model::PodPtr &pod) {
        scheduler.observer().pod_added(pod);
        while (clock_.run() || scheduler.schedule_one()) {
        }
        auto decision = sink_.last.at(pod->key());
        scheduler.observer().pod_deleted(pod);
        return decision;
    }
};

std::string text_of(const model::Decision &d) {
    std::map<std::string, std::string> nodes;
    for (const auto &n : d.nodes) {
        auto &line = nodes[n.name];
        line = n.verdict.plugin + " " + n.verdict.message();
        for (const auto &s : n.scores)
            line += " " + s.plugin + "=" + std::to_string(s.raw) + "/" + std::to_string(s.normalized);
    }
    std::string out = d.message + "\n";
    for (const auto &[name, line] : nodes) out += name + ": " + line + "\n";
    return out;
}

/// The world as it is, and a scheduler that has seen how it came to be.
class Game {
    Maker make_;
    Told follows_;
    std::map<std::string, model::NodePtr> nodes_;
    std::map<std::string, model::PodPtr> pods_;
    std::map<std::string, std::pair<model::Kind, model::AnyPtr>> objects_;

    void put_object(const model::Kind &kind, const model::AnyPtr &after) {
        auto &[of, before] = objects_[kind.resource + after->key()];
        follows_.scheduler.observer().object_changed(kind, before, after);
        of = kind;
        before = after;
    }

public:
    explicit Game(unsigned seed, bool fresh = false) : make_(seed) {
        make_.fresh = fresh;
        make_.rare = true;
    }

    /// Deletes pods until no more than so many are left.
    void thin_out(std::size_t most) {
        while (pods_.size() > most) {
            auto at = std::next(pods_.begin(), make_.below(pods_.size()));
            follows_.scheduler.observer().pod_deleted(at->second);
            pods_.erase(at);
        }
    }

    void step() {
        auto &s = follows_.scheduler;
        // Others ask for so many columns that those of the labels are freed, and come again under other ids.
        for (unsigned i = make_.below(40) == 0 ? 600 : 0; i > 0; --i)
            (void)s.cache().ask_column(BERTH_COLUMN_POD_ANNOTATION, std::to_string(make_.below(5000)));
        switch (make_.below(10)) {
            case 0:
            case 1: {
                auto node = make_.node(make_.node_name());
                auto &known = nodes_[std::string(node->name)];
                known ? s.observer().node_updated(known, node) : s.observer().node_added(node);
                known = node;
                break;
            }
            case 2:
                if (auto at = nodes_.find(make_.node_name()); at != nodes_.end() && make_.below(3) == 0) {
                    s.observer().node_deleted(at->second);
                    nodes_.erase(at);
                }
                break;
            case 3:
                if (!pods_.empty() && make_.below(2)) {
                    auto at = std::next(pods_.begin(), make_.below(pods_.size()));
                    s.observer().pod_deleted(at->second);
                    pods_.erase(at);
                }
                break;
            case 4:
                if (!pods_.empty()) {  // its labels change
                    auto &pod = std::next(pods_.begin(), make_.below(pods_.size()))->second;
                    auto after = make_.again(std::string(model::view(pod->view.name)),
                                             "namespace: " + std::string(pod->name_space()) + ", uid: " +
                                                 std::string(pod->uid()) + ", resourceVersion: 'x', labels: {app: c},",
                                             std::string(pod->node_name()));
                    s.observer().pod_updated(pod, after);
                    pod = after;
                }
                break;
            case 5: put_object(Maker::namespaces_kind(), make_.name_space_object(make_.name_space())); break;
            case 6: put_object(Maker::services_kind(), make_.service(make_.below(2) ? "s1" : "s2")); break;
            default: {
                auto pod = make_.pod(make_.node_name());
                s.observer().pod_added(pod);
                pods_[pod->key()] = pod;
                break;
            }
        }
    }

    void compare() {
        auto probe = make_.pod("");
        auto followed = text_of(follows_.decide(probe));
        Told anew;
        for (const auto &[key, object] : objects_)
            anew.scheduler.observer().object_changed(object.first, nullptr, object.second);
        for (const auto &[name, node] : nodes_) anew.scheduler.observer().node_added(node);
        for (const auto &[key, pod] : pods_) anew.scheduler.observer().pod_added(pod);
        REQUIRE(followed == text_of(anew.decide(probe)));
    }
};

}  // namespace

TEST_CASE("counting: after any sequence of events the counts are those of a scheduler that begins anew", "[sim]") {
    for (unsigned seed = 1; seed <= 4; ++seed) {
        INFO("seed " << seed);
        Game game(seed);
        for (int i = 0; i < 30; ++i) game.step();
        for (int i = 0; i < 40; ++i) {
            for (int k = 0; k < 4; ++k) game.step();
            game.compare();
        }
    }
}

TEST_CASE("counting: the same where nearly every value is new, and codes are used again", "[sim]") {
    for (unsigned seed = 1; seed <= 2; ++seed) {
        INFO("seed " << seed);
        Game game(seed, true);
        for (int i = 0; i < 60; ++i) {
            for (int k = 0; k < 50; ++k) game.step();
            game.thin_out(50);
            game.compare();
        }
    }
}
