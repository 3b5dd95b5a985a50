// SPDX-License-Identifier: Apache-2.0
#include "sim/volume_controller.h"

#include "model/build.h"
#include "model/quantity.h"
#include "sim/patch.h"
#include "sim/volume_match.h"

#include <algorithm>
#include <tuple>

namespace berth::sim {
namespace {

using model::ArrayBuilder;
using model::ObjectBuilder;
using model::Value;

const model::Kind claim_kind = model::kind_of("", "v1", "persistentvolumeclaims"),
                  volume_kind = model::kind_of("", "v1", "persistentvolumes"),
                  class_kind = model::kind_of("storage.k8s.io", "v1", "storageclasses"),
                  csi_node_kind = model::kind_of("storage.k8s.io", "v1", "csinodes");

constexpr std::string_view bound_by_controller = "pv.kubernetes.io/bound-by-controller",
                           bind_completed = "pv.kubernetes.io/bind-completed",
                           selected_node = "volume.kubernetes.io/selected-node",
                           storage_provisioner = "volume.kubernetes.io/storage-provisioner",
                           provisioned_by = "pv.kubernetes.io/provisioned-by";

std::string name_of(Value object) { return std::string(object["metadata"]["name"].string()); }
std::string key_of(Value claim) { return Store::key(claim["metadata"]["namespace"].string(), name_of(claim)); }

/// The claim that a volume is for, as "namespace/name"; "" for one that any claim may have.
std::string claim_of(Value volume) {
    const auto ref = volume["spec"]["claimRef"];
    return ref.is_null() ? std::string() : Store::key(ref["namespace"].string(), ref["name"].string());
}

/// A tree whose root is what `fill` makes.
template <class Fill>
model::TreePtr make(Fill fill) {
    auto tree = std::make_shared<model::Tree>();
    ObjectBuilder out(tree->arena);
    fill(out, tree->arena);
    tree->root = out.value();
    return tree;
}

berth_value annotations(model::Arena &arena,
                        std::initializer_list<std::pair<std::string_view, std::string_view>> members) {
    ObjectBuilder list(arena), metadata(arena);
    for (const auto &[key, value] : members)
        if (!value.empty()) list.add(key, value);
    return metadata.add("annotations", list).value();
}

berth_value reference_to(model::Arena &arena, Value claim) {
    ObjectBuilder ref(arena);
    const auto metadata = claim["metadata"];
    ref.add("apiVersion", "v1").add("kind", "PersistentVolumeClaim");
    for (const auto *field : {"namespace", "name", "uid", "resourceVersion"})
        if (metadata[field]) ref.add(field, metadata[field]);
    return ref.value();
}

/// The labels of a node that its driver's topology is made of, as a node affinity; nothing if there are none.
std::optional<berth_value> topology(model::Arena &arena, const model::Node &node, Value csi_node,
                                    std::string_view driver) {
    ArrayBuilder expressions(arena);
    const auto drivers = csi_node["spec"]["drivers"];
    for (std::size_t i = 0; i < drivers.size(); ++i) {
        if (drivers.at(i)["name"].string() != driver) continue;
        const auto keys = drivers.at(i)["topologyKeys"];
        for (std::size_t k = 0; k < keys.size(); ++k) {
            const auto value = node.label(keys.at(k).string());
            if (value.empty()) continue;
            ObjectBuilder one(arena);
            one.add("key", keys.at(k)).add("operator", "In").add("values", ArrayBuilder(arena).add(value));
            expressions.add(one.value());
        }
    }
    if (expressions.empty()) return std::nullopt;
    ObjectBuilder term(arena), required(arena), affinity(arena);
    term.add("matchExpressions", expressions);
    required.add("nodeSelectorTerms", ArrayBuilder(arena).add(term.value()));
    return affinity.add("required", required).value();
}

bool waits_for_consumer(Value storage_class) {
    return storage_class["volumeBindingMode"].string() == "WaitForFirstConsumer";
}

}  // namespace

void VolumeController::start() {
    if (!store_.serves(claim_kind) || !store_.serves(volume_kind)) return;
    store_.on_change([this](const model::Kind &kind, const model::TreePtr &before, const model::TreePtr &after) {
        changed(kind, before, after);
    });
    const auto volumes = store_.list(volume_kind);
    for (const auto &volume : volumes) file({}, volume->value());
    for (const auto &volume : volumes) sync_volume(name_of(volume->value()));
    sync_claims();
}

void VolumeController::changed(const model::Kind &kind, const model::TreePtr &before, const model::TreePtr &after) {
    if (kind == claim_kind) {
        if (after) sync_claim(key_of(after->value()));
        else reclaim(key_of(before->value()), before->value());
    } else if (kind == volume_kind) {
        file(before ? before->value() : Value{}, after ? after->value() : Value{});
        if (!after) return;
        sync_volume(name_of(after->value()));
        if (auto claim = claim_of(after->value()); !claim.empty()) sync_claim(claim);
        else sync_claims();
    } else if (kind == class_kind) {
        sync_claims();
    }
}

/// Keeps the volumes filed under the claims that they are for.
void VolumeController::file(Value before, Value after) {
    if (before) {
        auto at = volumes_for_.find(claim_of(before));
        if (at != volumes_for_.end() && at->second.erase(name_of(before)) > 0 && at->second.empty())
            volumes_for_.erase(at);
    }
    if (after) volumes_for_[claim_of(after)].insert(name_of(after));
}

void VolumeController::sync_volume(const std::string &name) {
    const auto volume = store_.find(volume_kind, name);
    if (!volume) return;
    const auto ref = volume->value()["spec"]["claimRef"];
    const auto phase = volume->value()["status"]["phase"].string();
    // One that is reserved is available until its claim is bound; what has been released stays so.
    if (!ref["uid"].string().empty() || phase == "Available" || phase == "Released" || phase == "Failed") return;
    change(volume_kind, *volume, make([&](ObjectBuilder &out, model::Arena &arena) {
               ObjectBuilder status(arena);
               out.add("status", status.add("phase", "Available"));
           }));
}

void VolumeController::sync_claims() {
    for (const auto &claim : store_.list(claim_kind))
        if (!claim->value()["metadata"]["annotations"][bind_completed]) sync_claim(key_of(claim->value()));
}

void VolumeController::sync_claim(const std::string &key) {
    const auto claim = store_.find(claim_kind, key);
    if (!claim) return;
    const auto c = claim->value();
    if (c["metadata"]["annotations"][bind_completed]) return;
    if (const auto wanted = c["spec"]["volumeName"].string(); !wanted.empty()) {
        const auto volume = store_.find(volume_kind, std::string(wanted));
        if (!volume) return;
        const auto v = volume->value();
        const bool free = v["spec"]["claimRef"].is_null();
        if ((free && could_hold(v, c) && class_of(v) == class_of(c)) || is_for(v, c)) bind(*volume, *claim);
        return;
    }
    const auto selector = selector_of(c);
    // The controller meets the error as soon as there is a volume to look at, and leaves the claim alone.
    if (!selector && std::ranges::any_of(store_.list(volume_kind),
                                         [&](const model::TreePtr &v) { return has_modes_of(c, v->value()); }))
        return;
    const auto class_name = std::string(class_of(c));
    const auto storage_class = class_name.empty() ? nullptr : store_.find(class_kind, class_name);
    const bool waits = storage_class && waits_for_consumer(storage_class->value());
    if (const auto volume = best_volume(c, selector.value_or(LabelSelector::nothing()), waits))
        return bind(*volume, *claim);
    if (class_name.empty() && c["spec"]["storageClassName"].is_null()) {
        if (const auto usual = default_class())
            change(claim_kind, *claim, make([&](ObjectBuilder &out, model::Arena &arena) {
                       ObjectBuilder spec(arena);
                       out.add("spec", spec.add("storageClassName", name_of(usual->value())));
                   }));
        return;
    }
    if (storage_class && (!waits || !annotation(c, selected_node).empty())) provision(*claim, storage_class->value());
}

/// The volume that is reserved for the claim, else the smallest of those with the fewest modes that are available.
model::TreePtr VolumeController::best_volume(Value claim, const LabelSelector &selector, bool waits) const {
    auto filed = [&](const std::string &under, auto &&visit) {
        auto at = volumes_for_.find(under);
        if (at == volumes_for_.end()) return;
        for (const auto &name : at->second)
            if (auto volume = store_.find(volume_kind, name); volume && could_hold(volume->value(), claim))
                visit(volume);
    };
    model::TreePtr best;
    filed(key_of(claim), [&](const model::TreePtr &volume) {
        if (!best && is_for(volume->value(), claim)) best = volume;
    });
    if (best || waits) return best;
    auto order = [](Value volume) {
        return std::tuple(volume["spec"]["accessModes"].size(),
                          *model::Quantity::read(volume["spec"]["capacity"]["storage"]));
    };
    filed("", [&](const model::TreePtr &volume) {
        if (is_free_for(volume->value(), claim, selector) && (!best || order(volume->value()) < order(best->value())))
            best = volume;
    });
    return best;
}

/// The newest of the classes that are marked so.
model::TreePtr VolumeController::default_class() const {
    model::TreePtr best;
    for (const auto &one : store_.list(class_kind)) {
        if (annotation(one->value(), "storageclass.kubernetes.io/is-default-class") != "true" &&
            annotation(one->value(), "storageclass.beta.kubernetes.io/is-default-class") != "true")
            continue;
        auto made = [](const model::TreePtr &c) { return c->value()["metadata"]["creationTimestamp"].string(); };
        if (!best || made(one) > made(best)) best = one;
    }
    return best;
}

void VolumeController::bind(const model::Tree &volume, const model::Tree &claim) {
    const auto v = volume.value(), c = claim.value();
    const bool reserved = is_for(v, c), requested = c["spec"]["volumeName"].string() == name_of(v);
    change(volume_kind, volume, make([&](ObjectBuilder &out, model::Arena &arena) {
               ObjectBuilder spec(arena), status(arena);
               if (!reserved) out.add("metadata", annotations(arena, {{bound_by_controller, "yes"}}));
               if (!reserved || v["spec"]["claimRef"]["uid"].string().empty())
                   out.add("spec", spec.add("claimRef", reference_to(arena, c)));
               out.add("status", status.add("phase", "Bound"));
           }));
    change(claim_kind, claim, make([&](ObjectBuilder &out, model::Arena &arena) {
               ObjectBuilder spec(arena), status(arena);
               out.add("metadata",
                       annotations(arena, {{bind_completed, "yes"}, {bound_by_controller, requested ? "" : "yes"}}));
               out.add("spec", spec.add("volumeName", name_of(v)));
               status.add("phase", "Bound").add("accessModes", v["spec"]["accessModes"]);
               out.add("status", status.add("capacity", v["spec"]["capacity"]));
           }));
}

void VolumeController::provision(const model::Tree &claim, Value storage_class) {
    const auto c = claim.value();
    const auto driver = std::string(storage_class["provisioner"].string());
    if (driver.empty() || driver == "kubernetes.io/no-provisioner") return;
    const auto node_name = annotation(c, selected_node);
    const auto nodes = store_.nodes();
    auto node = std::ranges::find(nodes, node_name, [](const model::NodePtr &n) { return n->name; });
    if (!node_name.empty() && node == nodes.end()) {
        // The scheduler shall choose again.
        return change(claim_kind, claim, make([&](ObjectBuilder &out, model::Arena &arena) {
                          ObjectBuilder list(arena), metadata(arena);
                          list.add(selected_node, model::make_null());
                          out.add("metadata", metadata.add("annotations", list));
                      }));
    }
    change(claim_kind, claim, make([&](ObjectBuilder &out, model::Arena &arena) {
               out.add("metadata", annotations(arena, {{storage_provisioner, driver}}));
           }));
    const auto name = "pvc-" + std::string(c["metadata"]["uid"].string());
    if (store_.find(volume_kind, name)) return;
    const auto volume = make([&](ObjectBuilder &out, model::Arena &arena) {
        ObjectBuilder metadata(arena), list(arena), spec(arena), csi(arena), capacity(arena);
        metadata.add("name", name).add("annotations", list.add(provisioned_by, driver));
        const auto policy = storage_class["reclaimPolicy"].string();
        spec.add("capacity", capacity.add("storage", c["spec"]["resources"]["requests"]["storage"]))
            .add("accessModes", c["spec"]["accessModes"])
            .add("storageClassName", class_of(c))
            .add("persistentVolumeReclaimPolicy", policy.empty() ? "Delete" : policy)
            .add("claimRef", reference_to(arena, c))
            .add("csi", csi.add("driver", driver).add("volumeHandle", name));
        if (c["spec"]["volumeMode"]) spec.add("volumeMode", c["spec"]["volumeMode"]);
        if (node != nodes.end()) {
            const auto csi_node = store_.find(csi_node_kind, std::string(node_name));
            if (auto where = topology(arena, **node, csi_node ? csi_node->value() : Value{}, driver))
                spec.add("nodeAffinity", *where);
        }
        out.add("apiVersion", "v1").add("kind", "PersistentVolume").add("metadata", metadata).add("spec", spec);
    });
    (void)store_.put(volume_kind, *volume);  // made of a claim that was read, it can be read
}

/// A claim is gone.
void VolumeController::reclaim(const std::string &claim_key, Value claim) {
    auto at = volumes_for_.find(claim_key);
    if (at == volumes_for_.end() || store_.find(claim_kind, claim_key)) return;
    for (const auto &name : std::set<std::string>(at->second)) {
        const auto volume = store_.find(volume_kind, name);
        if (!volume || !is_for(volume->value(), claim) || volume->value()["spec"]["claimRef"]["uid"].string().empty())
            continue;
        if (volume->value()["spec"]["persistentVolumeReclaimPolicy"].string() == "Delete")
            store_.remove(volume_kind, name);
        else
            change(volume_kind, *volume, make([&](ObjectBuilder &out, model::Arena &arena) {
                       ObjectBuilder status(arena);
                       out.add("status", status.add("phase", "Released"));
                   }));
    }
}

void VolumeController::change(const model::Kind &kind, const model::Tree &object, const model::TreePtr &patch) {
    const auto after = merged(object.value(), patch->value());
    if (!model::equal(object.value(), after->value())) (void)store_.put(kind, *after);
}

}  // namespace berth::sim
