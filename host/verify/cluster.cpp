// SPDX-License-Identifier: Apache-2.0
#include "verify/cluster.h"

#include "decode/document.h"

#include <stdexcept>

namespace berth::verify {
namespace {

/// JSON that is written with ' for ".
model::TreePtr tree(std::string text) {
    std::ranges::replace(text, '\'', '"');
    auto document = decode::read_document(text, "verify.json");
    if (!document) throw std::logic_error(document.error().text);
    return document->tree;
}

void no_faults(model::Value, const std::string &path, const std::string &text) {
    throw std::logic_error("the made-up cluster: " + path + ": " + text);
}

std::string number(std::uint64_t n) { return std::to_string(n); }
std::string node_name(std::size_t n) { return "node-" + number(n); }

constexpr std::size_t claims = 6;

}  // namespace

std::string ClusterMaker::labels() {
    std::string out = "'app':'" + random_.one_of({"web", "db", "cache"}) + "'";
    if (random_.once_in(3)) out += ",'tier':'" + random_.one_of({"front", "back"}) + "'";
    if (own_values) out += ",'job':'job-" + number(static_cast<std::uint64_t>(serial_)) + "'";
    return "{" + out + "}";
}

std::string ClusterMaker::affinity() {
    const auto selector = "'labelSelector':{'matchLabels':{'app':'" + random_.one_of({"web", "db", "cache"}) + "'}}";
    const auto term = "{'topologyKey':'" + random_.one_of({"zone", "kubernetes.io/hostname"}) + "'," + selector + "}";
    switch (random_.below(8)) {
        case 0:
            return "'affinity':{'podAntiAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[" + term + "]}},";
        case 1:
            return "'affinity':{'podAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':[{'weight':" +
                   number(1 + random_.below(100)) + ",'podAffinityTerm':" + term + "}]}},";
        case 2:
            return "'affinity':{'nodeAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':[{'weight':10,"
                   "'preference':{'matchExpressions':[{'key':'disk','operator':'In','values':['ssd']}]}}]}},";
        case 3: return "'nodeSelector':{'disk':'" + random_.one_of({"ssd", "hdd"}) + "'},";
        case 4:
            return "'topologySpreadConstraints':[{'maxSkew':1,'topologyKey':'zone','whenUnsatisfiable':'" +
                   random_.one_of({"DoNotSchedule", "ScheduleAnyway"}) + "'," + selector + "}],";
        default: return {};
    }
}

std::string ClusterMaker::spec(const std::string &node) {
    std::string out = affinity(), container;
    if (!node.empty()) out += "'nodeName':'" + node + "',";
    if (random_.once_in(2)) out += "'priority':" + number(random_.below(3) * 100) + ",";
    if (random_.once_in(4))
        out += "'tolerations':[{'key':'" + random_.one_of({"gpu", "spot"}) + "','operator':'Exists'}],";
    if (random_.once_in(8))
        out += "'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'claim-" + number(random_.below(claims)) +
               "'}}],";
    if (random_.once_in(6))
        container += ",'ports':[{'containerPort':80,'hostPort':" + number(8080 + random_.below(3)) + "}]";
    if (!random_.once_in(5))
        container += ",'resources':{'requests':{'cpu':'" + number(100 * (1 + random_.below(15))) + "m','memory':'" +
                     number(64 * (1 + random_.below(30))) + "Mi'" +
                     (random_.once_in(9) ? ",'example.com/gpu':'1'" : "") + "}}";
    return "{" + out + "'containers':[{'name':'c','image':'" +
           (own_values ? "registry.example.com/job-" + number(static_cast<std::uint64_t>(serial_)) + ":1"
                       : random_.one_of({"nginx:1", "nginx:2", "registry.example.com/app:1"})) +
           "'" + container + "}]}";
}

model::NodePtr ClusterMaker::node(std::size_t n) {
    const auto name = node_name(n);
    std::string labels = "'kubernetes.io/hostname':'" + name + "'", spec, images;
    if (!random_.once_in(8)) labels += ",'zone':'z" + number(random_.below(3)) + "'";
    if (!random_.once_in(3)) labels += ",'disk':'" + random_.one_of({"ssd", "hdd"}) + "'";
    if (random_.once_in(5))
        spec = "'taints':[{'key':'" + random_.one_of({"gpu", "spot"}) + "','effect':'" +
               random_.one_of({"NoSchedule", "PreferNoSchedule"}) + "'}]";
    else if (random_.once_in(12)) spec = "'unschedulable':true";
    if (random_.once_in(2)) images = "{'names':['docker.io/library/nginx:1','nginx:1'],'sizeBytes':50000000}";
    return model::read_node(
        tree("{'apiVersion':'v1','kind':'Node','metadata':{'name':'" + name + "','labels':{" + labels + "}},'spec':{" +
             spec + "},'status':{'allocatable':{'cpu':'" + number(2 + random_.below(7)) + "','memory':'" +
             number(4 + random_.below(12)) + "Gi','pods':'" + number(5 + random_.below(20)) + "'" +
             (random_.once_in(4) ? ",'example.com/gpu':'2'" : "") + "},'images':[" + images +
             "],'conditions':[{'type':'Ready','status':'True'}]}}"),
        no_faults);
}

model::PodPtr ClusterMaker::pod(const std::string &node) {
    const auto serial = static_cast<std::uint64_t>(serial_++);
    const auto name = "pod-" + number(serial);
    return model::read_pod(
        tree("{'apiVersion':'v1','kind':'Pod','metadata':{'name':'" + name + "','namespace':'" +
             (own_values && random_.once_in(4) ? "team-" + number(serial) : random_.one_of({"default", "team"})) +
             "','uid':'uid-" + name + "','labels':" + labels() +
             ",'creationTimestamp':'2025-12-31T00:00:" + number(10 + serial % 50) + "Z'},'spec':" + spec(node) + "}"),
        no_faults);
}

/// Claims and volumes, bound to each other and not; of other kinds a few that say no more than who they are.
void ClusterMaker::add_storage(const model::Kind &kind, sim::Input &out) {
    const auto add = [&](const std::string &name, const std::string &meta, const std::string &rest) {
        auto object = model::read_object(
            tree("{'apiVersion':'" + kind.api_version() + "','kind':'" + (kind.name.empty() ? "Thing" : kind.name) +
                 "','metadata':{'name':'" + name + "'" + meta + "}" + rest + "}"),
            kind, no_faults);
        out.objects.push_back({kind, std::move(object)});
    };
    if (kind.resource == "persistentvolumeclaims") {
        for (std::size_t i = 0; i < claims; ++i)
            for (const auto *space : {"default", "team"})
                add("claim-" + number(i), ",'namespace':'" + std::string(space) + "'",
                    ",'spec':{'accessModes':['ReadWriteOnce'],'storageClassName':'fast','resources':{'requests':{"
                    "'storage':'1Gi'}}" +
                        (i % 2 ? ",'volumeName':'volume-" + number(i) + "'" : "") + "},'status':{'phase':'" +
                        (i % 2 ? "Bound" : "Pending") + "'}");
    } else if (kind.resource == "persistentvolumes") {
        for (std::size_t i = 0; i < claims; ++i)
            add("volume-" + number(i), "",
                ",'spec':{'capacity':{'storage':'1Gi'},'accessModes':['ReadWriteOnce'],'storageClassName':'fast'," +
                    std::string(i % 2 ? "'claimRef':{'namespace':'default','name':'claim-" + number(i) + "'}," : "") +
                    "'hostPath':{'path':'/v'}}");
    } else if (kind.resource == "storageclasses") {
        add("fast", "", ",'provisioner':'kubernetes.io/no-provisioner','volumeBindingMode':'WaitForFirstConsumer'");
    } else if (kind.scope == model::Scope::Cluster) {
        for (const auto *name : {"default", "team", "one"}) add(name, "", "");
    } else {
        for (const auto *name : {"one", "two"})
            add(name, ",'namespace':'default','labels':{'app':'web'}", ",'spec':{}");
    }
}

sim::Input ClusterMaker::cluster(const Size &size, std::span<const model::Kind> kinds) {
    sim::Input out;
    for (std::size_t i = 0; i < size.nodes; ++i) out.nodes.push_back(node(i));
    for (std::size_t i = 0; i < size.placed && size.nodes > 0; ++i)
        out.pods.push_back(pod(node_name(random_.below(size.nodes))));
    for (std::size_t i = 0; i < size.pending; ++i) out.pods.push_back(pod(""));
    for (const auto &kind : kinds) {
        out.kinds.push_back(kind);
        add_storage(kind, out);
    }
    return out;
}

}  // namespace berth::verify
