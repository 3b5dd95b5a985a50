// SPDX-License-Identifier: Apache-2.0
#include "cluster/cache.h"

#include "cluster/columns.h"

namespace berth::cluster {

Cache::Cache() : columns_(std::make_shared<Columns>()) {}
Cache::~Cache() = default;

void Cache::add_node(model::NodePtr node) { columns_->put_node(std::move(node)); }
void Cache::update_node(model::NodePtr node) { columns_->put_node(std::move(node)); }
void Cache::remove_node(std::string_view name) { columns_->drop_node(name); }

void Cache::add_pod(model::PodPtr pod) {
    if (pod->uid().empty()) return;
    auto placed = !pod->node_name().empty();
    if (placed && !pod->finished()) {
        groups_.add(pod);
        columns_->put_pod(std::move(pod), false);
        return;
    }
    auto row = columns_->row_of(pod->uid());
    if (row == Columns::none || (!pod->finished() && columns_->assumed(row))) return;
    groups_.remove(*pod);
    columns_->drop_pod(row);
}

void Cache::update_pod(model::PodPtr pod) { add_pod(std::move(pod)); }

void Cache::remove_pod(const model::Pod &pod) {
    groups_.remove(pod);
    auto row = columns_->row_of(pod.uid());
    if (row == Columns::none) return;
    columns_->drop_pod(row);
}

void Cache::assume(model::PodPtr pod) {
    if (pod->uid().empty() || pod->node_name().empty()) return;
    auto row = columns_->row_of(pod->uid());
    if (row != Columns::none && !columns_->assumed(row)) return;
    groups_.assume(pod);
    columns_->put_pod(std::move(pod), true);
}

void Cache::forget(const model::Pod &pod) {
    auto row = columns_->row_of(pod.uid());
    if (row == Columns::none || !columns_->assumed(row)) return;
    if (!pod.node_name().empty() && pod.node_name() != columns_->pod(row).node_name()) return;
    groups_.forget(pod);
    columns_->drop_pod(row);
}

bool Cache::is_assumed(std::string_view uid) const {
    auto row = columns_->row_of(uid);
    return row != Columns::none && columns_->assumed(row);
}

std::size_t Cache::node_count() const { return columns_->node_count(); }
std::size_t Cache::pod_count() const { return columns_->pod_count(); }
std::size_t Cache::assumed_count() const { return columns_->assumed_count(); }
model::NodePtr Cache::node(std::string_view name) const { return columns_->node(name); }

const berth_nodes &Cache::snapshot() { return columns_->snapshot(); }
std::uint32_t Cache::slot(std::string_view node_name) const { return columns_->slot(node_name); }

std::uint64_t Cache::order_id() const { return columns_->order_id(); }
bool Cache::add_changed(std::uint64_t since, std::vector<std::uint32_t> &slots) const {
    return columns_->add_changed(since, slots);
}
bool Cache::changes(std::uint64_t since, std::uint64_t now, const Changes &to) {
    return columns_->changes(since, now, to);
}
void Cache::reserve(std::size_t pods) { columns_->reserve(pods); }
std::uint32_t Cache::declare_column(std::uint32_t kind, std::string_view key) { return columns_->declare(kind, key); }
void Cache::release_column(std::uint32_t id) { columns_->release(id); }
std::shared_ptr<void> Cache::until_released(std::uint32_t id) {
    if (id == 0) return nullptr;
    return {columns_.get(), [id, weak = std::weak_ptr(columns_)](void *) {
                if (auto columns = weak.lock()) columns->release(id);
            }};
}
Cache::ColumnLease Cache::lease_column(std::uint32_t kind, std::string_view key) {
    const auto id = declare_column(kind, key);
    return {id, until_released(id)};
}
std::uint32_t Cache::ask_column(std::uint32_t kind, std::string_view key) { return columns_->ask(kind, key); }
std::shared_ptr<void> Cache::keep_arrays() {
    // First, because codes that nothing holds are freed by a snapshot, and by none while arrays are kept.
    snapshot();
    columns_->begin_use();
    return {columns_.get(), [columns = columns_](void *) { columns->end_use(); }};
}

void Cache::begin_attempt() { columns_->begin_attempt(); }
void Cache::end_attempt() { columns_->end_attempt(); }
const berth_nodes &Cache::one_node(int which, const model::Node &node) { return columns_->one_node(which, node); }
std::size_t Cache::column_bytes() const { return columns_->bytes(); }
std::size_t Cache::dictionary_bytes() const { return columns_->dictionary_bytes(); }

}  // namespace berth::cluster
