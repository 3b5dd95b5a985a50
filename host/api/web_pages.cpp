// SPDX-License-Identifier: Apache-2.0
#include "api/web_pages.h"

#include "api/web_assets.h"
#include "decode/text_file.h"
#include "decode/trimmed.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <ranges>
#include <utility>

namespace berth::api {
namespace {

constexpr int not_found = 404, wrong_method = 405;

constexpr std::string_view left_out = R"(<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Berth: no dashboard</title>
<h1>The dashboard is left out of this build</h1>
<p>Berth was built where there was no npm, or without a network. Install Node.js 18 or later with npm, and build again.
<p>Everything that the dashboard shows is answered under /apis/berth/v1alpha1, and <code>berth explain</code> prints it.
</html>
)";

std::string_view type_of(std::string_view path) {
    static constexpr std::pair<std::string_view, std::string_view> types[] = {
        {".html", "text/html; charset=utf-8"}, {".js", "text/javascript; charset=utf-8"},
        {".css", "text/css; charset=utf-8"},   {".svg", "image/svg+xml"},
        {".txt", "text/plain; charset=utf-8"},
    };
    for (const auto &[ending, type] : types)
        if (path.ends_with(ending)) return type;
    return "application/octet-stream";
}

/// A page may run what came with it and ask Berth, and nothing else.
kube::ServedAnswer answer_of(std::string_view path, std::string body) {
    kube::ServedAnswer out{200, std::move(body), std::string(type_of(path)), {}};
    out.headers = {{"Content-Security-Policy",
                    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src "
                    "'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
                   {"Referrer-Policy", "no-referrer"}};
    // The build gives a file another name when it is another one.
    if (path.starts_with("assets/")) out.headers.emplace_back("Cache-Control", "private, max-age=31536000, immutable");
    return out;
}

/// Whether the client takes it compressed, as its Accept-Encoding says: `gzip`, or `*` with a quality above zero.
bool takes_gzip(std::string_view accepted) {
    std::optional<bool> gzip, others;
    for (const auto part : std::views::split(accepted, ',')) {
        const std::string_view one(part.begin(), part.end());
        const auto semicolon = std::min(one.find(';'), one.size());
        const auto name = decode::trimmed(one.substr(0, semicolon));
        auto quality = decode::trimmed(one.substr(std::min(semicolon + 1, one.size())));
        if (quality.starts_with("q=")) quality.remove_prefix(2);
        const bool takes = quality.empty() || quality.find_first_not_of("0.") != quality.npos;
        if (name == "gzip" || name == "x-gzip") gzip = takes;
        else if (name == "*") others = takes;
    }
    return gzip.value_or(others.value_or(false));
}

std::optional<kube::ServedAnswer> from_program(std::string_view path, bool compressed) {
    const auto all = web_assets();
    const auto at = std::ranges::find(all, path, &WebAsset::path);
    if (at == all.end()) return std::nullopt;
    auto out = answer_of(path, std::string(compressed ? at->gzip : at->plain));
    out.headers.emplace_back("Vary", "Accept-Encoding");
    if (compressed) out.headers.emplace_back("Content-Encoding", "gzip");
    return out;
}

std::optional<kube::ServedAnswer> from_directory(const std::string &directory, const std::string &path) {
    if (path.find("..") != path.npos) return std::nullopt;
    auto text = decode::read_text_file(directory + "/" + path);
    if (!text) return std::nullopt;
    auto out = answer_of(path, std::move(*text));
    out.headers.emplace_back("Cache-Control", "no-store");
    return out;
}

void answer(const WebOptions &options, const kube::ServedRequest &request, const kube::Answering &done) {
    if (request.method != "GET" && request.method != "HEAD") return done({wrong_method, "405 Method Not Allowed\n"});
    static constexpr std::string_view base = "/ui/";
    std::string path = request.path.size() > base.size() ? request.path.substr(base.size()) : "index.html";
    auto found = options.directory.empty() ? from_program(path, takes_gzip(request.accept_encoding))
                                           : from_directory(options.directory, path);
    if (found) return done(std::move(*found));
    if (path == "index.html") return done({not_found, std::string(left_out), "text/html; charset=utf-8"});
    done({not_found, "404 page not found\n"});
}

}  // namespace

model::Result<void> check(const WebOptions &options) {
    if (options.directory.empty() || std::filesystem::is_regular_file(options.directory + "/index.html")) return {};
    return model::Error{"--web-dir " + options.directory +
                        ": expected a directory with an index.html, as npm run build makes web/dist"};
}

void add_web_pages(kube::Routes &routes, const WebOptions &options) {
    if (!options.on) return;
    auto page = [options](const kube::ServedRequest &request, const kube::Answering &done) {
        answer(options, request, done);
    };
    routes.add("/ui", page);
    routes.add_below("/ui/", page);
}

}  // namespace berth::api
