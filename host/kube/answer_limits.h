// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The size limits of a server's answers: bodies, list pages, watch events, headers. An API server or extender that
/// never ends an answer, a line or a list of headers fills no memory.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace berth::kube {

constexpr std::uint64_t mebibyte = 1 << 20;
/// Bodies. An object has 1.5 MiB at most (etcd's limit), and an extender answers with those it was sent.
constexpr std::uint64_t most_of_answer = 64 * mebibyte;
/// A list that cannot be read in pages: 500,000 pods.
constexpr std::uint64_t most_of_list = 2048 * mebibyte;
/// One event of a watch.
constexpr std::uint64_t most_of_event = 64 * mebibyte;
/// All headers of an answer, or one line between the pieces of a body.
constexpr std::size_t most_of_head = 64 << 10;

/// Why an answer was given up: "the server HOST:PORT sent WHAT of more than N KiB".
inline std::string too_large(std::string_view authority, std::string_view what, std::uint64_t bytes) {
    constexpr std::uint64_t kibibyte = 1 << 10;
    const bool large = bytes >= mebibyte;
    std::string out("the server ");
    return out.append(authority).append(" sent ").append(what).append(" of more than ") +
           std::to_string(bytes / (large ? mebibyte : kibibyte)) + (large ? " MiB" : " KiB");
}

}  // namespace berth::kube
