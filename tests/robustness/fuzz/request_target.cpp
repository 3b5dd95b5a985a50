// SPDX-License-Identifier: Apache-2.0
// The first line says how many bytes come at once and what the API server answers to the two reviews; the rest is what
// the client sends:  PIECE TokenReview NUL SubjectAccessReview \n request
#include "target.h"

#include "kube/access.h"
#include "kube/request_parser.h"

#include <boost/asio/buffer.hpp>

namespace berth::fuzz {
namespace {

/// Answers each review at once, always alike.
struct Reviewer : kube::Transport {
    std::string_view body;
    void request(kube::HttpRequest, Done done) override { done({200, std::string(body), false, 0}); }
    StreamId stream(kube::HttpRequest, Data, Done) override { return 0; }
    void cancel(StreamId) override {}
};

}  // namespace

void request(std::string_view bytes) {
    if (bytes.empty()) return;
    const auto piece = std::max<std::size_t>(1, static_cast<unsigned char>(bytes.front()));
    const auto newline = std::min(bytes.find('\n'), bytes.size());
    const auto reviews = bytes.substr(1, std::max<std::size_t>(newline, 1) - 1);
    const auto nul = std::min(reviews.find('\0'), reviews.size());
    Reviewer who, what;
    who.body = reviews.substr(0, nul);
    what.body = reviews.substr(std::min(nul + 1, reviews.size()));
    bytes.remove_prefix(std::min(newline + 1, bytes.size()));

    kube::Routes routes;
    auto echo = [](const kube::ServedRequest &asked, const kube::Answering &done) {
        for (const auto &value : kube::query_values(asked.query, "timeout"))
            promise(value.find('\0') == value.npos, "a value of a query has no NUL");
        done({200, asked.path, "text/plain"});
    };
    routes.add("/healthz", echo);
    routes.add_below("/readyz/", echo);
    kube::Access access({&who, &what}, [](const std::function<void()> &fn) { fn(); });

    const kube::ServerLimits limits{.head_bytes = 1 << 10, .body_bytes = 1 << 10};
    // One request after the other on one connection, as long as they can be read.
    while (!bytes.empty()) {
        kube::RequestParser parser(limits);
        parser.eager(true);
        boost::system::error_code error;
        // What was not taken is given again with more behind it, as Beast's reader does.
        for (std::size_t given = 0; !parser.is_done() && !error && given < bytes.size();) {
            given = std::min(bytes.size(), given + piece);
            const auto taken = parser.put(boost::asio::buffer(bytes.data(), given), error);
            if (error == boost::beast::http::error::need_more) error = {};
            bytes.remove_prefix(taken);
            given -= taken;
        }
        if (error || !parser.is_done()) return;
        auto asked = parser.head({});
        if (!asked) return;
        asked->body = parser.take_body();
        promise(asked->path.starts_with('/') && asked->path.find('\0') == std::string::npos, "a path is a path");
        promise(asked->body.size() <= limits.body_bytes, "a body is bounded");
        int answers = 0;
        const kube::Answering answered = [&](const kube::ServedAnswer &answer) {
            promise(answer.status >= 200 && answer.status < 600, "an answer has a status");
            ++answers;
        };
        access.check(*asked, [&](const kube::ServedRequest &known) { routes(known, answered); }, answered);
        promise(answers == 1, "a request is answered once");
    }
}

}  // namespace berth::fuzz
