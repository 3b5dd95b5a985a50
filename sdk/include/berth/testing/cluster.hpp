// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A test's cluster in YAML: nodes, pods and other objects. They are shown as a host shows them.

#include <berth/testing/columns.hpp>
#include <berth/testing/handle.hpp>
#include <berth/testing/kinds.hpp>

#include <functional>
#include <utility>

namespace berth::testing {

/// Nodes in the order in which they are written, each with the pods whose spec.nodeName is its name. What it gives out
/// lives until `add` or `remove` is called; objects live as long as the cluster.
class Cluster {
public:
    /// A change of an object that is neither a node nor a pod: null before it was there, and when it is gone.
    using Changed = std::function<void(const StoredObject *before, const StoredObject *after)>;

private:
    Trees trees_;
    using ObjectPtr = std::unique_ptr<StoredObject>;
    using PodPtr = std::unique_ptr<StoredPod>;
    std::vector<ObjectPtr> nodes_, others_, former_;  ///< former: those that are gone, or have another version now
    std::vector<PodPtr> pods_, former_pods_;
    Kinds kinds_;
    std::vector<std::weak_ptr<const Changed>> observers_;
    std::uint64_t version_ = 0;  ///< metadata.resourceVersion of the object that was added last
    std::uint64_t snapshot_ = 0;
    bool changed_ = true;

    // The snapshot.
    struct Columns {
        std::vector<berth_str> name, namespaces;
        std::vector<const berth_object *> obj, pod_obj;
        std::vector<std::uint64_t> generation, code_generation;
        std::vector<std::uint32_t> order, flags, pod_count, zone, slot_of, namespace_code, label_set, pod_flags;
        std::vector<std::int32_t> priority;
        std::vector<std::int64_t> start, allocatable[4], requested[3], nonzero[2];
        std::vector<Amounts> sums;
        std::vector<const StoredPod *> placed;
        std::vector<std::vector<std::uint32_t>> rows_of;
        std::vector<berth_label_set> label_sets;
        std::map<std::uint32_t, FilledColumn> declared;
    } c_;
    berth_nodes view_{};
    berth_pods placed_view_{};

public:
    DeclaredColumns columns;
    // To be set before the plugin is made.
    std::uint32_t kubernetes = 36;                   ///< the minor of the release that it decides as
    std::map<std::string, bool, std::less<>> gates;  ///< feature gates that this release has

    explicit Cluster(std::string_view yaml = {}) { add(yaml); }

    /// Adds objects. One of the kind, namespace and name of another takes its place. CustomResourceDefinitions come
    /// first.
    void add(std::string_view yaml) {
        std::vector<Value> all;
        for (const auto *document : Yaml::read(trees_, yaml)) {
            Value object(document);
            if (object["kind"].string() != "List") all.push_back(object);
            else
                for (std::size_t i = 0; i < object["items"].size(); ++i) all.push_back(object["items"].at(i));
        }
        for (const bool definitions : {true, false})
            for (auto object : all)
                if (Kinds::is_definition(object) == definitions) add(object);
    }
    void remove(std::string_view kind, std::string_view name) {
        const auto is_it = [&](const StoredObject &o) { return o.kind == kind && names(o, name); };
        while (take_out(is_it, true)) continue;
    }
    /// Calls `changed` for each change from now on, as long as there is one.
    void notify(std::weak_ptr<const Changed> changed) {
        std::erase_if(observers_, [](const auto &one) { return one.expired(); });
        observers_.push_back(std::move(changed));
    }
    /// A cluster without objects, with the kinds and columns of another, and later versions.
    void follow(const Cluster &other) { kinds_ = other.kinds_, columns = other.columns, version_ = other.version_; }
    /// Is it of the kind that a plugin calls by group, version and plural?
    bool is_of(const StoredObject &object, std::string_view group, std::string_view version,
               std::string_view resource) const {
        return kinds_.is_of(object, group, version, resource);
    }
    bool is_custom(const StoredObject &object) const { return kinds_.is_custom(object); }
    std::string version() const { return std::to_string(version_); }

