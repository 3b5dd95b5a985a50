// SPDX-License-Identifier: Apache-2.0
#include "cli/plugin_commands.h"

#include "cli/shared_options.h"

namespace berth::cli {
namespace {

/// Where verify and bench find the library, its arguments and its cluster.
void add_subject(CLI::App &c, PluginSubject &o) {
    c.add_option("FILE", o.file, "Plugin library; FILE#PLUGIN for one plugin of it")->required();
    c.add_option("--config", o.config, "KubeSchedulerConfiguration whose arguments the plugins are made with");
    auto *cluster = c.add_option("--cluster", o.cluster.clusters,
                                 "Cluster to use instead of a generated one: what berth simulate takes")
                        ->type_name("FILE")
                        ->allow_extra_args(false);
    c.add_option("--scenario", o.cluster.scenario, "Scenario whose objects are the cluster, and its configuration")
        ->type_name("FILE")
        ->excludes(cluster);
    add_kubernetes(c, o.cluster.release, "that of the scenario, or " + config::Release().text());
    add_seed(c, o.seed);
    c.add_flag("--insecure-plugins", o.insecure, "Also load plugin files that other users own or can write");
    c.add_flag("--json", o.json, "Print JSON");
}

}  // namespace

void PluginCommands::add_verify() {
    auto &o = verify_options_;
    verify_->footer("Exit codes: 0 every test passed, 1 one failed, 2 wrong usage.");
    add_subject(*verify_, o);
    verify_->add_option("--test", o.only, "Only this test, or this group of tests")
        ->type_name("NAME")
        ->allow_extra_args(false);
    verify_
        ->add_option("--accept", o.accepted,
                     "What this test finds is known, and no failure; of one plugin: TEST#PLUGIN")
        ->type_name("TEST")
        ->allow_extra_args(false);
    add_duration(*verify_, "--time-limit", o.time_limit, "How long a test may take (default: 1m)");
    add_words<std::optional<verify::Sanitizer>>(
        *verify_, "--sanitize", o.sanitizer, "SANITIZER",
        "The library is built with a sanitizer, address or thread: report what it finds",
        {{"address", verify::Sanitizer::Address}, {"thread", verify::Sanitizer::Thread}});
    verify_->add_option("--jobs", o.jobs, "Tests at a time (default: one per processor)")->type_name("N");
    verify_->add_option("--junit", o.junit, "Write the results as JUnit's XML, too")->type_name("FILE");
    verify_->add_flag("--within-process", o.within_process)->group("");
}

PluginCommands::PluginCommands(CLI::App &app)
    : app_(app.add_subcommand("plugin", "Plugin libraries: list, inspect, verify, bench, new")),
      list_(app_->add_subcommand("list", "List the plugins that a configuration can name, and refused files")),
      inspect_(app_->add_subcommand("inspect", "Show a library's manifest, symbols and rights")),
      verify_(app_->add_subcommand("verify", "Test a library as a host uses it, each test in its own process")),
      bench_(app_->add_subcommand("bench", "Measure a plugin's time and allocations in a generated cluster")),
      new_(app_->add_subcommand("new", "Create a plugin project with a test and a configuration")) {
    app_->require_subcommand(1);
    inspect_->add_option("FILE", options_.files, "Plugin library")->required();
    for (auto *c : {list_, inspect_}) {
        add_plugin_files(*c, options_.plugins);
        add_words<bool>(*c, "-o,--output", options_.json, "FORMAT", "table (the default) or json",
                        {{"table", false}, {"json", true}});
    }
    add_verify();
    add_subject(*bench_, bench_options_);
    bench_options_.add(*bench_);
    new_options_.add(*new_);
}

int PluginCommands::run() const {
    if (new_->parsed()) return plugin_new(new_options_);
    if (verify_->parsed()) return plugin_verify(verify_options_);
    if (bench_->parsed()) return plugin_bench(bench_options_);
    return list_->parsed() ? plugin_list(options_) : plugin_inspect(options_);
}

}  // namespace berth::cli
