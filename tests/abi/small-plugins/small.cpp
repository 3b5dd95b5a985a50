// SPDX-License-Identifier: Apache-2.0
// Plugins of 8, 16 and 24 bytes, trivially copyable, whose constructor hands `this` to a timer: what the timer counts
// has to be in the instance that Filter sees.
#include <berth/plugin.hpp>

#include <array>
#include <type_traits>

namespace {

template <std::size_t Bytes>
class Small {
    std::array<std::uint64_t, Bytes / sizeof(std::uint64_t)> calls_{};

public:
    explicit Small(const berth::Host &host) {
        host.after(1, [this] { ++calls_.back(); });
    }
    berth::Verdict filter(berth::Pod, berth::Node) const {
        return calls_.back() == 1 ? berth::ok : berth::error("was not called back");
    }
};
static_assert(sizeof(Small<8>) == 8 && sizeof(Small<16>) == 16 && sizeof(Small<24>) == 24);
static_assert(std::is_trivially_copyable_v<Small<16>>);

}  // namespace

BERTH_PLUGINS(berth::entry<Small<8>>("Small8", "1.0.0"), berth::entry<Small<16>>("Small16", "1.0.0"),
              berth::entry<Small<24>>("Small24", "1.0.0"))
