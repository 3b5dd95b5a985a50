// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Remedies: the changes after which a node that a plugin's Filter rejects would fit.
///
/// ```cpp
/// berth::Remedy remedy(berth::Pod, berth::Node node) const {
///     return {berth::Change::label("disk", "ssd")};  // {}: none is known
/// }
/// ```

#include <berth/draft/remedy.h>
#include <berth/host.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth {

/// One change of a node or of a pod.
class Change {
    std::uint32_t kind_;
    std::string name_, value_, effect_;
    std::int64_t amount_ = 0;

    Change(std::uint32_t kind, std::string_view name, std::string_view value = {}, std::string_view effect = {})
        : kind_(kind), name_(name), value_(value), effect_(effect) {}

public:
    explicit Change(const berth_change &raw)
        : kind_(raw.kind),
          name_(view(raw.name)),
          value_(view(raw.value)),
          effect_(view(raw.effect)),
          amount_(raw.amount) {}
    bool operator==(const Change &) const = default;

    /// The node offers `more` of it, or the pod requests that much less. cpu: milli-CPU.
    static Change resource(std::string_view name, std::int64_t more) {
        Change out(BERTH_CHANGE_RESOURCE, name);
        out.amount_ = more;
        return out;
    }
    /// The node takes so many more pods.
    static Change pods(std::int64_t more) {
        Change out(BERTH_CHANGE_PODS, {});
        out.amount_ = more;
        return out;
    }
    /// The pod tolerates the taint, or the node loses it.
    static Change toleration(const berth_taint &taint) {
        return {BERTH_CHANGE_TOLERATION, view(taint.key), view(taint.value), view(taint.effect)};
    }
    static Change uncordon() { return {BERTH_CHANGE_UNCORDON, {}}; }
    /// The node has the label.
    static Change label(std::string_view key, std::string_view value) { return {BERTH_CHANGE_LABEL, key, value}; }
    /// The node does not have the label.
    static Change no_label(std::string_view key) { return {BERTH_CHANGE_NO_LABEL, key}; }
    /// A phrase in the imperative, for anything else.
    static Change other(std::string_view phrase) { return {BERTH_CHANGE_OTHER, phrase}; }

    /// Good as long as this.
    berth_change raw() const { return {kind_, 0, to_str(name_), to_str(value_), to_str(effect_), amount_}; }
};

/// Changes that suffice together; empty: none are known.
using Remedy = std::vector<Change>;

/// Where the batch form of remedy writes; `i` is the index in the call's slots. Several for one slot are alternatives.
class Remedies {
    berth_remedy_sink *out_;
    const Host *host_;
    const berth_host_remedies *table_;

public:
    Remedies(berth_remedy_sink *out, const Host *host)
        : out_(out),
          host_(host),
          table_(static_cast<const berth_host_remedies *>(
              host->raw()->get_service(host->raw(), BERTH_STR(BERTH_HOST_REMEDIES_DRAFT1)))) {}
    void add(std::size_t i, const Remedy &remedy) const {
        BERTH_USES_DRAFT(BERTH_HOST_REMEDIES_DRAFT1);
        if (remedy.empty() || !table_) return;
        std::vector<berth_change> raw;
        for (const auto &change : remedy) raw.push_back(change.raw());
        table_->add(host_->raw(), out_, i, raw.data(), raw.size());
    }
};

}  // namespace berth
