// SPDX-License-Identifier: Apache-2.0
#include "model/resources.h"

#include "unit/object_text.h"

using namespace berth;
using model::view;

namespace {

constexpr std::int64_t mebi = 1024 * 1024;

model::PodPtr pod_with(std::string_view spec, std::string_view status = "{}") {
    return pod_of("metadata: {name: a}\nspec: " + std::string(spec) + "\nstatus: " + std::string(status));
}

/// As 1.37 accounts for it.
model::PodPtr per_pod(const std::string &spec, const std::string &status) {
    return model::read_pod_of(nullptr, tree_of("metadata: {name: a}\nspec: " + spec + "\nstatus: " + status), no_faults,
                              model::Accounting::PerPod);
}

std::int64_t scalar(const berth_resources &resources, std::string_view name) {
    for (std::uint64_t i = 0; i < resources.scalars_len; ++i)
        if (view(resources.scalars[i].name) == name) return resources.scalars[i].value;
    return -1;
}

}  // namespace

TEST_CASE("resources: the requests of all containers are added up", "[model]") {
    const auto pod = pod_with(R"({containers: [
        {resources: {requests: {cpu: 250m, memory: 64Mi, nvidia.com/gpu: 1, ephemeral-storage: 1Gi}}},
        {resources: {requests: {cpu: 1, nvidia.com/gpu: 2, example.com/foo: 0}}}]})");
    const auto &requests = *pod->view.requests;
    CHECK(requests.cpu == 1250);
    CHECK(requests.memory == 64 * mebi);
    CHECK(requests.ephemeral == 1024 * mebi);
    REQUIRE(requests.scalars_len == 2);
    CHECK(view(requests.scalars[0].name) == "example.com/foo");
    CHECK(scalar(requests, "example.com/foo") == 0);
    CHECK(scalar(requests, "nvidia.com/gpu") == 3);
    CHECK(model::equal(requests, pod->effective()));
    CHECK(model::equal(requests, *pod->view.container_requests));
}

TEST_CASE("resources: half a thousandth twice is one, not two", "[model]") {
    const auto pod =
        pod_with("{containers: [{resources: {requests: {cpu: 0.5m}}}, {resources: {requests: {cpu: 0.5m}}}]}");
    CHECK(pod->view.requests->cpu == 1);
}

TEST_CASE("resources: containers that request no cpu or memory count as 100m and 200Mi, an explicit 0 as 0",
          "[model]") {
    const auto pod = pod_with(R"({containers: [{}, {resources: {requests: {cpu: 0}}},
        {resources: {requests: {cpu: 50m, memory: 1Mi}}}]})");
    CHECK(pod->view.requests->cpu == 50);
    CHECK(pod->view.requests->memory == mebi);
    for (const auto *nonzero :
         {pod->view.requests_nonzero, pod->view.container_requests_nonzero, pod->effective_nonzero}) {
        CHECK(nonzero->cpu == 150);
        CHECK(nonzero->memory == 401 * mebi);
    }
}

TEST_CASE("resources: init containers run one by one, sidecars stay", "[model]") {
    const auto request = [](std::string_view init, std::string_view app) {
        auto containers = [](std::string_view list) {
            std::string text = "[";
            for (std::size_t i = 0; i < list.size(); i += 2) {
                const bool sidecar = list[i + 1] == 's';
                text += std::string("{resources: {requests: {cpu: ") + list[i] + "}}" +
                        (sidecar ? ", restartPolicy: Always}," : "},");
            }
            return text + "]";
        };
        return pod_with("{initContainers: " + containers(init) + ", containers: " + containers(app) + "}")
            ->view.requests->cpu;
    };
    CHECK(request("5 ", "1 1 ") == 5000);      // the greatest init container
    CHECK(request("1 1 ", "1 2 ") == 3000);    // the sum of the containers
    CHECK(request("2s", "1 ") == 3000);        // a sidecar is added
    CHECK(request("2s4 ", "1 ") == 6000);      // an init container beside the sidecar before it
    CHECK(request("4 2s", "1 ") == 4000);      // an init container before the sidecar
    CHECK(request("1s3 2s3 ", "1 ") == 6000);  // both sidecars beside the last init container
    CHECK(request("3s3s", "1 ") == 7000);
}

