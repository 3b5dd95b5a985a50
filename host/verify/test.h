// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The tests of `berth plugin verify`: their list, findings and needs. Each is run in a process of its own.

#include "verify/coverage.h"
#include "verify/material.h"
#include "verify/subject.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::verify {

/// What a plugin did that it may not do.
struct Finding {
    std::string expected, happened;
    std::string where{};  ///< `pod "default/web", node "node-3"`; empty if it is about neither
};
using Found = std::optional<Finding>;

/// One test at work. `trace` is compared or reported to the caller.
class Run {
    ClusterFiles files_;
    std::optional<Material> material_{};

public:
    Subject &subject;
    std::uint64_t seed;
    std::string trace{};
    plugin::Meter *meter = nullptr;  ///< what counts the calls in its worlds; outlives them
    Coverage *coverage = nullptr;    ///< where all else is counted, while there is a meter; outlives them too

    Run(Subject &of, std::uint64_t with_seed, ClusterFiles files = {})
        : files_(std::move(files)), subject(of), seed(with_seed) {}
    /// What clusters for an instance that declared `kinds` are made of. Throws what files are refused with.
    const Material &material(std::span<const model::Kind> kinds);
    /// The same if it has been needed, else null.
    const Material *known_material() const { return material_ ? &*material_ : nullptr; }
};

/// What there must be for a test to make sense.
enum class Needs : std::uint8_t {
    File,      ///< a library; the test is of the whole of it
    Plugin,    ///< a plugin, which the subject has found
    Instance,  ///< arguments with which it can be made, too
};

struct Test {
    std::string_view name;  ///< "semantics/filter-splits"
    Found (*run)(Run &);
    Needs needs = Needs::Instance;
    std::vector<std::string_view> interfaces{};  ///< the plugin has one of these; none: always
    bool twice = false;                          ///< two processes must leave the same trace

    bool applies(std::span<const std::string> has) const;
};

/// All of them, in the order in which they are run. The groups are the part before the slash.
std::span<const Test> tests();
const Test *find_test(std::string_view name);
/// The one that must pass for those that need an instance to be run.
inline constexpr std::string_view makes_instance = "create/configured";

// The groups.
std::vector<Test> file_tests();
std::vector<Test> load_tests();
std::vector<Test> create_tests();
std::vector<Test> batch_tests();
std::vector<Test> state_tests();
std::vector<Test> hint_tests();
std::vector<Test> thread_tests();
std::vector<Test> scale_tests();

}  // namespace berth::verify
