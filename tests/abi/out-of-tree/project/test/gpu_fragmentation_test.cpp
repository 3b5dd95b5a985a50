// SPDX-License-Identifier: Apache-2.0
#include <berth/testing.hpp>

namespace {

using berth::testing::Cluster;

/// Two nodes of two GPUs; on `half` is a task of half a GPU. Shares and pairs are what people run.
Cluster two_nodes() {
    return Cluster(R"(
kind: Node
metadata: {name: empty}
status: {allocatable: {cpu: 16, pods: 110, nvidia.com/gpu: 2, alibabacloud.com/gpu-milli: 2000}}
---
kind: Node
metadata: {name: half}
status: {allocatable: {cpu: 16, pods: 110, nvidia.com/gpu: 2, alibabacloud.com/gpu-milli: 2000}}
---
kind: Node
metadata: {name: plain}
status: {allocatable: {cpu: 16, pods: 110}}
---
kind: Pod
metadata: {name: there, annotations: {alibabacloud.com/gpu-index: "1"}}
spec: {nodeName: half, containers: [{name: main, resources: {requests: {cpu: 1, alibabacloud.com/gpu-milli: 500}}}]}
---
kind: Pod
metadata: {name: share}
spec: {containers: [{name: main, resources: {requests: {cpu: 1, alibabacloud.com/gpu-milli: 500}}}]}
---
kind: Pod
metadata: {name: more}
spec: {containers: [{name: main, resources: {requests: {cpu: 1, alibabacloud.com/gpu-milli: 600}}}]}
---
kind: Pod
metadata: {name: pair}
spec: {containers: [{name: main, resources: {requests: {cpu: 1, nvidia.com/gpu: 2, alibabacloud.com/gpu-milli: 2000}}}]}
---
kind: Pod
metadata: {name: four}
spec: {containers: [{name: main, resources: {requests: {cpu: 1, nvidia.com/gpu: 4}}}]}
---
kind: Pod
metadata: {name: web}
spec: {containers: [{name: main, resources: {requests: {cpu: 1}}}]}
)");
}

struct World {
    Cluster cluster = two_nodes();
    berth::testing::Plugin plugin{
        cluster, BERTH_PLUGIN_FILE, "GpuFragmentation",
        "{workload: [{cpu: 1000, gpus: 1, share: 500, weight: 1}, {cpu: 1000, gpus: 2, share: 1000, weight: 1}]}"};
};

}  // namespace

BERTH_TEST("what fits is asked of each GPU, not of the node's sum") {
    World w;
    BERTH_CHECK(w.plugin.pre_filter("pair").ok());
    BERTH_CHECK(w.plugin.filter("pair", "empty").ok());
    BERTH_CHECK_EQUAL(w.plugin.filter("pair", "half").text(), "node(s) had too few GPUs that nobody uses");
    BERTH_CHECK_EQUAL(w.plugin.filter("pair", "half").code(), BERTH_STATUS_UNSCHEDULABLE);
    BERTH_CHECK_EQUAL(w.plugin.filter("pair", "plain").text(), "node(s) had too few GPUs");
    BERTH_CHECK(w.plugin.pre_filter("four").ok());
    BERTH_CHECK_EQUAL(w.plugin.filter("four", "empty").code(), BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE);
    w.cluster.add(R"(
kind: Pod
metadata: {name: other, annotations: {alibabacloud.com/gpu-index: "0"}}
spec: {nodeName: half, containers: [{name: main, resources: {requests: {alibabacloud.com/gpu-milli: 500}}}]}
)");
    BERTH_CHECK(w.plugin.pre_filter("more").ok());
    BERTH_CHECK_EQUAL(w.plugin.filter("more", "half").text(), "node(s) had no GPU with so much free");
    BERTH_CHECK(w.plugin.filter("more", "empty").ok());
    BERTH_CHECK_EQUAL(w.plugin.pre_filter("web").code(), BERTH_STATUS_SKIP);
}

BERTH_TEST("a share goes to the GPU that is begun, and web where there are none") {
    World w;
    BERTH_CHECK(w.plugin.pre_filter("share").ok());
    // empty: 2000 free, all of use; afterwards the pair has no place there, so its half of 1500 is a fragment. half:
    // 1500 free, of which the pair cannot use any: 750 fragments before, 500 after.
    BERTH_CHECK_EQUAL(w.plugin.score("share", "empty"), -750000);
    BERTH_CHECK_EQUAL(w.plugin.score("share", "half"), 250000);
    auto scores = w.plugin.scores("share");
    BERTH_CHECK_EQUAL(scores["half"], 100);
    BERTH_CHECK_EQUAL(scores["empty"], 0);
    BERTH_CHECK(w.plugin.reserve("share", "half").ok());
    w.plugin.host.api = [](const auto &) { return berth::testing::ApiAnswer{200, "{}"}; };
    BERTH_CHECK(w.plugin.pre_bind("share", "half").ok());
    BERTH_CHECK_EQUAL(w.plugin.host.sent.size(), 1u);
    BERTH_CHECK(w.plugin.host.sent[0].body.ends_with(R"("annotations":{"alibabacloud.com/gpu-index":"1"}}})"));
    (void)w.plugin.pre_filter("web");
    BERTH_CHECK_EQUAL(w.plugin.scores("web")["plain"], 100);
}

BERTH_TEST("what was reserved counts before the annotation is seen, and is given back") {
    World w;
    BERTH_CHECK(w.plugin.pre_filter("share").ok());
    BERTH_CHECK(w.plugin.reserve("share", "empty").ok());
    w.cluster.add(R"(
kind: Pod
metadata: {name: share}
spec: {nodeName: empty, containers: [{name: main, resources: {requests: {cpu: 1, alibabacloud.com/gpu-milli: 500}}}]}
)");
    BERTH_CHECK(w.plugin.pre_filter("pair").ok());
    BERTH_CHECK(!w.plugin.filter("pair", "empty").ok());
    // A trial without it.
    BERTH_CHECK(w.plugin.remove_pod("pair", "share", "empty").ok());
    BERTH_CHECK(w.plugin.filter("pair", "empty").ok());
    BERTH_CHECK(w.plugin.add_pod("pair", "share", "empty").ok());
    BERTH_CHECK(!w.plugin.filter("pair", "empty").ok());
    w.cluster.remove("Pod", "share");
    BERTH_CHECK(w.plugin.pre_filter("pair").ok());
    BERTH_CHECK(w.plugin.filter("pair", "empty").ok());
}

BERTH_TEST("a workload is needed") {
    Cluster cluster = two_nodes();
    std::string said;
    try {
        berth::testing::Plugin plugin(cluster, BERTH_PLUGIN_FILE, "GpuFragmentation", "{workload: []}");
    } catch (const std::exception &e) {
        said = e.what();
    }
    BERTH_CHECK(said.find("expected a list of classes of tasks") != std::string::npos);
}

BERTH_TEST_MAIN()
