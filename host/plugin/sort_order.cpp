// SPDX-License-Identifier: Apache-2.0
#include "plugin/sort_order.h"

#include "plugin/fault.h"

#include <compare>

namespace berth::plugin {

std::string quoted_name(const berth_pod &pod) {
    return in_quotes(std::string(text_of(pod.namespace_)) + "/" + std::string(text_of(pod.name)));
}

std::vector<std::string> SortOrder::contradictions(const berth_pod &pod, const Key &key, const Less &less) const {
    std::vector<std::string> out;
    for (const Sorted &other : last_) {
        const auto order = key <=> other.key;
        if (order == 0 && key.size() == BERTH_SORT_KEY_MAX) continue;  // what follows may decide
        if (less(pod, *other.pod) != (order < 0) || less(*other.pod, pod) != (order > 0))
            out.push_back(quoted_name(*other.pod));
    }
    return out;
}

void SortOrder::remember(const berth_pod &pod, Key key) {
    constexpr std::size_t compared = 8;
    Sorted &last = last_.emplace_back();
    if (pod.obj) last.object = model::object_of(pod.obj)->weak_from_this().lock();
    berth_pod *copy = copy_pod(last.memory, pod);
    if (!last.object) copy->obj = nullptr;
    last.pod = copy;
    last.key = std::move(key);
    if (last_.size() > compared) last_.pop_front();
}

}  // namespace berth::plugin
