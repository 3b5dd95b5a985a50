// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The required node affinity of PersistentVolumes.

#include "csi_migration.h"
#include "node_selector.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kubernetes {

using Labels = std::span<const berth_label>;

/// The labels of the node in a slot, sorted by key.
inline Labels labels_of(const berth::Host &host, berth::Nodes nodes, std::uint32_t slot) {
    return berth::Object{nodes.raw()->obj[slot], &host}.labels();
}

/// A node's labels, kept beyond the call.
class KeptLabels {
    std::vector<std::pair<std::string, std::string>> held_;
    std::vector<berth_label> labels_;  ///< point into held_, the strings of which do not move when this object does

public:
    KeptLabels() = default;
    explicit KeptLabels(berth::Value labels) {
        for (std::size_t i = 0; i < labels.size(); ++i) held_.emplace_back(labels.key(i), labels.member(i).string());
        std::sort(held_.begin(), held_.end());
        for (const auto &[key, value] : held_) labels_.push_back({berth::to_str(key), berth::to_str(value)});
    }
    KeptLabels(KeptLabels &&) = default;
    KeptLabels &operator=(KeptLabels &&) = default;
    KeptLabels(const KeptLabels &) = delete;
    KeptLabels &operator=(const KeptLabels &) = delete;
    ~KeptLabels() = default;
    operator Labels() const { return labels_; }
};

/// The required node affinity of a PersistentVolume: the nodes from which it can be reached.
class VolumeNodeAffinity {
    std::optional<std::vector<NodeTerm>> terms_;  ///< absent: every node

    bool has_key(std::string_view key) const {
        for (const auto &t : *terms_)
            for (const auto &r : t.labels)
                if (r.key == key) return true;
        return false;
    }
    bool has_values(std::string_view key) const {
        for (const auto &t : *terms_)
            for (const auto &r : t.labels)
                if (r.key == key && !r.values.empty()) return true;
        return false;
    }
    void rename(std::string_view from, std::string_view to) {
        for (auto &t : *terms_)
            for (auto &r : t.labels)
                if (r.key == from) r.key = to;
    }

    /// Adds "label `key` is one of the zones" to every term.
    void add_zones(std::string_view key, std::string_view label) {
        std::set<std::string> zones;
        for (auto zone : label_zones(label)) {
            while (zone.starts_with(' ')) zone.remove_prefix(1);
            while (zone.ends_with(' ')) zone.remove_suffix(1);
            if (!zone.empty()) zones.emplace(zone);
        }
        if (zones.empty()) return;
        berth::Requirement r{std::string(key), berth::SelectionOperator::In, {zones.begin(), zones.end()}, 0};
        if (!terms_) terms_.emplace();
        if (terms_->empty()) terms_->emplace_back();
        for (auto &t : *terms_) t.labels.push_back(r);
    }

public:
    /// `spec` is that of the PersistentVolume.
    static VolumeNodeAffinity read(berth::Value spec) {
        VolumeNodeAffinity affinity;
        auto required = spec["nodeAffinity"]["required"];
        if (!required.is_null()) affinity.terms_ = berth::parse_node_selector(required, "");
        return affinity;
    }

    bool matches(Labels labels) const {
        if (!terms_) return true;
        // Upstream asks about a node that has labels and nothing else, so that matchFields never count.
        return std::any_of(terms_->begin(), terms_->end(),
                           [&](const auto &t) { return berth::matches_term(t, labels, std::nullopt); });
    }

    /// The same in the labels of the CSI driver that took over (csi-translation-lib translateTopologyFromInTreeToCSI):
    /// zones of the affinity are renamed; if it has none, those of the volume's label are added.
    VolumeNodeAffinity translated(std::string_view topology, berth::Value labels) const {
        constexpr std::string_view zone = "topology.kubernetes.io/zone", region = "topology.kubernetes.io/region";
        constexpr std::string_view old_zone = "failure-domain.beta.kubernetes.io/zone",
                                   old_region = "failure-domain.beta.kubernetes.io/region";
        auto out = *this;
        auto known = [&](std::string_view key) { return out.terms_ && out.has_key(key); };
        bool old = !known(zone) && (known(old_zone) || (!labels[zone] && labels[old_zone]));
        auto key = old ? old_zone : zone;
        if (out.terms_ && out.has_values(key)) out.rename(key, topology);
        else if (labels[key].is_string()) out.add_zones(topology, labels[key].string());
        if (old && out.terms_ && out.has_values(old_region)) out.rename(old_region, region);
        return out;
    }
};

}  // namespace kubernetes
