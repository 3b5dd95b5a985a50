// SPDX-License-Identifier: Apache-2.0
#include "sim/missing_objects.h"

#include "model/resources.h"
#include "sim/volume_match.h"

#include <berth/selector.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace berth::sim {
namespace {

using model::Value;

/// Kinds of one family refer to each other: a dump that lacks one kind likely lacks the whole family.
enum class Family { None, Volumes, Devices, Controllers };

struct Row {
    Family family;
    const char *group, *resource;
    const char *effect;         ///< if a pod that needs one is to be placed
    const char *effect_placed;  ///< if all of them have a node
};

enum RowIndex : std::size_t {
    Nodes,
    Namespaces,
    Claims,
    Volumes,
    StorageClasses,
    CsiNodes,
    CsiDrivers,
    Capacities,
    Attachments,
    ResourceClaims,
    ClaimTemplates,
    DeviceClasses,
    ResourceSlices,
    Services,
    ReplicationControllers,
    ReplicaSets,
    StatefulSets,
    Budgets,
    row_count
};

constexpr const char *stay_pending = "pods stay pending", *default_spread = "default spreading ignores their pods",
                     *capacity = "storage capacity is ignored", *volume_limit = "volume limits are ignored",
                     *made_anew = "claims are made anew", *not_made = "not simulated: pods stay pending";

constexpr std::array<Row, row_count> rows{{
    {Family::None, "", "nodes", "", "pods on them are not counted"},
    {Family::None, "", "namespaces", "namespaceSelector ignores them", "namespaceSelector ignores them"},
    {Family::Volumes, "", "persistentvolumeclaims", stay_pending, "their volumes are not counted"},
    {Family::Volumes, "", "persistentvolumes", stay_pending, "their volumes are not counted"},
    {Family::Volumes, "storage.k8s.io", "storageclasses", "claims stay unbound", "claims stay unbound"},
    {Family::Volumes, "storage.k8s.io", "csinodes", volume_limit, volume_limit},
    {Family::Volumes, "storage.k8s.io", "csidrivers", capacity, capacity},
    {Family::Volumes, "storage.k8s.io", "csistoragecapacities", stay_pending, ""},
    {Family::Volumes, "storage.k8s.io", "volumeattachments", "", ""},
    {Family::Devices, "resource.k8s.io", "resourceclaims", stay_pending, "their devices count as free"},
    {Family::Devices, "resource.k8s.io", "resourceclaimtemplates", stay_pending, "their devices count as free"},
    {Family::Devices, "resource.k8s.io", "deviceclasses", stay_pending, ""},
    {Family::Devices, "resource.k8s.io", "resourceslices", "nodes have no devices", ""},
    {Family::Controllers, "", "services", default_spread, ""},
    {Family::Controllers, "", "replicationcontrollers", default_spread, ""},
    {Family::Controllers, "apps", "replicasets", default_spread, ""},
    {Family::Controllers, "apps", "statefulsets", default_spread, ""},
    {Family::None, "policy", "poddisruptionbudgets", "", "preemption ignores them"},
}};

model::Kind kind_of(const Row &row) { return model::kind_of(row.group, "v1", row.resource); }

using Name = std::pair<std::string_view, std::string_view>;  // namespace and name

/// "namespace/name", cut to what people give as names.
std::string text_of(const Name &name) {
    constexpr std::size_t enough = model::MissingObjects::longest_name + 4;  // and a character
    auto text = std::string(name.first.substr(0, enough));
    if (!text.empty()) text += "/";
    text += name.second.substr(0, enough);
    auto end = std::min(text.size(), model::MissingObjects::longest_name);
    if (end == text.size()) return text;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // within a character
    return text.substr(0, end) + "…";
}

/// Objects of one kind: which there are, and which are missing.
class Needed {
    /// Pods on which their lack has one effect.
    struct Group {
        std::set<Name> names;
        std::uint64_t pods = 0;
        const model::Pod *last = nullptr;
        bool all = false;
    };
    const Row *row_ = nullptr;            ///< if the kind is watched
    std::span<const InputObject> given_;  ///< by namespace and name
    std::map<std::string_view, Group> groups_;
    std::size_t named_ = 0;

