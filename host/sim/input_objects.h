// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Objects of other kinds than nodes and pods in cluster files: their kinds and validation. Here are the wanted kinds,
/// and the things that an API server has beyond those that people write down.

#include "sim/input.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::sim {

/// Finds the kind of an object. Files name kinds ("Widget"), plugins name resources ("widgets"); for a custom kind only
/// its definition joins the two, and it may stand anywhere in the files. Without one the usual plural is assumed.
class InputKinds {
    std::span<const model::Kind> wanted_;
    std::map<std::pair<std::string, std::string>, model::Kind, std::less<>> defined_;  ///< by group and kind's name

public:
    explicit InputKinds(std::span<const model::Kind> wanted) : wanted_(wanted) {}

    /// The wanted built-in kind that the object is of, or nullptr.
    const model::Kind *built_in(model::Value object) const;
    /// The kind with what its definition says of it.
    model::Kind defined(model::Kind kind) const;
    /// Might the object be of a wanted custom kind? Whether it is can be said when everything was read.
    bool may_be_custom(model::Value object) const;
    /// Takes note of a definition; whether it was one of a wanted kind.
    bool define(model::Value object);
    /// The wanted custom kind that the object is of, now that all definitions were read.
    std::optional<model::Kind> custom(model::Value object) const;
};

/// As model::read_object, with what an API server validates beyond that: a ResourceClaim has at most 256 users.
/// (kubernetes v1.36.3, pkg/apis/resource/validation, validateResourceClaimStatusUpdate.)
model::AnyPtr read_valid_object(const model::TreePtr &tree, const model::Kind &kind, const model::FaultSink &fault);

/// Adds what every cluster has: a Namespace for each namespace that something is in, with the label that says its name.
void complete_namespaces(Input &input);

}  // namespace berth::sim
