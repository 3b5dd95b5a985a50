// SPDX-License-Identifier: Apache-2.0
#include "plugin/selections.h"

#include <algorithm>

namespace berth::plugin {
namespace {

void drop_unselected(const std::vector<detail::Selection> &any, model::AnyPtr &before, model::AnyPtr &after) {
    for (auto *version : {&before, &after})
        if (*version && !is_selected(any, **version)) version->reset();
}

}  // namespace

Selections::Watched &Selections::entry(const model::Kind &kind) {
    const auto at = std::ranges::find(kinds_, kind, &Watched::kind);
    return at != kinds_.end() ? *at : kinds_.emplace_back(Watched{kind, kind.event_resource(), kind.api_version(), {}});
}

void Selections::add(const model::Kind &kind, detail::Selection selection) {
    auto &any = entry(kind).any;
    if (std::ranges::find(any, selection) == any.end()) any.push_back(std::move(selection));
}

void Selections::see_all(const model::Kind &kind) { entry(kind).whole = true; }

const std::vector<detail::Selection> *Selections::of(const model::Kind &kind) const {
    const auto at = std::ranges::find(kinds_, kind, &Watched::kind);
    return at == kinds_.end() || at->whole ? nullptr : &at->any;
}

bool Selections::restrict(std::string_view event_resource) const {
    return std::ranges::any_of(kinds_,
                               [&](const Watched &one) { return !one.whole && one.event_resource == event_resource; });
}

void Selections::reduce(const model::Kind &kind, model::AnyPtr &before, model::AnyPtr &after) const {
    if (const auto *any = of(kind)) drop_unselected(*any, before, after);
}

bool Selections::reduce(std::string_view event_resource, model::AnyPtr &before, model::AnyPtr &after) const {
    const auto &object = after ? *after : *before;
    const auto version = object.tree->value()["apiVersion"].string();
    const auto is_of = [&](const Watched &one) { return one.event_resource == event_resource; };
    auto at =
        std::ranges::find_if(kinds_, [&](const Watched &one) { return is_of(one) && one.api_version == version; });
    // Kubernetes' own kinds have one name in all versions.
    if (at == kinds_.end())
        at = std::ranges::find_if(kinds_, [&](const Watched &one) { return is_of(one) && !one.whole; });
    if (at == kinds_.end() || at->whole) return false;
    drop_unselected(at->any, before, after);
    return true;
}

bool is_selected(const std::vector<detail::Selection> &any, const model::AnyObject &object) {
    return std::ranges::any_of(any, [&](const detail::Selection &one) {
        return one.has(object.name_space, object.name, object.tree->value(),
                       [&](std::string_view key) { return find_label(object.labels, key); });
    });
}

}  // namespace berth::plugin