    Group &need(const model::Pod &pod, const char *effect) {
        if (!effect) effect = pod.node_name().empty() ? row_->effect : row_->effect_placed;
        auto &group = groups_[effect];
        group.pods += &pod != group.last ? 1 : 0;
        group.last = &pod;
        return group;
    }

public:
    void watch(const Row &row, std::span<const InputObject> given) {
        row_ = &row;
        given_ = given;
    }
    bool watched() const { return row_ != nullptr; }
    std::span<const InputObject> given() const { return given_; }
    /// Has it so many missing names that it notes no more? A template may stand for more pods than memory has room for.
    bool full() const { return named_ >= model::MissingObjects::most_counted; }

    const model::AnyObject *find(const Name &name) const {
        const auto at = std::ranges::lower_bound(
            given_, name, {}, [](const InputObject &o) { return Name(o.object->name_space, o.object->name); });
        const bool there =
            at != given_.end() && at->object->name_space == name.first && at->object->name == name.second;
        return there ? at->object.get() : nullptr;
    }
    /// The pod needs the one of that name, which lives as long as this; nullptr if it is missing. `effect` is that of
    /// its lack, if that is not the row's.
    const model::AnyObject *find_for(const model::Pod &pod, const Name &name, const char *effect = nullptr) {
        if (!watched() || name.second.empty()) return nullptr;
        const auto *object = find(name);
        if (!object) lacks(pod, name, effect);
        return object;
    }
    void lacks(const model::Pod &pod, const Name &name, const char *effect = nullptr) {
        auto &group = need(pod, effect);
        if (!full()) named_ += group.names.insert(name).second ? 1 : 0;
    }
    /// The pod needs some, whatever they are called.
    void any_for(const model::Pod &pod) {
        if (watched() && given_.empty()) need(pod, nullptr).all = true;
    }

    /// One for each effect.
    void add_missing(std::vector<model::MissingObjects> &out) const {
        for (const auto &[effect, group] : groups_) {
            auto &one = out.emplace_back();
            one.resource = row_->resource;
            if (!group.all) one.count = group.names.size();
            one.pods = group.pods;
            one.effect = effect;
            one.dumped = effect != not_made;
            for (const auto &name : group.names) {
                if (one.first.size() == model::MissingObjects::most) break;
                one.first.push_back(text_of(name));
            }
        }
    }
};

/// The controller of a pod, of which a kind may be watched.
Value controller_of(Value pod) {
    const auto owners = pod["metadata"]["ownerReferences"];
    for (std::size_t i = 0; i < owners.size(); ++i)
        if (owners.at(i)["controller"].is_true()) return owners.at(i);
    return {};
}

/// Does the selector ask for labels that only the Namespace itself has?
bool reads_labels(Value selector) {
    constexpr std::string_view own = "kubernetes.io/metadata.name";
    const auto read = LabelSelector::of_field(selector);
    return read && std::ranges::any_of(read->requirements(), [&](const Requirement &r) { return r.key != own; });
}

bool selects_namespaces(Value pod) {
    for (const auto *side : {"podAffinity", "podAntiAffinity"}) {
        const auto affinity = pod["spec"]["affinity"][side];
        const auto required = affinity["requiredDuringSchedulingIgnoredDuringExecution"],
                   preferred = affinity["preferredDuringSchedulingIgnoredDuringExecution"];
        for (std::size_t i = 0; i < required.size(); ++i)
            if (reads_labels(required.at(i)["namespaceSelector"])) return true;
        for (std::size_t i = 0; i < preferred.size(); ++i)
            if (reads_labels(preferred.at(i)["podAffinityTerm"]["namespaceSelector"])) return true;
    }
    return false;
}

/// Was the pod made by an API server? Others are written by hand, or stand for those of a workload.
bool is_dumped(Value pod) {
    const auto metadata = pod["metadata"];
    return !metadata["uid"].string().empty() || !metadata["resourceVersion"].string().empty();
}

/// Of the claim that is made for an ephemeral volume; "" if no claim can be called so.
std::string made_name(const model::Pod &pod, Value volume) {
    const auto name = volume["name"].string();
    if (pod.name().size() + name.size() > model::MissingObjects::longest_name) return {};
    return std::string(pod.name()) + "-" + std::string(name);
}

class Search {
    const Input &input_;
    std::array<Needed, row_count> needed_;
    std::array<model::Kind, row_count> kinds_;
    std::set<std::string> made_;  ///< names of claims that are made for pods
    /// What unbound volumes may be bound to: claims of a class, and those that the volumes name.
    std::set<std::string_view> classes_with_volumes_;
    std::set<Name> claims_with_volumes_;
    std::set<std::string_view> resources_of_nodes_, resources_of_classes_;  ///< extended ones

public:
    explicit Search(const Input &input) : input_(input) {
        const std::span objects(input.objects);
        for (std::size_t i = 0; i < row_count; ++i) {
            kinds_[i] = kind_of(rows[i]);
            if (!input.watches(kinds_[i])) continue;
            const auto first = std::ranges::find(objects, kinds_[i], &InputObject::kind);
            const auto last = std::find_if(first, objects.end(), [&](const auto &o) { return o.kind != kinds_[i]; });
            needed_[i].watch(rows[i], {first, last});
        }
        needed_[Nodes].watch(rows[Nodes], {});
        for (const auto &[kind, volume] : needed_[Volumes].given()) {
            const auto v = volume->tree->value(), claim = v["spec"]["claimRef"];
            if (claim.is_null()) classes_with_volumes_.insert(class_of(v));
            else claims_with_volumes_.emplace(claim["namespace"].string(), claim["name"].string());
        }
        for (const auto &[kind, device_class] : needed_[DeviceClasses].given())
            resources_of_classes_.insert(device_class->tree->value()["spec"]["extendedResourceName"].string());
        for (const auto &node : input.nodes)
            for (const auto &[name, value] : std::span(node->allocatable.scalars, node->allocatable.scalars_len))
                if (value > 0) resources_of_nodes_.insert(model::view(name));
    }

