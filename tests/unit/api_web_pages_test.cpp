// SPDX-License-Identifier: Apache-2.0
#include "api/web_pages.h"

#include "api/web_assets.h"
#include "catch.h"
#include "test_directory.h"

#include <algorithm>

using namespace berth;

namespace {

struct Pages {
    kube::Routes routes;

    explicit Pages(const api::WebOptions &options) { api::add_web_pages(routes, options); }
    kube::ServedAnswer get(const std::string &path, const std::string &method = "GET",
                           const std::string &accept_encoding = "") const {
        kube::ServedAnswer out;
        kube::ServedRequest request{method, path, {}, {}, {}, {}};
        request.accept_encoding = accept_encoding;
        routes(request, [&](kube::ServedAnswer answer) { out = std::move(answer); });
        return out;
    }
};

std::string header(const kube::ServedAnswer &answer, const std::string &name) {
    auto at = std::ranges::find(answer.headers, name, &std::pair<std::string, std::string>::first);
    return at == answer.headers.end() ? "" : at->second;
}

}  // namespace

TEST_CASE("web pages: those of a directory are served as they are now, with their types", "[api]") {
    TestDirectory directory;
    directory.write("index.html", "<p>first");
    directory.write("main.js", "1");
    directory.write("style.css", "a{}");
    const api::WebOptions options{true, directory.path.string()};
    REQUIRE(api::check(options));
    const Pages pages(options);
    CHECK(pages.get("/ui").body == "<p>first");
    CHECK(pages.get("/ui/").content_type == "text/html; charset=utf-8");
    directory.write("index.html", "<p>second");
    CHECK(pages.get("/ui").body == "<p>second");
    CHECK(header(pages.get("/ui"), "Content-Encoding").empty());
    CHECK(header(pages.get("/ui"), "Cache-Control") == "no-store");
    CHECK(header(pages.get("/ui"), "Content-Security-Policy").find("default-src 'none'") == 0);
    CHECK(pages.get("/ui/main.js").content_type == "text/javascript; charset=utf-8");
    CHECK(pages.get("/ui/style.css").content_type == "text/css; charset=utf-8");
    CHECK(pages.get("/ui/other.js").status == 404);
    CHECK(pages.get("/ui/../index.html").status == 404);
    CHECK(pages.get("/ui/x/../main.js").status == 404);
    CHECK(pages.get("/ui", "POST").status == 405);
    CHECK(pages.get("/uix").status == 404);
    auto missing = api::check({true, directory.path.string() + "/none"});
    REQUIRE(!missing);
    CHECK(missing.error().text.find("--web-dir") == 0);
}

TEST_CASE("web pages: those of the program are compressed for who takes that, or one says that they are left out",
          "[api]") {
    const Pages pages({true, {}});
    const auto start = pages.get("/ui");
    CHECK(start.content_type == "text/html; charset=utf-8");
    if (api::web_assets().empty()) {
        CHECK(start.status == 404);
        CHECK(start.body.find("left out of this build") != start.body.npos);
        return;
    }
    CHECK(start.status == 200);
    std::size_t all = 0;
    for (const auto &asset : api::web_assets()) {
        const auto path = "/ui/" + std::string(asset.path);
        const auto answer = pages.get(path, "GET", "br, gzip;q=0.8"), plain = pages.get(path);
        INFO(asset.path);
        CHECK(answer.status == 200);
        CHECK(header(answer, "Content-Encoding") == "gzip");
        CHECK(header(answer, "Vary") == "Accept-Encoding");
        CHECK(answer.body.substr(0, 2) == "\x1f\x8b");
        CHECK(header(plain, "Content-Encoding").empty());
        CHECK(header(plain, "Vary") == "Accept-Encoding");
        CHECK(plain.body.substr(0, 2) != "\x1f\x8b");
        CHECK(plain.content_type == answer.content_type);
        for (const auto *refused : {"identity", "gzip;q=0", "*;q=0.0", "br"})
            CHECK(header(pages.get(path, "GET", refused), "Content-Encoding").empty());
        CHECK(header(pages.get(path, "GET", "*"), "Content-Encoding") == "gzip");
        CHECK(answer.content_type != "application/octet-stream");
        const bool kept = asset.path.starts_with("assets/");
        CHECK(header(answer, "Cache-Control") == (kept ? "private, max-age=31536000, immutable" : ""));
        all += answer.body.size();
    }
    CHECK(all < 300 * 1024);
}

TEST_CASE("web pages: there are none where they are off", "[api]") {
    CHECK(Pages({false, {}}).get("/ui").body == "404 page not found\n");
}
