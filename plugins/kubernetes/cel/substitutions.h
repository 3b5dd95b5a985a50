// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The bindings of the type checker's type variables.

#include "types.h"
#include "work.h"

#include <span>
#include <vector>

namespace kubernetes::cel {

/// What the checker knows of its type variables: cel-go's checker/types.go. Upstream copies it before each try; here a
/// failed try is undone.
class Substitutions {
    struct Undo {
        std::size_t variable;
        const Type *before;
    };
    TypeStore &store_;
    Work &work_;
    std::vector<const Type *> of_variable_;
    std::vector<Undo> undo_;

    const Type *find(const Type &type) const;
    void set(const Type &variable, const Type *type);
    bool try_assign(const Type *from, const Type *to);
    bool try_assign_all(std::span<const Type *const> from, std::span<const Type *const> to);
    bool substitute_variable(const Type *type, const Type *variable, bool &has_one);
    bool absent_from(const Type &variable, const Type &type) const;
    void roll_back(std::size_t to);

public:
    Substitutions(TypeStore &store, Work &work) : store_(store), work_(work) {}

    const Type *new_variable();
    /// Whether each of `from` can be given where `to` is expected; if so, remembers what that says of variables.
    bool assign(std::span<const Type *const> from, std::span<const Type *const> to);
    bool assign(const Type *from, const Type *to) { return assign(std::span{&from, 1}, std::span{&to, 1}); }
    /// With variables replaced by what is known of them; `to_dyn`: unknown ones, too.
    const Type *resolved(const Type *type, bool to_dyn);
};

const Type *most_general(const Type *a, const Type *b);

}  // namespace kubernetes::cel
