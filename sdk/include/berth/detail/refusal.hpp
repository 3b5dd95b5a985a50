// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The Status with which an API server refuses a request, as JSON. Not for plugin authors.

#include <berth/json.hpp>

#include <string>
#include <string_view>

namespace berth::detail {

/// The `reason` of a Status with that code (apimachinery: metav1.StatusReason); "" for one that has none.
constexpr std::string_view reason_of(int http_status) {
    switch (http_status) {
        case 400: return "BadRequest";
        case 401: return "Unauthorized";
        case 403: return "Forbidden";
        case 404: return "NotFound";
        case 405: return "MethodNotAllowed";
        case 409: return "Conflict";
        case 410: return "Expired";
        case 413: return "RequestEntityTooLarge";
        case 415: return "UnsupportedMediaType";
        case 422: return "Invalid";
        case 429: return "TooManyRequests";
        case 500: return "InternalError";
        case 503: return "ServiceUnavailable";
        case 504: return "Timeout";
        default: return {};
    }
}

/// What a refusal is about.
struct Refused {
    std::string_view group{}, resource{}, name{};
    std::string_view field{};   ///< of an invalid object
    std::string_view reason{};  ///< instead of that of the code
};

inline std::string refusal_json(int http_status, std::string_view message, const Refused &about = {}) {
    std::string out = R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":)";
    out += json_quote(message);
    const auto reason = about.reason.empty() ? reason_of(http_status) : about.reason;
    if (!reason.empty()) out += ",\"reason\":" + json_quote(reason);
    std::string details;
    const auto add = [&](std::string_view key, const std::string &value) {
        details.append(details.empty() ? "" : ",").append(key).append(value);
    };
    if (!about.name.empty()) add("\"name\":", json_quote(about.name));
    if (!about.group.empty()) add("\"group\":", json_quote(about.group));
    if (!about.resource.empty()) add("\"kind\":", json_quote(about.resource));
    if (!about.field.empty())
        add("\"causes\":", R"([{"reason":"FieldValueInvalid","message":)" + json_quote(message) +
                               ",\"field\":" + json_quote(about.field) + "}]");
    if (!details.empty()) out += ",\"details\":{" + details + "}";
    return out + ",\"code\":" + std::to_string(http_status) + "}";
}

}  // namespace berth::detail
