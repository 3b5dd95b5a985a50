// SPDX-License-Identifier: Apache-2.0
#include "cluster/node_table.h"

namespace berth::cluster {

namespace {

void add(std::int64_t &sum, std::int64_t n, int sign) {
    auto by = static_cast<std::uint64_t>(n);
    sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) + (sign > 0 ? by : -by));
}

}  // namespace

NodeTable::NodeTable(Schema &schema, PodTable &pods) : schema_(schema), pods_(pods), declared_(schema.kept()) {
    view_.struct_size = sizeof view_;
    view_.handle = model::to_handle<model::NodeLookUps>(this);
    view_.pods = &pods.view();
}

std::uint32_t NodeTable::slot_of(std::string_view name) const {
    return by_name_.find(hash_of(name), [&](std::uint32_t slot) { return names_[slot] == name; });
}

std::uint32_t NodeTable::new_slot() {
    if (!free_slots_.empty()) {
        auto slot = free_slots_.back();
        free_slots_.pop_back();
        return slot;
    }
    auto slot = view_.slots++;
    names_.emplace_back();
    auto grow = [&](auto &...columns) { (columns.resize(view_.slots), ...); };
    grow(name_, obj_, generation_, flags_, pod_count_, zone_code_);
    grow(allocatable_cpu_, allocatable_memory_, allocatable_ephemeral_, allocatable_pods_);
    grow(requested_cpu_, requested_memory_, requested_ephemeral_, nonzero_cpu_, nonzero_memory_);
    declared_.grow(view_.slots);
    pods_.grow_slots(view_.slots);
    refresh();
    return slot;
}

void NodeTable::refresh() {
    view_.order = order_.data();
    view_.name = name_.data();
    view_.obj = obj_.data();
    view_.slot_generation = generation_.data();
    view_.node_flags = flags_.data();
    view_.allocatable_cpu = allocatable_cpu_.data();
    view_.allocatable_memory = allocatable_memory_.data();
    view_.allocatable_ephemeral = allocatable_ephemeral_.data();
    view_.allocatable_pods = allocatable_pods_.data();
    view_.requested_cpu = requested_cpu_.data();
    view_.requested_memory = requested_memory_.data();
    view_.requested_ephemeral = requested_ephemeral_.data();
    view_.requested_cpu_nonzero = nonzero_cpu_.data();
    view_.requested_memory_nonzero = nonzero_memory_.data();
    view_.pod_count = pod_count_.data();
    view_.zone_code = zone_code_.data();
    view_.zone_generation = schema_.zones.generations();
    view_.zones_len = schema_.zones.size();
    view_.schema_version = schema_.version();
}

std::uint32_t NodeTable::add_slot(std::string_view name) {
    auto slot = new_slot();
    names_[slot] = name;
    name_[slot] = model::to_str(names_[slot]);
    by_name_.insert(hash_of(name), slot);
    return slot;
}

void NodeTable::free_slot(std::uint32_t slot) {
    by_name_.erase(hash_of(std::string_view{names_[slot]}), slot);
    names_[slot].clear();
    name_[slot] = {};
    declared_.each_filled([&](auto &column) { column.data.clear(slot); });
    free_slots_.push_back(slot);
}

void NodeTable::write(std::uint32_t slot, const model::Node &node) {
    const auto zone = schema_.zones.code(model::to_str(node.zone_key));
    schema_.zones.hold(zone);
    if (obj_[slot]) schema_.zones.release(zone_code_[slot]);
    obj_[slot] = model::handle(&node);
    flags_[slot] = BERTH_FLAG_NODE_EXISTS | (node.unschedulable ? BERTH_FLAG_NODE_UNSCHEDULABLE : 0);
    zone_code_[slot] = zone;
    allocatable_cpu_[slot] = node.allocatable.cpu;
    allocatable_memory_[slot] = node.allocatable.memory;
    allocatable_ephemeral_[slot] = node.allocatable.ephemeral;
    allocatable_pods_[slot] = node.allocatable_pods;
    declared_.each_filled([&](auto &column) { schema_.write(*column.is, column.data, slot, node); });
    pods_.show(slot, true);
    refresh();
}

