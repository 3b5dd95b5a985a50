// SPDX-License-Identifier: Apache-2.0
#include "kube/http_extender.h"

#include "decode/base64.h"
#include "kube/beast_transport.h"
#include "kube/extender_json.h"
#include "kube/tls.h"
#include "kube/url.h"

#include <utility>

namespace berth::kube {

namespace {

constexpr int http_ok = 200;

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

class HttpExtender final : public env::Extender {
    env::Clock &clock_;
    std::unique_ptr<Transport> transport_;
    config::Extender settings_;
    std::shared_ptr<int> alive_ = std::make_shared<int>(0);  ///< what answers that come too late look for

    using Answered = std::function<void(model::Result<std::string>)>;

    /// Asks for a verb; the answer is a body, or why there is none. Whatever comes first counts: it, or the end of the
    /// time.
    void post(const std::string &verb, std::string body, Answered answered) {
        std::string url = settings_.url_prefix;
        while (url.ends_with('/')) url.pop_back();
        url += "/" + verb;
        auto once = std::make_shared<Answered>(std::move(answered));
        auto end = [once, weak = std::weak_ptr(alive_)](model::Result<std::string> result) {
            if (!weak.lock() || !*once) return;
            std::exchange(*once, nullptr)(std::move(result));
        };
        HttpRequest request{"POST", "/" + verb, "application/json", std::move(body)};
        // It may send back every node that it was sent, and a reason for each.
        constexpr std::uint64_t reasons = 4;
        request.most_bytes += reasons * request.body.size();
        request.whole = std::chrono::ceil<std::chrono::milliseconds>(settings_.http_timeout);
        transport_->request(std::move(request), [&clock = clock_, end, verb, url](HttpAnswer answer) {
            clock.post(
                [end, verb, url, answer = std::move(answer)]() mutable { end(taken(verb, url, std::move(answer))); });
        });
        if (settings_.http_timeout.count() > 0)
            clock_.after(settings_.http_timeout.count(), [end, url] {
                end(model::Error{"Post " + quoted(url) +
                                 ": context deadline exceeded (Client.Timeout exceeded while awaiting headers)"});
            });
    }

    static model::Result<std::string> taken(const std::string &verb, const std::string &url, HttpAnswer answer) {
        if (answer.status == 0) return model::Error{"Post " + quoted(url) + ": " + answer.body};
        if (answer.status != http_ok)
            return model::Error{"failed " + verb + " with extender at URL " + url + ", code " +
                                std::to_string(answer.status)};
        return std::move(answer.body);
    }

public:
    HttpExtender(env::ExtenderTraits traits, const config::Extender &settings, env::Clock &clock,
                 std::unique_ptr<Transport> transport)
        : Extender(std::move(traits)), clock_(clock), transport_(std::move(transport)), settings_(settings) {}

    void filter(const model::Object &pod, std::span<const Node> nodes, Done<Filtered> done) override {
        std::set<std::string, std::less<>> sent;
        for (const auto &node : nodes) sent.emplace(node.name);
        post(settings_.filter_verb, extender_args(pod, nodes, settings_.node_cache_capable),
             [this, sent = std::move(sent), done = std::move(done)](model::Result<std::string> body) {
                 if (!body) return done(body.error());
                 auto result = read_filter_result(*body, settings_.node_cache_capable);
                 if (!result) return done(std::move(result));
                 for (const auto &name : result->left)
                     if (!sent.contains(name))
                         return done(model::Error{"extender " + quoted(settings_.url_prefix) +
                                                  " claims a filtered node " + quoted(name) +
                                                  " which is not found in the input node list"});
                 done(std::move(result));
             });
    }

    void prioritize(const model::Object &pod, std::span<const Node> nodes, Done<std::vector<Score>> done) override {
        post(settings_.prioritize_verb, extender_args(pod, nodes, settings_.node_cache_capable),
             [done = std::move(done)](model::Result<std::string> body) {
                 if (!body) return done(body.error());
                 done(read_host_priorities(*body));
             });
    }

    void preempt(const model::Object &pod, std::span<const Candidate> candidates, Done<Preempted> done) override {
        post(settings_.preempt_verb, extender_preemption_args(pod, candidates, settings_.node_cache_capable),
             [done = std::move(done)](model::Result<std::string> body) {
                 if (!body) return done(body.error());
                 done(read_preemption_result(*body));
             });
    }

