// SPDX-License-Identifier: Apache-2.0
#include "kube/access.h"

#include "decode/document.h"
#include "decode/wire.h"
#include "decode/write.h"
#include "model/build.h"

#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace berth::kube {
namespace {

constexpr int http_ok = 200, http_created = 201, http_internal = 500;

std::vector<std::string> texts(model::Value list) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < list.size(); ++i) out.emplace_back(list.at(i).string());
    return out;
}

/// The token of a header `Authorization: Bearer TOKEN`.
std::string bearer(std::string_view header) {
    constexpr std::string_view word = "bearer ";
    if (header.size() <= word.size()) return {};
    for (std::size_t i = 0; i < word.size(); ++i)
        if (std::tolower(static_cast<unsigned char>(header[i])) != word[i]) return {};
    header.remove_prefix(word.size());
    auto from = header.find_first_not_of(' ');
    return from == header.npos ? std::string{} : std::string(header.substr(from));
}

std::string digest(const std::string &text) {
    std::array<unsigned char, SHA256_DIGEST_LENGTH> out{};
    SHA256(reinterpret_cast<const unsigned char *>(text.data()), text.size(), out.data());
    return {out.begin(), out.end()};
}

HttpRequest review(const char *kind, const char *group, const char *resource, const model::ObjectBuilder &spec,
                   model::Arena &arena) {
    model::ObjectBuilder object(arena);
    const std::string version = std::string(group) + "/v1";
    object.add("apiVersion", std::string_view{version}).add("kind", kind).add("spec", spec);
    const auto value = object.value();
    return {"POST", "/apis/" + version + "/" + resource, "application/json", decode::to_json(model::Value{&value})};
}

HttpRequest token_review(const std::string &token) {
    model::Arena arena;
    model::ObjectBuilder spec(arena);
    spec.add("token", std::string_view{token});
    return review("TokenReview", "authentication.k8s.io", "tokenreviews", spec, arena);
}

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

HttpRequest access_review(const ServedRequest &request) {
    model::Arena arena;
    model::ObjectBuilder spec(arena), attributes(arena), extra(arena);
    auto list = [&](const std::vector<std::string> &from) {
        model::ArrayBuilder out(arena);
        for (const auto &text : from) out.add(std::string_view{text});
        return out;
    };
    const auto &user = request.user;
    const std::string verb = lower(request.method);
    attributes.add("path", std::string_view{request.path}).add("verb", std::string_view{verb});
    spec.add("user", std::string_view{user.name})
        .add("groups", list(user.groups))
        .add("uid", std::string_view{user.uid});
    for (const auto &[key, values] : user.extra) extra.add(key, list(values));
    if (!extra.empty()) spec.add("extra", extra);
    spec.add("nonResourceAttributes", attributes);
    return review("SubjectAccessReview", "authorization.k8s.io", "subjectaccessreviews", spec, arena);
}

/// The user that a TokenReview returns; nothing: not authenticated.
std::optional<User> reviewed_user(const decode::Document &answer) {
    auto status = answer.value()["status"];
    if (!status["authenticated"].is_true()) return std::nullopt;
    auto user = status["user"];
    User out;
    out.name = user["username"].string();
    out.uid = user["uid"].string();
    out.groups = texts(user["groups"]);
    auto extra = user["extra"];
    for (std::size_t i = 0; i < extra.size(); ++i) out.extra.emplace_back(extra.key(i), texts(extra.member(i)));
    if (std::ranges::find(out.groups, "system:authenticated") == out.groups.end())
        out.groups.emplace_back("system:authenticated");
    return out;
}

std::string forbidden_text(const ServedRequest &request) {
    std::string out = "forbidden: User \"" + request.user.name + "\" cannot " + lower(request.method) + " path \"";
    // As upstream: nothing that a browser could take for a page.
    for (char c : request.path + "\"")
        out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
    return out;
}

ServedAnswer forbidden(const ServedRequest &request, const std::string &why) {
    constexpr int code = 403;
    return status_answer(code, "Forbidden", forbidden_text(request) + (why.empty() ? "" : ": " + why));
}

ServedAnswer unauthorized() {
    constexpr int code = 401;
    return status_answer(code, "Unauthorized", "Unauthorized");
}

ServedAnswer too_many() {
    constexpr int code = 429;
    auto out = status_answer(code, "TooManyRequests", "too many requests wait for the API server: ask again");
    out.headers.emplace_back("Retry-After", "1");
    return out;
}

bool is_anonymous(const User &user) { return user.name == "system:anonymous"; }

bool covers(const std::string &pattern, const std::string &path) {
    return pattern.ends_with("/*") ? path.starts_with(std::string_view(pattern).substr(0, pattern.size() - 1))
                                   : path == pattern;
}

