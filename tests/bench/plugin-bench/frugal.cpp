// SPDX-License-Identifier: Apache-2.0
// Two plugins that answer the same; one of them allocates for each node.
#include <berth/plugin.hpp>

#include <memory>
#include <string>

namespace {

/// The compiler may leave out what nobody looks at.
template <class T>
void look_at(const T *what) {
    asm volatile("" : : "r"(what) : "memory");
}

struct alignas(64) Line {
    char bytes[64];
};

class Frugal {
public:
    berth::Verdict filter(berth::Pod, berth::Node) const { return berth::ok; }
    std::int64_t score(berth::Pod, berth::Node) const { return 1; }
};

class Wasteful {
public:
    berth::Verdict filter(berth::Pod, berth::Node) const {
        const std::string text(99, 'x');
        look_at(text.data());
        return berth::ok;
    }
    std::int64_t score(berth::Pod, berth::Node) const {
        const auto line = std::make_unique<Line>();
        look_at(line.get());
        return 1;
    }
};

}  // namespace

BERTH_PLUGINS(berth::entry<Frugal>("Frugal", "1.0.0"), berth::entry<Wasteful>("Wasteful", "1.0.0"))