TEST_CASE("resources: an init container that requests nothing counts too where nothing means 100m", "[model]") {
    const auto pod = pod_with(R"({initContainers: [{restartPolicy: Always}, {}], containers: [{}]})");
    CHECK(pod->view.requests->cpu == 0);
    CHECK(pod->view.requests_nonzero->cpu == 200);
    CHECK(pod->view.requests_nonzero->memory == 400 * mebi);
}

TEST_CASE("resources: overhead is added", "[model]") {
    const auto pod = pod_with("{overhead: {cpu: 10m, memory: 1Mi}, containers: [{resources: {requests: {cpu: 1}}}]}");
    CHECK(pod->view.requests->cpu == 1010);
    CHECK(pod->view.container_requests->cpu == 1010);
    CHECK(pod->view.container_requests_nonzero->memory == 201 * mebi);
    CHECK(pod->view.requests_nonzero->memory == 201 * mebi);
}

TEST_CASE("resources: a request that is absent is the limit", "[model]") {
    const auto pod = pod_with(R"({containers: [{resources: {requests: {cpu: 1}, limits: {cpu: 2, memory: 5Mi}}}]})");
    CHECK(pod->view.requests->cpu == 1000);
    CHECK(pod->view.requests->memory == 5 * mebi);
}

TEST_CASE("resources: requests at pod level take the place of the containers'", "[model]") {
    const auto pod = pod_with(R"({resources: {requests: {cpu: 800m, nvidia.com/gpu: 7}}, overhead: {cpu: 1m},
        containers: [{resources: {requests: {cpu: 100m, nvidia.com/gpu: 1}}}, {}]})");
    CHECK(pod->view.requests->cpu == 801);
    CHECK(scalar(*pod->view.requests, "nvidia.com/gpu") == 1);
    CHECK(pod->effective().cpu == 801);
    CHECK(pod->view.container_requests->cpu == 101);
    CHECK(pod->view.container_requests_nonzero->cpu == 201);
    // The sum has cpu, so no container counts as 100m; nobody requests memory, so every container counts as 200Mi.
    CHECK(pod->view.requests_nonzero->cpu == 801);
    CHECK(pod->view.requests_nonzero->memory == 400 * mebi);
    CHECK(pod->effective_nonzero->cpu == 801);
    CHECK(pod->effective_nonzero->memory == 400 * mebi);
}

TEST_CASE("resources: limits at pod level make requests of what nobody requests", "[model]") {
    const auto pod = pod_with(R"({resources: {limits: {cpu: 2, memory: 10Mi}},
        containers: [{resources: {requests: {cpu: 300m}}}, {}]})");
    CHECK(pod->view.requests->cpu == 300);
    CHECK(pod->view.requests->memory == 10 * mebi);
    CHECK(pod->view.requests_nonzero->cpu == 300);
    CHECK(pod->view.container_requests->memory == 0);
}

