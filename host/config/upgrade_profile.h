// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The conversion of one profile of an older version to v1.

#include "config/configuration.h"
#include "config/defaults.h"
#include "config/mutable_tree.h"
#include "config/upgrade_rules.h"
#include "decode/fields.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace berth::config {

class ProfileUpgrade {
    const UpgradeRules &rules_ = upgrade_rules();
    const VersionDefaults &version_;
    const Profile &era_;
    const MutableTree &old_fields_;
    const std::string &file_;
    const Release release_;
    decode::FieldErrors &errors_;
    std::vector<std::string> &warnings_;
    std::array<PluginSet, model::extension_point_count> sets_;
    MutableTree configs_;  ///< of `pluginConfig`

public:
    /// `era` is the profile as its version merged it, `old_fields` what v1 has no field for. All outlive this. Messages
    /// name the release.
    ProfileUpgrade(const VersionDefaults &version, const Profile &era, const MutableTree &old_fields,
                   const std::string &file, Release release, decode::FieldErrors &errors,
                   std::vector<std::string> &warnings)
        : version_(version),
          era_(era),
          old_fields_(old_fields),
          file_(file),
          release_(release),
          errors_(errors),
          warnings_(warnings),
          sets_(era.plugins) {}

    /// `profile`, which has the shape of v1 already, with the plugins of today.
    MutableTree upgrade(MutableTree profile);

private:
    PluginSet &at(ExtensionPoint point) { return sets_[model::index(point)]; }
    decode::Position position(const Place &place) const;
    std::string text(const Place &place) const;
    MutableTree *config_of(std::string_view plugin);
    MutableTree &args_of(std::string_view plugin, decode::Position position);
    void refuse(const PluginEntry &entry, std::string text);

    void read_configs(MutableTree &profile);
    void move_fields();
    void restore_built_in();
    void fold();
    void fold_args(const Folded &rule, const PluginEntry &entry);
    void translate_labels();
    void translate_labels(const LabelLists &rule, decode::Position position);
    void require_label(MutableTree &term, const std::string &label, const std::string &op, decode::Position position);
    void drop_gone();
    void drop_gone_configs();
    void drop_gone_entries(MutableTree &plugins);
    void add_hooks();
    MutableTree written_out() const;
};

}  // namespace berth::config
