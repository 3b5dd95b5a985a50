// SPDX-License-Identifier: Apache-2.0
// What comes over a connection: heads of HTTP, queries, bodies of questions.
#include "shape.h"

#include "api/dry_run_pod.h"
#include "kube/answer_parser.h"
#include "kube/request_parser.h"
#include "kube/url.h"

#include <boost/asio/buffer.hpp>

namespace berth::attack {
namespace {

constexpr std::size_t whole = SIZE_MAX;

template <class Parser>
void put(Parser &parser, const std::string &text, std::size_t piece) {
    std::string_view left = text;
    boost::system::error_code error;
    // What was not taken is given again with more behind it, as Beast's reader does.
    for (std::size_t given = 0; !parser.is_done() && !error && given < left.size();) {
        given = piece < left.size() - given ? given + piece : left.size();
        const auto taken = parser.put(boost::asio::buffer(left.data(), given), error);
        if (error == boost::beast::http::error::need_more) error = {};
        left.remove_prefix(taken);
        given -= taken;
    }
}

void request(const std::string &text, std::size_t piece) {
    kube::RequestParser parser{kube::ServerLimits{}};
    parser.eager(true);
    put(parser, text, piece);
    if (!parser.is_done()) return;
    (void)parser.head({});
    (void)parser.take_body();
}
void request_at_once(const std::string &text) { request(text, whole); }
void request_in_bytes(const std::string &text) { request(text, 1); }

void answer(const std::string &text) {
    kube::HttpAnswer out;
    const kube::Transport::Data none;
    kube::AnswerParser parser(out, none);
    put(parser, text, 7);
}

void query(const std::string &text) {
    for (const char *name : {"limit", "a"}) (void)kube::query_values(text, name);
}
void dry_run(const std::string &text) { (void)api::read_dry_run_pod(text); }

std::string in_pod(const std::string &rest) {
    return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}],)" +
           rest + "}}";
}
template <class Each>
std::string list(std::size_t n, Each each) {
    return repeated(n, [&](std::size_t i) { return (i ? "," : "") + std::string(each(i)); });
}

}  // namespace

void add_requests(Shapes &to) {
    const auto add = [&](const char *parser, const char *name, std::size_t n, std::string (*make)(std::size_t),
                         void (*parse)(const std::string &)) { to.push_back({parser, name, n, make, parse}); };
    const auto headers = [](std::size_t n) {
        return "GET / HTTP/1.1\r\n" + repeated(n, [](std::size_t i) { return "X" + number(i) + ": y\r\n"; }) + "\r\n";
    };
    add("request", "headers", 50, headers, request_at_once);
    add("request", "headers in bytes", 50, headers, request_in_bytes);
    add(
        "request", "headers of one name", 50,
        [](std::size_t n) { return "GET / HTTP/1.1\r\n" + repeated(n, "Host: y\r\n") + "\r\n"; }, request_at_once);
    add(
        "request", "a header without an end, in bytes", 600,
        [](std::size_t n) { return "GET / HTTP/1.1\r\nX: " + std::string(n, 'y'); }, request_in_bytes);
    add(
        "request", "folded lines", 200,
        [](std::size_t n) { return "GET / HTTP/1.1\r\nX: y" + repeated(n, "\r\n z") + "\r\n\r\n"; }, request_at_once);
    add(
        "request", "a long path", 600,
        [](std::size_t n) { return "GET /" + repeated(n / 3, "%41") + " HTTP/1.1\r\n\r\n"; }, request_at_once);
    add(
        "request", "a body in small chunks", 1000,
        [](std::size_t n) {
            return "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + repeated(n, "1\r\nx\r\n") + "0\r\n\r\n";
        },
        request_at_once);
    add(
        "request", "a body in bytes", 5000,
        [](std::size_t n) {
            return "POST / HTTP/1.1\r\nContent-Length: " + number(n) + "\r\n\r\n" + std::string(n, 'x');
        },
        request_in_bytes);
    add(
        "request", "extensions of chunks", 500,
        [](std::size_t n) {
            return "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1" + repeated(n, ";a=b") +
                   "\r\nx\r\n0\r\n\r\n";
        },
        request_in_bytes);
    add(
        "answer", "chunks", 1000,
        [](std::size_t n) {
            return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + repeated(n, "1\r\nx\r\n") + "0\r\n\r\n";
        },
        answer);
    add(
        "answer", "headers", 50,
        [](std::size_t n) {
            return "HTTP/1.1 200 OK\r\n" + repeated(n, [](std::size_t i) { return "X" + number(i) + ": y\r\n"; }) +
                   "\r\n";
        },
        answer);
    add("query", "values", 2000, [](std::size_t n) { return repeated(n, "a=b&"); }, query);
    add("query", "escapes", 5000, [](std::size_t n) { return "a=" + repeated(n, "%41"); }, query);
    add("query", "separators", 5000, [](std::size_t n) { return std::string(n, '&'); }, query);
    add(
        "url", "slashes", 5000, [](std::size_t n) { return "https://h/" + std::string(n, '/'); },
        [](const std::string &text) { (void)kube::parse_server(text); });
    // Bodies of at most 256 KiB.
    add(
        "dry run", "labels", 150,
        [](std::size_t n) {
            return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","labels":{)" +
                   list(n, [](std::size_t i) { return "\"k" + number(i) + "\":\"v\""; }) +
                   R"(}},"spec":{"containers":[{"name":"c","image":"i"}]}})";
        },
        dry_run);
    add(
        "dry run", "labels that are no texts", 200,
        [](std::size_t n) {
            return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","labels":{)" +
                   list(n, [](std::size_t i) { return "\"k" + number(i) + "\":1"; }) +
                   R"(}},"spec":{"containers":[{"name":"c","image":"i"}]}})";
        },
        dry_run);
    add(
        "dry run", "tolerations", 100,
        [](std::size_t n) {
            return in_pod("\"tolerations\":[" + list(n, [](std::size_t) { return "{\"key\":\"k\"}"; }) + "]");
        },
        dry_run);
    add(
        "dry run", "containers that are none", 500,
        [](std::size_t n) {
            return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[)" +
                   list(n, [](std::size_t) { return "{}"; }) + "]}}";
        },
        dry_run);
    add(
        "dry run", "resources", 60,
        [](std::size_t n) {
            return in_pod(R"("initContainers":[{"name":"c","image":"i","resources":{"requests":{)" +
                          list(n, [](std::size_t i) { return "\"example.com/r" + number(i) + "\":\"1\""; }) + "}}}]");
        },
        dry_run);
    add(
        "dry run", "YAML that merges", 60,
        [](std::size_t n) {
            return "a: &a {" + repeated(n, [](std::size_t i) { return "k" + number(i) + ": 1, "; }) +
                   "}\nb: {<<: *a}\n";
        },
        dry_run);
    add(
        "dry run", "deep lists", 1,
        [](std::size_t n) {
            return in_pod("\"x\":[" +
                          list(n, [](std::size_t) { return std::string(150, '[') + std::string(150, ']'); }) + "]");
        },
        dry_run);
}

}  // namespace berth::attack
