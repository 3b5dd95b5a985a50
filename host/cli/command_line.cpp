// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include "cli/completion.h"
#include "cli/config_commands.h"
#include "cli/explain.h"
#include "cli/feature_gates.h"
#include "cli/judged.h"
#include "cli/plugin_commands.h"
#include "cli/replay.h"
#include "cli/run.h"
#include "cli/shared_options.h"
#include "cli/simulate.h"
#include "cli/switch.h"
#include "cli/terminal.h"
#include "cli/upgrade.h"
#include "config/release.h"
#include "decode/did_you_mean.h"
#include "decode/write.h"
#include "live/crash_record.h"
#include "model/build.h"

#include <berth/version.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <iostream>
#include <map>
#include <span>
#include <string_view>
#include <vector>

namespace berth::cli {
namespace {

void add_decisions(CLI::App &c, std::string &file, model::Detail &detail) {
    c.add_option("--decisions", file, "Write every decision as a JSON line; - for standard output")->type_name("FILE");
    add_words<model::Detail>(
        c, "--detail", detail, "DETAIL", "Detail of each decision: summary (the default), nodes or events",
        {{"summary", model::Detail::Summary}, {"nodes", model::Detail::Nodes}, {"events", model::Detail::Events}});
}

std::string directory_fault(const std::string &text) { return text.empty() ? "expected a directory, got \"\"" : ""; }

void add_shadow(CLI::App &c, live::ShadowOptions &o) {
    auto *shadow =
        c.add_option("--shadow", o.config,
                     "KubeSchedulerConfiguration whose decisions are compared with the real ones and not carried out")
            ->type_name("FILE");
    c.add_option("--shadow-plugin-dir", o.directories,
                 "Directory of plugin libraries for the shadow instead of --plugin-dir")
        ->allow_extra_args(false)
        ->needs(shadow);
    add_release(c, "--shadow-kubernetes-version", o.release,
                "Version of Kubernetes whose scheduler the shadow decides as (default: --kubernetes-version's)");
    c.get_option("--shadow-kubernetes-version")->needs(shadow);
    c.add_option("--shadow-plugin", o.pins, "Pin a plugin for the shadow: NAME=FILE[#PLUGIN][@sha256:HEX]")
        ->allow_extra_args(false)
        ->needs(shadow);
}

/// How much time it may take, which counts from then on; after add_shadow().
void add_shadow_budget(CLI::App &c, live::ShadowOptions &o) {
    constexpr std::uint32_t usual = 50, most = 1000;
    o.budget_percent = usual;
    c.add_option("--shadow-budget", o.budget_percent,
                 "Time limit of the shadow, in percent of the scheduling time (default: 50)")
        ->type_name("PERCENT")
        ->check(CLI::Range(1U, most).description("").name(""))
        ->needs("--shadow");
}

void add_record(CLI::App &c, live::RecordOptions &o) {
    auto *record =
        c.add_option("--record", o.directory, "Record watch events and decisions in this directory, for berth replay")
            ->check(CLI::Validator(directory_fault, ""))
            ->type_name("DIR");
    c.add_option("--record-limit", o.limit, "Size limit of the recordings in DIR (default: 1Gi)")
        ->transform(CLI::AsSizeValue(false))
        ->check(CLI::Range(std::uint64_t{1} << 20, std::uint64_t{1} << 40))
        ->type_name("BYTES")
        ->needs(record);
}

/// Where the dashboard's pages come from, when somebody is at work on them.
void add_web_dir(CLI::App &c, std::string &directory) {
    c.add_option("--web-dir", directory, "Serve the dashboard's pages from this directory (default: those built in)")
        ->type_name("DIR");
}

/// kube-scheduler's flags for what it serves.
void add_serving(CLI::App &c, api::ServingOptions &o, std::string &ui) {
    c.add_option("--secure-port", o.secure_port, "HTTPS port (default: 10259); 0 turns serving off")->type_name("PORT");
    c.add_option("--bind-address", o.bind_address, "IP address to listen on (default: all)")->type_name("IP");
    c.add_option("--cert-dir", o.cert_dir, "Directory that keeps the self-signed certificate (default: none)")
        ->type_name("DIR");
    c.add_option("--tls-cert-file", o.tls_cert_file, "HTTPS certificate (default: a self-signed one)")
        ->type_name("FILE");
    c.add_option("--tls-private-key-file", o.tls_private_key_file, "Its private key")->type_name("FILE");
    add_words<bool>(c, "--tls-min-version", o.tls_1_3, "VERSION", "VersionTLS12 (the default) or VersionTLS13",
                    {{"VersionTLS12", false}, {"VersionTLS13", true}});
    c.add_option("--client-ca-file", o.client_ca_file, "Certificate authorities that sign client certificates")
        ->type_name("FILE");
    c.add_option("--authentication-kubeconfig", o.authentication_kubeconfig,
                 "kubeconfig of the server that authenticates clients (default: the API server it schedules for)")
        ->type_name("FILE");
    c.add_option("--authorization-kubeconfig", o.authorization_kubeconfig,
                 "kubeconfig of the server that authorizes clients (default: the API server it schedules for)")
        ->type_name("FILE");
    c.add_flag("--authentication-skip-lookup{true}", o.skip_lookup,
               "Do not look up the cluster's client certificate authorities");
    c.add_option("--authorization-always-allow-paths", o.always_allow_paths,
                 "Paths that need no authorization (default: /healthz,/readyz,/livez)")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("PATHS");
    add_duration(c, "--authentication-token-webhook-cache-ttl", o.token_ttl,
                 "How long a token review is cached (default: 10s)");
    add_duration(c, "--authorization-webhook-cache-authorized-ttl", o.authorized_ttl,
                 "How long a granted authorization is cached (default: 10s)");
    add_duration(c, "--authorization-webhook-cache-unauthorized-ttl", o.unauthorized_ttl,
                 "How long a refused authorization is cached (default: 10s)");
    add_switch(c, "--ui", ui, "Serve the dashboard at /ui (default: only if --bind-address is a loopback address)");
    add_web_dir(c, o.web_dir);
}

void add_run(CLI::App &c, RunFlags &flags) {
    auto &o = flags.options;
    c.add_option("--config", o.config, "KubeSchedulerConfiguration (default: kube-scheduler's default profile)")
        ->type_name("FILE");
    c.add_option(
         "--kubeconfig", o.kubeconfig,
         "How to reach the API server (default: clientConnection.kubeconfig, else as a pod of the cluster, else "
         "$KUBECONFIG with the command run)")
        ->type_name("FILE");
    c.add_option("--context", o.context, "Context of the kubeconfig (default: its current-context)")->type_name("NAME");
    add_plugins(c, o.plugins);
    add_shadow(c, o.shadow);
    add_shadow_budget(c, o.shadow);
    add_serving(c, o.serving, flags.ui);
    c.add_option("--seed", o.seed, "Seed of random choices (default: a new one at each start)")
        ->type_name("N")
        ->check(CLI::Validator(seed_fault, ""));
    add_decisions(c, o.decisions, o.detail);
    add_record(c, o.record);
    add_words<live::TransportKind>(
        c, "--transport", o.transport, "KIND",
        "HTTP library: cpprest, beast, or mixed (the default: cpprest lists and watches, beast writes)",
        {{"mixed", live::TransportKind::Mixed},
         {"cpprest", live::TransportKind::Cpprest},
         {"beast", live::TransportKind::Beast}});
    flags.election.add(c);
    c.add_option("-v,--v", o.verbosity, "Verbosity of the log")->type_name("N");
    add_words<plugin::OnFailure>(
        c, "--on-plugin-failure", o.on_plugin_failure, "POLICY",
        "Treatment of the pods of a plugin in quarantine: fail-pod (the default), skip-plugin or stop-profile",
        {{"fail-pod", plugin::OnFailure::FailPod},
         {"skip-plugin", plugin::OnFailure::SkipPlugin},
         {"stop-profile", plugin::OnFailure::StopProfile}});
    c.add_option("--crash-record", o.crash_record,
                 "File that records the plugin of a crash; - for none (default: in the user's state directory)")
        ->type_name("FILE");
    c.add_option("--write-config-to", flags.write_config_to, "Write the merged configuration to this file and exit")
        ->type_name("FILE");
    add_kubernetes(c, o.release);
    add_gates(c, flags.gates);
    flags.kube_scheduler.add(c);
}

void add_simulate(CLI::App &app, offline::SimulateOptions &o) {
    auto *c = app.add_subcommand("simulate", "Schedule a cluster given as files");
    c->footer(
        "FILE is what kubectl get nodes,pods -A -o yaml (or json) prints, several YAML or JSON documents, a directory "
        "of\n"
        "such files, or - for standard input. Deployments, ReplicaSets, StatefulSets, DaemonSets and Jobs become their "
        "pods.\n"
        "What pods need and FILE lacks, such as claims, is listed with the kubectl command that prints it, too.\n"
        "Exit codes: 0 done; 1 pods are pending or on missing nodes and --fail-on-pending was given, an expectation of "
        "a\n"
        "scenario does not hold, or a plugin broke the ABI; 2 wrong usage or bad input.");
    c->add_option("FILE", o.inputs, "The cluster: files, directories, or -")->required();
    c->add_option(
         "--config", o.configs,
         "KubeSchedulerConfiguration (default: kube-scheduler's default profile); repeat it to compare the results")
        ->type_name("FILE")
        ->allow_extra_args(false);
    c->add_option("--add-nodes", o.add_nodes, "File of nodes to add before the start")
        ->type_name("FILE")
        ->allow_extra_args(false);
    c->add_option("--without-nodes", o.without_nodes, "Nodes to take away before the start; their pods become pending")
        ->type_name("NODES")
        ->delimiter(',')
        ->allow_extra_args(false);
    add_plugins(*c, o.plugins);
    add_shadow(*c, o.shadow);
    add_kubernetes(*c, o.release, "that of the scenario, or " + config::Release().text());
    add_gates(*c, o.gates);
    add_seed(*c, o.seed);
    add_words<offline::Output>(
        *c, "-o,--output", o.output, "FORMAT", "table (the default), json or yaml",
        {{"table", offline::Output::Table}, {"json", offline::Output::Json}, {"yaml", offline::Output::Yaml}});
    c->add_flag("--all", o.all, "Do not cut long tables");
    c->add_option("--explain", o.explain, "Show each plugin's verdict on each node for this pod")->type_name("POD");
    add_decisions(*c, o.decisions, o.detail);
    add_record(*c, o.record);
    c->add_option("--plot", o.plot,
                  "Draw utilisation, stranded resources and pending pods into this file: .svg, .html or .png")
        ->type_name("FILE");
    c->add_flag("--fail-on-pending", o.fail_on_pending,
                "Exit with 1 if a pod is left pending, or is on a node that the files lack");
    c->add_flag("--skip-unknown", o.skip_unknown,
                "Leave out what in directories is no Kubernetes object, and say how much");
    c->add_option("--memory-limit", o.memory_limit, "Stop with an error instead of using more memory (such as 2Gi)")
        ->transform(CLI::AsSizeValue(false))
        ->check(CLI::Range(std::uint64_t{16} << 20, std::uint64_t{1} << 50))
        ->type_name("BYTES");
    c->add_option("-v", o.verbosity, "Verbosity of the log")->type_name("N");
    auto *ui = c->add_flag("--ui", o.ui, "Serve the result in the dashboard on loopback until interrupted");
    c->add_option("--ui-port", o.ui_port, "Port of the dashboard (default: a free one)")->type_name("PORT")->needs(ui);
    add_web_dir(*c, o.web_dir);
}

void add_explain(CLI::App &app, ExplainOptions &o) {
    auto *c = app.add_subcommand("explain", "Ask a running Berth why a pod is where it is, or where it would go");
    c->footer(
        "berth explain POD                   why it is pending, or why it is on its node\n"
        "berth explain --dry-run -f pod.yaml where it would go; changes nothing\n"
        "berth explain --pending             all pending pods by cause, and what would make them fit\n"
        "berth explain                       the last decisions\n"
        "berth explain --diff POD            the shadow's node beside the real one\n"
        "berth explain --shadow              the decisions in which the shadow differs\n"
        "Exit codes: 0 the pod has a node or would get one (--diff: both sides decide alike; --pending: no pod waits), "
        "1 not\n"
        "so, 2 wrong usage or no answer.");
    c->add_option("POD", o.pod, "Name, pod/name or namespace/name");
    c->add_option("-n,--namespace", o.name_space, "Its namespace (default: that of the context, else default)")
        ->type_name("NAMESPACE");
    auto *dry_run = c->add_flag("--dry-run", o.dry_run, "Try to schedule the pod of -f without creating it");
    c->add_flag("--diff", o.diff, "Compare the real decision on the pod with the shadow's")->excludes(dry_run);
    auto *pending = c->add_flag("--pending", o.pending, "Show all pending pods by cause; with -n those of a namespace");
    c->add_flag("--all", o.all, "Do not cut the list of --pending")->needs(pending);
    c->add_flag("--shadow", o.shadow, "Show the decisions in which the shadow of berth run --shadow differs");
    c->add_option("-f,--filename", o.file, "A Pod, YAML or JSON; - for standard input")->type_name("FILE");
    c->add_option("--server", o.server, "Address of Berth (default: https://127.0.0.1:10259)")->type_name("URL");
    c->add_option(
         "--kubeconfig", o.kubeconfig,
         "kubeconfig with the client certificate or token (default: $KUBECONFIG, else ~/.kube/config, else none)")
        ->type_name("FILE");
    c->add_option("--context", o.context, "Context of the kubeconfig (default: its current-context)")
        ->type_name("NAME");
    c->add_option("--token", o.token, "Bearer token to use instead");
    c->add_option("--certificate-authority", o.authority, "Certificate authority of Berth's certificate")
        ->type_name("FILE");
    c->add_flag("--insecure-skip-tls-verify", o.insecure, "Do not verify Berth's certificate");
    add_words<ExplainFormat>(
        *c, "-o,--output", o.format, "FORMAT", "text (the default), wide or json",
        {{"text", ExplainFormat::Text}, {"wide", ExplainFormat::Wide}, {"json", ExplainFormat::Json}});
    c->add_option("--nodes", o.nodes, "How many of the best nodes to show (default: 5)")->type_name("N");
}

void add_replay(CLI::App &app, offline::ReplayOptions &o) {
    auto *c = app.add_subcommand("replay", "Repeat the decisions of a recording and compare them");
    c->footer(
        "Exit codes: 0 every decision is equal, 1 some differ or a plugin broke the ABI, 2 wrong usage or a bad "
        "recording.");
    c->add_option("DIR", o.input, "A directory that --record wrote, or one recording in it")->required();
    add_plugin_files(*c, o.plugins);
    c->add_flag("--allow-recorded-plugins", o.allow_recorded_plugins,
                "Also load libraries from the paths in the recording: only if you trust its author");
    c->add_option("--config", o.config, "Use this KubeSchedulerConfiguration instead of the recorded one")
        ->type_name("FILE");
    add_kubernetes(*c, o.release, "that of the recording");
    c->add_option("--until", o.until, "Stop at this time or at this scheduling cycle's number")->type_name("WHEN");
    auto *pod = c->add_option("--pod", o.pod, "Show the decisions about this pod")->type_name("NAMESPACE/NAME");
    c->add_flag("--explain", o.explain, "Show each plugin's verdict on each node for it")->needs(pod);
    c->add_option("--save-scenario", o.save_scenario,
                  "Write the cluster at the last of them to this file, a scenario for berth simulate")
        ->type_name("FILE")
        ->needs(pod);
    c->add_flag("--all", o.all, "Do not cut long tables");
    add_words<bool>(*c, "-o,--output", o.json, "FORMAT", "table (the default) or json",
                    {{"table", false}, {"json", true}});
}

void add_upgrade(CLI::App &app, offline::UpgradeOptions &o) {
    auto *c = app.add_subcommand("upgrade", "Show what another release of Kubernetes or configuration would change");
    c->footer(
        "FILE is a recording (a file, or the directory of --record), or a cluster or scenario as berth simulate reads "
        "it.\n"
        "Nothing is changed. Every attempt is decided as today and as afterwards, in the same cluster. Where both "
        "differ,\n"
        "each change is taken back by itself, to find the one that makes the difference.\n"
        "Exit codes: 0 everything would be decided as today, 1 something would not or a plugin broke the ABI, 2 wrong "
        "usage\n"
        "or bad input.");
    c->add_option("FILE", o.inputs, "A recording, or a cluster: files or directories")->required();
    add_release(*c, "--from", o.from,
                "Version of Kubernetes that decides today (default: that of the recording or scenario, or " +
                    config::Release().text() + ")");
    add_release(*c, "--to", o.to,
                "Version of Kubernetes afterwards (default: " + config::Release::all().back().text() +
                    "; today's, if a configuration or feature gates change)");
    c->add_option("--config", o.config,
                  "Today's KubeSchedulerConfiguration (default: that of the recording or scenario)")
        ->type_name("FILE");
    c->add_option("--to-config", o.to_config, "KubeSchedulerConfiguration afterwards (default: today's)")
        ->type_name("FILE");
    add_gates(*c, "--feature-gates", o.gates, "Today's feature gates of kube-scheduler");
    add_gates(*c, "--to-feature-gates", o.to_gates, "Its feature gates afterwards (default: today's)");
    add_plugins(*c, o.plugins);
    c->add_flag("--allow-recorded-plugins", o.allow_recorded_plugins,
                "Also load libraries from the paths in a recording: only if you trust its author");
    c->add_flag("--skip-unknown", o.skip_unknown,
                "Leave out what in directories is no Kubernetes object, and say how much");
    add_seed(*c, o.seed);
    c->add_flag("--all", o.all, "Do not cut long tables");
    using Format = offline::UpgradeOptions::Format;
    add_words<Format>(*c, "-o,--output", o.format, "FORMAT", "table (the default), json or yaml",
                      {{"table", Format::Table}, {"json", Format::Json}, {"yaml", Format::Yaml}});
}

/// `berth version` as JSON.
std::string version_json() {
    model::Arena arena;
    model::ObjectBuilder out(arena);
    model::ArrayBuilder releases(arena);
    const std::string abi = std::to_string(BERTH_ABI_MAJOR) + "." + std::to_string(BERTH_ABI_MINOR);
    std::vector<std::string> names;
    for (const auto &release : config::Release::all()) names.push_back(release.text());
    for (const auto &name : names) releases.add(std::string_view{name});
    out.add("version", BERTH_VERSION).add("pluginABI", std::string_view{abi}).add("kubernetesVersions", releases);
    const auto value = out.value();
    return decode::to_json(model::Value{&value}, 2);
}

/// Why a word is no command; "" if every word before the first option names one, or if the last of these takes none.
std::string command_fault(const CLI::App &app, std::span<const char *const> words) {
    const CLI::App *at = &app;
    for (const auto *word : words) {
        const auto all = at->get_subcommands([](const CLI::App *) { return true; });
        if (word[0] == '-' || all.empty()) return "";
        const auto found = std::ranges::find(all, word, [](const CLI::App *c) { return c->get_name(); });
        if (found != all.end()) {
            at = *found;
            continue;
        }
        std::vector<std::string> known;
        for (const auto *c : all) known.push_back(c->get_name());
        const auto *meant = decode::closest_name(word, known);
        const auto of = at == &app ? "" : " " + at->get_name();
        return "berth" + of + ": there is no command \"" + word + "\"" +
               (meant ? "; did you mean \"" + *meant + "\"?" : "; berth" + of + " --help lists them");
    }
    return "";
}

/// Answers the option that asks for the table of feature gates instead of the version.
const CLI::Option *add_version(CLI::App &app, config::GateFlags &gates, config::Release &release, bool &json) {
    auto *c = app.add_subcommand("version", "Print the version and the releases of Kubernetes, or the feature gates");
    add_kubernetes(*c, release);
    add_gates(*c, gates);
    auto *list = c->get_option("--feature-gates");
    list->description("List kube-scheduler's feature gates and what Berth does with each, as these values set them");
    list->expected(0, 1)->default_str("")->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    for (const auto *version : {"--emulated-version", "--min-compatibility-version"})
        c->get_option(version)->needs(list);
    add_words<bool>(*c, "-o,--output", json, "FORMAT", "text (the default) or json", {{"text", false}, {"json", true}});
    c->get_option("--output")->excludes(list);
    return list;
}

}  // namespace

int run(int argc, const char *const *argv) try {
    guard_terminal();
    CLI::App app{"Berth: a Kubernetes scheduler whose every policy is a shared object", "berth"};
    app.require_subcommand(0, 1);
    const std::string version = "berth " BERTH_VERSION " (plugin ABI " + std::to_string(BERTH_ABI_MAJOR) + "." +
                                std::to_string(BERTH_ABI_MINOR) + ")";
    // As kube-scheduler's: --version=raw prints it, too, and --version=false does nothing.
    std::string show_version;
    app.add_flag("--version{true}", show_version, "Print the version");
    config::GateFlags listed;
    config::Release of_gates;
    bool version_as_json = false;
    const auto *list_gates = add_version(app, listed, of_gates, version_as_json);
    RunFlags live;
    add_run(*app.add_subcommand("run", "Schedule a live cluster; also what berth --config FILE does"), live);
    // Without a command it takes the place of kube-scheduler, with kube-scheduler's flags.
    add_run(app, live);
    offline::SimulateOptions simulation;
    add_simulate(app, simulation);
    offline::ReplayOptions replayed;
    add_replay(app, replayed);
    offline::UpgradeOptions upgraded;
    add_upgrade(app, upgraded);
    ConfigCommands config(app);
    ExplainOptions explained;
    add_explain(app, explained);
    PluginCommands plugins(app);
    std::string shell;
    app.add_subcommand("completion", "Print a script that completes commands and options in a shell")
        ->add_option("SHELL", shell, "bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    app.add_subcommand("help", "Print the help of a command: berth help simulate");
    if (argc <= 1) {
        std::cerr << app.help();
        return 2;
    }
    std::vector<const char *> words(argv, argv + argc);
    if (words[1] == std::string_view(complete_command)) {
        std::cout << completions(app, std::span<const char *const>(words).subspan(2));
        return 0;
    }
    const bool asks_help = words[1] == std::string_view("help");
    if (asks_help) words.erase(words.begin() + 1);
    if (auto why = command_fault(app, std::span<const char *const>(words).subspan(1)); !why.empty()) {
        std::cerr << why << '\n';
        return 2;
    }
    if (asks_help) words.push_back("--help");
    try {
        app.parse(static_cast<int>(words.size()), words.data());
    } catch (const CLI::ParseError &e) {
        int code = app.exit(e);
        return code == 0 ? 0 : 2;
    }
    if (app.got_subcommand("help")) {
        std::cerr << "berth: help comes first: berth help, or berth help COMMAND\n";
        return 2;
    }
    if (app.got_subcommand("version") && list_gates->count() > 0) return print_gates(listed, of_gates);
    if (app.got_subcommand("version") || (!show_version.empty() && show_version != "false")) {
        std::cout << (version_as_json ? version_json() : version) << '\n';
        if (app.got_subcommand("version") && !version_as_json)
            std::cout << "decides as Kubernetes " << config::Release::names() << '\n';
        return 0;
    }
    if (app.got_subcommand("completion")) {
        std::cout << completion_script(shell);
        return 0;
    }
    live.options.as_kube_scheduler = !app.got_subcommand("run") && app.get_subcommands().empty();
    // Whatever loads a plugin names one that ends the process; the live scheduler keeps a record of it, too.
    if (!live.options.as_kube_scheduler && !app.got_subcommand("run")) (void)live::CrashRecord::open("-");
    if (app.got_subcommand("simulate")) return judged(simulate(simulation));
    if (app.got_subcommand("replay")) return judged(replay(replayed));
    if (app.got_subcommand("upgrade")) return judged(upgrade(upgraded));
    if (app.got_subcommand("explain")) return explain(explained);
    if (config.chosen()) return config.run();
    if (plugins.chosen()) return plugins.run();
    return run(live);
} catch (const std::exception &e) {
    // Nothing that comes from outside ends here; if something does, it says so instead of aborting.
    std::cerr << "berth: internal error: " << e.what() << "\n";
    return 2;
}

}  // namespace berth::cli
