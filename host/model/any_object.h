// SPDX-License-Identifier: Apache-2.0
#pragma once

/// An object of any kind: its metadata, and the rest as a tree.

#include "model/kind.h"
#include "model/pod.h"

namespace berth::model {

/// Immutable. All views point into its own memory.
struct AnyObject : Object {
    std::string_view name_space, name, uid;  ///< no namespace: the kind has none, or it is unknown
    std::span<const berth_label> labels;     ///< sorted by key
    Arena arena;

    berth_object_meta meta() const override;
    std::string key() const;  ///< "namespace/name", or "name"
};
using AnyPtr = std::shared_ptr<const AnyObject>;

/// Decodes the metadata of an object of `kind` and keeps its tree. An object without a uid gets
/// one made of its names (model/field.h), and one of a kind with namespaces is in "default" if it does not say where.
/// Returns nullptr after reporting every fault.
AnyPtr read_object(TreePtr tree, const Kind &kind, const FaultSink &fault);

}  // namespace berth::model
