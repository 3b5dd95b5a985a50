// SPDX-License-Identifier: Apache-2.0
#include "api/serving.h"

#include "api/explain_api.h"
#include "api/throttle.h"
#include "api/web_pages.h"
#include "api/what_if.h"
#include "decode/write.h"
#include "kube/access.h"
#include "kube/beast_transport.h"
#include "kube/client_authorities.h"
#include "kube/loopback.h"
#include "kube/server.h"
#include "model/build.h"
#include "report/serving_metrics.h"

#include <berth/version.h>

#include <sys/resource.h>
#include <unistd.h>
#include <algorithm>
#include <optional>
#include <vector>

namespace berth::api {
namespace {

using report::Health;
using std::chrono::milliseconds;

std::chrono::milliseconds in_ms(std::chrono::nanoseconds ns) { return std::chrono::duration_cast<milliseconds>(ns); }

model::Result<std::shared_ptr<kube::Transport>> reviewer(const std::string &kubeconfig, const kube::Credentials &own) {
    auto credentials = kubeconfig.empty() ? own : kube::read_kubeconfig(kubeconfig);
    if (!credentials) return credentials.error();
    auto made = kube::make_beast_transport(*credentials);
    if (!made) return made.error();
    return std::shared_ptr<kube::Transport>(std::move(*made));
}

std::string version_text() {
    model::Arena arena;
    model::ObjectBuilder version(arena);
    version.add("major", std::string_view{std::to_string(BERTH_VERSION_MAJOR)});
    version.add("minor", std::string_view{std::to_string(BERTH_VERSION_MINOR)});
    version.add("gitVersion", std::string_view{"v" BERTH_VERSION}).add("platform", "linux/amd64");
    const auto value = version.value();
    return decode::to_json(model::Value{&value}, 2) + "\n";
}

/// Half of the descriptors that the process may have are reserved for the scheduler's own connections. Where the soft
/// limit is that of programs that call select(), it is raised as Go's runtime does.
kube::ServerLimits limits_of_process() {
    constexpr rlim_t enough = 4096, share = 8, least = 4;
    kube::ServerLimits out;
    rlimit descriptors{};
    if (::getrlimit(RLIMIT_NOFILE, &descriptors) != 0) return out;
    rlimit more = descriptors;
    more.rlim_cur = std::min(std::max(descriptors.rlim_cur, enough), descriptors.rlim_max);
    if (::setrlimit(RLIMIT_NOFILE, &more) == 0) descriptors = more;
    const auto most = static_cast<std::size_t>(std::max(descriptors.rlim_cur / share, least));
    for (auto *limit : {&out.silent, &out.greetings, &out.strangers, &out.known}) *limit = std::min(*limit, most);
    return out;
}

/// The addresses that a certificate of its own should be for.
std::vector<std::string> addresses_of(const ServingOptions &options) {
    char name[256] = {};
    std::vector<std::string> out;
    if (::gethostname(name, sizeof name - 1) == 0 && name[0] != '\0') out.emplace_back(name);
    const std::string &address = options.bind_address;
    if (!address.empty() && address != "0.0.0.0" && address != "::") out.push_back(address);
    return out;
}

}  // namespace

struct Serving::State {
    ServingOptions options;
    Sources sources;
    report::Heartbeat heartbeat;
    kube::Routes routes;
    std::shared_ptr<kube::Transport> authentication, authorization;
    // The server's thread uses what stands above, and access too.
    std::optional<kube::Access> access;
    std::optional<kube::Server> server;
    // On the server's thread:
    Throttle complaints{std::chrono::seconds{10}, std::chrono::minutes{10}};
    Throttle failures{std::chrono::seconds{1}, std::chrono::seconds{1}};  ///< of health checks
    std::vector<kube::Answering> scrapes;                                 ///< wait for the metrics
    bool scraping = false;

    State(ServingOptions o, Sources s) : options(std::move(o)), sources(std::move(s)) {}

    ~State() {
        // The server's thread ends first, then the threads that post to it, then what they use.
        if (server) server->stop();
        authentication.reset();
        authorization.reset();
    }

    void add_health(const std::string &path, Health::Endpoint endpoint) {
        auto reply = [this](const Health::Answer &answer, const kube::Answering &done) {
            if (!answer.failures.empty() && sources.log.enabled(env::Severity::Info, 2) &&
                failures.say({}, answer.failures))
                sources.log.write(env::Severity::Info, 2, "Health check failed", {{"checks", answer.failures}});
            done({answer.status, answer.body});
        };
        routes.add(path, [this, endpoint, reply](const kube::ServedRequest &request, const kube::Answering &done) {
            constexpr std::size_t longest = 4096;
            constexpr int too_long = 414;
            if (request.query.size() > longest) return done({too_long, "414 URI Too Long\n"});
            bool verbose = !kube::query_values(request.query, "verbose").empty();
            reply(sources.health.answer(endpoint, kube::query_values(request.query, "exclude"), verbose), done);
        });
        routes.add_below(
            path + "/", [this, endpoint, path, reply](const kube::ServedRequest &request, const kube::Answering &done) {
                reply(sources.health.answer(endpoint, request.path.substr(path.size() + 1)), done);
            });
    }

    void add_json(const std::string &path, std::function<std::string()> text) {
        routes.add(path, [this, text = std::move(text)](const kube::ServedRequest &, const kube::Answering &done) {
            server->work([text, done] { done({200, text(), "application/json"}); });
        });
    }

