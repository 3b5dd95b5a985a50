// SPDX-License-Identifier: Apache-2.0
#include "verify/cluster.h"

#include "decode/document.h"
#include "model/build.h"
#include "model/json_pointer.h"
#include "sim/patch.h"

#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

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
    if (n < names_.size()) return copy_of(*given()->nodes[random_.below(given()->nodes.size())], names_[n]);
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
        with_resources(with_requested(
            tree("{'apiVersion':'v1','kind':'Node','metadata':{'name':'" + name + "','labels':{" + labels +
                 "}},'spec':{" + spec + "},'status':{'allocatable':{'cpu':'" + number(2 + random_.below(7)) +
                 "','memory':'" + number(4 + random_.below(12)) + "Gi','pods':'" + number(5 + random_.below(20)) + "'" +
                 (random_.once_in(4) ? ",'example.com/gpu':'2'" : "") + "},'images':[" + images +
                 "],'conditions':[{'type':'Ready','status':'True'}]}}"))),
        no_faults);
}

model::PodPtr ClusterMaker::pod(const std::string &node) {
    if (given() && !given()->pods.empty()) return copy_of(*given()->pods[random_.below(given()->pods.size())], node);
    const auto serial = static_cast<std::uint64_t>(serial_++);
    const auto name = "pod-" + number(serial);
    return model::read_pod(
        with_resources(with_requested(tree(
            "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'" + name + "','namespace':'" +
            (own_values && random_.once_in(4) ? "team-" + number(serial) : random_.one_of({"default", "team"})) +
            "','uid':'uid-" + name + "','labels':" + labels() +
            ",'creationTimestamp':'2025-12-31T00:00:" + number(10 + serial % 50) + "Z'},'spec':" + spec(node) + "}"))),
        no_faults);
}

/// A value that a label may have, and that has a meaning as a number, as a bool, or as the name of an object.
std::string ClusterMaker::value() {
    const auto &words = material_.requests.words;
    switch (extra_.below(4)) {
        case 0: return extra_.one_of({"true", "false"});
        case 1: return node_name(extra_.below(8));
        case 2:
            if (!words.empty()) return words[extra_.below(words.size())];
            [[fallthrough]];
        default: return extra_.one_of({"0", "1", "2", "3", "10", "100"});
    }
}

/// Labels and annotations that the plugin looks for, as chance will. What the object has stays as it is.
model::TreePtr ClusterMaker::with_requested(const model::TreePtr &object) {
    const auto &requests = material_.requests;
    if (requests.labels.empty() && requests.annotations.empty()) return object;
    model::Arena arena;
    model::ObjectBuilder root(arena), meta(arena);
    for (const auto &[name, keys] : {std::pair{"labels", &requests.labels}, {"annotations", &requests.annotations}}) {
        model::ObjectBuilder members(arena);
        for (const auto &key : *keys)
            if (object->value()["metadata"][name][key].is_null() && extra_.once_in(2))
                members.add(key, std::string_view{value()});
        if (!members.empty()) meta.add(name, members);
    }
    const auto patch = root.add("metadata", meta).value();
    return sim::merged(object->value(), model::Value{&patch});
}

/// The same of resources: nodes offer them, and pods request them.
model::TreePtr ClusterMaker::with_resources(const model::TreePtr &object) {
    if (material_.requests.resources.empty()) return object;
    const auto first = object->value()["spec"]["containers"].at(0);
    const auto had = first.is_null() ? object->value()["status"]["allocatable"] : first["resources"]["requests"];
    model::Arena arena;
    model::ObjectBuilder root(arena), inner(arena), members(arena);
    for (const auto &name : material_.requests.resources)
        if (name.find('/') != name.npos && had[name].is_null() && extra_.once_in(2))
            members.add(name, std::string_view{std::to_string(first.is_null() ? 4 : 1 + extra_.below(2))});
    if (members.empty()) return object;
    if (first.is_null()) {
        root.add("status", inner.add("allocatable", members));
    } else {
        model::ObjectBuilder resources(arena), container(arena);
        container.add("resources", resources.add("requests", members));
        const auto patch = container.value();
        model::ArrayBuilder containers(arena);
        const auto merged = sim::merged(first, model::Value{&patch});
        containers.add(model::copy(arena, merged->value()));
        root.add("spec", inner.add("containers", containers));
    }
    const auto patch = root.value();
    return sim::merged(object->value(), model::Value{&patch});
}

berth_value ClusterMaker::leaf(model::Arena &arena) {
    const auto text = value();
    if (text == "true" || text == "false") return model::make_bool(text == "true");
    if (text.find_first_not_of("0123456789") == text.npos && extra_.once_in(2))
        return model::make_int(std::stoll(text));
    return model::make_string(arena, text);
}