model::Result<decode::Document> read_answer(const HttpAnswer &answer) {
    if (answer.status == 0) return model::Error{answer.body};
    if (answer.status != http_ok && answer.status != http_created)
        return model::Error{"the API server answered " + std::to_string(answer.status) + ": " +
                            decode::status_message(answer.body)};
    return decode::read_document(answer.body, "answer.json");
}

}  // namespace

Access::Access(const AccessSettings &settings, const Post &post)
    : settings_(settings),
      who_(settings.authentication, post, settings),
      what_(settings.authorization, post, settings) {}

template <class T>
void Access::Memory<T>::put(const std::string &key, T what, std::chrono::milliseconds ttl) {
    constexpr std::size_t most = 4096;
    const auto now = Clock::now();
    if (cached_.size() >= most) std::erase_if(cached_, [&](const auto &one) { return one.second.until <= now; });
    if (cached_.size() >= most) cached_.clear();
    cached_.insert_or_assign(key, Cached<T>{std::move(what), now + ttl});
}

void Access::look() {
    for (auto *reviews : {&who_.strangers, &who_.familiar, &what_.strangers, &what_.familiar}) reviews->look();
}

void Access::check(ServedRequest request, const Allowed &allowed, const Answering &refused) {
    authenticate(
        std::move(request),
        [this, allowed, refused](ServedRequest named) {
            authorize(
                std::move(named),
                [this, allowed](ServedRequest good) {
                    was_allowed(good);
                    allowed(std::move(good));
                },
                refused);
        },
        refused);
}

void Access::was_allowed(const ServedRequest &request) {
    constexpr std::chrono::hours memory{1};
    if (!request.known) return;
    familiar_users_.put(request.user.name, {}, memory);
    if (auto token = bearer(request.authorization); !token.empty()) familiar_tokens_.put(digest(token), {}, memory);
}

void Access::authenticate(ServedRequest request, const Allowed &next, const Answering &refused) {
    using State = ClientCertificate::State;
    if (request.certificate.state == State::Trusted) {
        request.user = request.certificate.user;
        request.user.groups.emplace_back("system:authenticated");
        return next(std::move(request));
    }
    const std::string token = bearer(request.authorization);
    if (token.empty()) {
        if (request.certificate.state == State::Refused) return refused(unauthorized());
        request.user = {"system:anonymous", {}, {"system:unauthenticated"}, {}};
        return next(std::move(request));
    }
    const std::string key = digest(token);
    if (const auto *user = tokens_.find(key)) {
        request.user = *user;
        return next(std::move(request));
    }
    if (!settings_.authentication || bad_tokens_.find(key)) return refused(unauthorized());
    auto &reviews = familiar_tokens_.find(key) ? who_.familiar : who_.strangers;
    const auto peer = request.peer;
    reviews.ask(
        peer, token_review(token),
        [this, key, next, refused, request = std::move(request)](const std::optional<HttpAnswer> &answer) mutable {
            if (!answer) return refused(too_many());
            auto read = read_answer(*answer);
            if (!read) {
                complain("Unable to authenticate the request", read.error());
                return refused(unauthorized());
            }
            auto user = reviewed_user(*read);
            if (!user) {
                bad_tokens_.put(key, {}, settings_.token_ttl);
                return refused(unauthorized());
            }
            tokens_.put(key, *user, settings_.token_ttl);
            request.user = std::move(*user);
            next(std::move(request));
        });
}

void Access::authorize(ServedRequest request, const Allowed &next, const Answering &refused) {
    if (std::ranges::any_of(settings_.always_allowed, [&](const auto &p) { return covers(p, request.path); }))
        return next(std::move(request));
    request.known = !is_anonymous(request.user);
    if (std::ranges::find(request.user.groups, "system:masters") != request.user.groups.end())
        return next(std::move(request));
    if (!settings_.authorization) return refused(forbidden(request, {}));
    HttpRequest question = access_review(request);
    const std::string key = digest(question.body);
    if (const auto *why = denied_.find(key)) return refused(forbidden(request, *why));
    if (rights_.find(key)) return next(std::move(request));
    const bool familiar = !is_anonymous(request.user) && familiar_users_.find(request.user.name);
    auto &reviews = familiar ? what_.familiar : what_.strangers;
    const auto asker = familiar ? request.user.name : request.peer;
    reviews.ask(
        asker, std::move(question),
        [this, key, next, refused, request = std::move(request)](const std::optional<HttpAnswer> &answer) mutable {
            if (!answer) return refused(too_many());
            auto read = read_answer(*answer);
            if (!read) {
                complain("Unable to tell whether the request is allowed", read.error());
                return refused(
                    {http_internal, "Internal Server Error: the API server did not answer whether this is allowed: " +
                                        read.error().text + "\n"});
            }
            auto status = read->value()["status"];
            if (status["allowed"].is_true()) {
                rights_.put(key, {}, settings_.allowed_ttl);
                return next(std::move(request));
            }
            std::string why(status["reason"].string());
            denied_.put(key, why, settings_.denied_ttl);
            refused(forbidden(request, why));
        });
}

}  // namespace berth::kube
