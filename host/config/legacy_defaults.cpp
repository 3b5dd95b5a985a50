// SPDX-License-Identifier: Apache-2.0
#include "config/legacy_defaults.h"

namespace berth::config {
namespace {

/// Absent, as Go sees it: no member, null, or a list without items.
bool lacks(const MutableTree &object, std::string_view name) {
    const auto *member = object.find(name);
    return !member || member->is_null() || (member->is_list() && member->items().empty());
}

void fill_from(MutableTree &object, model::Value defaults) {
    for (std::size_t i = 0; i < defaults.size(); ++i)
        if (lacks(object, defaults.key(i)))
            object.put(defaults.key(i), MutableTree::of(defaults.member(i), object.position()));
}

MutableTree *at_path(MutableTree &object, std::string_view path) {
    auto dot = path.find('.');
    auto *member = object.find(path.substr(0, dot));
    return dot == std::string_view::npos || !member ? member : at_path(*member, path.substr(dot + 1));
}

}  // namespace

void fill_by_condition(MutableTree &args, const TypedArgs &rules) {
    for (std::size_t i = 0; i < rules.when.size(); ++i)
        if (!lacks(args, rules.when.key(i))) fill_from(args, rules.when.member(i));
}

void fill(MutableTree &args, const TypedArgs &rules) {
    fill_by_condition(args, rules);
    for (std::size_t i = 0; i < rules.inside.size(); ++i)
        if (auto *object = args.find(rules.inside.key(i)); object && object->is_object())
            fill_from(*object, rules.inside.member(i));
    fill_from(args, rules.defaults);
    for (const auto &path : rules.weigh)
        if (auto *list = at_path(args, path))
            for (auto &item : list->items())
                if (item.is_object() && (lacks(item, "weight") || item.find("weight")->integer() == 0))
                    item.put("weight", MutableTree::integer(1, item.position()));
}

}  // namespace berth::config
