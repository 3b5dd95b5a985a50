// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A pod's signature from a plugin: the inputs of its Filter and Score beside the node (berth.sign/1).
///
/// ```cpp
/// bool sign(berth::Pod pod, berth::Nodes, berth::Signature signature) const {
///     for (const auto &t : pod.tolerations()) signature.add(t);
///     return true;  // false: on more than can be said; every slot is asked about
/// }
/// ```

#include <berth/sinks.hpp>

#include <concepts>
#include <cstdint>
#include <string_view>

namespace berth {

/// Takes what is looked at, each thing so that it cannot be taken for another: numbers with their width, texts with
/// their length. A list's length is worth adding where another list follows it.
class Signature {
    TextSink out_;

    void bytes(const void *data, std::uint64_t n) { out_.write({static_cast<const char *>(data), n}); }

public:
    explicit Signature(TextSink out) : out_(out) {}

    template <std::integral T>
    void add(T number) {
        const auto wide = static_cast<std::int64_t>(number);
        bytes(&wide, sizeof wide);
    }
    void add(berth_str text) {
        add(text.len);
        bytes(text.ptr, text.len);
    }
    void add(std::string_view text) { add(berth_str{text.data(), text.size()}); }
    void add(const berth_toleration &t) {
        for (auto text : {t.key, t.op, t.value, t.effect}) add(text);
    }
    void add(const berth_resources &r) {
        for (auto amount : {r.cpu, r.memory, r.ephemeral}) add(amount);
        add(r.scalars_len);
        for (std::uint64_t i = 0; i < r.scalars_len; ++i) {
            add(r.scalars[i].name);
            add(r.scalars[i].value);
        }
    }
    void add(const berth_port &p) {
        add(p.protocol);
        add(p.ip);
        add(p.port);
    }
};

}  // namespace berth
