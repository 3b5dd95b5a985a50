// SPDX-License-Identifier: Apache-2.0
#include "kube/served.h"

#include "decode/write.h"
#include "kube/url.h"
#include "model/build.h"

namespace berth::kube {

namespace {

ServedAnswer failure(model::Arena &arena, int code, std::string_view reason, std::string_view message,
                     const model::ObjectBuilder *details) {
    model::ObjectBuilder status(arena), nothing(arena);
    status.add("kind", "Status").add("apiVersion", "v1").add("metadata", nothing).add("status", "Failure");
    status.add("message", message).add("reason", reason);
    if (details) status.add("details", *details);
    status.add("code", code);
    const auto value = status.value();
    return {code, decode::to_json(model::Value{&value}, 2), "application/json"};
}

}  // namespace

ServedAnswer status_answer(int code, std::string_view reason, std::string_view message) {
    model::Arena arena;
    model::ObjectBuilder nothing(arena);
    return failure(arena, code, reason, message, reason == "Forbidden" ? &nothing : nullptr);
}

ServedAnswer invalid_answer(std::string_view kind, std::string_view name, const std::vector<Cause> &causes) {
    constexpr int unprocessable = 422;
    model::Arena arena;
    model::ObjectBuilder details(arena);
    model::ArrayBuilder list(arena);
    std::string all;
    for (const auto &cause : causes) {
        model::ObjectBuilder one(arena);
        one.add("reason", std::string_view{cause.reason}).add("message", std::string_view{cause.message});
        list.add(one.add("field", std::string_view{cause.field}).value());
        all += (all.empty() ? "" : ", ") + cause.field + ": " + cause.message;
    }
    // As upstream's aggregate of errors.
    if (causes.size() > 1) all = "[" + all + "]";
    details.add("name", name).add("kind", kind).add("causes", list);
    const auto message = std::string(kind) + " \"" + std::string(name) + "\" is invalid: " + all;
    return failure(arena, unprocessable, "Invalid", message, &details);
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
