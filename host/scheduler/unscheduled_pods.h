// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The pods of all schedulers that have no node, by key and by UID.

#include "model/keyed_hash.h"
#include "model/pod.h"

#include <string_view>
#include <utility>

namespace berth::scheduler {

class UnscheduledPods {
    /// The keys are texts of the pods.
    using ByUid = std::unordered_map<std::string_view, model::PodPtr, model::KeyedHash, std::equal_to<>>;

    model::KeyedTable<model::PodPtr> by_key_;
    ByUid by_uid_;

    /// The entry of the pod, out of the index; empty where another pod of its UID has come.
    ByUid::node_type forget(const model::PodPtr &pod) {
        const auto at = by_uid_.find(pod->uid());
        return at != by_uid_.end() && at->second == pod ? by_uid_.extract(at) : ByUid::node_type{};
    }

public:
    using Iterator = model::KeyedTable<model::PodPtr>::const_iterator;

    Iterator begin() const { return by_key_.begin(); }
    Iterator end() const { return by_key_.end(); }
    std::size_t size() const { return by_key_.size(); }
    Iterator find(std::string_view key) const { return by_key_.find(key); }
    /// Null: there is none. Of several with one UID, as only files can have them, the one that came last.
    model::PodPtr with_uid(std::string_view uid) const {
        const auto at = by_uid_.find(uid);
        return at == by_uid_.end() ? nullptr : at->second;
    }
    /// The pod comes, or replaces the one of its key.
    void set(const model::PodPtr &pod) {
        auto [at, fresh] = by_key_.try_emplace(pod->key());
        auto of_uid = fresh ? ByUid::node_type{} : forget(at->second);
        at->second = pod;
        by_uid_.erase(pod->uid());
        if (!of_uid) {
            by_uid_.emplace(pod->uid(), pod);
            return;
        }
        of_uid.key() = pod->uid();
        of_uid.mapped() = pod;
        by_uid_.insert(std::move(of_uid));
    }
    void erase(std::string_view key) {
        if (const auto at = find(key); at != end()) erase(at);
    }
    void erase(Iterator at) {
        forget(at->second);
        by_key_.erase(at);
    }
};

}  // namespace berth::scheduler
