// SPDX-License-Identifier: Apache-2.0

// AddPod and RemovePod of InterPodAffinity and PodTopologySpread: what PreFilter left stays true while a node is tried
// with a pod more or less on it.

#include "random_objects.h"

#include "paths.h"
#include "plugin/call.h"

using namespace running_world;
using random_objects::Maker;

namespace {

/// One plugin of the library, called directly; a scheduler that only holds the cluster.
class Direct {
    struct Nothing : DecisionSink {
        model::Detail detail() const override { return model::Detail::Summary; }
        void decision(const model::Decision &) override {}
        void event(const model::DecisionEvent &) override {}
    } nothing_;
    sim::VirtualClock clock_{1767225600LL * 1'000'000'000};
    plugin::Catalog catalog_;
    std::optional<plugin::Profile> profile_;
    const plugin::Instance *instance_ = nullptr;
    std::unique_ptr<plugin::State> state_;
    plugin::CallContext call_;
    model::PodPtr pod_;

    std::vector<plugin::Profile> build() {
        auto configuration =
            config::read("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n", "c.yaml");
        if (!configuration) FAIL(configuration.error().text);
        plugin::Services services;
        services.clock = &clock_;
        scheduler.offer(services);
        auto built = plugin::build_profiles(*configuration, catalog_, services);
        if (!built) FAIL(built.error().text);
        return std::move(*built);
    }

public:
    Scheduler scheduler{clock_, nullptr, nothing_, {}};

    explicit Direct(const std::string &name) : catalog_(*plugin::Catalog::open({{berth::paths::plugins()}, {}, true})) {
        scheduler.use(build());
        profile_.emplace(std::move(build().front()));
        for (const auto &instance : profile_->instances)
            if (instance->name == name) instance_ = instance.get();
        REQUIRE(instance_);
    }

    std::int32_t pre_filter(const model::PodPtr &pod) {
        pod_ = pod;
        state_ = std::make_unique<plugin::State>();
        plugin::StatusSlot status;
        instance_->pre_filter->pre_filter(instance_->self, call_.call(), state_->handle(), &pod->view,
                                          &scheduler.cache().snapshot(), nullptr, status.raw());
        return status.take(*instance_, "PreFilter").code;
    }
    /// The plugin's word about one node, in a state of its own, after `change` has been at it.
    struct Trial {
        Direct &of;
        std::unique_ptr<plugin::State> state;
        std::uint32_t slot;

        void with(const model::PodPtr &other, bool added) const {
            const auto &table = *of.instance_->pre_filter_ext;
            plugin::StatusSlot status;
            (added ? table.add_pod : table.remove_pod)(of.instance_->self, of.call_.call(), state->handle(),
                                                       &of.pod_->view, &other->view, &of.scheduler.cache().snapshot(),
                                                       slot, status.raw());
            CHECK(status.take(*of.instance_, "AddPod").success());
        }
        std::string filter() const {
            std::int32_t code = BERTH_STATUS_NOT_EVALUATED;
            std::uint32_t reasons = 0;
            of.instance_->filter->filter(of.instance_->self, of.call_.call(), state->handle(), &of.pod_->view,
                                         &of.scheduler.cache().snapshot(), &slot, 1, &code, &reasons);
            if (code == BERTH_STATUS_SUCCESS) return "fits";
            return std::to_string(code) + " " + of.call_.reasons().find(reasons)->at(0);
        }
    };
    Trial trial(const std::string &node) {
        auto slot = model::find_node(scheduler.cache().snapshot(), model::to_str(node));
        REQUIRE(slot != BERTH_NO_SLOT);
        return {*this, state_->clone(), slot};
    }
    std::string filter(const std::string &node) { return trial(node).filter(); }
};

model::PodPtr hates(const std::string &name, const std::string &more, const std::string &term) {
    return pod(name, "uid: u-" + name + ", " + more,
               "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{" + term + "}]}},");
}
model::NodePtr zoned(const std::string &name, const std::string &labels) {
    return node_of("{apiVersion: v1, kind: Node, metadata: {name: " + name + ", labels: {" + labels +
                   "}}, status: {allocatable: {cpu: '16', memory: 64Gi, pods: '110'}}}");
}

}  // namespace

TEST_CASE("trial: a node with a pod more is judged as if the pod were there", "[sim]") {
    for (const auto *name : {"InterPodAffinity", "PodTopologySpread"}) {
        INFO(name);
        int different = 0;
        for (unsigned seed = 1; seed <= 5; ++seed) {
            INFO("seed " << seed);
            Maker make(seed);
            make.plain = true;
            Direct without(name), with(name);
            auto both = [&](auto event) { event(without.scheduler), event(with.scheduler); };
            auto some_node = [&] { return "n" + std::to_string(make.below(5)); };
            for (int i = 0; i < 5; ++i) {
                auto node = make.node("n" + std::to_string(i));
                both([&](Scheduler &s) { s.observer().node_added(node); });
            }
            for (int i = 0; i < 60; ++i) {
                if (i % 8 == 0) {
                    auto placed = make.pod(some_node());
                    both([&](Scheduler &s) { s.observer().pod_added(placed); });
                }
                auto where = some_node();
                auto other = make.pod(where), pod = make.pod("");
                with.scheduler.observer().pod_added(other);
                // The question is only asked of a pod whose PreFilter did not skip.
                if (without.pre_filter(pod) == BERTH_STATUS_SUCCESS && with.pre_filter(pod) == BERTH_STATUS_SUCCESS) {
                    auto added = without.trial(where), removed = with.trial(where), back = without.trial(where);
                    added.with(other, true);
                    CHECK(added.filter() == with.filter(where));
                    removed.with(other, false);
                    CHECK(removed.filter() == without.filter(where));
                    back.with(other, true);
                    back.with(other, false);
                    CHECK(back.filter() == without.filter(where));
                    different += with.filter(where) != without.filter(where);
                }
                with.scheduler.observer().pod_deleted(other);
            }
        }
        CHECK(different > 3);
    }
}

TEST_CASE("trial: InterPodAffinity, a pod on trial avoids by a key that nobody has named", "[sim]") {
    Direct d("InterPodAffinity");
    d.scheduler.observer().node_added(zoned("a", "rack: r1"));
    d.scheduler.observer().node_added(zoned("b", ""));
    auto p = hates("p", "labels: {app: x},", "topologyKey: zone, labelSelector: {matchLabels: {app: none}}");
    auto other = hates("q", "", "topologyKey: rack, labelSelector: {matchLabels: {app: x}}");
    REQUIRE(d.pre_filter(p) == BERTH_STATUS_SUCCESS);
    auto on_a = d.trial("a"), on_b = d.trial("b");
    on_a.with(other, true);
    on_b.with(other, true);
    CHECK(on_a.filter() == "2 node(s) didn't satisfy existing pods anti-affinity rules");
    CHECK(on_b.filter() == "fits");
    on_a.with(other, false);
    CHECK(on_a.filter() == "fits");
}

TEST_CASE("trial: PodTopologySpread, a terminating pod counts on trial, and a selector of everything matches",
          "[sim]") {
    // PreFilter counts neither, so that taking such a pod away leads below zero: upstream's way.
    Direct d("PodTopologySpread");
    for (const auto *n : {"a", "b"}) d.scheduler.observer().node_added(zoned(n, std::string("name: ") + n));
    auto spread = [](const std::string &selector) {
        return pod("p", "uid: u-p, labels: {app: x},",
                   "topologySpreadConstraints: [{maxSkew: 1, topologyKey: name, whenUnsatisfiable: DoNotSchedule, "
                   "labelSelector: " +
                       selector + "}],");
    };
    auto placed = [](const std::string &name, const std::string &more) {
        return pod(name, "uid: u-" + name + ", labels: {app: x}," + more, "nodeName: a,");
    };
    auto going = placed("going", "deletionTimestamp: '2026-01-01T02:00:00Z',"), here = placed("here", "");
    SECTION("terminating") {
        d.scheduler.observer().pod_added(going);
        d.scheduler.observer().pod_added(here);
        REQUIRE(d.pre_filter(spread("{matchLabels: {app: x}}")) == BERTH_STATUS_SUCCESS);
        CHECK(d.filter("a") == "2 node(s) didn't match pod topology spread constraints");
        CHECK(d.filter("b") == "fits");
        auto a = d.trial("a");
        a.with(going, false);
        CHECK(a.filter() == "fits");
        auto b = d.trial("b");
        b.with(going, true);
        b.with(going, true);
        b.with(going, true);
        CHECK(b.filter() == "2 node(s) didn't match pod topology spread constraints");
    }
    SECTION("everything") {
        d.scheduler.observer().pod_added(here);
        REQUIRE(d.pre_filter(spread("{}")) == BERTH_STATUS_SUCCESS);
        CHECK(d.filter("a") == "fits");
        auto a = d.trial("a");
        a.with(going, true);
        CHECK(a.filter() == "2 node(s) didn't match pod topology spread constraints");
    }
}