    void bind(const model::Pod &pod, std::string_view node, Done<void> done) override {
        post(settings_.bind_verb, extender_binding_args(pod, node),
             [done = std::move(done)](model::Result<std::string> body) {
                 if (!body) return done(body.error());
                 done(read_binding_result(*body));
             });
    }
};

/// The PEM of a data field, else of a file.
model::Result<std::string> pem(const std::string &data, const std::string &file) {
    std::string out;
    if (!data.empty()) {
        if (!decode::decode_base64(data, out))
            return model::Error{"expected Base64 of PEM in a field that ends in Data"};
        return out;
    }
    if (file.empty()) return out;
    return read_text_file(file);
}

bool names_authority(const config::ExtenderTls &tls) { return !tls.ca_data.empty() || !tls.ca_file.empty(); }

model::Result<Credentials> credentials_of(const config::Extender &extender) {
    Credentials out;
    out.where = extender.where;
    out.server = extender.url_prefix;
    config::ExtenderTls tls = extender.tls.value_or(config::ExtenderTls{});
    auto wrong = [&](const std::string &why) { return model::Error{extender.where + ": " + why}; };
    if (auto address = parse_server(extender.url_prefix); !address) return wrong(address.error().text);
    auto authority = pem(tls.ca_data, tls.ca_file);
    if (!authority) return wrong(authority.error().text);
    if (tls.insecure && !authority->empty())
        return wrong("specifying a root certificates file with the insecure flag is not allowed");
    const bool given = names_authority(tls);
    if (auto why = given ? authority_fault(*authority) : ""; !why.empty())
        return wrong(tls.ca_data.empty() ? "tlsConfig.caFile: " + tls.ca_file + " " + why : "tlsConfig.caData: " + why);
    out.authority = std::move(*authority);
    out.server_name = tls.server_name;
    out.insecure = is_unverified(extender);
    out.system_authorities = !given && !out.insecure;
    auto certificate = pem(tls.cert_data, tls.cert_file), key = pem(tls.key_data, tls.key_file);
    if (!certificate) return wrong(certificate.error().text);
    if (!key) return wrong(key.error().text);
    if (!certificate->empty() && !key->empty()) {
        out.certificate = std::move(*certificate);
        out.key = std::move(*key);
    }
    return out;
}

}  // namespace

env::ExtenderTraits traits_of(const config::Extender &extender) {
    env::ExtenderTraits traits;
    traits.url = extender.url_prefix;
    traits.filters = !extender.filter_verb.empty();
    traits.prioritizes = !extender.prioritize_verb.empty();
    traits.preempts = !extender.preempt_verb.empty();
    traits.binds = !extender.bind_verb.empty();
    traits.weight = extender.weight;
    traits.ignorable = extender.ignorable;
    for (const auto &resource : extender.managed_resources) traits.managed_resources.insert(resource.name);
    return traits;
}

model::Result<std::unique_ptr<env::Extender>> make_http_extender(const config::Extender &extender, env::Clock &clock) {
    auto credentials = credentials_of(extender);
    if (!credentials) return credentials.error();
    auto transport = make_beast_transport(*credentials);
    if (!transport) return transport.error();
    return std::unique_ptr<env::Extender>(
        new HttpExtender(traits_of(extender), extender, clock, std::move(*transport)));
}

bool is_unverified(const config::Extender &extender) {
    const auto tls = extender.tls.value_or(config::ExtenderTls{});
    // As upstream: enableHTTPS without an authority does not verify.
    return tls.insecure || (extender.enable_https && !names_authority(tls));
}

std::vector<config::Extender> in_order(const std::vector<config::Extender> &extenders) {
    std::vector<config::Extender> out;
    for (bool ignorable : {false, true})
        for (const auto &one : extenders)
            if (one.ignorable == ignorable) out.push_back(one);
    return out;
}

model::Result<Extenders> make_http_extenders(const std::vector<config::Extender> &extenders, env::Clock &clock) {
    Extenders out;
    for (const auto &extender : in_order(extenders)) {
        auto made = make_http_extender(extender, clock);
        if (!made) return made.error();
        out.push_back(std::move(*made));
    }
    return out;
}

}  // namespace berth::kube