    const berth_nodes *nodes() {
        if (changed_) build();
        return &view_;
    }
    /// By `name` or `namespace/name`. Throws if there is none.
    const berth_pod *pod(std::string_view name) const {
        for (const auto &p : pods_)
            if (names(p->object, name)) return &p->pod;
        throw std::runtime_error("the cluster has no pod " + std::string(name));
    }
    std::uint32_t slot(std::string_view node) const {
        if (auto slot = place_of(node); slot < nodes_.size()) return slot;
        throw std::runtime_error("the cluster has no node " + std::string(node));
    }
    /// berth.host.nodes/1.
    static const berth_host_nodes &look_ups() {
        static constexpr berth_host_nodes table{sizeof table, 0, find, node_column, pods_of, pod_column, pod_of_row};
        return table;
    }
    /// Calls fn(const StoredObject &) for every object.
    template <class Fn>
    void each(Fn &&fn) const {
        for (const auto &one : nodes_) fn(*one);
        for (const auto &one : pods_) fn(one->object);
        for (const auto &one : others_) fn(*one);
    }
    /// Objects that are neither nodes nor pods.
    const std::vector<ObjectPtr> &others() const { return others_; }

private:
    static bool names(const StoredObject &o, std::string_view name) { return name == o.name || name == o.key(); }

    /// As many as there are nodes for one that is not there.
    std::uint32_t place_of(std::string_view node) const {
        auto found = std::ranges::find_if(nodes_, [&](const ObjectPtr &n) { return n->name == node; });
        return static_cast<std::uint32_t>(found - nodes_.begin());
    }
    void add(Value object) {
        auto read = std::make_unique<StoredObject>(completed(object));
        const auto *before = take_out(
            [&](const StoredObject &o) {
                return o.kind == read->kind && o.group() == read->group() && o.key() == read->key();
            },
            false);
        if (read->kind == "Pod") return pods_.push_back(std::make_unique<StoredPod>(read->tree));
        if (read->kind == "Node") return nodes_.push_back(std::move(read));
        kinds_.add(*read);
        const auto &after = *others_.emplace_back(std::move(read));
        report(before, &after);
    }
    /// The object as an API server has it: in a namespace, with a UID and a version.
    Value completed(Value object) {
        const StoredObject read(object);
        std::uint64_t written = 0;
        std::from_chars(read.resource_version.data(), read.resource_version.data() + read.resource_version.size(),
                        written);
        version_ = std::max(version_ + 1, written);
        auto metadata = members_of(object["metadata"]);
        const auto complete = [&](std::string_view key, std::string_view value) {
            if (value.empty() || !object["metadata"][key].string().empty()) return;
            std::erase_if(metadata, [&](const berth_kv &one) { return view(one.key) == key; });
            metadata.push_back({trees_.text(key), trees_.string(value)});
        };
        complete("namespace", kinds_.default_namespace(read));
        complete("uid", read.uid);
        complete("resourceVersion", version());
        auto members = members_of(object);
        for (auto &one : members)
            if (view(one.key) == "metadata") one.value = trees_.map(std::move(metadata));
        return Value(trees_.root(trees_.map(std::move(members))));
    }
    static std::vector<berth_kv> members_of(Value map) {
        return {map.raw()->ptr.members, map.raw()->ptr.members + map.size()};
    }
    /// Takes one object out. Null: there is none.
    template <class Fn>
    const StoredObject *take_out(Fn &&is_it, bool notifies) {
        const auto take = [&](auto &from, auto &to, const auto &object) -> const StoredObject * {
            const auto found = std::ranges::find_if(from, [&](const auto &o) { return is_it(object(*o)); });
            if (found == from.end()) return nullptr;
            to.push_back(std::move(*found));
            from.erase(found);
            return &object(*to.back());
        };
        const auto of_pod = [](const StoredPod &p) -> const StoredObject & { return p.object; };
        const auto itself = [](const StoredObject &o) -> const StoredObject & { return o; };
        changed_ = true;
        if (const auto *pod = take(pods_, former_pods_, of_pod)) return pod;
        if (const auto *node = take(nodes_, former_, itself)) return node;
        const auto *other = take(others_, former_, itself);
        if (!other || !notifies) return other;
        kinds_.remove(*other);
        report(other, nullptr);
        return other;
    }
    void report(const StoredObject *before, const StoredObject *after) {
        // An observer may change the cluster, and so move them.
        for (std::size_t i = 0; i < observers_.size(); ++i)
            if (const auto changed = observers_[i].lock()) (*changed)(before, after);
    }

