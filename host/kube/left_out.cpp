// SPDX-License-Identifier: Apache-2.0
#include "kube/left_out.h"

namespace berth::kube {

std::string LeftOut::shortened(std::string why) {
    std::size_t end = 500;
    if (why.size() <= end) return why;
    while ((static_cast<unsigned char>(why[end]) & 0xC0) == 0x80) --end;
    why.resize(end);
    return why += "…";
}

bool LeftOut::add(One one) {
    std::lock_guard lock(mutex_);
    auto &known = all_[one.resource][one.key];
    const bool same =
        !known.key.empty() && known.version == one.version && (!one.version.empty() || known.why == one.why);
    known = std::move(one);
    return !same;
}

bool LeftOut::remove(const std::string &resource, const std::string &key) {
    std::lock_guard lock(mutex_);
    const auto at = all_.find(resource);
    return at != all_.end() && at->second.erase(key) > 0;
}

void LeftOut::keep(const std::string &resource, const model::KeyedSet &keys) {
    std::lock_guard lock(mutex_);
    if (const auto at = all_.find(resource); at != all_.end())
        std::erase_if(at->second, [&](const auto &one) { return !keys.contains(one.first); });
}

std::map<std::string, std::size_t> LeftOut::counts() const {
    std::map<std::string, std::size_t> out;
    std::lock_guard lock(mutex_);
    for (const auto &[resource, objects] : all_) out[resource] = objects.size();
    return out;
}

std::size_t LeftOut::size() const {
    std::size_t n = 0;
    std::lock_guard lock(mutex_);
    for (const auto &[resource, objects] : all_) n += objects.size();
    return n;
}

std::optional<LeftOut::One> LeftOut::find(const std::string &resource, const std::string &key) const {
    std::lock_guard lock(mutex_);
    const auto of = all_.find(resource);
    if (of == all_.end()) return std::nullopt;
    const auto at = of->second.find(key);
    return at == of->second.end() ? std::nullopt : std::optional(at->second);
}

std::vector<LeftOut::One> LeftOut::all() const {
    std::vector<One> out;
    std::lock_guard lock(mutex_);
    for (const auto &[resource, objects] : all_)
        for (const auto &[key, one] : objects) out.push_back(one);
    return out;
}

}  // namespace berth::kube