TEST_CASE("resources: of a running pod the node accounts for what the status says too", "[model]") {
    const std::string spec = R"({initContainers: [{name: i, resources: {requests: {cpu: 1}}},
        {name: s, restartPolicy: Always, resources: {requests: {cpu: 1}}}],
        containers: [{name: c, resources: {requests: {cpu: 1, memory: 4Mi}}}]})";
    const std::string status = R"(
        containerStatuses: [{name: c, resources: {requests: {cpu: 3, memory: 1Mi}}, allocatedResources: {cpu: 2}}],
        initContainerStatuses: [{name: i, resources: {requests: {cpu: 9}}},
            {name: s, resources: {requests: {cpu: 500m}}, allocatedResources: {cpu: 2}}])";
    const auto pod = pod_with(spec, "{" + status + "}");
    CHECK(pod->effective().cpu == 5000);
    CHECK(pod->effective().memory == 4 * mebi);
    CHECK(pod->effective_nonzero->memory == 204 * mebi);
    CHECK(pod->view.current_requests->cpu == 5000);
    CHECK(pod->view.requests->cpu == 2000);
    CHECK(pod->view.requests_nonzero->cpu == 2000);
    CHECK(pod->view.container_requests_nonzero->cpu == 2000);

    // A resize that cannot be done: what is in force counts, not what was asked for.
    const auto stuck = pod_with(spec, "{conditions: [{type: PodResizePending, reason: Infeasible}], " + status + "}");
    CHECK(stuck->effective().cpu == 5000);
    CHECK(stuck->effective().memory == mebi);
    const auto deferred = pod_with(spec, "{conditions: [{type: PodResizePending, reason: Deferred}], " + status + "}");
    CHECK(deferred->effective().memory == 4 * mebi);
    // Allocated resources without `resources` do not count.
    const auto old = pod_with(spec, "{containerStatuses: [{name: c, allocatedResources: {cpu: 7}}]}");
    CHECK(old->effective().cpu == 2000);
}

TEST_CASE("resources: the status at pod level counts where pod-level requests are set", "[model]") {
    const std::string spec = "{resources: {requests: {cpu: 1, memory: 8Mi}}, containers: [{}]}";
    const auto pod = pod_with(spec, "{resources: {requests: {cpu: 2}}, allocatedResources: {cpu: 3}}");
    CHECK(pod->effective().cpu == 3000);
    CHECK(pod->effective().memory == 8 * mebi);
    CHECK(pod->view.requests->cpu == 1000);
    const auto stuck = pod_with(spec, R"({conditions: [{type: PodResizePending, reason: Infeasible}],
        resources: {requests: {cpu: 500m}}})");
    CHECK(stuck->effective().cpu == 500);
    CHECK(stuck->effective().memory == 0);
    const auto unset = pod_with("{containers: [{}]}", "{resources: {requests: {cpu: 2}}}");
    CHECK(unset->effective().cpu == 0);
}

TEST_CASE("resources: since 1.37 the node accounts for the most of three sums over a pod", "[model]") {
    const std::string spec = R"({initContainers: [{name: i, resources: {requests: {cpu: 1}}},
        {name: s, restartPolicy: Always, resources: {requests: {cpu: 1}}}],
        containers: [{name: c, resources: {requests: {cpu: 1, memory: 4Mi}}}]})";
    const std::string status = R"(
        containerStatuses: [{name: c, resources: {requests: {cpu: 3, memory: 1Mi}}, allocatedResources: {cpu: 2}}],
        initContainerStatuses: [{name: i, resources: {requests: {cpu: 9}}},
            {name: s, resources: {requests: {cpu: 500m}}, allocatedResources: {cpu: 2}}])";
    const auto pod = per_pod(spec, "{" + status + "}");
    CHECK(pod->effective().cpu == 9000);  // an init container with a status, though it has ended
    CHECK(pod->effective().memory == 4 * mebi);
    CHECK(pod->effective_nonzero->cpu == 9000);
    CHECK(pod->effective_nonzero->memory == 400 * mebi);  // where 2 CPUs are allocated, and no memory
    CHECK(pod->view.requests->cpu == 2000);
    CHECK(pod->view.requests_nonzero->memory == 204 * mebi);
    CHECK(pod->accounting == model::Accounting::PerPod);
    CHECK(model::assumed_copy(pod, "n")->accounting == model::Accounting::PerPod);

    const std::string infeasible = "conditions: [{type: PodResizePending, reason: Infeasible}]";
    const auto stuck = per_pod(spec, "{" + infeasible + ", " + status + "}");
    CHECK(stuck->effective().cpu == 9000);
    CHECK(stuck->effective().memory == mebi);
    CHECK(per_pod(spec, "{" + infeasible + "}")->effective().cpu == 0);
    CHECK(pod_with(spec, "{" + infeasible + "}")->effective().cpu == 2000);
    const auto allocated = per_pod(spec, "{containerStatuses: [{name: c, allocatedResources: {cpu: 7}}]}");
    CHECK(allocated->effective().cpu == 8000);
    CHECK(allocated->effective().memory == 4 * mebi);

    const std::string twice = R"({containerStatuses: [{name: c, resources: {requests: {cpu: 3}}},
        {name: c, resources: {requests: {cpu: 5}}}], initContainerStatuses: [{name: c, resources: {requests: {cpu: 7}}}]})";
    const std::string one = "{containers: [{name: c, resources: {requests: {cpu: 1}}}]}";
    CHECK(per_pod(one, twice)->effective().cpu == 3000);
    CHECK(pod_with(one, twice)->effective().cpu == 7000);
}

