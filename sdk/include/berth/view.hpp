// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Views of pods, nodes and columns in C++, valid until the call returns. They are pointer-sized.

#include <berth/per_code.hpp>
#include <berth/service.hpp>
#include <berth/value.hpp>
#include <berth/view/pod_fields.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace berth {

/// A resource's name and amount.
struct Scalar {
    std::string_view name;
    std::int64_t value;
};

/// The pod at hand, with a method for each field of berth_pod (<berth/view/pod.h>). What a host does not say, being
/// older than the field, is 0 or empty.
class Pod {
    const berth_pod *p_;
    const Host *host_;

public:
    Pod(const berth_pod *p, const Host *host) : p_(p), host_(host) {}
    const berth_pod *raw() const { return p_; }

#define BERTH_DETAIL_FIELD(field, accessor, path)                      \
    detail::Shown<decltype(berth_pod::field)>::Type accessor() const { \
        using Shown = detail::Shown<decltype(berth_pod::field)>;       \
        return Shown::of(BERTH_GET(p_, field, Shown::absent));         \
    }
#define BERTH_DETAIL_LIST(field)                                                                                   \
    auto field() const {                                                                                           \
        return std::span(BERTH_GET(p_, field, nullptr), static_cast<std::size_t>(BERTH_GET(p_, field##_len, 0u))); \
    }
#define BERTH_DETAIL_RESERVED(field)
    BERTH_POD_FIELDS(BERTH_DETAIL_FIELD, BERTH_DETAIL_LIST, BERTH_DETAIL_RESERVED)
#undef BERTH_DETAIL_FIELD
#undef BERTH_DETAIL_LIST
#undef BERTH_DETAIL_RESERVED

    bool terminating() const { return flags() & BERTH_FLAG_POD_TERMINATING; }
    bool has_affinity() const { return flags() & BERTH_FLAG_POD_HAS_AFFINITY; }
    bool has_required_anti_affinity() const { return flags() & BERTH_FLAG_POD_HAS_REQUIRED_ANTI_AFFINITY; }
    bool has_volumes() const { return flags() & BERTH_FLAG_POD_HAS_VOLUMES; }
    /// The value of a label; nothing if there is none of that key.
    std::optional<std::string_view> label(std::string_view key) const {
        for (const auto &one : labels())
            if (view(one.key) == key) return view(one.value);
        return std::nullopt;
    }
    std::optional<std::string_view> annotation(std::string_view key) const {
        const Value value = at("/metadata/annotations")[key];
        return value.is_string() ? std::optional(value.string()) : std::nullopt;
    }
    /// "Guaranteed", "Burstable" or "BestEffort" as the API server says it; empty if it has not.
    std::string_view qos_class() const { return at("/status/qosClass").string(); }
    /// Any other field, by JSON pointer, as in at("/spec/affinity").
    Value at(std::string_view pointer) const { return host_->object_at(p_->obj, pointer); }
};

/// A declared column of the snapshot at hand.
class Column {
    berth_column c_{};

public:
    Column() { c_.struct_size = sizeof c_; }
    berth_column *raw() { return &c_; }

    /// Whether no node has the key, so that all rows say the same.
    bool absent() const { return (c_.flags & BERTH_FLAG_COLUMN_ABSENT) != 0; }
    bool has(std::uint32_t row) const { return row < c_.rows && berth_valid(&c_, row) != 0; }
    std::optional<std::uint32_t> code(std::uint32_t row) const {
        if (!has(row)) return std::nullopt;
        return static_cast<const std::uint32_t *>(c_.data)[row];
    }
    std::int64_t int64(std::uint32_t row) const { return static_cast<const std::int64_t *>(c_.data)[row]; }
    std::span<const std::uint32_t> codes(std::uint32_t row) const {
        if (!has(row)) return {};
        return {static_cast<const std::uint32_t *>(c_.data) + c_.offsets[row].begin,
                static_cast<const std::uint32_t *>(c_.data) + c_.offsets[row].end};
    }
    Value value(std::uint32_t row) const {
        return has(row) ? Value{static_cast<const berth_value *const *>(c_.data)[row]} : Value{};
    }
    /// The dictionary, as the entry type of the column's kind.
    template <class T>
    std::span<const T> dict() const {
        return {static_cast<const T *>(c_.dict), c_.dict_len};
    }
    /// Of the code's present meaning: (code, generation) is one value for ever (per_code.hpp). 0 for a free code, and
    /// for all codes of a host in which codes never change their meaning.
    std::uint64_t generation(std::uint32_t code) const { return c_.dict_generation ? c_.dict_generation[code] : 0; }
};

/// Placed pods as columns. Those that are read here without asking are of every host of this major version; what is
/// appended to berth_pods is read by BERTH_GET.
class PlacedPods {
    const berth_pods *p_;
    const Host *host_;

public:
    PlacedPods(const berth_pods *p, const Host *host) : p_(p), host_(host) {}
    const berth_pods *raw() const { return p_; }
    std::uint32_t rows() const { return p_->rows; }
    bool exists(std::uint32_t row) const { return p_->node_slot[row] != BERTH_NO_SLOT; }
    /// The pod of a row that exists, whole.
    Pod operator[](std::uint32_t row) const { return {host_->nodes_service().pod(host_->raw(), p_, row), host_}; }
    std::uint32_t slot(std::uint32_t row) const { return p_->node_slot[row]; }
    std::int32_t priority(std::uint32_t row) const { return p_->priority[row]; }
    std::int64_t start_time_ns(std::uint32_t row) const { return p_->start_time_ns[row]; }
    std::uint32_t flags(std::uint32_t row) const { return p_->pod_flags[row]; }
    bool terminating(std::uint32_t row) const { return flags(row) & BERTH_FLAG_POD_TERMINATING; }
    std::uint32_t namespace_code(std::uint32_t row) const { return p_->namespace_code[row]; }
    std::uint32_t label_set_code(std::uint32_t row) const { return p_->label_set_code[row]; }
    std::span<const berth_str> namespaces() const { return {p_->namespaces, p_->namespaces_len}; }
    std::span<const berth_label_set> label_sets() const { return {p_->label_sets, p_->label_sets_len}; }
    /// As Column::generation().
    std::uint64_t namespace_generation(std::uint32_t code) const { return p_->namespace_generation[code]; }
    std::uint64_t label_set_generation(std::uint32_t code) const { return p_->label_set_generation[code]; }
    std::span<const std::uint32_t> on(std::uint32_t slot) const {
        const std::uint32_t *rows = nullptr;
        auto n = host_->nodes_service().pods_of(host_->raw(), p_, slot, &rows);
        return {rows, n};
    }
    Column column(std::uint32_t id) const {
        Column c;
        if (host_->nodes_service().pod_column(host_->raw(), p_, id, c.raw()) != BERTH_STATUS_SUCCESS)
            throw std::logic_error("a pod column that was not declared, or in an earlier attempt");
        return c;
    }
};

/// One node of a snapshot. As for PlacedPods, what is appended to berth_nodes is read by BERTH_GET.
class Node {
    const berth_nodes *n_;
    std::uint32_t slot_;
    const Host *host_;

public:
    Node(const berth_nodes *n, std::uint32_t slot, const Host *host) : n_(n), slot_(slot), host_(host) {}
    std::uint32_t slot() const { return slot_; }
    std::string_view name() const { return view(n_->name[slot_]); }
    std::uint32_t pods() const { return n_->pod_count[slot_]; }  ///< how many are placed on it
    bool unschedulable() const { return n_->node_flags[slot_] & BERTH_FLAG_NODE_UNSCHEDULABLE; }
    std::int64_t allocatable_cpu() const { return n_->allocatable_cpu[slot_]; }  ///< milli-CPU
    std::int64_t allocatable_memory() const { return n_->allocatable_memory[slot_]; }
    std::int64_t allocatable_ephemeral() const { return n_->allocatable_ephemeral[slot_]; }
    std::int64_t allocatable_pods() const { return n_->allocatable_pods[slot_]; }
    std::int64_t requested_cpu() const { return n_->requested_cpu[slot_]; }
    std::int64_t requested_memory() const { return n_->requested_memory[slot_]; }
    std::int64_t requested_ephemeral() const { return n_->requested_ephemeral[slot_]; }
    /// Any field, by JSON pointer, as in at("/metadata/labels/zone"). For hot paths declare a column instead.
    Value at(std::string_view pointer) const { return host_->object_at(n_->obj[slot_], pointer); }
    std::string_view label(std::string_view key) const {
        return host_->object_at(n_->obj[slot_], "/metadata/labels")[key].string();
    }
};

/// The nodes of a snapshot. Index it by slot.
class Nodes {
    const berth_nodes *n_;
    const Host *host_;

public:
    Nodes(const berth_nodes *n, const Host *host) : n_(n), host_(host) {}
    const berth_nodes *raw() const { return n_; }
    std::uint32_t slots() const { return n_->slots; }
    std::uint32_t count() const { return n_->count; }
    /// Unchanged: nodes have the label keys that they had.
    std::uint64_t label_keys_version() const { return n_->label_keys_version; }
    std::span<const std::uint32_t> order() const { return {n_->order, n_->count}; }
    Node operator[](std::uint32_t slot) const { return {n_, slot, host_}; }
    std::optional<std::uint32_t> find(std::string_view name) const {
        auto slot = host_->nodes_service().find(host_->raw(), n_, to_str(name));
        if (slot == BERTH_NO_SLOT) return std::nullopt;
        return slot;
    }
    PlacedPods pods() const { return {n_->pods, host_}; }
    Column column(std::uint32_t id) const {
        Column c;
        if (host_->nodes_service().column(host_->raw(), n_, id, c.raw()) != BERTH_STATUS_SUCCESS)
            throw std::logic_error("a node column that was not declared, or in an earlier attempt");
        return c;
    }
};

using Slots = std::span<const std::uint32_t>;
using Scores = std::span<std::int64_t>;

/// Something that happened, for a hint. See berth_event.
class Event {
    const berth_event *e_;
    const Host *host_;

public:
    Event(const berth_event *e, const Host *host) : e_(e), host_(host) {}
    const berth_event *raw() const { return e_; }
    std::string_view resource() const { return view(e_->resource); }
    /// Whether it is one of these actions: `event.is(BERTH_EVENT_ADD | BERTH_EVENT_UPDATE)`.
    bool is(std::uint64_t action) const { return (e_->action & action) != 0; }
    std::optional<Pod> old_pod() const { return pod(e_->old_pod); }
    std::optional<Pod> new_pod() const { return pod(e_->new_pod); }
    std::optional<Node> old_node() const { return node(e_->old_node); }
    std::optional<Node> new_node() const { return node(e_->new_node); }
    /// Of a kind that is neither pod nor node; false where there is none.
    Object old_object() const { return {BERTH_GET(e_, old_object, nullptr), host_}; }
    Object new_object() const { return {BERTH_GET(e_, new_object, nullptr), host_}; }
    /// The one-row tables themselves, for a rule that reads columns; row 0.
    std::optional<Nodes> old_nodes() const { return nodes(e_->old_node); }
    std::optional<Nodes> new_nodes() const { return nodes(e_->new_node); }

private:
    std::optional<Pod> pod(const berth_pod *p) const { return p ? std::optional(Pod{p, host_}) : std::nullopt; }
    std::optional<Node> node(const berth_nodes *n) const { return n ? std::optional(Node{n, 0, host_}) : std::nullopt; }
    std::optional<Nodes> nodes(const berth_nodes *n) const { return n ? std::optional(Nodes{n, host_}) : std::nullopt; }
};

}  // namespace berth
