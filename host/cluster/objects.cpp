// SPDX-License-Identifier: Apache-2.0
#include "cluster/objects.h"

#include <algorithm>
#include <utility>

namespace berth::cluster {

void Objects::change(const model::Kind &kind, const model::AnyPtr &before, const model::AnyPtr &after) {
    const auto id = this->kind(kind);
    auto &of_kind = kinds_[id - 1];
    const auto &either = after ? after : before;
    Key key{either->name_space, either->name};
    if (after) of_kind.objects[std::move(key)] = after;
    else of_kind.objects.erase(key);
    ++of_kind.version;
    // A subscriber may ask for kinds, and so move them.
    for (std::size_t i = 0; i < kinds_[id - 1].subscribers.size(); ++i)
        if (kinds_[id - 1].subscribers[i].introduced) notify(kinds_[id - 1].subscribers[i], before.get(), after.get());
}

void Objects::notify(const Subscriber &subscriber, const model::AnyObject *before, const model::AnyObject *after) {
    if (!subscriber.owner.expired()) subscriber.changed(before, after);
}

void Objects::introduce() {
    for (std::size_t kind = 0; kind < kinds_.size(); ++kind)
        for (std::size_t i = 0; i < kinds_[kind].subscribers.size(); ++i) {
            if (std::exchange(kinds_[kind].subscribers[i].introduced, true)) continue;
            std::vector<model::AnyPtr> all;
            for (const auto &[key, object] : kinds_[kind].objects) all.push_back(object);
            for (const auto &object : all) notify(kinds_[kind].subscribers[i], nullptr, object.get());
        }
}

void Objects::forget(const model::Kind &kind) {
    auto &of_kind = kinds_[this->kind(kind) - 1];
    of_kind.objects.clear();
    ++of_kind.version;
}

void Objects::each(const std::function<void(const model::Kind &, const model::AnyPtr &)> &visit) const {
    for (const auto &of_kind : kinds_)
        for (const auto &[key, object] : of_kind.objects) visit(of_kind.kind, object);
}

model::AnyPtr Objects::known(const model::Kind &kind, const model::AnyObject &object) const {
    const auto of_kind = std::ranges::find(kinds_, kind, &OfKind::kind);
    if (of_kind == kinds_.end()) return nullptr;
    const auto at = of_kind->objects.find(std::pair{object.name_space, object.name});
    return at != of_kind->objects.end() && at->second->uid == object.uid ? at->second : nullptr;
}

std::uint32_t Objects::kind(const model::Kind &kind) {
    auto at = std::ranges::find(kinds_, kind, &OfKind::kind);
    if (at == kinds_.end()) at = kinds_.insert(at, {kind, {}, 0, {}});
    return static_cast<std::uint32_t>(at - kinds_.begin()) + 1;
}

const model::AnyObject *Objects::get(std::uint32_t kind, std::string_view name_space, std::string_view name) const {
    const auto *of_kind = of(kind);
    if (!of_kind) return nullptr;
    auto at = of_kind->objects.find(std::pair{name_space, name});
    return at == of_kind->objects.end() ? nullptr : at->second.get();
}

void Objects::visit(std::uint32_t kind, std::string_view name_space, const Visit &visit) const {
    const auto *of_kind = of(kind);
    if (!of_kind) return;
    for (auto at = of_kind->objects.lower_bound(std::pair{name_space, std::string_view{}});
         at != of_kind->objects.end() && (name_space.empty() || at->first.first == name_space); ++at)
        if (!visit(*at->second)) return;
}

std::uint64_t Objects::version(std::uint32_t kind) const {
    const auto *of_kind = of(kind);
    return of_kind ? of_kind->version : 0;
}

bool Objects::subscribe(std::uint32_t kind, std::weak_ptr<const void> owner, Changed changed) {
    if (!of(kind)) return false;
    auto &of_kind = kinds_[kind - 1];
    std::erase_if(of_kind.subscribers, [](const Subscriber &one) { return one.owner.expired(); });
    of_kind.subscribers.push_back({std::move(owner), std::move(changed), of_kind.objects.empty()});
    return true;
}

}  // namespace berth::cluster
