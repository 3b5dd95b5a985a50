// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The pods of all schedulers that have no node, by key and by UID.

#include "model/keyed_hash.h"
#include "model/pod.h"

#include <string_view>
#include <utility>

namespace berth::scheduler {

class UnscheduledPods {
    model::KeyedTable<model::PodPtr> by_key_;
    /// The keys are texts of the pods.
    std::unordered_map<std::string_view, model::PodPtr, model::KeyedHash, std::equal_to<>> by_uid_;

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
        erase(pod->key());
        by_uid_.erase(pod->uid());
        by_uid_.emplace(pod->uid(), pod);
        by_key_.emplace(pod->key(), pod);
    }
    void erase(std::string_view key) {
        if (const auto at = find(key); at != end()) erase(at);
    }
    void erase(Iterator at) {
        const auto of_uid = by_uid_.find(at->second->uid());
        if (of_uid != by_uid_.end() && of_uid->second == at->second) by_uid_.erase(of_uid);
        by_key_.erase(at);
    }
};

}  // namespace berth::scheduler
