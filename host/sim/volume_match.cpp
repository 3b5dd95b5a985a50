// SPDX-License-Identifier: Apache-2.0
#include "sim/volume_match.h"

#include "model/members.h"
#include "model/quantity.h"

namespace berth::sim {
namespace {

using model::Value;

bool contains(Value list, std::string_view text) {
    for (std::size_t i = 0; i < list.size(); ++i)
        if (list.at(i).string() == text) return true;
    return false;
}

std::string_view volume_mode(Value object) {
    const auto mode = object["spec"]["volumeMode"].string();
    return mode.empty() ? "Filesystem" : mode;
}

}  // namespace

std::string_view annotation(Value object, std::string_view key) {
    return object["metadata"]["annotations"][key].string();
}

std::string_view class_of(Value object) {
    constexpr std::string_view beta = "volume.beta.kubernetes.io/storage-class";
    if (object["metadata"]["annotations"][beta]) return annotation(object, beta);
    return object["spec"]["storageClassName"].string();
}

bool is_for(Value volume, Value claim) {
    const auto ref = volume["spec"]["claimRef"], metadata = claim["metadata"];
    if (ref.is_null() || ref["name"].string() != metadata["name"].string() ||
        ref["namespace"].string() != metadata["namespace"].string())
        return false;
    return ref["uid"].string().empty() || ref["uid"].string() == metadata["uid"].string();
}

bool has_modes_of(Value claim, Value volume) {
    const auto modes = claim["spec"]["accessModes"];
    for (std::size_t i = 0; i < modes.size(); ++i)
        if (!contains(volume["spec"]["accessModes"], modes.at(i).string())) return false;
    return true;
}

bool could_hold(Value volume, Value claim) {
    const auto has = model::Quantity::read(volume["spec"]["capacity"]["storage"]),
               wants = model::Quantity::read(claim["spec"]["resources"]["requests"]["storage"]);
    constexpr auto attributes = "volumeAttributesClassName";
    return has_modes_of(claim, volume) && has && wants && *has >= *wants && volume_mode(volume) == volume_mode(claim) &&
           volume["spec"][attributes].string() == claim["spec"][attributes].string() &&
           volume["metadata"]["deletionTimestamp"].is_null();
}

std::optional<LabelSelector> selector_of(Value claim) {
    const auto selector = claim["spec"]["selector"];
    return selector.is_null() ? LabelSelector::everything() : LabelSelector::of_field(selector);
}

bool is_free_for(Value volume, Value claim, const LabelSelector &selector) {
    if (!volume["spec"]["claimRef"].is_null() || volume["status"]["phase"].string() != "Available" ||
        class_of(volume) != class_of(claim))
        return false;
    const model::Members labels(volume["metadata"]["labels"]);
    return selector.matches_by([&](std::string_view key) { return LabelSelector::text_of(labels[key]); });
}

}  // namespace berth::sim