    void build() {
        changed_ = false;
        c_ = {};
        std::map<std::string, std::uint32_t> zones;
        for (std::uint32_t slot = 0; slot < nodes_.size(); ++slot) add_node(slot, zones);
        for (const auto &pod : pods_)
            if (pod->pod.node_name.len && !pod->finished()) place(*pod);
        for (std::uint32_t slot = 0; slot < nodes_.size(); ++slot)
            c_.pod_count.push_back(static_cast<std::uint32_t>(c_.rows_of[slot].size()));
        show();
    }
    void add_node(std::uint32_t slot, std::map<std::string, std::uint32_t> &zones) {
        const auto &node = *nodes_[slot];
        auto labels = node.tree["metadata"]["labels"];
        auto zone = std::string(labels["topology.kubernetes.io/region"].string()) + "/" +
                    std::string(labels["topology.kubernetes.io/zone"].string());
        c_.name.push_back(to_str(node.name)), c_.obj.push_back(node.handle());
        c_.generation.push_back(snapshot_ + 1), c_.order.push_back(slot);
        c_.zone.push_back(zones.try_emplace(zone, static_cast<std::uint32_t>(zones.size())).first->second);
        c_.flags.push_back(BERTH_FLAG_NODE_EXISTS |
                           (node.tree["spec"]["unschedulable"].is_true() ? BERTH_FLAG_NODE_UNSCHEDULABLE : 0u));
        auto can = amounts(node.tree["status"]["allocatable"]);
        std::size_t i = 0;
        for (const char *name : {"cpu", "memory", "ephemeral-storage", "pods"})
            c_.allocatable[i++].push_back(can[name]);
        for (auto &column : c_.requested) column.push_back(0);
        for (auto &column : c_.nonzero) column.push_back(0);
        c_.sums.emplace_back();
        c_.rows_of.emplace_back();
    }
    void place(const StoredPod &pod) {
        const auto slot = place_of(view(pod.pod.node_name));
        if (slot == nodes_.size()) return;
        c_.rows_of[slot].push_back(static_cast<std::uint32_t>(c_.placed.size()));
        c_.placed.push_back(&pod);
        c_.slot_of.push_back(slot), c_.pod_obj.push_back(pod.pod.obj);
        c_.priority.push_back(pod.pod.priority), c_.pod_flags.push_back(pod.pod.pod_flags), c_.start.push_back(0);
        auto known =
            std::ranges::find(c_.namespaces, view(pod.pod.namespace_), [](const berth_str &s) { return view(s); });
        c_.namespace_code.push_back(static_cast<std::uint32_t>(known - c_.namespaces.begin()));
        if (known == c_.namespaces.end()) c_.namespaces.push_back(pod.pod.namespace_);
        c_.label_set.push_back(static_cast<std::uint32_t>(c_.label_sets.size()));
        c_.label_sets.push_back({pod.pod.labels, pod.pod.labels_len});
        const auto &asks = *pod.pod.current_requests;
        c_.requested[0][slot] += asks.cpu, c_.requested[1][slot] += asks.memory,
            c_.requested[2][slot] += asks.ephemeral;
        c_.nonzero[0][slot] += pod.pod.requests_nonzero->cpu, c_.nonzero[1][slot] += pod.pod.requests_nonzero->memory;
        add_sums(c_.sums[slot], asks);
    }
    static void add_sums(Amounts &sums, const berth_resources &asks) {
        sums["cpu"] += asks.cpu, sums["memory"] += asks.memory, sums["ephemeral-storage"] += asks.ephemeral;
        for (std::uint64_t i = 0; i < asks.scalars_len; ++i)
            sums[std::string(view(asks.scalars[i].name))] += asks.scalars[i].value;
    }

