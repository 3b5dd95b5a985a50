// SPDX-License-Identifier: Apache-2.0
#include "cluster/columns.h"

namespace berth::cluster {

std::uint32_t Columns::slot_for(std::string_view name) {
    auto slot = nodes_.slot_of(name);
    if (slot != BERTH_NO_SLOT) return slot;
    slot = nodes_.add_slot(name);
    if (slot >= slots_.size()) slots_.resize(slot + 1);
    return slot;
}

/// Something of the slot has changed.
void Columns::touched(std::uint32_t slot) {
    nodes_.touch(slot, ++changes_);
    touched_slots_[changes_ % remembered] = slot;
    auto &here = slots_[slot];
    if (here.node || here.vacant || !pods_.rows_of(slot).empty()) return;
    here.vacant = true;
    vacant_.push_back(slot);
}

/// The node of the slot is about to change, to come or to go. Its pods come and go with it.
void Columns::log_node(std::uint32_t slot) { log_.add({changes_ + 1, slot, ChangeLog::no_row, 0, nullptr}); }
void Columns::log_pod(std::uint32_t row, std::uint32_t slot) {
    log_.add({changes_ + 1, slot, row, pods_.flags(row), shows(row) ? owners_[row] : nullptr});
}

void Columns::put_node(model::NodePtr node) {
    auto slot = slot_for(node->name);
    log_node(slot);
    if (!slots_[slot].node)
        for (auto row : pods_.rows_of(slot)) log_pod(row, slot);
    auto &here = slots_[slot];
    auto old = std::exchange(here.node, std::move(node));
    auto old_zone = nodes_.zone(slot);
    if (old) schema_.images.remove(*old);
    schema_.images.add(*here.node);
    schema_.node_keys.change(old.get(), here.node.get());
    nodes_.write(slot, *here.node);
    auto zone = nodes_.zone(slot);
    if (old && old_zone != zone) zones_.remove(old_zone, slot);
    if (!old || old_zone != zone) zones_.add(zone, slot);
    if (!old && !here.in_order) ++unlisted_;
    touched(slot);
}

void Columns::drop_node(std::string_view name) {
    auto slot = nodes_.slot_of(name);
    if (slot == BERTH_NO_SLOT || !slots_[slot].node) return;
    log_node(slot);
    for (auto row : pods_.rows_of(slot)) log_pod(row, slot);
    if (!slots_[slot].in_order) --unlisted_;
    auto old = std::exchange(slots_[slot].node, nullptr);
    zones_.remove(nodes_.zone(slot), slot);
    schema_.images.remove(*old);
    schema_.node_keys.change(old.get(), nullptr);
    nodes_.hide(slot);
    touched(slot);
}

void Columns::put_pod(model::PodPtr pod, bool assumed) {
    auto flags = (pod->view.pod_flags & ~BERTH_FLAG_POD_ASSUMED) | (assumed ? BERTH_FLAG_POD_ASSUMED : 0);
    auto row = row_of(pod->uid());
    if (row != none && owners_[row]->node_name() != pod->node_name()) {
        drop_pod(row);
        row = none;
    }
    auto slot = slot_for(pod->node_name());
    if (row == none) {
        row = pods_.place(*pod, flags, slot);
        if (row >= owners_.size()) owners_.resize(row + 1);
        by_uid_.insert(hash_of(pod->uid()), row);
        ++pod_count_;
        log_.add({changes_ + 1, slot, row, 0, nullptr});
    } else {
        log_pod(row, slot);
        assumed_count_ -= this->assumed(row) ? 1 : 0;
        nodes_.account(slot, *owners_[row], -1);
        pods_.rewrite(row, *pod, flags);
        pods_.to_end(row, slot);
    }
    assumed_count_ += assumed ? 1 : 0;
    nodes_.account(slot, *pod, 1);
    owners_[row] = std::move(pod);
    touched(slot);
}

void Columns::drop_pod(std::uint32_t row) {
    auto slot = nodes_.slot_of(owners_[row]->node_name());
    log_pod(row, slot);
    assumed_count_ -= assumed(row) ? 1 : 0;
    auto pod = std::move(owners_[row]);
    by_uid_.erase(hash_of(pod->uid()), row);
    nodes_.account(slot, *pod, -1);
    pods_.remove(row, slot);
    --pod_count_;
    touched(slot);
}

std::uint32_t Columns::row_of(std::string_view uid) const {
    return by_uid_.find(hash_of(uid), [&](std::uint32_t row) { return owners_[row]->uid() == uid; });
}

model::NodePtr Columns::node(std::string_view name) const {
    auto slot = nodes_.slot_of(name);
    return slot == BERTH_NO_SLOT ? nullptr : slots_[slot].node;
}

std::uint32_t Columns::slot(std::string_view name) const {
    auto slot = nodes_.slot_of(name);
    return slot == BERTH_NO_SLOT || !slots_[slot].node ? BERTH_NO_SLOT : slot;
}

const berth_nodes &Columns::snapshot() {
    if (nodes_.view().snapshot_id != changes_) bring_up_to_date();
    if (in_attempt_ && !keeping_) {
        keeping_ = true;
        schema_.kept().begin_use();
    }
    return nodes_.view();
}

void Columns::begin_attempt() {
    schema_.begin_attempt();
    in_attempt_ = true;
}

void Columns::end_attempt() {
    in_attempt_ = false;
    if (std::exchange(keeping_, false)) schema_.kept().end_use();
    schema_.end_attempt();
}

void Columns::bring_up_to_date() {
    // As upstream, the order is made anew only if a name has come or gone since the last snapshot: a node that has
    // moved to another zone, or was removed and added again in between, keeps its place until then.
    if (unlisted_ > 0 || nodes_.order().size() > zones_.count()) reorder();
    free_vacant();
    sweep();
    nodes_.set_snapshot_id(changes_);
}

void Columns::reorder() {
    for (auto slot : nodes_.order()) slots_[slot].in_order = false;
    nodes_.reorder([&](auto &order) { zones_.list(order); });
    for (auto slot : nodes_.order()) slots_[slot].in_order = true;
    unlisted_ = 0;
    ordered_ = changes_;
}

bool Columns::add_changed(std::uint64_t since, std::vector<std::uint32_t> &slots) const {
    if (changes_ - since > remembered) return false;
    for (auto change = since + 1; change <= changes_; ++change) slots.push_back(touched_slots_[change % remembered]);
    return true;
}

void Columns::free_vacant() {
    for (auto slot : vacant_) {
        slots_[slot].vacant = false;
        if (!slots_[slot].node && pods_.rows_of(slot).empty()) nodes_.free_slot(slot);
    }
    vacant_.clear();
}

/// Codes that nothing holds lose their meaning here, between the snapshots of two attempts, and nowhere else.
void Columns::sweep() {
    if (schema_.kept().keeping() || !schema_.sweep()) return;
    nodes_.refresh();
    pods_.refresh();
    for (auto &one : one_node_) one.refresh();
}

bool Columns::changes(std::uint64_t since, std::uint64_t now, const plugin::ChangeProvider::Changes &to) {
    if (!log_.reaches(since, changes_) || now != changes_) return false;
    const auto &net = log_.net(since);
    auto as_before = [&](const ChangeLog::Entry &e) {
        if (!e.was) return !shows(e.row);
        return shows(e.row) && owners_[e.row] == e.was && pods_.view().node_slot[e.row] == e.slot &&
               pods_.flags(e.row) == e.flags;
    };
    for (const auto *e : net.rows)
        if (e->was && !as_before(*e)) to.functions.pod_removed(to.ctx, e->row, &e->was->view, e->slot);
    for (auto slot : net.slots) to.functions.node_changed(to.ctx, slot);
    for (const auto *e : net.rows)
        if (shows(e->row) && !as_before(*e)) to.functions.pod_added(to.ctx, e->row);
    return true;
}

/// The id of a column, whose rows are there.
std::uint32_t Columns::filled(Declaration *column) {
    if (!column) return 0;
    if (column->of_nodes()) nodes_.declare(*column);
    else pods_.declare(*column);
    return column->id;
}

void Columns::forget(const Declaration &column) {
    if (column.of_nodes()) nodes_.forget(column);
    else pods_.forget(column);
    for (auto &one : one_node_) one.forget(column);
}

const berth_nodes &Columns::one_node(int which, const model::Node &node) {
    return one_node_[which & 1].set(node, pods_, nodes_.slot_of(node.name), changes_);
}

std::size_t Columns::bytes() const {
    return pods_.bytes() + nodes_.bytes() + schema_.kept().bytes() + heap_bytes(slots_, owners_, vacant_) +
           by_uid_.bytes();
}

}  // namespace berth::cluster
