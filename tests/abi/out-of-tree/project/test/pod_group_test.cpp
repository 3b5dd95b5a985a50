// SPDX-License-Identifier: Apache-2.0
#include <berth/testing.hpp>

namespace {

std::string member(std::string_view name, std::string_view node = "") {
    return "---\nkind: Pod\nmetadata: {name: " + std::string(name) +
           ", labels: {scheduling.x-k8s.io/pod-group: spices}}\nspec: {nodeName: "
           "\"" +
           std::string(node) + "\"}\n";
}

struct World {
    berth::testing::Cluster cluster{R"(
kind: Node
metadata: {name: quay}
---
apiVersion: scheduling.x-k8s.io/v1alpha1
kind: PodGroup
metadata: {name: spices, namespace: default}
spec: {minMember: 3, scheduleTimeoutSeconds: 7}
---
kind: Pod
metadata: {name: alone}
---
kind: Pod
metadata: {name: stray, labels: {scheduling.x-k8s.io/pod-group: silk}}
)" + member("first") + member("second") +
                                    member("third")};
    berth::testing::Plugin plugin{cluster, BERTH_PLUGIN_FILE, "PodGroups", "{}"};

    std::string uid(const char *pod) { return std::string(berth::view(cluster.pod(pod)->uid)); }
};

}  // namespace

BERTH_TEST(
    "a pod without a group is left alone, one whose group is not there "
    "is refused") {
    World w;
    BERTH_CHECK_EQUAL(w.plugin.pre_filter("alone").code(), BERTH_STATUS_SKIP);
    BERTH_CHECK(w.plugin.permit("alone", "quay").ok());
    BERTH_CHECK_EQUAL(w.plugin.pre_filter("stray").text(), "PodGroup \"default/silk\" not found");
}

BERTH_TEST(
    "a group of which too few pods exist takes no place, until one "
    "comes that completes it") {
    World w;
    BERTH_CHECK(w.plugin.pre_enqueue("first").ok());
    BERTH_CHECK(w.plugin.pre_enqueue("second").ok());
    BERTH_CHECK_EQUAL(w.plugin.pre_filter("first").text(),
                      "only 2 of the 3 pods that PodGroup \"default/spices\" needs exist");
    BERTH_CHECK(w.plugin.host.activated.empty());
    BERTH_CHECK(w.plugin.pre_enqueue("third").ok());
    BERTH_CHECK(w.plugin.pre_filter("third").ok());
    BERTH_CHECK(w.plugin.host.activated == std::vector{w.uid("first")});
}

BERTH_TEST("those that have a place wait for the last, which lets them go") {
    World w;
    for (const char *pod : {"first", "second", "third"}) (void)w.plugin.pre_enqueue(pod);
    BERTH_CHECK(w.plugin.pre_filter("first").ok());
    auto answer = w.plugin.permit("first", "quay");
    BERTH_CHECK_EQUAL(answer.code(), BERTH_STATUS_WAIT);
    BERTH_CHECK(answer.timeout == std::chrono::seconds(7));
    w.cluster.add(member("first", "quay"));
    w.cluster.add(member("second", "quay"));
    w.plugin.host.waiting = {{"first", "quay"}, {"second", "quay"}};
    BERTH_CHECK(w.plugin.pre_filter("third").ok());
    BERTH_CHECK(w.plugin.permit("third", "quay").ok());
    BERTH_CHECK_EQUAL(w.plugin.host.allowed.size(), 2u);
}

BERTH_TEST("one that gives up its place takes the others with it") {
    World w;
    w.cluster.add(member("first", "quay"));
    w.cluster.add(member("second", "quay"));
    w.plugin.host.waiting = {{"first", "quay"}, {"second", "quay"}, {"alone", "quay"}};
    w.plugin.unreserve("first", "quay");
    BERTH_CHECK_EQUAL(w.plugin.host.rejected.size(), 1u);
}

BERTH_TEST_MAIN()
