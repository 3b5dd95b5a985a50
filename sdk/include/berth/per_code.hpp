// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A plugin's cache by dictionary code: for namespaces, label sets, values of a column.
///
///     berth::PerCode<bool> matches_;
///
///     auto code = pods.label_set_code(row);
///     if (matches_.of(code, pods.label_set_generation(code), [&] { return selects(pods.label_sets()[code]); })) …
///
/// It is as large as the largest code, which is bounded: codes that no row has are used again. What was kept of another
/// meaning of a code is gone when the code is asked about.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace berth {

template <class T>
class PerCode {
    struct Kept {
        std::uint64_t generation = UINT64_MAX;  // nothing is kept
        T what{};
    };
    std::vector<Kept> kept_;

public:
    /// What is kept for that meaning of the code; if nothing is, what `make()` returns, kept from now on.
    template <class Make>
    T &of(std::uint32_t code, std::uint64_t generation, Make make) {
        if (renew(code, generation)) {
            kept_[code].generation = UINT64_MAX;  // should make() throw
            kept_[code].what = make();
            kept_[code].generation = generation;
        }
        return kept_[code].what;
    }
    /// Whether nothing was kept for that meaning; then a T{} is from now on.
    bool renew(std::uint32_t code, std::uint64_t generation) {
        if (code >= kept_.size()) kept_.resize(code + std::size_t{1});
        if (kept_[code].generation == generation) return false;
        kept_[code] = {generation, T{}};
        return true;
    }
    /// What is kept for the last meaning that was asked about. `code` was asked about before.
    T &operator[](std::uint32_t code) { return kept_[code].what; }
    const T &operator[](std::uint32_t code) const { return kept_[code].what; }

    /// Gives up what is beyond the codes that there are, if that is most of it: after a crowd has gone.
    void trim(std::size_t codes) {
        if (kept_.size() < 2 * codes + 1024) return;
        kept_.resize(codes);
        kept_.shrink_to_fit();
    }
    void clear() { kept_.clear(); }
};

}  // namespace berth
