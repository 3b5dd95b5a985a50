// SPDX-License-Identifier: Apache-2.0
#include "cluster/node_simulation.h"

#include <algorithm>

namespace berth::cluster {

NodeSimulation::NodeSimulation(Cache &cache, std::uint32_t slot)
    : columns_(*cache.columns_),
      slot_(slot),
      generation_(columns_.nodes_.generation(slot)),
      rows_(columns_.pods_.list(slot)) {
    columns_.begin_use();
}

NodeSimulation::~NodeSimulation() {
    auto &pods = columns_.pods_;
    // Backwards, so that the rows are free in the order in which they were.
    for (auto at = put_.rbegin(); at != put_.rend(); ++at) {
        columns_.nodes_.account(slot_, pods.pod(*at), -1);
        pods.remove(*at, slot_);
    }
    for (auto row : taken_) {
        columns_.nodes_.account(slot_, pods.pod(row), 1);
        pods.lower(row, slot_);
    }
    pods.restore(slot_, rows_);
    if (lists_marked_) columns_.nodes_.restore_pod_lists(lists_);
    columns_.nodes_.touch(slot_, generation_);
    columns_.end_use();
}

/// A list that pods were taken from and put back to may have another order than before.
void NodeSimulation::account(const model::Pod &pod, int sign) {
    if (pod.view.host_ports_len > 0 && !lists_marked_) {
        lists_ = columns_.nodes_.mark_pod_lists(slot_);
        lists_marked_ = true;
    }
    columns_.nodes_.account(slot_, pod, sign);
    columns_.nodes_.touch(slot_, --columns_.simulation_generation_);
}

bool NodeSimulation::take(std::uint32_t row) {
    auto &pods = columns_.pods_;
    auto rows = pods.rows_of(slot_);
    if (std::find(rows.begin(), rows.end(), row) == rows.end()) return false;
    account(pods.pod(row), -1);
    pods.lift(row, slot_);
    taken_.push_back(row);
    return true;
}

bool NodeSimulation::give_back(std::uint32_t row) {
    auto at = std::find(taken_.begin(), taken_.end(), row);
    if (at == taken_.end()) return false;
    taken_.erase(at);
    account(columns_.pods_.pod(row), 1);
    columns_.pods_.lower(row, slot_);
    return true;
}

void NodeSimulation::put(const model::Pod &pod) {
    // First, so that the view's version covers codes that changed their meaning.
    put_.push_back(columns_.pods_.place(pod, pod.view.pod_flags & ~BERTH_FLAG_POD_ASSUMED, slot_));
    account(pod, 1);
}

}  // namespace berth::cluster