    /// One task on the loop, and one text, for all waiting clients: more scrapes delay scheduling no further.
    void scrape() {
        if (scrapes.empty() || std::exchange(scraping, true)) return;
        sources.loop.post([this] {
            sources.look();
            server->post([this] {
                server->work([this, n = server->counts(), waiting = std::exchange(scrapes, {})] {
                    const auto text =
                        sources.metrics() + report::serving_metrics({n.strangers, n.known, n.accepted, n.crowded_out,
                                                                     n.too_slow, n.refused});
                    for (const auto &done : waiting) done({200, text, "text/plain; version=0.0.4; charset=utf-8"});
                    server->post([this] {
                        scraping = false;
                        scrape();
                    });
                });
            });
        });
    }
    void scrape(const kube::Answering &done) {
        constexpr std::size_t most = 256;
        constexpr int unavailable = 503;
        if (scrapes.size() >= most)
            return done(
                kube::status_answer(unavailable, "ServiceUnavailable", "too many wait for the metrics already"));
        scrapes.push_back(done);
        scrape();
    }

    void add_routes() {
        static constexpr std::chrono::seconds patience{30};
        sources.health.add("ping", Health::Healthz | Health::Livez, [] { return std::string(); });
        sources.health.add("scheduling-loop", Health::Healthz | Health::Livez,
                           [this] { return heartbeat.check(patience); });
        add_health("/healthz", Health::Healthz);
        add_health("/livez", Health::Livez);
        add_health("/readyz", Health::Readyz);
        routes.add("/metrics", [this](const kube::ServedRequest &, const kube::Answering &done) { scrape(done); });
        const auto post = [this](std::function<void()> fn) { server->post(std::move(fn)); };
        const auto work = [this](std::function<void()> fn) { server->work(std::move(fn)); };
        if (sources.api) sources.api->add_to(routes, post, work);
        if (sources.what_if) sources.what_if->add_to(routes, post);
        add_web_pages(routes, pages());
        add_json("/configz", sources.configz);
        add_json("/version", version_text);
    }

    WebOptions pages() const { return {options.ui.value_or(kube::is_loopback(options.bind_address)), options.web_dir}; }

    void complain(const std::string &what, const std::string &why) {
        if (const auto held_back = complaints.say(what, why))
            sources.log.write(env::Severity::Warning, 0, what,
                              {{"err", why}, {"heldBack", std::to_string(*held_back)}});
    }

    void find_authorities() {
        kube::find_client_authorities(*authentication, [this](model::Result<std::string> found) {
            server->post([this, found = std::move(found)]() mutable {
                if (found) server->tls().trust(std::move(*found));
                else complain("Clients of the cluster are not known by their certificates", found.error().text);
            });
        });
    }

    model::Result<void> open(const kube::Credentials &own) {
        if (auto good = check(pages()); !good) return good.error();
        auto who = reviewer(options.authentication_kubeconfig, own);
        if (!who) return who.error();
        auto what = options.authorization_kubeconfig == options.authentication_kubeconfig
                        ? who
                        : reviewer(options.authorization_kubeconfig, own);
        if (!what) return what.error();
        authentication = std::move(*who);
        authorization = std::move(*what);
        auto tls = kube::ServerTls::open({options.tls_cert_file, options.tls_private_key_file, options.cert_dir,
                                          addresses_of(options), options.client_ca_file, options.tls_1_3});
        if (!tls) return tls.error();
        add_routes();
        auto listening = kube::Server::listen(
            options.bind_address, options.secure_port, std::move(*tls),
            [this](kube::ServedRequest request, const kube::Answering &done) { routes(std::move(request), done); },
            limits_of_process(),
            [this](kube::ServedRequest request, const auto &allowed, const auto &refused) {
                access->check(std::move(request), allowed, refused);
            });
        if (!listening) return listening.error();
        server.emplace(std::move(*listening));
        access.emplace(kube::AccessSettings{authentication.get(), authorization.get(), options.always_allow_paths,
                                            in_ms(options.token_ttl), in_ms(options.authorized_ttl),
                                            in_ms(options.unauthorized_ttl),
                                            [this](const auto &done, const auto &why) { complain(done, why); }},
                       [this](std::function<void()> fn) { server->post(std::move(fn)); });
        return {};
    }

    void start() {
        constexpr milliseconds heartbeats{1000}, files{10'000}, authorities{60'000};
        server->every(heartbeats, [this] {
            access->look();
            if (heartbeat.ask()) sources.loop.post([this] { heartbeat.beat(); });
        });
        server->every(files, [this] {
            if (auto read = server->tls().refresh(); !read)
                complain("A new certificate cannot be used", read.error().text);
        });
        if (!options.skip_lookup) {
            find_authorities();
            server->every(authorities, [this] { find_authorities(); });
        }
        if (sources.api) server->every(Changes::rhythm, [this] { sources.api->look(); });
        server->start();
        sources.log.write(env::Severity::Info, 0, "Serving securely",
                          {{"address", options.bind_address}, {"port", std::to_string(server->port())}});
    }
};

model::Result<Serving> Serving::open(const ServingOptions &options, const kube::Credentials &own, Sources sources) {
    if (options.tls_cert_file.empty() != options.tls_private_key_file.empty())
        return model::Error{"--tls-cert-file and --tls-private-key-file: expected both or none"};
    Serving out;
    out.state_ = std::make_unique<State>(options, std::move(sources));
    if (auto opened = out.state_->open(own); !opened) return opened.error();
    out.state_->start();
    return out;
}

std::uint16_t Serving::port() const { return state_->server->port(); }

Serving::Serving() = default;
Serving::Serving(Serving &&) noexcept = default;
Serving::~Serving() = default;

}  // namespace berth::api