/// What stands at the ends of JSON pointers, which are given as their tokens. Of an object as a whole the members are
/// not known, but the library has their names.
berth_value ClusterMaker::field(model::Arena &arena, const std::vector<std::vector<std::string>> &paths) {
    std::map<std::string, std::vector<std::vector<std::string>>> below;
    bool here = false;
    for (const auto &path : paths) {
        if (path.empty()) here = true;
        else below[path.front()].emplace_back(path.begin() + 1, path.end());
    }
    const auto &words = material_.requests.words;
    if (below.empty() && (words.empty() || !extra_.once_in(3))) return leaf(arena);
    model::ObjectBuilder out(arena);
    if (here)
        for (const auto &word : words)
            if (!below.contains(word) && extra_.once_in(2)) out.add(word, leaf(arena));
    for (const auto &[name, rest] : below)
        if (!extra_.once_in(4)) out.add(name, field(arena, rest));
    return out.value();
}

model::TreePtr ClusterMaker::with_fields(const model::TreePtr &object) {
    std::vector<std::vector<std::string>> paths{{"spec"}};
    for (const auto &pointer : material_.requests.fields) {
        std::vector<std::string> path;
        std::istringstream tokens(pointer.substr(1));
        for (std::string token; std::getline(tokens, token, '/');) path.push_back(token);
        paths.push_back(std::move(path));
    }
    model::Arena arena;
    const auto patch = field(arena, paths);
    return sim::merged(object->value(), model::Value{&patch});
}

/// Objects that are called after pods, applications and nodes, since plugins find them so. Those of strangers come
/// first: they are the same in every cluster of a seed.
void ClusterMaker::add_custom(const model::Kind &kind, sim::Input &out) {
    constexpr std::size_t most_named = 200, strangers = 100;
    extra_ = Random(material_.seed);
    const auto add = [&](const std::string &space, const std::string &name) {
        if (!space.empty() && kind.scope == model::Scope::Cluster) return;
        if (space.empty() && kind.scope == model::Scope::Namespaced) return;
        const auto object = with_fields(with_requested(tree(
            "{'apiVersion':'" + kind.api_version() + "','kind':'" + (kind.name.empty() ? "Thing" : kind.name) +
            "','metadata':{'name':'" + name + "'" + (space.empty() ? "" : ",'namespace':'" + space + "'") + "}}")));
        out.objects.push_back({kind, model::read_object(object, kind, no_faults)});
    };
    for (const auto *space : {"default", "team"}) {
        for (std::size_t i = 0; i < strangers; ++i)
            if (!extra_.once_in(3)) add(space, "pod-" + number(first_stranger + i));
        for (const auto *name : {"web", "db", "cache"}) add(space, name);
    }
    for (const auto *name : {"web", "db", "cache"}) add("", name);
    for (std::size_t i = 0; i < std::min(out.pods.size(), most_named); ++i)
        if (!extra_.once_in(3)) add(std::string(out.pods[i]->name_space()), std::string(out.pods[i]->name()));
    for (std::size_t i = 0; i < std::min(out.nodes.size(), most_named); ++i)
        if (!extra_.once_in(3)) add("", std::string(out.nodes[i]->name));
}

/// Of other objects than custom ones no more is made up than the texts of a ConfigMap or a Secret.
model::TreePtr ClusterMaker::with_data(const model::TreePtr &object) {
    constexpr std::string_view data = "/data/";
    model::Arena arena;
    model::ObjectBuilder root(arena), members(arena);
    for (const auto &pointer : material_.requests.fields)
        if (pointer.starts_with(data) && !extra_.once_in(4))
            members.add(model::unescaped(std::string_view(pointer).substr(data.size())), std::string_view{value()});
    if (members.empty()) return object;
    const auto patch = root.add("data", members).value();
    return sim::merged(object->value(), model::Value{&patch});
}

/// Objects that the plugin looked for by name, as chance will; of one alone there is no test without it.
void ClusterMaker::add_requested(const model::Kind &kind, sim::Input &out) {
    const auto names = material_.requests.names.find(kind.text());
    if (names == material_.requests.names.end()) return;
    std::set<std::pair<std::string, std::string>> known;
    for (const auto &object : out.objects) {
        const auto meta = object.object->tree->value()["metadata"];
        if (object.kind == kind) known.emplace(meta["namespace"].string(), meta["name"].string());
    }
    extra_ = Random(material_.seed);
    for (const auto &[space, name] : names->second) {
        if ((names->second.size() > 1 && extra_.once_in(4)) || known.contains({space, name})) continue;
        const auto object =
            tree("{'apiVersion':'" + kind.api_version() + "','kind':'" + (kind.name.empty() ? "Thing" : kind.name) +
                 "','metadata':{'name':'" + name + "'" + (space.empty() ? "" : ",'namespace':'" + space + "'") + "}}");
        out.objects.push_back({kind, model::read_object(kind.custom ? with_fields(with_requested(object))
                                                                    : with_data(with_requested(object)),
                                                        kind, no_faults)});
    }
}

