// SPDX-License-Identifier: Apache-2.0
#include "cli/plugin_verify.h"

#include "cli/exit_codes.h"
#include "verify/report.h"
#include "verify/runner.h"

#include <fcntl.h>
#include <unistd.h>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <thread>

namespace berth::cli {
namespace {

std::chrono::seconds patience_of(const PluginVerifyOptions &options) {
    return std::max(std::chrono::ceil<std::chrono::seconds>(options.time_limit), std::chrono::seconds{1});
}

int run_one(const PluginVerifyOptions &options, const std::string &file, const std::string &plugin,
            const config::Configuration &configuration) {
    const auto *test = options.only.size() == 1 ? verify::find_test(options.only.front()) : nullptr;
    if (!test) return refuse("--within-process: expected one --test");
    // What a plugin prints must not be taken for a result.
    const int output = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 100);
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    verify::end_after(patience_of(options));
    verify::Subject subject(file, plugin, {options.insecure, {}}, configuration);
    verify::Run run(subject, options.seed, options.cluster);
    const int code = verify::run_here(*test, run, output);
    // As a host ends: what a library leaves to be run at the end of the process is not run.
    ::_exit(code);
}

}  // namespace

int plugin_verify(const PluginVerifyOptions &options) {
    const verify::FileAndPlugin given(options.file);
    const auto &[file, plugin] = given;
    const auto configuration = options.configuration();
    if (!configuration) return refuse(configuration.error().text);
    if (options.within_process) return run_one(options, file, plugin, *configuration);
    warn(configuration->warnings);
    if (options.cluster.given())
        if (auto cluster = options.cluster.read({}); !cluster) return refuse(cluster.error().text);

    if (std::error_code error; !std::filesystem::exists(file, error))
        return refuse(file +
                      ": there is no such file; expected a plugin library, or FILE#PLUGIN for one of its plugins");
    verify::Order order;
    order.file = file;
    order.plugin = plugin;
    order.only = options.only;
    order.accepted = options.accepted;
    order.seed = options.seed;
    order.patience = patience_of(options);
    order.at_once = options.jobs ? options.jobs : std::max(1U, std::thread::hardware_concurrency());
    order.program = "berth";
    if (options.sanitizer) {
        auto environment = verify::sanitized_environment(*options.sanitizer, file, {options.insecure, {}});
        if (!environment) return refuse(environment.error().text);
        order.environment = *std::move(environment);
        order.arguments.push_back("--sanitize=" + std::string(verify::name(*options.sanitizer)));
    }
    const auto pass_on = [&](const char *option, const std::string &value) {
        if (!value.empty()) order.arguments.insert(order.arguments.end(), {option, value});
    };
    pass_on("--config", options.config);
    for (const auto &cluster : options.cluster.clusters) pass_on("--cluster", cluster);
    pass_on("--scenario", options.cluster.scenario);
    if (options.cluster.release) pass_on("--kubernetes-version", options.cluster.release->text());
    if (options.insecure) order.arguments.emplace_back("--insecure-plugins");
    auto report = verify::run(order, [&](const verify::Result &result) {
        if (!options.json) std::cout << verify::line(result) << std::flush;
    });
    if (!report) return refuse(report.error().text);
    std::cout << (options.json ? verify::to_json(*report) : verify::coverage(*report) + verify::summary(*report) + "\n")
              << std::flush;
    if (!options.junit.empty()) {
        std::ofstream out(options.junit, std::ios::binary);
        out << verify::to_junit(*report) << std::flush;
        if (!out) return refuse("--junit " + options.junit + ": cannot be written");
    }
    return report->failed() == 0 ? done : answer_is_no;
}

}  // namespace berth::cli
