// SPDX-License-Identifier: Apache-2.0
#include "kube/request_parser.h"

#include "kube/url.h"

namespace berth::kube {

std::optional<ServedRequest> RequestParser::head(const ClientCertificate &certificate) const {
    const auto &message = get();
    std::string_view target(message.target().data(), message.target().size());
    auto mark = target.find('?');
    auto path = percent_decoded(target.substr(0, mark));
    if (!path || !path->starts_with('/')) return std::nullopt;
    ServedRequest request;
    request.method = std::string(message.method_string());
    request.path = std::move(*path);
    if (mark != target.npos) request.query = target.substr(mark + 1);
    request.authorization = std::string(message[boost::beast::http::field::authorization]);
    request.host = std::string(message[boost::beast::http::field::host]);
    request.accept_encoding = std::string(message[boost::beast::http::field::accept_encoding]);
    request.certificate = certificate;
    return request;
}

}  // namespace berth::kube
