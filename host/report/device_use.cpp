// SPDX-License-Identifier: Apache-2.0
#include "report/device_use.h"

#include "report/device_inventory.h"
#include "report/table.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace berth::report {
namespace {

/// The share that is not free.
double fullness(const DeviceUse &use) { return 1 - static_cast<double>(use.free) / static_cast<double>(use.devices); }

std::string text_or_dash(const std::string &text) { return text.empty() ? "-" : printable(text); }

std::string totals(const std::vector<DeviceUse> &uses) {
    Table table({"DRIVER", "MODEL", ">ALLOCATED", ">OF", ">FREE", ">NODES"});
    for (const auto &sum : device_models(uses))
        table.add({printable(sum.driver), text_or_dash(sum.model), grouped(sum.allocated), grouped(sum.devices),
                   grouped(sum.free), grouped(sum.nodes)});
    return "\nDEVICES\n" + table.text(2);
}

std::string by_node(const std::vector<DeviceUse> &uses, bool all) {
    std::vector<const DeviceUse *> order;
    for (const auto &use : uses) order.push_back(&use);
    const bool cut = !all && order.size() > rows_shown;
    if (cut) order = fullest_first(uses);
    Table table({"NODE", "DRIVER", "MODEL", ">ALLOCATED", ">OF", ">FREE"});
    for (std::size_t i = 0; i < (cut ? rows_shown : order.size()); ++i)
        table.add({order[i]->node.empty() ? "(several)" : printable(order[i]->node), printable(order[i]->driver),
                   text_or_dash(order[i]->model), grouped(order[i]->allocated), grouped(order[i]->devices),
                   grouped(order[i]->free)});
    std::string text = std::string("\nDEVICES BY NODE") + (cut ? ", the fullest first" : "") + "\n" + table.text(2);
    if (cut) text += cut_off(order.size() - rows_shown, "rows");
    return text;
}

template <class Sum>
void add_sums(model::ObjectBuilder &to, const Sum &sum) {
    to.add("driver", std::string_view{sum.driver});
    if (!sum.model.empty()) to.add("model", std::string_view{sum.model});
    to.add("devices", sum.devices).add("allocated", sum.allocated).add("free", sum.free);
}

}  // namespace

std::vector<DeviceUse> device_use(const std::vector<model::TreePtr> &slices,
                                  const std::vector<model::TreePtr> &claims) {
    using Id = std::tuple<std::string_view, std::string_view, std::string>;  // node, driver, model
    std::map<Id, DeviceUse> uses;
    auto last = uses.end();  // most devices of a pool are alike
    for (const auto &device : device_inventory(slices, claims)) {
        Id id{device.node, device.driver, model_of(device.published["attributes"])};
        if (last == uses.end() || last->first != id) last = uses.try_emplace(std::move(id)).first;
        auto &use = last->second;
        ++use.devices;
        use.allocated += device.allocated;
        use.free += device.free;
    }
    std::vector<DeviceUse> out;
    for (auto &[id, use] : uses) {
        use.node = std::get<0>(id);
        use.driver = std::get<1>(id);
        use.model = std::get<2>(id);
        out.push_back(std::move(use));
    }
    return out;
}

std::vector<DeviceModel> device_models(const std::vector<DeviceUse> &uses) {
    std::map<std::pair<std::string_view, std::string_view>, DeviceModel> sums;
    for (const auto &use : uses) {
        auto &sum = sums[{use.driver, use.model}];
        sum.devices += use.devices;
        sum.allocated += use.allocated;
        sum.free += use.free;
        sum.nodes += use.node.empty() ? 0 : 1;
    }
    std::vector<DeviceModel> out;
    for (auto &[id, sum] : sums) {
        sum.driver = id.first;
        sum.model = id.second;
        out.push_back(std::move(sum));
    }
    return out;
}

std::vector<const DeviceUse *> fullest_first(const std::vector<DeviceUse> &uses) {
    std::vector<const DeviceUse *> out;
    for (const auto &use : uses) out.push_back(&use);
    std::stable_sort(out.begin(), out.end(), [](auto *a, auto *b) { return fullness(*a) > fullness(*b); });
    return out;
}

std::string device_text(const std::vector<DeviceUse> &uses, bool all) {
    return uses.empty() ? "" : totals(uses) + by_node(uses, all);
}

model::ObjectBuilder device_value(model::Arena &arena, const DeviceUse &use) {
    model::ObjectBuilder out(arena);
    if (!use.node.empty()) out.add("node", std::string_view{use.node});
    add_sums(out, use);
    return out;
}

model::ObjectBuilder device_value(model::Arena &arena, const DeviceModel &sum) {
    model::ObjectBuilder out(arena);
    add_sums(out, sum);
    return out.add("nodes", sum.nodes);
}

berth_value device_values(model::Arena &arena, const std::vector<DeviceUse> &uses) {
    model::ArrayBuilder list(arena);
    for (const auto &use : uses) list.add(device_value(arena, use).value());
    return list.value();
}

std::vector<DeviceUse> read_device_values(model::Value list) {
    std::vector<DeviceUse> out;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const auto one = list.at(i);
        auto number = [&](const char *member) {
            return static_cast<std::uint64_t>(std::max<std::int64_t>(0, one[member].integer().value_or(0)));
        };
        out.push_back({std::string(one["node"].string()), std::string(one["driver"].string()),
                       std::string(one["model"].string()), number("devices"), number("allocated"), number("free")});
    }
    return out;
}

}  // namespace berth::report
