// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The parser of a server's URL, and percent-encoding.

#include "model/result.h"

#include <optional>
#include <string>
#include <string_view>

namespace berth::kube {

struct ServerAddress {
    bool tls = false;
    std::string host;       ///< name or address; an IPv6 address without its brackets
    std::string port;       ///< digits
    std::string authority;  ///< as the Host header says it: with brackets, and the port if the URL has one
    std::string path;       ///< what every request's path begins with; empty, or "/" and more
};

/// Reads "https://host:port/path" or http; port and path may be missing. The error says what is wrong with it,
/// and repeats no password of it.
model::Result<ServerAddress> parse_server(std::string_view url);

/// `text` with everything but letters, digits and `-_.~` as %XX: safe as one segment of a path or a value in a query.
std::string percent_encoded(std::string_view text);
/// The opposite; nothing for what is no such text, and for one with a NUL.
std::optional<std::string> percent_decoded(std::string_view text);

}  // namespace berth::kube
