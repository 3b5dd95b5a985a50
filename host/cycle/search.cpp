// SPDX-License-Identifier: Apache-2.0
#include "cycle/search.h"

#include <algorithm>

namespace berth::cycle {

namespace {

void add_once(std::vector<const plugin::Instance *> &list, const plugin::Instance *instance) {
    if (std::find(list.begin(), list.end(), instance) == list.end()) list.push_back(instance);
}

}  // namespace

void Rejectors::add(const plugin::Instance *instance, std::int32_t code) {
    add_once(unschedulable, instance);
    if (code == BERTH_STATUS_PENDING) add_once(pending, instance);
}

void Rejectors::clear() {
    unschedulable.clear();
    pending.clear();
}

std::vector<std::string> Rejectors::names() const {
    std::vector<std::string> out;
    for (const auto *instance : unschedulable) out.push_back(instance->name);
    std::sort(out.begin(), out.end());
    return out;
}

std::string failure_text(const model::Status &status) {
    std::string text = status.message();
    return text.empty() ? "answered " + model::code_name(status.code) + " without a text" : text;
}

}  // namespace berth::cycle
