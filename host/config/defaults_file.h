// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A reader of one file of configs/defaults/, with the parts that several of these files share.

#include "config/defaults.h"
#include "decode/fields.h"

#include <string>
#include <utility>
#include <vector>

namespace berth::config {

/// Ends the program whenever the file is wrong: it is the program's own, and nothing from outside can cause that.
class DefaultsFile {
    std::string name_;
    decode::Document document_;

public:
    explicit DefaultsFile(const std::string &stem);  ///< `1.36/v1` for configs/defaults/1.36/v1.yaml

    const decode::Document &document() const { return document_; }
    ExtensionPoint point(std::string_view key) const;
    /// A list of `{point, plugins}`.
    std::vector<std::pair<ExtensionPoint, std::string>> enabled_at(decode::Fields &root, std::string_view name) const;
    /// The list `hooks` of `{point, of, plugins}`.
    std::vector<Hook> hooks(decode::Fields &root) const;
    void check(const decode::FieldErrors &errors) const;
};

}  // namespace berth::config
