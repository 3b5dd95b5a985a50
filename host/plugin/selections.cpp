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

void Selections::add(const model::Kind &kind, detail::Selection selection) {
    auto at = std::ranges::find(kinds_, kind, &Restricted::kind);
    if (at == kinds_.end()) at = kinds_.insert(at, {kind, kind.event_resource(), kind.api_version(), {}});
    if (std::ranges::find(at->any, selection) == at->any.end()) at->any.push_back(std::move(selection));
}

void Selections::drop(const model::Kind &kind) {
    std::erase_if(kinds_, [&](const Restricted &one) { return one.kind == kind; });
}

const std::vector<detail::Selection> *Selections::of(const model::Kind &kind) const {
    const auto at = std::ranges::find(kinds_, kind, &Restricted::kind);
    return at == kinds_.end() ? nullptr : &at->any;
}

bool Selections::restrict(std::string_view event_resource) const {
    return std::ranges::find(kinds_, event_resource, &Restricted::event_resource) != kinds_.end();
}

void Selections::reduce(const model::Kind &kind, model::AnyPtr &before, model::AnyPtr &after) const {
    if (const auto *any = of(kind)) drop_unselected(*any, before, after);
}

bool Selections::reduce(std::string_view event_resource, model::AnyPtr &before, model::AnyPtr &after) const {
    const auto &object = after ? *after : *before;
    for (const auto &one : kinds_) {
        if (one.event_resource != event_resource || object.tree->value()["apiVersion"].string() != one.api_version)
            continue;
        drop_unselected(one.any, before, after);
        return true;
    }
    return false;
}

bool is_selected(const std::vector<detail::Selection> &any, const model::AnyObject &object) {
    return std::ranges::any_of(any, [&](const detail::Selection &one) {
        return one.has(object.name_space, object.name, object.tree->value(),
                       [&](std::string_view key) { return find_label(object.labels, key); });
    });
}

}  // namespace berth::plugin