    void look(const model::Pod &pod) {
        if (!pod.node_name().empty() &&
            !std::ranges::binary_search(input_.nodes, pod.node_name(), {}, [](const auto &n) { return n->name; }))
            needed_[Nodes].lacks(pod, {{}, pod.node_name()});
        look_at_volumes(pod);
        look_at_devices(pod);
        if (!pod.node_name().empty()) return;
        look_at_extended_resources(pod);
        look_at_controllers(pod);
    }

    /// `pods`: those that select namespaces by their labels.
    void look_at_namespaces(std::span<const model::Pod *const> pods) {
        if (pods.empty() || !needed_[Namespaces].watched()) return;
        std::set<std::string_view> used;
        for (const auto &pod : input_.pods) used.insert(pod->name_space());
        std::erase_if(used, [&](const auto name) { return !input_.added_namespaces.contains(name); });
        for (const auto name : used) needed_[Namespaces].lacks(*pods.front(), {{}, name});
        if (used.empty()) return;
        for (const auto *pod : pods) needed_[Namespaces].lacks(*pod, {{}, *used.begin()});
    }

    std::vector<model::MissingObjects> missing() const {
        std::vector<model::MissingObjects> out;
        for (const auto &one : needed_) one.add_missing(out);
        return out;
    }

private:
    void look_at_volumes(const model::Pod &pod) {
        auto &claims = needed_[Claims];
        const auto volumes = pod.tree->value()["spec"]["volumes"];
        for (std::size_t i = 0; i < volumes.size(); ++i) {
            const auto volume = volumes.at(i);
            if (volume["csi"].is_object()) look_at_drivers(pod);
            auto name = volume["persistentVolumeClaim"]["claimName"].string();
            std::string made;
            const char *effect = nullptr;
            if (volume["ephemeral"].is_object()) {
                name = made = made_name(pod, volume);
                if (pod.node_name().empty() && !is_dumped(pod.tree->value())) effect = not_made;
            }
            if (!made.empty() && claims.watched() && !claims.full() && !claims.find({pod.name_space(), name}))
                name = *made_.insert(std::move(made)).first;
            if (const auto *claim = claims.find_for(pod, {pod.name_space(), name}, effect)) look_at_claim(pod, *claim);
        }
    }

