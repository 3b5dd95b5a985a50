// SPDX-License-Identifier: Apache-2.0
#include "cluster/pod_table.h"

#include <algorithm>
#include <utility>

namespace berth::cluster {

PodTable::PodTable(Schema &schema) : schema_(schema), declared_(schema.kept()) {
    view_.struct_size = sizeof view_;
    view_.handle = model::to_handle<model::PodLookUps>(this);
}

std::uint32_t PodTable::new_row() {
    if (!free_rows_.empty()) {
        auto row = free_rows_.back();
        free_rows_.pop_back();
        return row;
    }
    auto row = view_.rows++;
    auto grow_one = [&](auto &column) {
        schema_.kept().make_room(column, view_.rows);
        column.resize(view_.rows);
    };
    auto grow = [&](auto &...columns) { (grow_one(columns), ...); };
    grow(node_slot_, namespace_code_, label_set_code_, flags_, priority_, start_time_, obj_);
    declared_.grow(view_.rows);
    return row;
}

void PodTable::refresh() {
    view_.node_slot = node_slot_.data();
    view_.namespace_code = namespace_code_.data();
    view_.label_set_code = label_set_code_.data();
    view_.priority = priority_.data();
    view_.start_time_ns = start_time_.data();
    view_.pod_flags = flags_.data();
    view_.obj = obj_.data();
    view_.namespaces = schema_.namespaces.data();
    view_.namespaces_len = schema_.namespaces.size();
    view_.label_sets = schema_.label_sets.data();
    view_.label_sets_len = schema_.label_sets.size();
    view_.namespace_generation = schema_.namespaces.generations();
    view_.label_set_generation = schema_.label_sets.generations();
}

void PodTable::add_to(std::uint32_t slot, std::uint32_t row) {
    auto &rows = slots_[slot].rows;
    schema_.kept().make_room(rows, rows.size() + 1);
    rows.push_back(row);
}

std::uint32_t PodTable::place(const model::Pod &pod, std::uint32_t flags, std::uint32_t slot) {
    auto row = new_row();
    add_to(slot, row);
    node_slot_[row] = slots_[slot].shown ? slot : BERTH_NO_SLOT;
    view_.count += slots_[slot].shown;
    rewrite(row, pod, flags);
    return row;
}

void PodTable::release(std::uint32_t row) {
    schema_.namespaces.release(namespace_code_[row]);
    schema_.label_sets.release(label_set_code_[row]);
}

void PodTable::rewrite(std::uint32_t row, const model::Pod &pod, std::uint32_t flags) {
    const auto name_space = schema_.namespaces.code(pod.view.namespace_);
    const auto label_set = schema_.label_sets.code({pod.view.labels, pod.view.labels_len});
    schema_.namespaces.hold(name_space);
    schema_.label_sets.hold(label_set);
    if (obj_[row]) release(row);
    namespace_code_[row] = name_space;
    label_set_code_[row] = label_set;
    flags_[row] = flags;
    priority_[row] = pod.view.priority;
    start_time_[row] = pod.start_time_ns;
    obj_[row] = model::handle(&pod);
    declared_.each_filled([&](auto &column) {
        schema_.write(*column.is, column.data, row, pod);
        if (node_slot_[row] == BERTH_NO_SLOT) column.data.set_valid(row, false);
    });
    refresh();
}

void PodTable::to_end(std::uint32_t row, std::uint32_t slot) {
    auto &rows = slots_[slot].rows;
    std::iter_swap(std::find(rows.begin(), rows.end(), row), rows.end() - 1);
}

void PodTable::remove(std::uint32_t row, std::uint32_t slot) {
    to_end(row, slot);
    slots_[slot].rows.pop_back();
    view_.count -= slots_[slot].shown;
    node_slot_[row] = BERTH_NO_SLOT;
    release(row);
    obj_[row] = nullptr;
    flags_[row] = 0;
    declared_.each_filled([&](auto &column) { column.data.clear(row); });
    free_rows_.push_back(row);
}

void PodTable::lift(std::uint32_t row, std::uint32_t slot) {
    to_end(row, slot);
    slots_[slot].rows.pop_back();
    view_.count -= slots_[slot].shown;
    node_slot_[row] = BERTH_NO_SLOT;
    declared_.each_filled([&](auto &column) { column.data.set_valid(row, false); });
}

void PodTable::lower(std::uint32_t row, std::uint32_t slot) {
    add_to(slot, row);
    view_.count += slots_[slot].shown;
    node_slot_[row] = slots_[slot].shown ? slot : BERTH_NO_SLOT;
    if (slots_[slot].shown)
        declared_.each_filled([&](auto &column) { schema_.write(*column.is, column.data, row, pod(row)); });
}

void PodTable::restore(std::uint32_t slot, const List &list) {
    auto &rows = slots_[slot].rows;
    rows = list.rows;  // there is room: arrays only grow
    // Rows that were listed before are also read where they were listed.
    if (rows.data() != list.at) std::ranges::copy(list.rows, list.at);
}

std::size_t PodTable::bytes() const {
    constexpr std::size_t list_overhead = 2;  // a list of rows has up to twice as many as it needs
    return heap_bytes(node_slot_, namespace_code_, label_set_code_, flags_, priority_, start_time_, obj_, free_rows_) +
           heap_bytes(slots_) + view_.rows * list_overhead * sizeof(std::uint32_t) + declared_.bytes();
}

void PodTable::reserve(std::size_t rows) {
    if (free_rows_.size() >= rows) return;
    std::vector<std::uint32_t> fresh;
    const auto known = std::exchange(free_rows_, {});
    while (known.size() + fresh.size() < rows) fresh.push_back(new_row());
    free_rows_.assign(fresh.rbegin(), fresh.rend());
    free_rows_.insert(free_rows_.end(), known.begin(), known.end());
    for (auto row : fresh) node_slot_[row] = BERTH_NO_SLOT;
    refresh();
}

void PodTable::show(std::uint32_t slot, bool shown) {
    auto &of_slot = slots_[slot];
    if (of_slot.shown == shown) return;
    of_slot.shown = shown;
    auto n = static_cast<std::uint32_t>(of_slot.rows.size());
    view_.count = shown ? view_.count + n : view_.count - n;
    for (auto row : of_slot.rows) {
        node_slot_[row] = shown ? slot : BERTH_NO_SLOT;
        declared_.each_filled([&](auto &column) {
            if (shown) schema_.write(*column.is, column.data, row, pod(row));
            else column.data.clear(row);
        });
    }
}

void PodTable::reset() {
    for (std::uint32_t row = 0; row < view_.rows; ++row)
        if (obj_[row]) release(row);
    auto clear = [](auto &...columns) { (columns.clear(), ...); };
    clear(node_slot_, namespace_code_, label_set_code_, flags_, priority_, start_time_, obj_, free_rows_);
    for (auto &of_slot : slots_) {
        of_slot.rows.clear();
        of_slot.shown = false;
    }
    view_.rows = view_.count = 0;
    declared_.forget();
    refresh();
}

void PodTable::fill(DeclaredColumns::Column &column) {
    for (std::uint32_t row = 0; row < view_.rows; ++row)
        if (node_slot_[row] != BERTH_NO_SLOT) schema_.write(*column.is, column.data, row, pod(row));
}

void PodTable::declare(Declaration &column) {
    declared_.filled(column, view_.rows, [&](auto &c) { fill(c); });
}

std::uint64_t PodTable::pods_of(std::uint32_t slot, const std::uint32_t **rows) const noexcept {
    if (slot >= slots_.size() || !slots_[slot].shown) {
        *rows = nullptr;
        return 0;
    }
    *rows = slots_[slot].rows.data();
    return slots_[slot].rows.size();
}

const berth_pod *PodTable::view_of(std::uint32_t row) const noexcept {
    if (row >= node_slot_.size() || node_slot_[row] == BERTH_NO_SLOT) return nullptr;
    return &pod(row).view;
}

std::int32_t PodTable::column(std::uint32_t id, berth_column *out) noexcept try {
    auto *declaration = schema_.find(id);
    if (!declaration || declaration->of_nodes()) return BERTH_STATUS_NOT_FOUND;
    hand_out(schema_, declared_.filled(*declaration, view_.rows, [&](auto &column) { fill(column); }), out);
    return BERTH_STATUS_SUCCESS;
} catch (...) {
    return BERTH_STATUS_NO_MEMORY;
}

}  // namespace berth::cluster