    void show() {
        ++snapshot_;
        // Codes have other meanings in each snapshot.
        c_.code_generation.assign(std::max({c_.namespaces.size(), c_.label_sets.size(), nodes_.size()}), snapshot_);
        placed_view_ = {sizeof placed_view_,
                        0,
                        handle_of(this),
                        static_cast<std::uint32_t>(c_.placed.size()),
                        static_cast<std::uint32_t>(c_.placed.size()),
                        c_.slot_of.data(),
                        c_.namespace_code.data(),
                        c_.label_set.data(),
                        c_.priority.data(),
                        c_.start.data(),
                        c_.pod_flags.data(),
                        c_.pod_obj.data(),
                        c_.namespaces.data(),
                        c_.code_generation.data(),
                        c_.namespaces.size(),
                        c_.label_sets.data(),
                        c_.code_generation.data(),
                        c_.label_sets.size()};
        const auto count = static_cast<std::uint32_t>(nodes_.size());
        view_ = {sizeof view_,
                 0,
                 handle_of(this),
                 count,
                 count,
                 snapshot_,
                 snapshot_,  // any change may have been one of label keys
                 snapshot_,
                 c_.order.data(),
                 c_.name.data(),
                 c_.obj.data(),
                 c_.generation.data(),
                 c_.flags.data(),
                 c_.allocatable[0].data(),
                 c_.allocatable[1].data(),
                 c_.allocatable[2].data(),
                 c_.allocatable[3].data(),
                 c_.requested[0].data(),
                 c_.requested[1].data(),
                 c_.requested[2].data(),
                 c_.nonzero[0].data(),
                 c_.nonzero[1].data(),
                 c_.pod_count.data(),
                 c_.zone.data(),
                 c_.code_generation.data(),
                 c_.code_generation.size(),
                 &placed_view_};
    }
    static std::uint64_t pods_of(const berth_host *, const berth_pods *p, std::uint32_t slot,
                                 const std::uint32_t **rows) {
        const auto &of = behind<Cluster>(p->handle).c_.rows_of[slot];
        *rows = of.data();
        return of.size();
    }
    static const berth_pod *pod_of_row(const berth_host *, const berth_pods *p, std::uint32_t row) {
        return &behind<Cluster>(p->handle).c_.placed[row]->pod;
    }
    static std::uint32_t find(const berth_host *, const berth_nodes *n, berth_str name) {
        const auto slot = behind<Cluster>(n->handle).place_of(view(name));
        return slot < n->slots ? slot : BERTH_NO_SLOT;
    }
    static std::int32_t node_column(const berth_host *, const berth_nodes *n, std::uint32_t id, berth_column *out) {
        return behind<Cluster>(n->handle).show_column(id, true, out);
    }
    static std::int32_t pod_column(const berth_host *, const berth_pods *p, std::uint32_t id, berth_column *out) {
        return behind<Cluster>(p->handle).show_column(id, false, out);
    }
    std::int32_t show_column(std::uint32_t id, bool of_nodes, berth_column *out) {
        if (id == 0 || id > columns.all.size()) return BERTH_STATUS_NOT_FOUND;
        const auto &[kind, key] = columns.all[id - 1];
        if ((kind < BERTH_COLUMN_POD_LABEL) != of_nodes) return BERTH_STATUS_NOT_FOUND;
        const auto rows = static_cast<std::uint32_t>(of_nodes ? nodes_.size() : c_.placed.size());
        auto [filled, is_new] = c_.declared.try_emplace(id);
        if (is_new) {
            filled->second.validity.assign(rows / 64 + 1, 0);
            for (std::uint32_t row = 0; row < rows; ++row)
                of_nodes ? fill_node(filled->second, kind, key, row) : fill_pod(filled->second, kind, key, row);
        }
        out->struct_size = std::min(out->struct_size, std::uint32_t{sizeof *out});
        filled->second.show(kind, rows, snapshot_, *out);
        return BERTH_STATUS_SUCCESS;
    }
    void fill_node(FilledColumn &column, std::uint32_t kind, const std::string &key, std::uint32_t slot) {
        auto tree = nodes_[slot]->tree;
        switch (kind) {
            case BERTH_COLUMN_NODE_LABEL: return column.add_text(slot, tree["metadata"]["labels"][key]);
            case BERTH_COLUMN_NODE_ANNOTATION: return column.add_text(slot, tree["metadata"]["annotations"][key]);
            case BERTH_COLUMN_NODE_ALLOCATABLE:
                return column.add_number(amounts(tree["status"]["allocatable"]), key, false);
            case BERTH_COLUMN_NODE_REQUESTED: return column.add_number(c_.sums[slot], key, true);
            case BERTH_COLUMN_NODE_FIELD: return column.add_value(at_pointer(tree, key));
            case BERTH_COLUMN_NODE_TAINTS:
                for (std::size_t i = 0; i < tree["spec"]["taints"].size(); ++i) {
                    auto taint = tree["spec"]["taints"].at(i);
                    column.taints.add(slot, {to_str(taint["key"].string()), to_str(taint["value"].string()),
                                             to_str(taint["effect"].string())});
                }
                return column.taints.end_row(slot);
            case BERTH_COLUMN_NODE_IMAGES: fill_images(column, slot); return column.images.end_row(slot);
            default:
                for (auto row : c_.rows_of[slot]) {
                    const auto &pod = c_.placed[row]->pod;
                    for (std::uint64_t i = 0; i < pod.host_ports_len; ++i) column.ports.add(slot, pod.host_ports[i]);
                }
                return column.ports.end_row(slot);
        }
    }
    static bool lists(const StoredObject &node, std::string_view image) {
        auto images = node.tree["status"]["images"];
        for (std::size_t i = 0; i < images.size(); ++i)
            for (std::size_t j = 0; j < images.at(i)["names"].size(); ++j)
                if (images.at(i)["names"].at(j).string() == image) return true;
        return false;
    }
    void fill_images(FilledColumn &column, std::uint32_t slot) {
        auto images = nodes_[slot]->tree["status"]["images"];
        for (std::size_t i = 0; i < images.size(); ++i)
            for (std::size_t j = 0; j < images.at(i)["names"].size(); ++j) {
                auto name = images.at(i)["names"].at(j).string();
                auto on = std::ranges::count_if(nodes_, [&](const ObjectPtr &n) { return lists(*n, name); });
                column.images.add(slot, {to_str(name), images.at(i)["sizeBytes"].integer().value_or(0),
                                         static_cast<std::uint32_t>(on), 0});
            }
    }
    void fill_pod(FilledColumn &column, std::uint32_t kind, const std::string &key, std::uint32_t row) {
        const auto &pod = *c_.placed[row];
        auto tree = pod.object.tree;
        switch (kind) {
            case BERTH_COLUMN_POD_LABEL: return column.add_text(row, tree["metadata"]["labels"][key]);
            case BERTH_COLUMN_POD_ANNOTATION: return column.add_text(row, tree["metadata"]["annotations"][key]);
            case BERTH_COLUMN_POD_FIELD: return column.add_value(at_pointer(tree, key));
            case BERTH_COLUMN_POD_SCHEDULER_NAME:
                column.texts.add(row, pod.pod.scheduler_name);
                return column.texts.end_row(row);
            default:
                for (std::uint64_t i = 0; i < pod.pod.images_len; ++i) column.texts.add(row, pod.pod.images[i].name);
                return column.texts.end_row(row);
        }
    }
};

}  // namespace berth::testing