    void look_at_claim(const model::Pod &pod, const model::AnyObject &object) {
        const auto claim = object.tree->value();
        if (const auto name = claim["spec"]["volumeName"].string(); !name.empty()) {
            const auto *volume = needed_[Volumes].find_for(pod, {{}, name});
            if (volume && volume->tree->value()["spec"]["csi"].is_object()) look_at_drivers(pod);
            return;
        }
        if (!needed_[StorageClasses].find({{}, class_of(claim)}) &&
            (classes_with_volumes_.contains(class_of(claim)) ||
             claims_with_volumes_.contains({object.name_space, object.name})))
            return;  // bound without the class
        const auto *storage_class = needed_[StorageClasses].find_for(pod, {{}, class_of(claim)});
        if (!storage_class) return;
        const auto provisioner = storage_class->tree->value()["provisioner"].string();
        if (provisioner.empty() || provisioner.starts_with("kubernetes.io/")) return;  // of no CSI driver
        look_at_drivers(pod);
        if (storage_class->tree->value()["volumeBindingMode"].string() != "WaitForFirstConsumer") return;
        if (!pod.node_name().empty()) return;  // whatever the capacity
        needed_[CsiDrivers].any_for(pod);
        const auto *driver = needed_[CsiDrivers].find({{}, provisioner});
        if (driver && driver->tree->value()["spec"]["storageCapacity"].is_true()) needed_[Capacities].any_for(pod);
    }

    /// Of CSI volumes a node takes no more than its CSINode allows.
    void look_at_drivers(const model::Pod &pod) {
        if (pod.node_name().empty()) needed_[CsiNodes].any_for(pod);
    }

    void look_at_devices(const model::Pod &pod) {
        // The claim that a scheduler made for extended resources. Without it the pod gets another one.
        const auto made = pod.tree->value()["status"]["extendedResourceClaimStatus"]["resourceClaimName"].string();
        needed_[ResourceClaims].find_for(pod, {pod.name_space(), made}, pod.node_name().empty() ? made_anew : nullptr);
        const auto entries = pod.tree->value()["spec"]["resourceClaims"];
        if (entries.size() == 0) return;
        const auto statuses = pod.tree->value()["status"]["resourceClaimStatuses"];
        std::unordered_map<std::string_view, Value> status_of;
        for (std::size_t i = 0; i < statuses.size(); ++i)
            status_of.emplace(statuses.at(i)["name"].string(), statuses.at(i)["resourceClaimName"]);
        std::unordered_set<const model::AnyObject *> seen;  // a pod may name one more than once
        for (std::size_t i = 0; i < entries.size(); ++i) {
            const auto entry = entries.at(i);
            auto name = entry["resourceClaimName"];
            const auto status = name.is_null() ? status_of.find(entry["name"].string()) : status_of.end();
            if (status != status_of.end()) {
                name = status->second;
                if (name.is_null()) continue;  // it needs none
            }
            if (!name.is_null()) {
                const auto *template_of = status != status_of.end() ? claim_template(pod, entry) : nullptr;
                const bool anew = template_of && pod.node_name().empty();
                const auto *claim = needed_[ResourceClaims].find_for(pod, {pod.name_space(), name.string()},
                                                                     anew ? made_anew : nullptr);
                if (!claim && anew && seen.insert(template_of).second)
                    look_at_requests(pod, template_of->tree->value()["spec"]["spec"]);
                if (claim && seen.insert(claim).second && claim->tree->value()["status"]["allocation"].is_null())
                    look_at_requests(pod, claim->tree->value()["spec"]);
            } else if (needed_[ResourceClaims].watched()) {
                const auto of = entry["resourceClaimTemplateName"].string();
                const auto *made_of = needed_[ClaimTemplates].find_for(pod, {pod.name_space(), of});
                if (made_of && seen.insert(made_of).second)
                    look_at_requests(pod, made_of->tree->value()["spec"]["spec"]);
            }
        }
    }

    const model::AnyObject *claim_template(const model::Pod &pod, Value entry) const {
        return needed_[ClaimTemplates].find({pod.name_space(), entry["resourceClaimTemplateName"].string()});
    }

    /// Of what no node has, a DeviceClass may say which devices it is.
    void look_at_extended_resources(const model::Pod &pod) {
        constexpr std::string_view of_class = "deviceclass.resource.kubernetes.io/";
        for (const auto &[of, value] : std::span(pod.effective().scalars, pod.effective().scalars_len)) {
            const auto name = model::view(of);
            if (value <= 0 || resources_of_nodes_.contains(name)) continue;
            if (name.starts_with(of_class)) {
                needed_[DeviceClasses].find_for(pod, {{}, name.substr(of_class.size())});
            } else {
                if (!model::extended_resource(name)) continue;
                needed_[DeviceClasses].any_for(pod);
                if (!needed_[DeviceClasses].given().empty() && !resources_of_classes_.contains(name)) continue;
            }
            needed_[ResourceSlices].any_for(pod);
        }
    }

