// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The scheduler's cache: nodes, placed pods and assumed pods (upstream: cacheImpl).
///
///            assume              confirm (the watch says so)
///   (none) ─────────► assumed ─────────────► placed ──► removed
///                        │ forget                ▲
///                        └────────► (none)       └── add (placed by somebody else)
///
/// An assumed pod leaves only by confirmation, forget or deletion; there is no expiry (spec 3.2). Nodes removed while
/// pods remain are kept as ghosts, absent from the snapshot with their pods, until the last of those is gone (spec 5).
///
/// The world may be odd: what is added twice is an update, a pod on an unknown node makes a ghost, a pod that turns up
/// on another node moves, and what is not known is not removed. A pod without uid is ignored, as upstream does. Loop
/// only.

#include "cluster/pod_groups.h"
#include "model/node.h"
#include "plugin/services.h"

#include <berth/service/cluster.h>

#include <cstdint>
#include <memory>
#include <string_view>

namespace berth::cluster {

class Columns;

class Cache final : public plugin::ColumnProvider, public plugin::ChangeProvider {
    friend class NodeSimulation;

public:
    Cache();
    ~Cache() override;

    void add_node(model::NodePtr node);
    void update_node(model::NodePtr node);
    void remove_node(std::string_view name);

    /// A pod with a node name, seen by the watch: adds it, or confirms an assumed one. One that has finished is
    /// removed; one without a node name too, unless it is assumed.
    void add_pod(model::PodPtr pod);
    void update_pod(model::PodPtr pod);  ///< the same
    void remove_pod(const model::Pod &pod);

    /// A copy with its node name set (model::assumed_copy). Ignored if the watch has already placed the pod.
    void assume(model::PodPtr pod);
    /// Ignored unless the pod is assumed, and on that node if `pod` names one.
    void forget(const model::Pod &pod);
    bool is_assumed(std::string_view uid) const;
    /// The pod groups. The cache says where pods with a node are; the others come and go by their watch.
    PodGroups &groups() { return groups_; }
    const PodGroups &groups() const { return groups_; }

    std::size_t node_count() const;
    std::size_t pod_count() const;  ///< placed and assumed
    std::size_t assumed_count() const;
    model::NodePtr node(std::string_view name) const;
    /// The slot of the node of that name, if there is one, else BERTH_NO_SLOT. What snapshot() leaves for its next call
    /// waits for that.
    std::uint32_t slot(std::string_view node_name) const;

    /// The columns, patched for everything that changed so far; the same snapshot_id if nothing did. Valid until the
    /// next change: the reference and its arrays then show what is new, and `order` and the reuse of slots wait for the
    /// next call. The visiting order is upstream's zone tree (spec 3.1.2).
    const berth_nodes &snapshot();

    /// Of the visiting order of the last snapshot: another one has another id.
    std::uint64_t order_id() const;
    /// Adds the slots that have changed since the snapshot of that id, in no order, some more than once; false, and
    /// nothing is added, if there were too many changes.
    bool add_changed(std::uint64_t since, std::vector<std::uint32_t> &slots) const;

    /// Passes the differences of the snapshot `now` from that of id `since` to `to` (berth.host.delta/1); false if
    /// `since` is too long ago, or if `now` is not the present state. Changes are remembered from the first call on,
    /// whatever it returns.
    bool changes(std::uint64_t since, std::uint64_t now, const Changes &to) override;
    /// Reserves rows for this many more pods, so that a dry run (cluster/node_simulation.h) moves no array of rows: the
    /// former one would keep showing the rows of the dry run.
    void reserve(std::size_t pods);

    // A declared column's id (berth.host.columns/1), the same for the same kind and key as long as it is there; 0 for
    // an unknown kind. Filled at once; no array of another column moves.
    /// It is there until it is released as often.
    std::uint32_t declare_column(std::uint32_t kind, std::string_view key);
    void release_column(std::uint32_t id);
    /// What releases the column once when it ends, if the cache is there then; nothing for 0.
    std::shared_ptr<void> until_released(std::uint32_t id);
    ColumnLease lease_column(std::uint32_t kind, std::string_view key) override;
    /// It exists until the current attempt ends, or, between attempts, until many others were requested. One id stands
    /// for all keys of a kind that no node has. 0 also if the current attempt has requested too many.
    std::uint32_t ask_column(std::uint32_t kind, std::string_view key) override;
    /// An attempt begins: columns that are no longer requested are freed. From here to its end nothing changes but by
    /// assume() and forget(). Arrays that its snapshots have shown are kept until then (cluster/kept_arrays.h), and no
    /// code loses its value.
    void begin_attempt();
    void end_attempt();
    /// For a cycle of several attempts: takes a snapshot. Until what it returns ends, no array that a snapshot has
    /// shown is freed, and no code loses its value.
    std::shared_ptr<void> keep_arrays();

    /// A table of one row (slot 0) for an event: `node` with the pods that are placed on it now. Codes are those of the
    /// snapshot. Valid until the next call of one_node with the same `which` (0 or 1), the next change, or the node's
    /// end.
    const berth_nodes &one_node(int which, const model::Node &node);

    /// What it takes of the heap beside the nodes and pods themselves: columns and tables, and the dictionaries. Cheap.
    std::size_t column_bytes() const;
    std::size_t dictionary_bytes() const;

private:
    std::shared_ptr<Columns> columns_;
    PodGroups groups_;
};

}  // namespace berth::cluster
