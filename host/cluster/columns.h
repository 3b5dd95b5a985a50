// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The snapshot: nodes and placed pods as columns, and the order in which nodes are visited. The columns are patched in
/// place as things change; the order changes only when a snapshot is taken.

#include "cluster/change_log.h"
#include "cluster/node_table.h"
#include "cluster/one_node.h"
#include "cluster/zone_tree.h"
#include "plugin/services.h"

#include <berth/service/cluster.h>

#include <array>

namespace berth::cluster {

/// Owns the nodes and pods that its tables point to. Loop only.
class Columns {
    friend class NodeSimulation;
    struct Slot {
        model::NodePtr node;
        bool in_order = false;  // named by the visiting order
        bool vacant = false;    // listed in vacant_
    };

    Schema schema_{[this](const Declaration &column) { forget(column); }};
    PodTable pods_{schema_};
    NodeTable nodes_{schema_, pods_};
    std::array<OneNode, 2> one_node_{OneNode{schema_}, OneNode{schema_}};
    std::vector<Slot> slots_;
    std::vector<model::PodPtr> owners_;  // by row
    CodeIndex by_uid_;
    ZoneTree zones_;
    std::vector<std::uint32_t> vacant_;  // slots without node and pods, to be freed by the next snapshot
    std::size_t pod_count_ = 0, assumed_count_ = 0;
    std::size_t unlisted_ = 0;  // nodes that the order does not name
    std::uint64_t changes_ = 1;
    static constexpr std::size_t remembered = 1024;
    std::array<std::uint32_t, remembered> touched_slots_{};  // by number of the change: the last ones
    std::uint64_t ordered_ = 0;                              // the number of the last change before the order was made
    ChangeLog log_;
    bool in_attempt_ = false, keeping_ = false;         // the latter: the attempt has taken a snapshot
    std::uint64_t simulation_generation_ = UINT64_MAX;  // counts down, so that it never meets changes_

    std::uint32_t slot_for(std::string_view name);
    void touched(std::uint32_t slot);
    void log_node(std::uint32_t slot);
    void log_pod(std::uint32_t row, std::uint32_t slot);
    bool shows(std::uint32_t row) const { return pods_.view().node_slot[row] != BERTH_NO_SLOT; }
    void bring_up_to_date();
    void reorder();
    void free_vacant();
    void sweep();
    std::uint32_t filled(Declaration *column);
    void forget(const Declaration &column);

public:
    static constexpr std::uint32_t none = CodeIndex::none;

    void put_node(model::NodePtr node);  ///< a new node, or a new version of one
    void drop_node(std::string_view name);
    void put_pod(model::PodPtr pod, bool assumed);  ///< a new pod, or a new version of one, maybe on another node
    void drop_pod(std::uint32_t row);

    std::uint32_t row_of(std::string_view uid) const;  ///< or none
    bool assumed(std::uint32_t row) const { return pods_.flags(row) & BERTH_FLAG_POD_ASSUMED; }
    const model::Pod &pod(std::uint32_t row) const { return *owners_[row]; }
    std::uint32_t slot(std::string_view name) const;
    model::NodePtr node(std::string_view name) const;
    std::size_t node_count() const { return zones_.count(); }
    std::size_t pod_count() const { return pod_count_; }
    std::size_t assumed_count() const { return assumed_count_; }

    const berth_nodes &snapshot();
    void begin_use() { schema_.kept().begin_use(); }
    void end_use() { schema_.kept().end_use(); }
    std::uint64_t order_id() const { return ordered_; }
    bool add_changed(std::uint64_t since, std::vector<std::uint32_t> &slots) const;
    /// berth.host.delta/1; false if the changes since then are not known any more, or if `now` is not the present
    /// state.
    bool changes(std::uint64_t since, std::uint64_t now, const plugin::ChangeProvider::Changes &to);
    void reserve(std::size_t pods) { pods_.reserve(pods); }
    std::uint32_t declare(std::uint32_t kind, std::string_view key) { return filled(schema_.declare(kind, key)); }
    std::uint32_t ask(std::uint32_t kind, std::string_view key) { return filled(schema_.ask(kind, key)); }
    void release(std::uint32_t column) { schema_.release(column); }
    void begin_attempt();
    void end_attempt();
    const berth_nodes &one_node(int which, const model::Node &node);

    // Of the heap; nothing is walked that grows with the cluster.
    std::size_t bytes() const;
    std::size_t dictionary_bytes() const { return schema_.dictionary_bytes(); }
};

}  // namespace berth::cluster