    void look_at_requests(const model::Pod &pod, Value claim) {
        constexpr std::size_t most = 32, most_alternatives = 8;  // that the API allows
        if (!pod.node_name().empty()) return;
        needed_[ResourceSlices].any_for(pod);
        const auto requests = claim["devices"]["requests"];
        for (std::size_t i = 0; i < std::min(requests.size(), most); ++i) {
            needed_[DeviceClasses].find_for(pod, {{}, requests.at(i)["exactly"]["deviceClassName"].string()});
            const auto alternatives = requests.at(i)["firstAvailable"];
            for (std::size_t k = 0; k < std::min(alternatives.size(), most_alternatives); ++k)
                needed_[DeviceClasses].find_for(pod, {{}, alternatives.at(k)["deviceClassName"].string()});
        }
    }

    /// Of pods without constraints of their own, what selects them says how they are spread.
    void look_at_controllers(const model::Pod &pod) {
        const auto p = pod.tree->value();
        if (p["spec"]["topologySpreadConstraints"].size() > 0) return;
        // A cluster without any Service there is not: each has default/kubernetes.
        if (!model::resource_version(pod).empty() && !pod.labels().empty()) needed_[Services].any_for(pod);
        const auto owner = controller_of(p);
        for (const auto row : {ReplicationControllers, ReplicaSets, StatefulSets})
            if (owner["kind"].string() == kinds_[row].name && owner["apiVersion"].string() == kinds_[row].api_version())
                needed_[row].find_for(pod, {pod.name_space(), owner["name"].string()});
    }
};

std::string kubectl_name(const model::Kind &kind) {
    return kind.custom ? kind.resource + "." + kind.version + "." + kind.group : kind.resource;
}

}  // namespace

std::vector<model::MissingObjects> missing_objects(const Input &input, std::span<const std::string> profiles) {
    Search search(input);
    std::vector<const model::Pod *> selecting;
    for (const auto &pod : input.pods) {
        const bool decided =
            !pod->terminating() && std::ranges::find(profiles, pod->scheduler_name()) != profiles.end();
        if (pod->node_name().empty() && !decided) continue;
        search.look(*pod);
        if (selects_namespaces(pod->tree->value())) selecting.push_back(pod.get());
    }
    search.look_at_namespaces(selecting);
    return search.missing();
}

std::optional<model::MissingObjects> missing_budgets(const Input &input, std::uint64_t preempted) {
    const auto &row = rows[Budgets];
    const auto kind = kind_of(row);
    if (preempted == 0 || !input.watches(kind) ||
        std::ranges::find(input.objects, kind, &InputObject::kind) != input.objects.end())
        return std::nullopt;
    return model::MissingObjects{row.resource, std::nullopt, preempted, row.effect_placed, {}, true};
}

std::string dump_command(const Input &input, std::span<const model::MissingObjects> missing) {
    const auto namespace_kind = kind_of(rows[Namespaces]);
    if (std::ranges::none_of(missing, &model::MissingObjects::dumped)) return "";
    std::set<std::string> kinds;
    if (input.has_definitions) kinds.emplace("customresourcedefinitions");
    for (const auto &[kind, object] : input.objects)
        if (kind != namespace_kind || !input.added_namespaces.contains(object->name)) kinds.insert(kubectl_name(kind));
    for (const auto &workload : input.workloads) {
        const auto known = std::ranges::find(model::built_in_kinds(), workload.tree->value()["kind"].string(),
                                             &model::BuiltInKind::name);
        if (known != model::built_in_kinds().end()) kinds.emplace(known->resource);
    }
    for (const auto &one : missing) {
        if (!one.dumped) continue;
        kinds.insert(one.resource);
        const auto at = std::ranges::find(rows, one.resource, &Row::resource);
        if (at == rows.end() || at->family == Family::None) continue;
        for (const auto &row : rows)
            if (row.family == at->family && std::ranges::find(input.kinds, kind_of(row)) != input.kinds.end())
                kinds.insert(row.resource);
    }
    // Pods that are made of a template have the name of a class, and not yet its priority.
    if (!input.workloads.empty() || kinds.contains("replicasets") || kinds.contains("statefulsets"))
        kinds.insert("priorityclasses");
    kinds.erase("nodes");
    kinds.erase("pods");
    std::string text = "kubectl get nodes,pods";
    for (const auto &kind : kinds) text += "," + kind;
    return text + " -A -o yaml > cluster.yaml";
}

}  // namespace berth::sim
