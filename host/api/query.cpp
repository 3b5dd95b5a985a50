// SPDX-License-Identifier: Apache-2.0
#include "api/query.h"

#include <algorithm>
#include <charconv>

namespace berth::api {
namespace {

constexpr int bad_request = 400, wrong_method = 405;

}  // namespace

std::optional<std::size_t> number(const kube::ServedRequest &request, std::string_view name, std::size_t usual,
                                  std::size_t most) {
    const auto values = kube::query_values(request.query, name);
    if (values.empty()) return usual;
    std::size_t out = 0;
    const std::string &text = values.front();
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return std::min(out, most);
}

bool is_method(const kube::ServedRequest &request, std::string_view wanted, const kube::Answering &done) {
    if (request.method == wanted || (wanted == "GET" && request.method == "HEAD")) return true;
    done(kube::status_answer(wrong_method, "MethodNotAllowed",
                             "the server does not allow this method on the requested resource: expected " +
                                 std::string(wanted) + ", got " + request.method));
    return false;
}

kube::ServedAnswer bad_number(std::string_view name) {
    return kube::status_answer(bad_request, "BadRequest", std::string(name) + ": expected a whole number from 0");
}

}  // namespace berth::api
