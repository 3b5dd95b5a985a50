// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The table of placed pods as columns over stable rows, behind berth_pods.

#include "cluster/declared_columns.h"
#include "model/look_ups.h"

#include <span>

namespace berth::cluster {

/// A row belongs to a pod until `remove`. A pod on a slot that is not shown (its node is gone, or has not come yet)
/// keeps its row, which looks empty. A row with a pod holds the codes of its namespace and label set. The pods and
/// nodes of a table are kept alive by its owner. Loop only; the functions of `view()` may be called from many threads
/// while nothing changes.
class PodTable final : model::PodLookUps {
    struct OfSlot {
        std::vector<std::uint32_t> rows;
        bool shown = false;
    };

    Schema &schema_;
    berth_pods view_{};
    std::vector<std::uint32_t> node_slot_, namespace_code_, label_set_code_, flags_;
    std::vector<std::int32_t> priority_;
    std::vector<std::int64_t> start_time_;
    std::vector<const berth_object *> obj_;
    std::vector<std::uint32_t> free_rows_;
    std::vector<OfSlot> slots_;
    DeclaredColumns declared_;

    std::uint32_t new_row();
    void add_to(std::uint32_t slot, std::uint32_t row);
    void release(std::uint32_t row);
    void fill(DeclaredColumns::Column &column);
    std::uint64_t pods_of(std::uint32_t slot, const std::uint32_t **rows) const noexcept override;
    std::int32_t column(std::uint32_t id, berth_column *out) noexcept override;
    const berth_pod *view_of(std::uint32_t row) const noexcept override;

public:
    explicit PodTable(Schema &schema);
    PodTable(const PodTable &) = delete;
    PodTable &operator=(const PodTable &) = delete;

    /// `flags`: BERTH_FLAG_POD_… bits of the row. Returns the row.
    std::uint32_t place(const model::Pod &pod, std::uint32_t flags, std::uint32_t slot);
    // As in upstream's NodeInfo the last pod of a node takes the place of one that goes, and a new version of a pod is
    // its node's last. A plugin that stops at the first pod that does not suit it names the same one as kube-scheduler.
    /// The pod of a row changes places with its slot's last.
    void to_end(std::uint32_t row, std::uint32_t slot);
    /// The pod of a row has a new version, on the same node.
    void rewrite(std::uint32_t row, const model::Pod &pod, std::uint32_t flags);
    void remove(std::uint32_t row, std::uint32_t slot);
    // For a node simulation. A row that was lifted looks empty and keeps its pod; lowered, it is its slot's last.
    void lift(std::uint32_t row, std::uint32_t slot);
    void lower(std::uint32_t row, std::uint32_t slot);
    /// The list of a slot's rows, and where it is. Arrays are kept until it is restored.
    struct List {
        std::vector<std::uint32_t> rows;
        std::uint32_t *at;
    };
    List list(std::uint32_t slot) { return {slots_[slot].rows, slots_[slot].rows.data()}; }
    void restore(std::uint32_t slot, const List &list);
    /// Makes sure that so many pods can be placed without that an array of rows moves.
    void reserve(std::size_t rows);
    /// Makes the pods of a slot visible, or hides them.
    void show(std::uint32_t slot, bool shown);
    void grow_slots(std::uint32_t slots) { slots_.resize(slots); }
    void reset();
    /// Shows the arrays where they are now.
    void refresh();

    /// Of the columns; the lists of each slot are estimated.
    std::size_t bytes() const;

    void declare(Declaration &column);
    void forget(const Declaration &column) { declared_.forget(column); }  ///< it ends
    const berth_pods &view() const { return view_; }
    std::uint32_t flags(std::uint32_t row) const { return flags_[row]; }
    const model::Pod &pod(std::uint32_t row) const {
        return static_cast<const model::Pod &>(*model::object_of(obj_[row]));
    }
    std::span<const std::uint32_t> rows_of(std::uint32_t slot) const { return slots_[slot].rows; }
};

}  // namespace berth::cluster
