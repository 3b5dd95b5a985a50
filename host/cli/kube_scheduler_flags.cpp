// SPDX-License-Identifier: Apache-2.0
#include "cli/kube_scheduler_flags.h"

#include "cli/switch.h"

#include <berth/time.hpp>

#include <CLI/CLI.hpp>

#include <array>
#include <utility>

namespace berth::cli {
namespace {

enum class Takes { Switch, Value };

struct Idle {
    const char *name;
    Takes takes;
    const char *why;
};

constexpr const char *no_http2 = "HTTP/2 is not spoken",
                     *no_metrics = "the metrics of Kubernetes' components are not kept",
                     *one_log = "the log is klog's text, on standard error, and written at once",
                     *no_proxy = "it trusts no proxy about users";

/// Those of kube-scheduler 1.36 (`kube-scheduler --help`) that change nothing here.
constexpr std::array idle_flags{
    Idle{"--disable-http2-serving", Takes::Switch, no_http2},
    Idle{"--http2-max-streams-per-connection", Takes::Value, no_http2},
    Idle{"--permit-address-sharing", Takes::Switch, "a port is taken by one process"},
    Idle{"--permit-port-sharing", Takes::Switch, "a port is taken by one process"},
    Idle{"--tls-cipher-suites", Takes::Value, "OpenSSL's own choice of ciphers is taken"},
    Idle{"--tls-curve-preferences", Takes::Value, "OpenSSL's own choice of curves is taken"},
    Idle{"--tls-sni-cert-key", Takes::Value, "all clients get the same certificate"},
    Idle{"--authentication-tolerate-lookup-failure", Takes::Switch, "a failed lookup is always tolerated"},
    Idle{"--requestheader-allowed-names", Takes::Value, no_proxy},
    Idle{"--requestheader-client-ca-file", Takes::Value, no_proxy},
    Idle{"--requestheader-extra-headers-prefix", Takes::Value, no_proxy},
    Idle{"--requestheader-group-headers", Takes::Value, no_proxy},
    Idle{"--requestheader-uid-headers", Takes::Value, no_proxy},
    Idle{"--requestheader-username-headers", Takes::Value, no_proxy},
    Idle{"--allow-metric-labels", Takes::Value, no_metrics},
    Idle{"--allow-metric-labels-manifest", Takes::Value, no_metrics},
    Idle{"--disabled-metrics", Takes::Value, no_metrics},
    Idle{"--show-hidden-metrics-for-version", Takes::Value, no_metrics},
    Idle{"--log-flush-frequency", Takes::Value, one_log},
    Idle{"--log-json-info-buffer-size", Takes::Value, one_log},
    Idle{"--log-json-split-stream", Takes::Switch, one_log},
    Idle{"--log-text-info-buffer-size", Takes::Value, one_log},
    Idle{"--log-text-split-stream", Takes::Switch, one_log},
    Idle{"--logging-format", Takes::Value, one_log},
    Idle{"--vmodule", Takes::Value, "-v counts for the whole log"},
};

template <class T>
void add_value(CLI::App &app, const char *name, T &into, const char *type, const char *help) {
    if (!app.get_option_no_throw(name)) app.add_option(name, into, help)->type_name(type);
}

}  // namespace

void KubeSchedulerFlags::add(CLI::App &app) {
    add_value(app, "--master", master_, "URL", "The API server's address, instead of that of the kubeconfig");
    add_value(app, "--kube-api-qps", qps_, "N", "clientConnection.qps, without --config");
    add_value(app, "--kube-api-burst", burst_, "N", "clientConnection.burst, without --config");
    add_value(app, "--kube-api-content-type", content_type_, "TYPE", "clientConnection.contentType, without --config");
    add_switch(app, "--profiling", profiling_, "enableProfiling, without --config");
    add_switch(app, "--contention-profiling", contention_profiling_, "enableContentionProfiling, without --config");
    if (constexpr auto name = "--pod-max-in-unschedulable-pods-duration"; !app.get_option_no_throw(name))
        app.add_option_function<std::string>(
               name,
               [this](const std::string &text) {
                   auto read = parse_duration(text);
                   if (!read || read->count() < 0)
                       throw CLI::ValidationError(name, "expected a duration such as 5m or 90s, got " + text);
                   longest_unschedulable_ = *read;
               },
               "Longest time that a pod stays in the unschedulable queue (default: 5m)")
            ->type_name("DURATION");
    for (const auto &one : idle_flags) {
        if (app.get_option_no_throw(one.name)) continue;
        if (one.takes == Takes::Switch) add_switch(app, one.name, switches_[one.name], "");
        else
            app.add_option(one.name, values_[one.name])
                ->expected(1)
                ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
        app.get_option(one.name)->group("");  // docs/run.md has them
    }
    // Written several times, the last one counts, as with kube-scheduler.
    for (CLI::Option *option : app.get_options())
        if (option->get_multi_option_policy() == CLI::MultiOptionPolicy::Throw && option->get_items_expected_max() == 1)
            option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

void KubeSchedulerFlags::apply(config::Configuration &configuration, bool from_file) const {
    if (longest_unschedulable_) configuration.longest_unschedulable = *longest_unschedulable_;
    if (from_file) return;
    auto &connection = configuration.client_connection;
    connection.qps = qps_.value_or(connection.qps);
    connection.burst = burst_.value_or(connection.burst);
    connection.content_type = content_type_.value_or(connection.content_type);
    if (!profiling_.empty()) configuration.enable_profiling = is_on(profiling_);
    if (!contention_profiling_.empty()) configuration.enable_contention_profiling = is_on(contention_profiling_);
}

std::vector<live::IdleFlag> KubeSchedulerFlags::idle(bool from_file) const {
    std::vector<live::IdleFlag> out;
    for (const auto &one : idle_flags) {
        if (auto given = switches_.find(one.name); given != switches_.end() && !given->second.empty())
            out.push_back({one.name, given->second, one.why});
        if (auto given = values_.find(one.name); given != values_.end())
            for (const auto &value : given->second) out.push_back({one.name, value, one.why});
    }
    if (!from_file) return out;
    if (qps_) out.push_back({"--kube-api-qps", std::to_string(*qps_), live::file_counts});
    if (burst_) out.push_back({"--kube-api-burst", std::to_string(*burst_), live::file_counts});
    if (content_type_) out.push_back({"--kube-api-content-type", *content_type_, live::file_counts});
    if (!profiling_.empty()) out.push_back({"--profiling", profiling_, live::file_counts});
    if (!contention_profiling_.empty())
        out.push_back({"--contention-profiling", contention_profiling_, live::file_counts});
    return out;
}

}  // namespace berth::cli
