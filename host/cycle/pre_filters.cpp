// SPDX-License-Identifier: Apache-2.0
#include "cycle/pre_filters.h"

#include "model/look_ups.h"
#include "plugin/meter.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace berth::cycle {

namespace {

constexpr plugin::CalledPoint point = plugin::CalledPoint::PreFilter;

/// Takes what one plugin says through berth_restrict.
struct Collector final : plugin::Restrict {
    const berth_nodes &all;
    PreFilterResult &out;
    std::optional<std::uint32_t> bad_slot;

    Collector(const berth_nodes &nodes, PreFilterResult &result) : all(nodes), out(result) {}

    void slots(const std::uint32_t *slots, std::uint64_t n) override {
        out.limited = true;
        for (std::uint64_t i = 0; i < n; ++i) {
            std::uint32_t slot = slots[i];
            if (slot < all.slots && all.node_flags[slot] & BERTH_FLAG_NODE_EXISTS) out.slots.push_back(slot);
            else bad_slot = slot;
        }
    }

    void names(const berth_str *names, std::uint64_t n) override {
        out.limited = true;
        for (std::uint64_t i = 0; i < n; ++i) {
            std::uint32_t slot = model::find_node(all, names[i]);
            if (slot == BERTH_NO_SLOT) out.names.emplace_back(model::view(names[i]));
            else out.slots.push_back(slot);
        }
    }

    void finish() {
        auto sort_unique = [](auto &list) {
            std::sort(list.begin(), list.end());
            list.erase(std::unique(list.begin(), list.end()), list.end());
        };
        sort_unique(out.slots);
        sort_unique(out.names);
    }
};

model::Status failed(const plugin::Instance &instance, const std::string &why) {
    return {.code = BERTH_STATUS_ERROR,
            .error = "running PreFilter plugin \"" + instance.name + "\": " + why,
            .reasons = {},
            .plugin = instance.name};
}

model::PreFilterRecord record_of(const plugin::Instance &instance, const model::Status &status,
                                 const PreFilterResult &said, const berth_nodes &nodes) {
    model::PreFilterRecord record{instance.name, status, said.limited, {}};
    for (std::uint32_t slot : said.slots) record.nodes.emplace_back(model::view(nodes.name[slot]));
    record.nodes.insert(record.nodes.end(), said.names.begin(), said.names.end());
    std::sort(record.nodes.begin(), record.nodes.end());
    return record;
}

}  // namespace

void PreFilterResult::clear() {
    limited = false;
    slots.clear();
    names.clear();
}

void PreFilterResult::intersect(const PreFilterResult &other) {
    if (!other.limited) return;
    if (!limited) {
        *this = other;
        return;
    }
    auto keep_common = [](auto &mine, const auto &theirs) {
        std::remove_cvref_t<decltype(mine)> common;
        std::set_intersection(mine.begin(), mine.end(), theirs.begin(), theirs.end(), std::back_inserter(common));
        mine.swap(common);
    };
    keep_common(slots, other.slots);
    keep_common(names, other.names);
}

bool PreFilters::skipped(const plugin::Instance *instance) const {
    return std::find(skipped_.begin(), skipped_.end(), instance) != skipped_.end();
}

Participants PreFilters::participants(const Search &search) const {
    Participants out;
    for (const plugin::Instance *instance : search.profile.filter)
        if (!skipped(instance)) out.filters.push_back(instance);
    for (const plugin::Instance *instance : search.profile.pre_filter)
        if (instance->pre_filter_ext && !skipped(instance)) out.extensions.push_back(instance);
    return out;
}

void PreFilters::add_limiting(const plugin::Instance *instance) {
    if (limited_by_.empty() || std::ranges::find(limited_by_, instance) != limited_by_.end()) return;
    limited_by_.push_back(instance);
}

std::string PreFilters::reason_left_out(bool all) const {
    std::vector<std::string_view> names;
    for (const auto *instance : limited_by_) names.push_back(instance->name);
    std::sort(names.begin(), names.end());
    std::string text = "node(s) didn't satisfy plugin";
    if (all && names.size() == 1) return text.append(" ").append(names.front());
    text += "(s) [";
    for (auto name : names) text.append(name == names.front() ? "" : " ").append(name);
    return text + (all ? "] simultaneously" : "]");
}

/// One plugin's answer; what it left over is in one_.
model::Status PreFilters::call(const Search &search, const plugin::Instance &instance) {
    one_.clear();
    Collector collector(search.nodes, one_);
    plugin::StatusSlot slot;
    model::Status thrown = plugin::counted(instance, point, 1, [&] {
        instance.pre_filter->pre_filter(instance.self, search.call.call(), search.state.handle(), &search.pod,
                                        &search.nodes, collector.handle(), slot.raw());
    });
    search.call.free_scratch();
    if (!thrown.success()) return thrown;
    collector.finish();
    model::Status status = slot.take(instance, point);
    if (!collector.bad_slot) return status;
    const auto what = "narrowed the nodes to slot " + std::to_string(*collector.bad_slot) + ", which holds no node";
    plugin::misbehaved(instance, point, "plugin \"" + instance.name + "\" " + what);
    return {.code = BERTH_STATUS_ERROR, .error = what, .reasons = {}, .plugin = instance.name};
}

model::Status PreFilters::run(const Search &search, std::vector<model::PreFilterRecord> *record) {
    left_.clear();
    skipped_.clear();
    limited_by_.clear();
    model::Status rejection;
    for (const plugin::Instance *instance : search.profile.pre_filter) {
        model::Status status = call(search, *instance);
        if (record) record->push_back(record_of(*instance, status, one_, search.nodes));
        if (status.code == BERTH_STATUS_SKIP) {
            skipped_.push_back(instance);
            continue;
        }
        if (auto *meter = instance->meter()) {
            meter->evaluated(*instance, point, 1);
            if (status.rejected()) meter->rejected(*instance, point, 1);
        }
        // The last plain rejection is reported; the others still run, for the sake of their state. A Pending answer
        // ends the search at once: upstream has no meaning for it here, this ABI has.
        if (status.code == BERTH_STATUS_UNSCHEDULABLE) {
            rejection = std::move(status);
            continue;
        }
        if (status.rejected()) {
            limited_by_.clear();
            return status;
        }
        if (!status.success()) return failed(*instance, failure_text(status));
        if (one_.limited) limited_by_.push_back(instance);
        left_.intersect(one_);
        if (left_.nothing_left()) {
            model::Status nothing{
                .code = BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE, .error = {}, .reasons = {}, .plugin = {}};
            nothing.reasons.push_back(reason_left_out(true));
            return nothing;
        }
    }
    return rejection;
}

}  // namespace berth::cycle
