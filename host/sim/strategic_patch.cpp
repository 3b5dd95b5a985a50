// SPDX-License-Identifier: Apache-2.0
// Strategic merge patches of stored objects, with their merge keys and directives.
#include "model/build.h"
#include "model/members.h"
#include "sim/patch.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

namespace berth::sim {
namespace {

using model::Value;

constexpr std::string_view set_order = "$setElementOrder/", delete_from = "$deleteFromPrimitiveList/",
                           directive = "$patch", retain = "$retainKeys";

/// The merge key of a list; the items of other lists are not merged.
std::string_view merge_key(std::string_view list) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 8> keys{{{"conditions", "type"},
                                                                                 {"hostIPs", "ip"},
                                                                                 {"ownerReferences", "uid"},
                                                                                 {"podIPs", "ip"},
                                                                                 {"reservedFor", "uid"},
                                                                                 {"resourceClaimStatuses", "name"},
                                                                                 {"schedulingGates", "name"},
                                                                                 {"addresses", "type"}}};
    const auto *at = std::ranges::find(keys, list, &std::pair<std::string_view, std::string_view>::first);
    return at == keys.end() ? std::string_view{} : at->second;
}

/// The texts of a list.
std::set<std::string_view> texts(Value list) {
    std::set<std::string_view> out;
    for (std::size_t i = 0; i < list.size(); ++i)
        if (list.at(i).is_string()) out.insert(list.at(i).string());
    return out;
}

bool has_directives(Value patch) {
    for (std::size_t i = 0; i < patch.size(); ++i)
        if (patch.key(i).starts_with('$')) return true;
    return false;
}

class Merger {
    struct Item {
        std::string_view name;
        berth_value value;
        bool deleted;
    };
    model::Arena &arena_;
    std::string fault_;

public:
    explicit Merger(model::Arena &arena) : arena_(arena) {}
    const std::string &fault() const { return fault_; }

    berth_value merge(Value base, Value patch) {
        if (!patch.is_object()) return *patch.raw();
        if (patch[directive].string() == "replace") base = {};
        else if (patch[directive]) fault_ = "$patch: " + std::string(patch[directive].string());
        model::ObjectBuilder out(arena_);
        const model::Members members(base), changes(patch);
        const bool directives = has_directives(patch);
        const bool retains = static_cast<bool>(patch[retain]);
        const auto retained = texts(patch[retain]);
        auto add = [&](std::string_view key, Value before) {
            const auto change = changes[key];
            Value order, without;
            if (directives) {
                order = changes[std::string(set_order) + std::string(key)];
                without = changes[std::string(delete_from) + std::string(key)];
            }
            if ((change && change.is_null()) || (retains && !retained.contains(key))) return;
            if (!change && !without && !order) out.add(key, *before.raw());
            else out.add(key, member(key, before, change, order, without));
        };
        for (std::size_t i = 0; base.is_object() && i < base.size(); ++i) add(base.key(i), base.member(i));
        for (std::size_t i = 0; i < patch.size(); ++i) {
            const auto key = patch.key(i);
            if (key == directive || key == retain || key.starts_with(set_order) || key.starts_with(delete_from))
                continue;
            if (key.starts_with('$')) fault_ = key;
            else if (!members[key]) add(key, {});
        }
        return out.value();
    }

private:
    berth_value member(std::string_view key, Value before, Value change, Value order, Value without) {
        if (key == "finalizers") return primitives(before, change, without);
        if (without) fault_ = std::string(delete_from) + std::string(key);
        const auto by = merge_key(key);
        if (change && (by.empty() || !change.is_array())) return merge(before, change);
        if (by.empty()) return before ? *before.raw() : model::make_null();
        return items(before, change, order, by);
    }

    berth_value primitives(Value before, Value change, Value without) {
        const auto had = texts(before), gone = texts(without);
        model::ArrayBuilder out(arena_);
        for (std::size_t i = 0; i < before.size(); ++i)
            if (!gone.contains(before.at(i).string())) out.add(*before.at(i).raw());
        for (std::size_t i = 0; i < change.size(); ++i)
            if (!had.contains(change.at(i).string())) out.add(*change.at(i).raw());
        return out.value();
    }

    berth_value items(Value before, Value change, Value order, std::string_view by) {
        std::vector<Item> list;
        std::multimap<std::string_view, std::size_t> indices;  // items of one name in their order
        auto put = [&](std::string_view name, berth_value value) {
            indices.emplace(name, list.size());
            list.push_back({name, value, false});
        };
        for (std::size_t i = 0; i < before.size(); ++i) put(before.at(i)[by].string(), *before.at(i).raw());
        for (std::size_t i = 0; i < change.size(); ++i) {
            const auto item = change.at(i);
            const auto name = item[by].string();
            const auto [at, end] = indices.equal_range(name);
            if (item[directive].string() == "delete") {
                for (auto each = at; each != end; ++each) list[each->second].deleted = true;
                indices.erase(at, end);
            } else if (at != end) {
                list[at->second].value = merge(Value{&list[at->second].value}, item);
            } else {
                put(name, merge({}, item));
            }
        }
        std::erase_if(list, [](const Item &item) { return item.deleted; });
        sort(list, order, by);
        model::ArrayBuilder out(arena_);
        for (const auto &item : list) out.add(item.value);
        return out.value();
    }

    /// Those that the order names take their places among themselves; the others stay where they are.
    static void sort(std::vector<Item> &list, Value order, std::string_view by) {
        std::map<std::string_view, std::size_t> ranks;
        for (std::size_t i = 0; i < order.size(); ++i) ranks.emplace(order.at(i)[by].string(), i);
        std::vector<std::size_t> indices;
        for (std::size_t i = 0; i < list.size(); ++i)
            if (ranks.contains(list[i].name)) indices.push_back(i);
        auto named = indices;
        std::ranges::stable_sort(named, {}, [&](std::size_t i) { return ranks.at(list[i].name); });
        const auto before = list;
        for (std::size_t i = 0; i < indices.size(); ++i) list[indices[i]] = before[named[i]];
    }
};

}  // namespace

model::Result<berth_value> strategically_merged(model::Arena &arena, Value base, Value patch) {
    Merger merger(arena);
    const auto made = merger.merge(base, patch);
    if (!merger.fault().empty())
        return model::Error{"the simulated API server does not know the directive " + merger.fault()};
    return made;
}

}  // namespace berth::sim
