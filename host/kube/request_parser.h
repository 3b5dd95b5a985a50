// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The parser of one HTTP request to Berth's server, with limits of head and body.

#include "kube/server.h"

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <optional>

namespace berth::kube {

/// Reads one request, of a head and a body no larger than allowed.
class RequestParser : public boost::beast::http::request_parser<boost::beast::http::string_body> {
public:
    explicit RequestParser(const ServerLimits &limits) {
        header_limit(limits.head_bytes);
        body_limit(limits.body_bytes);
    }

    /// What is asked, once the head was read; the body is not there yet. Nothing if its target is no path.
    std::optional<ServedRequest> head(const ClientCertificate &certificate) const;
    /// Of a request that was read to its end.
    std::string take_body() { return std::move(get().body()); }
};

}  // namespace berth::kube
