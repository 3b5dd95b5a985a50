// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Label selectors with upstream's evaluation (apimachinery/pkg/labels).

#include <berth/selector.hpp>

#include <stdexcept>
#include <string>
#include <utility>

namespace kubernetes {

using berth::LabelSelector;

/// A selector that stands in an object. Throws upstream's text if Kubernetes refuses it.
inline LabelSelector selector_of(berth::Value field) {
    std::string why;
    auto selector = LabelSelector::of_field(field, &why);
    if (!selector) throw std::runtime_error(why);
    return std::move(*selector);
}

/// Appends what is equal for selectors that are written alike: what counts are kept under.
inline void write(const LabelSelector &selector, std::string &out) {
    if (selector.is_nothing()) out += '!';
    for (const auto &r : selector.requirements()) {
        out += static_cast<char>('0' + static_cast<int>(r.op));
        out.append(r.key) += '\1';
        for (const auto &v : r.values) out.append(v) += '\1';
    }
    out += '\2';
}

}  // namespace kubernetes
