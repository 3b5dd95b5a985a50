// SPDX-License-Identifier: Apache-2.0
#include "kube/rights.h"

#include "decode/document.h"
#include "decode/write.h"
#include "model/build.h"

#include <optional>
#include <utility>

namespace berth::kube {
namespace {

constexpr int http_created = 201, http_too_many = 429, http_internal = 500;
constexpr std::int64_t patience_ns = 5'000'000'000, between_ns = 1'000'000'000;

HttpRequest review(const Right &right) {
    model::Arena arena;
    model::ObjectBuilder object(arena), spec(arena), attributes(arena);
    const auto slash = right.resource.find('/');
    attributes.add("verb", std::string_view{right.verb}).add("group", std::string_view{right.group});
    attributes.add("resource", std::string_view{right.resource}.substr(0, slash));
    if (slash != right.resource.npos) attributes.add("subresource", std::string_view{right.resource}.substr(slash + 1));
    if (!right.name.empty()) attributes.add("name", std::string_view{right.name});
    if (!right.name_space.empty()) attributes.add("namespace", std::string_view{right.name_space});
    object.add("apiVersion", "authorization.k8s.io/v1").add("kind", "SelfSubjectAccessReview");
    object.add("spec", spec.add("resourceAttributes", attributes));
    const auto value = object.value();
    return {"POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", "application/json",
            decode::to_json(model::Value{&value})};
}

bool away(const HttpAnswer &answer) {
    return answer.status == 0 || answer.status == http_too_many || answer.status >= http_internal;
}

bool denied(const HttpAnswer &answer) {
    if (answer.status != http_created) return false;
    auto read = decode::read_document(answer.body, "answer.json");
    if (!read) return false;
    const auto status = read->value()["status"];
    return status.is_object() && !status["allowed"].is_true();
}

}  // namespace

struct Rights::Round {
    std::vector<Right> open, denied;
    std::size_t at = 0;
    std::optional<std::int64_t> denied_since_ns;
    Done done;
};

void Rights::ask(std::vector<Right> rights, Done done) {
    auto round = std::make_shared<Round>();
    round->open = std::move(rights);
    round->done = std::move(done);
    next(round);
}

/// One after the other: nothing waits for the results.
void Rights::next(const std::shared_ptr<Round> &round) {
    if (round->at == round->open.size()) return end_of_pass(round);
    transport_.request(review(round->open[round->at]), [this, round](HttpAnswer answer) {
        clock_.post([this, round, answer = std::move(answer)] {
            if (away(answer)) return end_of_pass(round);
            auto &right = round->open[round->at++];
            if (denied(answer)) round->denied.push_back(std::move(right));
            next(round);
        });
    });
}

void Rights::end_of_pass(const std::shared_ptr<Round> &round) {
    const auto now = clock_.monotonic_ns();
    const bool all = round->at == round->open.size();
    if (round->denied.empty()) round->denied_since_ns.reset();
    else if (!round->denied_since_ns) round->denied_since_ns = now;
    if (all && (!round->denied_since_ns || now - *round->denied_since_ns >= patience_ns))
        return std::exchange(round->done, nullptr)(std::move(round->denied));
    // Those that were denied, and those that there was no answer about.
    auto again = std::exchange(round->denied, {});
    again.insert(again.end(), round->open.begin() + static_cast<std::ptrdiff_t>(round->at), round->open.end());
    round->open = std::move(again);
    round->at = 0;
    clock_.after(between_ns, [this, round] { next(round); });
}

}  // namespace berth::kube
