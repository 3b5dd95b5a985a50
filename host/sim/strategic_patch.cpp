// SPDX-License-Identifier: Apache-2.0
#include "model/build.h"
#include "sim/patch.h"

#include <algorithm>
#include <array>
#include <utility>

namespace berth::sim {
namespace {

using model::Value;

constexpr std::string_view set_order = "$setElementOrder/", delete_from = "$deleteFromPrimitiveList/",
                           directive = "$patch", retain = "$retainKeys";

/// The member that tells the items of a list apart; of no other lists are the items merged.
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

bool has_item(Value list, Value item) {
    for (std::size_t i = 0; i < list.size(); ++i)
        if (model::equal(list.at(i), item)) return true;
    return false;
}

bool has_directives(Value patch) {
    for (std::size_t i = 0; i < patch.size(); ++i)
        if (patch.key(i).starts_with('$')) return true;
    return false;
}

class Merger {
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
        const bool directives = has_directives(patch);
        auto retained = [&](std::string_view key) {
            if (!directives || !patch[retain]) return true;
            for (std::size_t i = 0; i < patch[retain].size(); ++i)
                if (patch[retain].at(i).string() == key) return true;
            return false;
        };
        auto add = [&](std::string_view key, Value before) {
            const auto change = patch[key];
            Value order, without;
            if (directives) {
                order = patch[std::string(set_order) + std::string(key)];
                without = patch[std::string(delete_from) + std::string(key)];
            }
            if ((change && change.is_null()) || !retained(key)) return;
            if (!change && !without && !order) out.add(key, *before.raw());
            else out.add(key, member(key, before, change, order, without));
        };
        for (std::size_t i = 0; base.is_object() && i < base.size(); ++i) add(base.key(i), base.member(i));
        for (std::size_t i = 0; i < patch.size(); ++i) {
            const auto key = patch.key(i);
            if (key == directive || key == retain || key.starts_with(set_order) || key.starts_with(delete_from))
                continue;
            if (key.starts_with('$')) fault_ = key;
            else if (!base.is_object() || !base[key]) add(key, {});
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
        model::ArrayBuilder out(arena_);
        for (std::size_t i = 0; i < before.size(); ++i)
            if (!has_item(without, before.at(i))) out.add(*before.at(i).raw());
        for (std::size_t i = 0; i < change.size(); ++i)
            if (!has_item(before, change.at(i))) out.add(*change.at(i).raw());
        return out.value();
    }

    berth_value items(Value before, Value change, Value order, std::string_view by) {
        std::vector<std::pair<std::string, berth_value>> list;
        for (std::size_t i = 0; i < before.size(); ++i)
            list.emplace_back(before.at(i)[by].string(), *before.at(i).raw());
        for (std::size_t i = 0; i < change.size(); ++i) {
            const auto item = change.at(i);
            const std::string name(item[by].string());
            auto at = std::ranges::find(list, name, &std::pair<std::string, berth_value>::first);
            if (item[directive].string() == "delete") {
                if (at != list.end()) list.erase(at);
            } else if (at != list.end()) {
                at->second = merge(Value{&at->second}, item);
            } else {
                list.emplace_back(name, merge({}, item));
            }
        }
        sort(list, order, by);
        model::ArrayBuilder out(arena_);
        for (const auto &[name, value] : list) out.add(value);
        return out.value();
    }

    /// Those that the order names take their places among themselves; the others stay where they are.
    static void sort(std::vector<std::pair<std::string, berth_value>> &list, Value order, std::string_view by) {
        auto rank = [&](const std::string &name) {
            std::size_t i = 0;
            while (i < order.size() && order.at(i)[by].string() != name) ++i;
            return i;
        };
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < list.size(); ++i)
            if (rank(list[i].first) < order.size()) places.push_back(i);
        auto named = places;
        std::ranges::sort(named, {}, [&](std::size_t i) { return rank(list[i].first); });
        const auto before = list;
        for (std::size_t i = 0; i < places.size(); ++i) list[places[i]] = before[named[i]];
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
