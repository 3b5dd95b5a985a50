// SPDX-License-Identifier: Apache-2.0
#include "cli/explain.h"

#include "cli/exit_codes.h"
#include "decode/document.h"
#include "decode/write.h"
#include "kube/beast_transport.h"
#include "kube/loopback.h"
#include "kube/tls.h"
#include "kube/url.h"
#include "report/explanation_text.h"
#include "report/pending.h"
#include "report/shadow.h"
#include "report/table.h"

#include <future>
#include <iostream>
#include <iterator>
#include <utility>

namespace berth::cli {
namespace {

constexpr int http_ok = 200, unauthorized = 401, forbidden = 403, not_found = 404;

/// The user and the server. A token is sent only to a verified server, unless the user allows others.
model::Result<kube::Credentials> credentials_of(const ExplainOptions &options) {
    kube::Credentials out;
    auto paths =
        options.kubeconfig.empty() ? kube::usual_kubeconfigs(true) : std::vector<std::string>{options.kubeconfig};
    if (!paths) return model::Error{paths.error().text + "; --kubeconfig names one"};
    if (paths->empty() && !options.context.empty())
        return model::Error{"--context " + options.context +
                            ": there is no kubeconfig that has contexts; --kubeconfig names one"};
    if (!paths->empty()) {
        auto read = kube::read_kubeconfigs(*paths, options.context);
        if (!read)
            return model::Error{read.error().text + "; --kubeconfig names another file, --token shows a token instead"};
        out = std::move(*read);
    }
    if (!options.token.empty()) {
        out.token = options.token;
        out.token_file.clear();
        out.certificate.clear();
        out.key.clear();
        out.certificate_file.clear();
        out.key_file.clear();
        out.exec.reset();
    }
    out.server = options.server;
    while (out.server.ends_with('/')) out.server.pop_back();
    out.where = "--server " + options.server;
    out.server_name.clear();
    out.authority.clear();
    out.system_authorities = false;
    out.insecure = false;
    auto address = kube::parse_server(out.server);
    if (!address) return model::Error{"--server: " + address.error().text};
    if (!address->tls) return model::Error{"--server " + options.server + ": expected https://HOST:PORT"};
    if (options.insecure) {
        out.insecure = true;
        return out;
    }
    if (!options.authority.empty()) {
        auto authority = kube::read_text_file(options.authority);
        if (!authority) return model::Error{"--certificate-authority: " + authority.error().text};
        if (auto why = kube::authority_fault(*authority); !why.empty())
            return model::Error{"--certificate-authority: " + options.authority + " " + why};
        out.authority = std::move(*authority);
        return out;
    }
    if (!kube::is_loopback(address->host)) {
        out.system_authorities = true;
        return out;
    }
    if (!out.token.empty() || !out.token_file.empty() || out.exec)
        return model::Error{"a token is to be shown to " + options.server +
                            ", whose certificate cannot be verified: say --certificate-authority FILE or "
                            "--insecure-skip-tls-verify"};
    out.insecure = true;
    return out;
}

model::Result<std::string> read_all(const std::string &file) {
    if (file != "-") return kube::read_text_file(file);
    return std::string(std::istreambuf_iterator<char>(std::cin), {});
}

/// Namespace and name. As kubectl has it, "pod/web" is the pod "web"; of a namespace "pod" -n tells.
std::pair<std::string, std::string> pod_of(const ExplainOptions &options, const std::string &of_context) {
    const auto &usual = !options.name_space.empty() ? options.name_space : of_context;
    const auto name_space = usual.empty() ? "default" : usual;
    const auto slash = options.pod.find('/');
    if (slash == options.pod.npos) return {name_space, options.pod};
    const auto before = options.pod.substr(0, slash), after = options.pod.substr(slash + 1);
    const bool is_kind = before == "pod" || before == "pods" || before == "po";
    return {is_kind ? name_space : before, after};
}

const std::string base = "/apis/berth/v1alpha1/";

/// The path of what is known of a pod.
std::string one_pod(const std::string &name_space, const std::string &name) {
    return base + "decisions/" + kube::percent_encoded(name_space) + "/" + kube::percent_encoded(name) +
           "?detail=nodes";
}

/// `of_context`: the namespace of the kubeconfig's context.
model::Result<kube::HttpRequest> request_of(const ExplainOptions &options, const std::string &of_context) {
    std::string nodes = options.nodes ? "nodes=" + std::to_string(*options.nodes) : "";
    if (options.dry_run) {
        auto text = read_all(options.file);
        if (!text) return text.error();
        auto document = decode::read_document(*text, options.file == "-" ? "standard input" : options.file);
        if (!document) return document.error();
        return kube::HttpRequest{"POST", base + "dryrun" + (nodes.empty() ? "" : "?" + nodes), "application/json",
                                 decode::to_json(document->value())};
    }
    if (options.shadow) return kube::HttpRequest{"GET", base + "shadow", {}, {}};
    if (options.pending) return kube::HttpRequest{"GET", base + "pending?limit=5000", {}, {}};
    if (options.pod.empty()) return kube::HttpRequest{"GET", base + "decisions", {}, {}};
    const auto [name_space, name] = pod_of(options, of_context);
    if (!options.diff)
        return kube::HttpRequest{"GET", one_pod(name_space, name) + (nodes.empty() ? "" : "&" + nodes), {}, {}};
    return kube::HttpRequest{"GET",
                             base + "shadow/" + kube::percent_encoded(name_space) + "/" + kube::percent_encoded(name) +
                                 (nodes.empty() ? "" : "?" + nodes),
                             {},
                             {}};
}

/// Why there is no answer, and what to do about it.
std::string trouble(const kube::HttpAnswer &answer, const ExplainOptions &options, const kube::HttpRequest &request) {
    if (answer.status == 0)
        return options.server + ": " + report::printable(answer.body) +
               "; in a cluster, kubectl port-forward brings a scheduler's port 10259 here (docs/explain.md)";
    auto document = decode::read_document(answer.body, "answer.json");
    auto message = document ? std::string(document->value()["message"].string()) : std::string();
    std::string out = options.server + " answered " + std::to_string(answer.status);
    if (!message.empty()) out += ": " + report::printable(message);
    if (answer.status == unauthorized) out += "; it knows neither the certificate nor the token that was shown";
    if (answer.status == forbidden)
        out += std::string("; the right is that to ") + (request.method == "POST" ? "post" : "get") +
               " this path: kubectl create clusterrole berth-explain --verb=get,post "
               "--non-resource-url='/apis/berth/v1alpha1/*'";
    return out;
}

kube::HttpAnswer ask(kube::Transport &transport, const kube::HttpRequest &request) {
    std::promise<kube::HttpAnswer> promise;
    auto answer = promise.get_future();
    transport.request(request, [&](kube::HttpAnswer got) { promise.set_value(std::move(got)); });
    return answer.get();
}

/// The answer as a document; the error says why there is none.
model::Result<decode::Document> document_of(const kube::HttpAnswer &answer, const ExplainOptions &options,
                                            const kube::HttpRequest &request) {
    if (answer.status != http_ok) return model::Error{trouble(answer, options, request)};
    auto document = decode::read_document(answer.body, "answer.json");
    if (!document || !document->value()["kind"].is_string())
        return model::Error{options.server +
                            ": this is no answer of Berth's: " + (document ? "it has no kind" : document.error().text)};
    return document;
}

/// What would make a pod fit. A pod that is gone or has a node meanwhile needs nothing; if Berth refuses to say, the
/// reason stands on standard error, once.
std::vector<std::string> what_would_help(kube::Transport &transport, const ExplainOptions &options,
                                         const model::PodRef &pod, bool &refused) {
    const kube::HttpRequest request{"GET", one_pod(pod.name_space, pod.name), {}, {}};
    std::vector<std::string> out;
    if (refused) return out;
    const auto answer = ask(transport, request);
    if (answer.status == not_found) return out;
    if (answer.status != http_ok) {
        refused = true;
        std::cerr << "berth: what would help is not known: " << trouble(answer, options, request) << '\n';
        return out;
    }
    const auto document = decode::read_document(answer.body, "answer.json");
    if (!document || report::is_placed(document->value())) return out;
    const auto remedies = document->value()["evaluation"]["remedies"];
    for (std::size_t i = 0; i < remedies.size(); ++i) out.emplace_back(remedies.at(i)["change"].string());
    return out;
}

}  // namespace

int explain(const ExplainOptions &options) {
    if (options.dry_run != !options.file.empty()) return refuse("--dry-run and -f FILE: expected both or none");
    if (options.dry_run && !options.pod.empty()) return refuse("POD and --dry-run: expected one of them");
    if (options.diff && options.pod.empty()) return refuse("--diff: expected a POD to compare");
    if (options.shadow && (options.diff || options.dry_run || !options.pod.empty()))
        return refuse("--shadow tells of all pods; POD with --diff shows both sides of one");
    if (options.pending && (options.shadow || options.diff || options.dry_run || !options.pod.empty()))
        return refuse(
            "--pending tells of all pods; expected neither POD nor another of these: --diff, --dry-run, --shadow");
    auto credentials = credentials_of(options);
    auto request = request_of(options, credentials ? credentials->name_space : "");
    if (!request) return refuse(request.error().text);
    if (!credentials) return refuse(credentials.error().text);
    auto transport = kube::make_beast_transport(*credentials);
    if (!transport) return refuse(transport.error().text);
    const auto document = document_of(ask(**transport, *request), options, *request);
    if (!document) return refuse(document.error().text);
    constexpr std::size_t few = 5, more = 10;
    const bool wide = options.format == ExplainFormat::Wide;
    const report::ViewOptions view{options.nodes.value_or(wide ? more : few), wide};
    const auto kind = document->value()["kind"].string();
    if (options.format == ExplainFormat::Json) std::cout << decode::to_json(document->value(), 2) << '\n';
    else if (kind == "Shadow") std::cout << report::shadow_view(document->value());
    else if (kind == "Comparison") std::cout << report::comparison_view(document->value(), view);
    else if (kind == "WaitingPods")
        std::cout << report::waiting_text(document->value(), options.name_space, options.all,
                                          [&, refused = false](const model::PodRef &pod) mutable {
                                              return what_would_help(**transport, options, pod, refused);
                                          });
    else std::cout << report::view_of(document->value(), view);
    if (kind == "Comparison") return report::is_alike(document->value()) ? done : answer_is_no;
    if (kind == "WaitingPods")
        return report::nothing_waits(document->value(), options.name_space) ? done : answer_is_no;
    const bool about_a_pod = options.dry_run || !options.pod.empty();
    return about_a_pod && !report::is_placed(document->value()) ? answer_is_no : done;
}

}  // namespace berth::cli
