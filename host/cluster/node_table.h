// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The table of nodes as columns over stable slots, behind berth_nodes.

#include "cluster/pod_table.h"

#include <deque>
#include <string>

namespace berth::cluster {

/// A slot belongs to a name from `add_slot` to `free_slot`; it holds a node from `write` to `hide`. The sums over a
/// slot's pods are kept all the time. A slot with a node holds the code of its zone. Ownership and threads as in
/// PodTable. Slots, their names, zones and the order come and go with nodes, and so between two cycles: their arrays
/// cannot move within a cycle (cluster/kept_arrays.h).
class NodeTable final : model::NodeLookUps {
    Schema &schema_;
    PodTable &pods_;
    berth_nodes view_{};
    std::deque<std::string> names_;  // by slot; a deque, because a short string's bytes move with it
    CodeIndex by_name_;
    std::vector<std::uint32_t> free_slots_, order_;
    std::vector<berth_str> name_;
    std::vector<const berth_object *> obj_;
    std::vector<std::uint64_t> generation_;
    std::vector<std::uint32_t> flags_, pod_count_, zone_code_;
    std::vector<std::int64_t> allocatable_cpu_, allocatable_memory_, allocatable_ephemeral_, allocatable_pods_;
    std::vector<std::int64_t> requested_cpu_, requested_memory_, requested_ephemeral_, nonzero_cpu_, nonzero_memory_;
    DeclaredColumns declared_;

    std::uint32_t new_slot();
    void fill(DeclaredColumns::Column &column);
    std::uint32_t find(berth_str name) const noexcept override;
    std::int32_t column(std::uint32_t id, berth_column *out) noexcept override;

public:
    NodeTable(Schema &schema, PodTable &pods);
    NodeTable(const NodeTable &) = delete;
    NodeTable &operator=(const NodeTable &) = delete;

    /// The slot that belongs to `name`, whether it holds a node or not, or BERTH_NO_SLOT.
    std::uint32_t slot_of(std::string_view name) const;
    std::uint32_t add_slot(std::string_view name);
    void free_slot(std::uint32_t slot);  ///< it holds no node and no pods

    void write(std::uint32_t slot, const model::Node &node);
    void hide(std::uint32_t slot);
    void touch(std::uint32_t slot, std::uint64_t generation) {
        generation_[slot] = generation;
        view_.schema_version = schema_.version();
        view_.label_keys_version = schema_.node_keys.labels_version();
    }
    /// Adds a pod to the sums of its slot, or takes it out (`sign` is 1 or -1). Sums wrap around, so that taking out
    /// what was added always restores them.
    void account(std::uint32_t slot, const model::Pod &pod, int sign);
    std::uint64_t generation(std::uint32_t slot) const { return generation_[slot]; }
    /// The lists of a slot that are made of its pods, one per declared column of that kind; and to restore them.
    std::vector<ColumnData::Mark> mark_pod_lists(std::uint32_t slot);
    void restore_pod_lists(const std::vector<ColumnData::Mark> &lists);
    /// Changes the visiting order by `f(order)`.
    template <class F>
    void reorder(F f) {
        f(order_);
        view_.order = order_.data();
        view_.count = static_cast<std::uint32_t>(order_.size());
    }
    const std::vector<std::uint32_t> &order() const { return order_; }
    /// Of the columns; names and lists of a few bytes each are estimated.
    std::size_t bytes() const;
    void set_snapshot_id(std::uint64_t id) { view_.snapshot_id = id; }
    void reset();
    /// Shows the arrays and dictionaries where they are now.
    void refresh();

    void declare(Declaration &column);
    void forget(const Declaration &column) { declared_.forget(column); }  ///< it ends
    const berth_nodes &view() const { return view_; }
    bool exists(std::uint32_t slot) const { return flags_[slot] & BERTH_FLAG_NODE_EXISTS; }
    std::uint32_t zone(std::uint32_t slot) const { return zone_code_[slot]; }
};

}  // namespace berth::cluster
