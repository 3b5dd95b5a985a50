// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Writes Kubernetes' protobuf, as much of it as tests need: fields that have bytes.

#include <initializer_list>
#include <string>
#include <string_view>

namespace berth::protobuf_bytes {

inline std::string varint(std::size_t n) {
    std::string out;
    for (; n >= 0x80; n >>= 7) out += static_cast<char>(n | 0x80);
    return out + static_cast<char>(n);
}

inline std::string field(unsigned number, std::string_view bytes) {
    constexpr unsigned length_delimited = 2;
    return varint(number << 3 | length_delimited) + varint(bytes.size()) + std::string(bytes);
}

/// runtime.Unknown, with Kubernetes' four bytes before it.
inline std::string enveloped(std::string_view version, std::string_view kind, std::string_view content) {
    return std::string("k8s\0", 4) + field(1, field(1, version) + field(2, kind)) + field(2, content);
}

inline std::string metadata(std::string_view name, std::string_view version) {
    return field(1, name) + field(3, "default") + field(5, name) + field(6, version);
}

inline std::string pod(std::string_view name, std::string_view version, std::string_view node = {}) {
    std::string spec = field(2, field(1, "c") + field(2, "i"));
    if (!node.empty()) spec += field(10, node);
    return field(1, metadata(name, version)) + field(2, spec);
}

inline std::string list_of_pods(std::string_view version, std::initializer_list<std::string> pods,
                                std::string_view next = {}) {
    std::string out = field(1, field(2, version) + field(3, next));
    for (const auto &one : pods) out += field(2, one);
    return enveloped("v1", "PodList", out);
}

/// An event of a watch, its length before it.
inline std::string event(std::string_view type, std::string_view object) {
    const auto text = field(1, type) + field(2, field(1, object));
    std::string head;
    for (int shift = 24; shift >= 0; shift -= 8) head += static_cast<char>(text.size() >> shift);
    return head + text;
}

}  // namespace berth::protobuf_bytes
