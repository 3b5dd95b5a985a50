// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Objects of a cluster in which everything has a name of its own, as JSON. The n-th of a kind is always the same.

#include <cstdint>
#include <string>
#include <string_view>

namespace churn {

inline std::string text(std::uint64_t n) { return std::to_string(n); }

/// `{"name":…}` with whatever else an object's metadata holds, each field with a comma before it.
inline std::string metadata(const std::string &name, const std::string &uid, std::uint64_t version,
                            const std::string &rest) {
    return R"("metadata":{"name":")" + name + R"(","uid":")" + uid + R"(","resourceVersion":")" + text(version) +
           R"(","creationTimestamp":"2026-01-01T00:00:00Z")" + rest + "}";
}

/// A node with a host name, a zone, a serial number, taints and images that no other node has, and images that all
/// have.
struct Node {
    std::uint64_t n;

    std::string name() const { return "node-" + text(n); }
    std::string json(std::uint64_t version) const {
        const auto serial = text(n);
        std::string images;
        for (int i = 0; i < 4; ++i)
            images += R"({"names":["registry.example.com/of-)" + serial + "-" + text(static_cast<std::uint64_t>(i)) +
                      R"(:v1"],"sizeBytes":50000000},)";
        std::string taints;
        if (n % 4 == 0)
            taints =
                R"("taints":[{"key":"example.com/rack","value":"rack-)" + serial + R"(","effect":"PreferNoSchedule"}])";
        return R"({"apiVersion":"v1","kind":"Node",)" +
               metadata(name(), "node-uid-" + serial, version,
                        R"(,"labels":{"kubernetes.io/hostname":")" + name() +
                            R"(","topology.kubernetes.io/region":"r","topology.kubernetes.io/zone":"zone-)" +
                            text(n / 20) + R"(","example.com/serial":"serial-)" + serial + R"("})") +
               R"(,"spec":{)" + taints +
               R"(},"status":{"allocatable":{"cpu":"64","memory":"256Gi","pods":"110"},"images":[)" + images +
               R"({"names":["registry.example.com/base:v1"],"sizeBytes":90000000}]}})";
    }
};

inline constexpr std::uint64_t pods_in_namespace = 100;

struct Namespace {
    std::uint64_t n;

    std::string name() const { return "team-" + text(n); }
    std::string json(std::uint64_t version) const {
        return R"({"apiVersion":"v1","kind":"Namespace",)" +
               metadata(name(), "team-uid-" + text(n), version, R"(,"labels":{"team":")" + name() + R"("})") + "}";
    }
};

/// A service that selects the pod of that number, in its namespace.
struct Service {
    std::uint64_t pod;

    std::string json(std::uint64_t version) const {
        return R"({"apiVersion":"v1","kind":"Service",)" +
               metadata("service-" + text(pod), "service-uid-" + text(pod), version,
                        R"(,"namespace":")" + Namespace{pod / pods_in_namespace}.name() + "\"") +
               R"(,"spec":{"selector":{"job":"job-)" + text(pod) + R"("}}})";
    }
};

/// A pod of a Job: labels, annotations, owner and image that no other pod has; and, one in so many, a host port, terms
/// of affinity, spread constraints, tolerations. One in 64 fits nowhere.
struct Pod {
    std::uint64_t n;
    static constexpr std::uint64_t kinds = 16, unfit_every = 64;

    std::string name() const { return "job-" + text(n) + "-x"; }
    std::string name_space() const { return Namespace{n / pods_in_namespace}.name(); }
    bool fits() const { return n % unfit_every != 1; }

    std::string json(std::uint64_t version, const std::string &node) const {
        const auto serial = text(n), job = "job-" + serial;
        const std::string rest = R"(,"namespace":")" + name_space() + R"(","labels":{"job":")" + job +
                                 R"(","controller-uid":"uid-of-)" + job +
                                 R"(","app":"batch"},"annotations":{"example.com/submitted-by":"somebody-)" + serial +
                                 R"("},"ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":")" + job +
                                 R"(","uid":"uid-of-)" + job + R"(","controller":true}])";
        std::string port;
        if (n % kinds == 0)
            port = R"(,"ports":[{"containerPort":80,"hostPort":)" + text(10'000 + n / kinds % 50'000) + "}]";
        std::string spec = R"("schedulerName":"default-scheduler",)";
        if (!node.empty()) spec += R"("nodeName":")" + node + "\",";
        return R"({"apiVersion":"v1","kind":"Pod",)" + metadata(name(), "uid-" + serial, version, rest) +
               R"(,"spec":{)" + spec + special(job) + R"("containers":[{"name":"c","image":"registry.example.com/)" +
               job + R"(:v1","resources":{"requests":{"cpu":"10m","memory":"16Mi"}})" + port +
               R"(}]},"status":{"phase":"Pending"}})";
    }

private:
    /// What only some have, each field with a comma behind it.
    std::string special(const std::string &job) const {
        const auto selector = R"("labelSelector":{"matchLabels":{"job":")" + job + R"("}})";
        const auto term = [&](const char *key, const std::string &more) {
            return R"({"topologyKey":")" + std::string(key) + "\"," + more + selector + "}";
        };
        constexpr const char *host = "kubernetes.io/hostname", *zone = "topology.kubernetes.io/zone";
        if (!fits()) return R"("nodeSelector":{"example.com/serial":"none-)" + text(n) + R"("},)";
        switch (n % kinds) {
            case 2:
                return R"("affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[)" +
                       term(host, "") + "]}},";
            case 3:
                return R"("affinity":{"podAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":5,"podAffinityTerm":)" +
                       term(zone, "") + "}]}},";
            case 4:
                return R"("affinity":{"podAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":5,"podAffinityTerm":)" +
                       term(zone,
                            R"("namespaceSelector":{"matchExpressions":[{"key":"team","operator":"In","values":["t-)" +
                                text(n) + R"("]}]},)") +
                       "}]}},";
            case 5:
                return R"("topologySpreadConstraints":[{"maxSkew":1,"whenUnsatisfiable":"DoNotSchedule",)" +
                       term(zone, "").substr(1) + "],";
            case 6:
                return R"("topologySpreadConstraints":[{"maxSkew":1,"whenUnsatisfiable":"ScheduleAnyway",)" +
                       term(host, "").substr(1) + "],";
            case 7:
                return R"("tolerations":[{"key":"example.com/rack","operator":"Equal","value":"rack-)" + text(n) +
                       R"("}],)";
            default: return {};
        }
    }
};

}  // namespace churn
