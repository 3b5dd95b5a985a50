// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Everything a plugin written in C++20 needs. A plugin is a class; the methods it has say at which extension points it
/// works, and each method may be written in a simple or in a fuller form (docs/plugin-abi.md has the table).
///
/// ```cpp
/// class PodsPerNode {
///     std::uint32_t max_;
/// public:
///     explicit PodsPerNode(berth::Args args) : max_(args.integer("max", 110)) {}
///     berth::Verdict filter(berth::Pod, berth::Node node) const {
///         if (node.pods() >= max_) return berth::unschedulable("node(s) reached the maximum of PodsPerNode");
///         return berth::ok;
///     }
/// };
/// BERTH_PLUGIN(PodsPerNode, "PodsPerNode", "1.0.0")
/// ```
///
/// A library with several plugins says BERTH_PLUGINS(berth::entry<A>("A", "1.0.0"), berth::entry<B>("B", "1.0.0")).
/// Optional static members of the class: `description` (const char *), `watches`, `writes` and `reads` (arrays of const
/// char * such as "create v1/pods/binding": the most that any instance declares), `void default_args(ArgsReader &)`.

#include <berth/detail/cxx20.hpp>
// First, so that an older standard is refused in one sentence.
#include <berth/detail/note.hpp>
#include <berth/pending_pod.hpp>
#include <berth/reader.hpp>

/// Makes the library's entry point and its note. Once per library, at namespace scope.
#define BERTH_PLUGINS(...)                                                                                    \
    namespace {                                                                                               \
    struct BerthLibrary {                                                                                     \
        static constexpr auto entries() { return std::tuple{__VA_ARGS__}; }                                   \
    };                                                                                                        \
    __attribute__((section(BERTH_NOTE_SECTION), used, aligned(4))) constinit const auto berth_manifest_note = \
        ::berth::detail::make_note<BerthLibrary>();                                                           \
    }                                                                                                         \
    extern "C" BERTH_EXPORT const berth_library *berth_plugins_abi1(void) {                                   \
        return ::berth::detail::library<BerthLibrary>();                                                      \
    }

/// A library with one plugin.
#define BERTH_PLUGIN(Class, name, version) BERTH_PLUGINS(::berth::entry<Class>(name, version))

/// A library of many plugins may be compiled in several sources: the one with BERTH_PLUGINS says before it that the
/// code of a class is elsewhere, and one other source says that it is there. Both at global scope.
#define BERTH_CODE_ELSEWHERE(Class) extern template struct ::berth::detail::Code<Class>;
#define BERTH_CODE_HERE(Class) template struct ::berth::detail::Code<Class>;
