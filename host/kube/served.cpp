// SPDX-License-Identifier: Apache-2.0
#include "kube/served.h"

#include "decode/write.h"
#include "kube/url.h"
#include "model/build.h"

namespace berth::kube {

ServedAnswer status_answer(int code, std::string_view reason, std::string_view message) {
    model::Arena arena;
    model::ObjectBuilder status(arena), nothing(arena);
    status.add("kind", "Status").add("apiVersion", "v1").add("metadata", nothing).add("status", "Failure");
    status.add("message", message).add("reason", reason);
    if (reason == "Forbidden") status.add("details", nothing);
    status.add("code", code);
    const auto value = status.value();
    return {code, decode::to_json(model::Value{&value}, 2), "application/json"};
}

void Routes::operator()(ServedRequest request, Answering answer) const {
    constexpr int not_found = 404;
    for (const auto &route : routes_)
        if (route.below ? request.path.starts_with(route.path) : request.path == route.path)
            return route.handler(std::move(request), std::move(answer));
    answer({not_found, "404 page not found\n"});
}

std::vector<std::string> query_values(std::string_view query, std::string_view name) {
    std::vector<std::string> out;
    while (!query.empty()) {
        auto pair = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(query.size(), pair.size() + 1));
        auto equals = pair.find('=');
        if (pair.substr(0, equals) != name) continue;
        if (auto value = percent_decoded(equals == pair.npos ? std::string_view{} : pair.substr(equals + 1)))
            out.push_back(*value);
    }
    return out;
}

}  // namespace berth::kube