/// Claims and volumes, bound to each other and not; of other kinds a few that have no more than a name.
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

/// What tells the copy from its original is its own: the names, the UID, and the machine behind it.
model::NodePtr ClusterMaker::copy_of(const model::Node &node, const std::string &name) const {
    model::Arena arena;
    model::ObjectBuilder root(arena), meta(arena), labels(arena), spec(arena);
    labels.add("kubernetes.io/hostname", std::string_view{name});
    meta.add("name", std::string_view{name}).add("uid", std::string_view{"uid-" + name}).add("labels", labels);
    spec.add("providerID", model::make_null());
    const auto patch = root.add("metadata", meta).add("spec", spec).value();
    return model::read_node(sim::merged(node.tree->value(), model::Value{&patch}), no_faults);
}

model::PodPtr ClusterMaker::copy_of(const model::Pod &pod, const std::string &node) {
    const auto name = "pod-" + number(static_cast<std::uint64_t>(serial_++));
    model::Arena arena;
    model::ObjectBuilder root(arena), meta(arena), labels(arena), spec(arena);
    if (own_values) labels.add("job", std::string_view{name});
    meta.add("name", std::string_view{name}).add("uid", std::string_view{"uid-" + name}).add("labels", labels);
    spec.add("schedulerName", model::make_null());
    spec.add("nodeName", node.empty() ? model::make_null() : model::make_string(arena, node));
    const auto patch = root.add("metadata", meta).add("spec", spec).add("status", model::make_null()).value();
    return model::read_pod_of(nullptr, sim::merged(pod.tree->value(), model::Value{&patch}), no_faults,
                              given()->accounting);
}

/// Of many nodes some, as chance will; of few each several times if the number counts.
void ClusterMaker::add_given_nodes(const Size &size, sim::Input &out) {
    const auto wanted = size.exact ? size.nodes : std::min(given()->nodes.size(), most_given_nodes);
    out.nodes = given()->nodes;
    if (wanted < out.nodes.size()) {
        random_.shuffle(out.nodes);
        out.nodes.resize(wanted);
        std::ranges::sort(out.nodes, {}, [](const auto &node) { return node->name; });
    }
    for (std::size_t i = 0; out.nodes.size() < wanted; ++i) {
        const auto &original = *given()->nodes[i % given()->nodes.size()];
        out.nodes.push_back(copy_of(original, std::string(original.name) + "-copy-" + number(i)));
    }
    names_.clear();
    for (const auto &node : out.nodes) names_.emplace_back(node->name);
}

/// The pods of these nodes, and as many copies as are missing; pods that wait, and copies of others as if they did.
void ClusterMaker::add_given_pods(const Size &size, sim::Input &out) {
    constexpr std::size_t least_placed = 8;
    std::vector<model::PodPtr> placed, pending;
    const std::set<std::string_view> names(names_.begin(), names_.end());
    for (const auto &pod : given()->pods) {
        if (pod->node_name().empty()) pending.push_back(pod);
        else if (names.contains(pod->node_name())) placed.push_back(pod);
    }
    if (size.exact && placed.size() > size.placed) {
        random_.shuffle(placed);
        placed.resize(size.placed);
    }
    const auto least = size.exact ? size.placed : std::min(size.placed, least_placed);
    while (placed.size() < least) placed.push_back(pod(names_[random_.below(names_.size())]));
    random_.shuffle(pending);
    pending.resize(std::min(pending.size(), size.pending));
    for (auto &pod : pending)
        if (pod->scheduler_name() != "default-scheduler") pod = copy_of(*pod, "");
    while (pending.size() < size.pending) pending.push_back(pod(""));
    out.pods = std::move(placed);
    out.pods.insert(out.pods.end(), pending.begin(), pending.end());
}

sim::Input ClusterMaker::given_cluster(const Size &size) {
    sim::Input out;
    add_given_nodes(size, out);
    add_given_pods(size, out);
    out.kinds = given()->kinds;
    out.objects = given()->objects;
    out.classes = given()->classes;
    out.has_definitions = given()->has_definitions;
    out.accounting = given()->accounting;
    return out;
}

sim::Input ClusterMaker::cluster(const Size &size, std::span<const model::Kind> kinds) {
    if (given()) return given_cluster(size);
    sim::Input out;
    for (std::size_t i = 0; i < size.nodes; ++i) out.nodes.push_back(node(i));
    for (std::size_t i = 0; i < size.placed && size.nodes > 0; ++i)
        out.pods.push_back(pod(node_name(random_.below(size.nodes))));
    for (std::size_t i = 0; i < size.pending; ++i) out.pods.push_back(pod(""));
    for (const auto &kind : kinds) {
        out.kinds.push_back(kind);
        add_storage(kind, out);
        if (kind.custom) add_custom(kind, out);
        add_requested(kind, out);
    }
    return out;
}

}  // namespace berth::verify