void NodeTable::hide(std::uint32_t slot) {
    schema_.zones.release(zone_code_[slot]);
    obj_[slot] = nullptr;
    flags_[slot] = 0;
    declared_.each_filled([&](auto &column) {
        if (column.is->sums_pods()) column.data.set_valid(slot, false);
        else column.data.clear(slot);
    });
    pods_.show(slot, false);
}

void NodeTable::account(std::uint32_t slot, const model::Pod &pod, int sign) {
    add(requested_cpu_[slot], pod.effective().cpu, sign);
    add(requested_memory_[slot], pod.effective().memory, sign);
    add(requested_ephemeral_[slot], pod.effective().ephemeral, sign);
    add(nonzero_cpu_[slot], pod.effective_nonzero->cpu, sign);
    add(nonzero_memory_[slot], pod.effective_nonzero->memory, sign);
    pod_count_[slot] += static_cast<std::uint32_t>(sign);
    declared_.each_sum([&](auto &column) { schema_.account(*column.is, column.data, slot, pod, sign); });
}

std::vector<ColumnData::Mark> NodeTable::mark_pod_lists(std::uint32_t slot) {
    std::vector<ColumnData::Mark> out;
    declared_.each_sum([&](auto &column) {
        if (column.is->kind == BERTH_COLUMN_NODE_PORTS) out.push_back(column.data.mark(slot));
    });
    return out;
}

void NodeTable::restore_pod_lists(const std::vector<ColumnData::Mark> &lists) {
    auto next = lists.begin();
    declared_.each_sum([&](auto &column) {
        if (column.is->kind == BERTH_COLUMN_NODE_PORTS && next != lists.end()) column.data.restore(*next++);
    });
}

std::size_t NodeTable::bytes() const {
    return names_.size() * sizeof(std::string) + by_name_.bytes() +
           heap_bytes(free_slots_, order_, name_, obj_, generation_, flags_, pod_count_, zone_code_) +
           heap_bytes(allocatable_cpu_, allocatable_memory_, allocatable_ephemeral_, allocatable_pods_) +
           heap_bytes(requested_cpu_, requested_memory_, requested_ephemeral_, nonzero_cpu_, nonzero_memory_) +
           declared_.bytes();
}

void NodeTable::reset() {
    for (std::uint32_t slot = 0; slot < view_.slots; ++slot)
        if (obj_[slot]) schema_.zones.release(zone_code_[slot]);
    auto clear = [](auto &...columns) { (columns.clear(), ...); };
    clear(names_, by_name_, free_slots_, order_, name_, obj_, generation_, flags_, pod_count_, zone_code_);
    clear(allocatable_cpu_, allocatable_memory_, allocatable_ephemeral_, allocatable_pods_);
    clear(requested_cpu_, requested_memory_, requested_ephemeral_, nonzero_cpu_, nonzero_memory_);
    view_.slots = view_.count = 0;
    declared_.forget();
    pods_.reset();
    refresh();
}

void NodeTable::fill(DeclaredColumns::Column &column) {
    for (std::uint32_t slot = 0; slot < view_.slots; ++slot) {
        for (auto row : pods_.rows_of(slot)) schema_.account(*column.is, column.data, slot, pods_.pod(row), 1);
        if (exists(slot))
            schema_.write(*column.is, column.data, slot,
                          static_cast<const model::Node &>(*model::object_of(obj_[slot])));
    }
}

void NodeTable::declare(Declaration &column) {
    declared_.filled(column, view_.slots, [&](auto &c) { fill(c); });
}

std::uint32_t NodeTable::find(berth_str name) const noexcept {
    auto slot = slot_of(model::view(name));
    return slot != BERTH_NO_SLOT && exists(slot) ? slot : BERTH_NO_SLOT;
}

std::int32_t NodeTable::column(std::uint32_t id, berth_column *out) noexcept try {
    auto *declaration = schema_.find(id);
    if (!declaration || !declaration->of_nodes()) return BERTH_STATUS_NOT_FOUND;
    hand_out(schema_, declared_.filled(*declaration, view_.slots, [&](auto &column) { fill(column); }), out);
    return BERTH_STATUS_SUCCESS;
} catch (...) {
    return BERTH_STATUS_NO_MEMORY;
}

}  // namespace berth::cluster
