// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Equal values of many objects, stored once.

#include "model/value.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace berth::model {

/// Of the content, the order of members included.
std::uint64_t hash(Value v);
/// Same content in the same order, so that a reader cannot distinguish them.
bool same(Value a, Value b);

/// Where a member of an object's root, itself an object, need not be copied: the members that it has in common with
/// `tree`'s root, in the same order, are taken from there.
struct SharedMember {
    std::string_view key;
    TreePtr tree;
};

/// Makes of `out`, which is empty, a copy in memory that is exactly as large as needed. What it shares lives as long.
void compact_copy(Tree &out, Value root, std::span<const SharedMember> shared = {});  ///< of at most Tree::shared_most

/// The values that were seen more than once lately, as the trees that `make` makes of them. One per thread.
class SharedValues {
    static constexpr std::size_t slots = 1024;  ///< a value that another one replaces in its slot is forgotten
    struct Slot {
        std::uint64_t hash = 0;
        std::weak_ptr<const Tree> tree;
    };
    std::vector<Slot> slots_{slots};

public:
    using Make = TreePtr (*)(Value);  ///< nullptr: not to be shared

    /// A tree of the same content as `v`, or nullptr if there was no such value lately.
    TreePtr find(Value v, Make make);
};

}  // namespace berth::model