TEST_CASE("resources: since 1.37 a whole status at pod level takes the place of the containers'", "[model]") {
    const std::string spec = "{resources: {requests: {cpu: 1, memory: 8Mi}}, containers: [{}]}";
    const std::string whole = "{resources: {requests: {cpu: 2, example.com/x: 1}}, allocatedResources: {cpu: 3}}";
    const auto pod = per_pod(spec, whole);
    CHECK(pod->effective().cpu == 3000);
    CHECK(pod->effective().memory == 8 * mebi);
    CHECK(scalar(pod->effective(), "example.com/x") == 1);
    const auto stuck = per_pod(spec, R"({conditions: [{type: PodResizePending, reason: Infeasible}],
        resources: {requests: {cpu: 500m}}})");
    CHECK(stuck->effective().cpu == 500);
    CHECK(stuck->effective().memory == 0);
    // Also without requests at pod level; half a status does not.
    CHECK(per_pod("{containers: [{}]}", whole)->effective().cpu == 3000);
    CHECK(per_pod("{containers: [{}]}", "{resources: {requests: {cpu: 2}}}")->effective().cpu == 0);
    CHECK(per_pod("{containers: [{}]}", "{resources: {}, allocatedResources: {cpu: 3}}")->effective().cpu == 0);
    // Resources that only the status has.
    const auto more =
        per_pod("{resources: {requests: {cpu: 1}}, containers: [{}]}", "{resources: {requests: {memory: 1Mi}}}");
    CHECK(more->effective().memory == mebi);
}

TEST_CASE("resources: only certain names are counted beside cpu, memory and storage", "[model]") {
    for (std::string_view name : {"nvidia.com/gpu", "example.com/Foo_1.x", "hugepages-2Mi", "attachable-volumes-csi-x",
                                  "kubernetes.io/batch-cpu", "a.kubernetes.io/x", "kubernetes.io/"}) {
        INFO(name);
        CHECK(model::scalar_resource(name));
    }
    for (std::string_view name :
         {"", "gpu", "pods", "storage", "/gpu", "nvidia.com/", "requests.nvidia.com/gpu", "a/b/c", "-x.com/gpu",
          "Nvidia.com/gpu", "nvidia.com/-gpu", "nvidia.com/gp u", "limits.cpu", "hugepages"}) {
        INFO(name);
        CHECK_FALSE(model::scalar_resource(name));
    }
    CHECK(model::extended_resource("nvidia.com/gpu"));
    CHECK_FALSE(model::extended_resource("kubernetes.io/batch-cpu"));
    CHECK(model::extended_resource(std::string(244, 'a') + "/b"));
    CHECK_FALSE(model::extended_resource(std::string(245, 'a') + "/b"));
    CHECK_FALSE(model::extended_resource("a/" + std::string(64, 'b')));
}
