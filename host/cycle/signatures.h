// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A pod's signatures from the plugins (berth.sign/1), the keys of the result caches.

#include "cycle/search.h"

#include <string>
#include <vector>

namespace berth::cycle {

/// Of the pod of one search; each plugin is called once. Loop only.
class Signatures {
    struct Signature {
        const plugin::Instance *instance;
        std::size_t begin, end;  ///< in text_
        bool given;
    };
    static constexpr std::size_t most = 16 << 10;  ///< bytes; a longer signature counts as none
    std::vector<Signature> signatures_;
    std::string text_;

public:
    void clear();
    /// Adds to `key` the plugin, its position and its signature. False, with `key` unchanged, if it does not sign the
    /// pod: then its results are for this pod alone.
    bool add(const Search &search, const plugin::Instance &instance, std::uint64_t position, std::string &key);

private:
    const Signature &of(const Search &search, const plugin::Instance &instance);
};

}  // namespace berth::cycle
