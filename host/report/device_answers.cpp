// SPDX-License-Identifier: Apache-2.0
#include "report/device_answers.h"

#include "report/answer_values.h"
#include "report/device_inventory.h"
#include "report/device_use.h"

#include <algorithm>

namespace berth::report {
namespace {

using model::ArrayBuilder;
using model::ObjectBuilder;

/// Of the claims of one device, and of the pods of one claim.
constexpr std::size_t most_names = 10;

ObjectBuilder head(model::Arena &arena, const char *kind, const DeviceObjects &objects) {
    auto out = answer_head(arena, kind, objects.by, nullptr);
    out.add("watched", objects.watched);
    add_texts(arena, out, "warnings", objects.warnings);
    return out;
}

ObjectBuilder claim_value(model::Arena &arena, model::Value claim, bool admin_access) {
    ObjectBuilder out(arena);
    const auto metadata = claim["metadata"], users = claim["status"]["reservedFor"];
    const auto name_space = metadata["namespace"].string();
    out.add("namespace", name_space.empty() ? "default" : name_space).add("name", metadata["name"].string());
    ArrayBuilder pods(arena);
    std::size_t omitted = 0, listed = 0;
    for (std::size_t i = 0; i < users.size(); ++i) {
        if (users.at(i)["resource"].string() != "pods") continue;
        if (listed == most_names) ++omitted;
        else pods.add(users.at(i)["name"].string()), ++listed;
    }
    out.add("pods", pods);
    if (omitted > 0) out.add("omittedPods", omitted);
    if (admin_access) out.add("adminAccess", true);
    return out;
}

ObjectBuilder device_value(model::Arena &arena, const InventoryDevice &device,
                           const std::vector<model::TreePtr> &claims) {
    ObjectBuilder out(arena);
    out.add("driver", device.driver).add("pool", device.pool).add("name", device.name);
    add_text(out, "model", model_of(device.published["attributes"]));
    out.add("allocated", device.allocated).add("free", device.free);
    if (device.holders.empty()) return out;
    ArrayBuilder holders(arena);
    const auto listed = std::min(device.holders.size(), most_names);
    for (std::size_t i = 0; i < listed; ++i) {
        const auto &holder = device.holders[i];
        holders.add(claim_value(arena, claims[holder.claim]->value(), holder.admin_access).value());
    }
    out.add("claims", holders);
    if (listed < device.holders.size()) out.add("omittedClaims", device.holders.size() - listed);
    return out;
}

}  // namespace

std::string device_use_json(const DeviceObjects &objects, std::size_t most) {
    model::Arena arena;
    auto out = head(arena, "DeviceUse", objects);
    if (!objects.watched) return text_of(out);
    const auto uses = device_use(objects.slices, objects.claims);
    const auto sums = device_models(uses);
    ArrayBuilder models(arena), nodes(arena);
    for (std::size_t i = 0; i < std::min(most, sums.size()); ++i) models.add(device_value(arena, sums[i]).value());
    const auto order = fullest_first(uses);
    for (std::size_t i = 0; i < std::min(most, order.size()); ++i) nodes.add(device_value(arena, *order[i]).value());
    out.add("models", models).add("nodes", nodes);
    if (sums.size() > most) out.add("omittedModels", sums.size() - most);
    if (order.size() > most) out.add("omittedNodes", order.size() - most);
    return text_of(out);
}

std::string node_devices_json(const DeviceObjects &objects, std::string_view node, std::size_t most) {
    model::Arena arena;
    auto out = head(arena, "NodeDevices", objects);
    out.add("name", node);
    if (!objects.watched) return text_of(out);
    ArrayBuilder devices(arena);
    std::size_t listed = 0, omitted = 0;
    for (const auto &device : device_inventory(objects.slices, objects.claims)) {
        if (device.node != node) continue;
        if (listed == most) ++omitted;
        else devices.add(device_value(arena, device, objects.claims).value()), ++listed;
    }
    out.add("devices", devices);
    if (omitted > 0) out.add("omitted", omitted);
    return text_of(out);
}

}  // namespace berth::report
