// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A cluster such as there are many, and pods that name thousands of things that no node of it has, as JSON.

#include "objects.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace churn {

/// A node such as a kubelet says it: zone, disk, 20 of the cluster's 200 images.
inline std::string usual_node(std::uint64_t n, std::uint64_t version) {
    std::string images;
    for (std::uint64_t i = 0; i < 20; ++i)
        images += (i ? "," : "") + (R"({"names":["registry.example.com/image-)" + text((n + i) % 200)) +
                  R"(@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"],"sizeBytes":50000000})";
    const auto name = "node-" + text(n);
    return R"({"apiVersion":"v1","kind":"Node",)" +
           metadata(name, "node-uid-" + text(n), version,
                    R"(,"labels":{"kubernetes.io/hostname":")" + name + R"(","topology.kubernetes.io/zone":"zone-)" +
                        text(n % 3) + R"(","disk":")" + (n % 2 ? "ssd" : "hdd") + R"("})") +
           R"(,"status":{"allocatable":{"cpu":"64","memory":"256Gi","pods":"110"},"images":[)" + images + "]}}";
}

/// A pod such as a Deployment and the API server make it, and, on a node, the kubelet; with that text in its spec,
/// which ends with a comma unless it is empty.
inline std::string pod_with(const std::string &name_space, const std::string &name, const std::string &app,
                            std::uint64_t version, const std::string &node, const std::string &spec,
                            const std::string &requests = R"("cpu":"100m","memory":"100Mi")") {
    const auto hash = "hash-of-" + app,
               since = std::string(R"("lastTransitionTime":"2026-01-01T00:00:00Z","status":"True"})");
    std::string status = R"("phase":"Pending","qosClass":"Burstable")";
    if (!node.empty()) {
        status = R"("phase":"Running","qosClass":"Burstable","hostIP":"10.0.0.1","podIP":"10.1.2.3","conditions":[)";
        for (const auto *type : {"PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady"})
            status += R"({"type":")" + std::string(type) + "\"," + since + ",";
        status +=
            R"({"type":"PodScheduled",)" + since +
            R"(],"containerStatuses":[{"name":"main","ready":true,"restartCount":0,"started":true,)"
            R"("containerID":"containerd://)" +
            name +
            R"(","imageID":"registry.example.com/image-7@sha256:0123456789abcdef","state":{"running":{"startedAt":"2026-01-01T00:00:00Z"}}}])";
    }
    return R"({"apiVersion":"v1","kind":"Pod",)" +
           metadata(name, "uid-" + name, version,
                    R"(,"namespace":")" + name_space + R"(","generateName":")" + app + R"(-","labels":{"app":")" + app +
                        R"(","pod-template-hash":")" + hash +
                        R"("},"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":")" + hash +
                        R"(","uid":"uid-of-)" + hash + R"(","controller":true,"blockOwnerDeletion":true}])") +
           R"(,"spec":{"schedulerName":"default-scheduler",)" + (node.empty() ? "" : R"("nodeName":")" + node + "\",") +
           spec +
           R"("serviceAccountName":"default","restartPolicy":"Always","terminationGracePeriodSeconds":30,"volumes":[{"name":"kube-api-access-)" +
           name +
           R"(","projected":{"defaultMode":420,"sources":[{"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}},)"
           R"({"configMap":{"name":"kube-root-ca.crt","items":[{"key":"ca.crt","path":"ca.crt"}]}}]}}],)"
           R"("tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300},)"
           R"({"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}],)"
           R"("containers":[{"name":"main","image":"registry.example.com/image-7","imagePullPolicy":"IfNotPresent",)"
           R"("env":[{"name":"POD_NAME","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"metadata.name"}}}],)"
           R"("ports":[{"containerPort":8080,"protocol":"TCP"}],"volumeMounts":[{"name":"kube-api-access-)" +
           name +
           R"(","mountPath":"/var/run/secrets/kubernetes.io/serviceaccount","readOnly":true}],"resources":{"requests":{)" +
           requests + R"(}}}]},"status":{)" + status + "}}";
}

/// One in four has a node selector, one in four a constraint, one in four a term of affinity.
inline std::string usual_pod(std::uint64_t n, std::uint64_t version, const std::string &node) {
    const auto app = "app-" + text(n % 100);
    const auto selector = R"("labelSelector":{"matchLabels":{"app":")" + app + R"("}})";
    const std::array more{
        std::string(), std::string(R"("nodeSelector":{"disk":"ssd"},)"),
        R"("topologySpreadConstraints":[{"maxSkew":5,"topologyKey":"topology.kubernetes.io/zone","whenUnsatisfiable":"ScheduleAnyway",)" +
            selector + "}],",
        R"("affinity":{"podAntiAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1,"podAffinityTerm":{"topologyKey":"kubernetes.io/hostname",)" +
            selector + "}}]}},"};
    return pod_with("team-" + text(n % 20), "usual-" + text(n), app, version, node, more[n % more.size()]);
}

/// Names things that no other one names, in one of eight places, by its number. What the last three name they only
/// prefer: they get nodes.
struct Poison {
    std::uint64_t n, names;

    std::string name() const { return "poison-" + text(n); }
    std::string json(std::uint64_t version, const std::string &node) const {
        const std::string selector = R"("labelSelector":{"matchLabels":{"app":"app-1"}})";
        const std::string exists = R"("matchExpressions":[{"key":"%","operator":"Exists"}])";
        const std::string term = R"("topologyKey":"%",)" + selector;
        const std::string required = R"("requiredDuringSchedulingIgnoredDuringExecution":[)";
        const std::string preferred = R"("preferredDuringSchedulingIgnoredDuringExecution":[)";
        std::string spec, requests = R"("cpu":"100m")";
        switch (n % 8) {
            case 0: requests = list(R"("%":"1")"); break;
            case 1: spec = R"("nodeSelector":{)" + list(R"("%":"1")") + "},"; break;
            case 2:
                spec =
                    R"("affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[)" +
                    list("{" + exists + "}") + "]}}},";
                break;
            case 3:
                spec = R"("topologySpreadConstraints":[)" +
                       list(R"({"maxSkew":1,"whenUnsatisfiable":"DoNotSchedule",)" + term + "}") + "],";
                break;
            case 4: spec = R"("affinity":{"podAffinity":{)" + required + list("{" + term + "}") + "]}},"; break;
            case 5:
                spec = R"("affinity":{"nodeAffinity":{)" + preferred +
                       list(R"({"weight":1,"preference":{)" + exists + "}}") + "]}},";
                break;
            case 6:
                spec = R"("topologySpreadConstraints":[)" +
                       list(R"({"maxSkew":1,"whenUnsatisfiable":"ScheduleAnyway",)" + term + "}") + "],";
                break;
            default:
                spec = R"("affinity":{"podAntiAffinity":{)" + preferred +
                       list(R"({"weight":1,"podAffinityTerm":{)" + term + "}}") + "]}},";
        }
        return pod_with("poison", name(), "app-1", version, node, spec, requests);
    }

private:
    /// One for each name, which stands in the place of %.
    std::string list(const std::string &one) const {
        std::string out;
        const auto at = one.find('%');
        for (std::uint64_t i = 0; i < names; ++i) {
            if (i) out += ',';
            out.append(one, 0, at).append("x.example/of-" + text(n) + "-" + text(i)).append(one, at + 1);
        }
        return out;
    }
};

}  // namespace churn
