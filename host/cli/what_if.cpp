// SPDX-License-Identifier: Apache-2.0
#include "cli/what_if.h"

#include "cli/asked.h"
#include "cli/changed_config.h"
#include "decode/document.h"
#include "env/command.h"
#include "report/answer_values.h"
#include "report/what_if.h"

#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include <filesystem>
#include <utility>

namespace berth::cli {
namespace {

using model::ObjectBuilder;

constexpr int bad_request = 400, accepted = 202, too_many = 429, too_large = 413;
constexpr std::size_t largest = 64 << 10, most_output = std::size_t{1} << 30;
constexpr std::chrono::hours patience{1};

/// A file without a name, which whoever runs as the same user can open.
class Nameless {
    int fd_ = ::memfd_create("what-if", MFD_CLOEXEC);

public:
    explicit Nameless(std::string_view text) {
        while (fd_ >= 0 && !text.empty()) {
            const auto n = ::write(fd_, text.data(), text.size());
            if (n <= 0) break;
            text.remove_prefix(static_cast<std::size_t>(n));
        }
    }
    ~Nameless() {
        if (fd_ >= 0) ::close(fd_);
    }
    Nameless(const Nameless &) = delete;
    Nameless &operator=(const Nameless &) = delete;
    std::string path() const { return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(fd_); }
};

env::Command simulation(const SimulateOptions &options, const std::string &config) {
    env::Command out;
    out.program = std::filesystem::read_symlink("/proc/self/exe").string();
    auto &args = out.arguments;
    args = {"simulate", "--output", "json", "--config", config, "--seed", std::to_string(options.seed)};
    for (const auto &directory : options.plugins.directories) args.insert(args.end(), {"--plugin-dir", directory});
    for (const auto &pin : options.plugins.pins) args.insert(args.end(), {"--plugin", pin});
    if (options.plugins.insecure) args.emplace_back("--insecure-plugins");
    if (options.plugins.checks == plugin::Checks::Off) args.insert(args.end(), {"--plugin-checks", "off"});
    if (options.plugins.checks == plugin::Checks::Strict) args.insert(args.end(), {"--plugin-checks", "strict"});
    args.emplace_back("--");
    args.insert(args.end(), options.inputs.begin(), options.inputs.end());
    return out;
}

/// An answer with what was asked for; `more` adds the rest.
template <class Fn>
std::string answer(const char *state, const std::string &changes, Fn &&more) {
    model::Arena arena;
    ObjectBuilder out(arena);
    out.add("kind", "WhatIf").add("apiVersion", report::explain_api).add("state", state);
    if (auto asked = decode::read_document(changes, "changes.json"); asked && !changes.empty())
        out.add("changes", asked->value());
    more(arena, out);
    return report::text_of(out);
}
std::string answer(const char *state, const std::string &changes) {
    return answer(state, changes, [](model::Arena &, ObjectBuilder &) {});
}

/// What a simulation complained of, without its name for the configuration.
std::string complaint(const env::CommandEnd &end, const std::string &path) {
    auto text = end.complaints.empty() ? end.why : end.complaints;
    for (auto at = text.find(path); at != text.npos; at = text.find(path)) text.replace(at, path.size(), "changed");
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
}

}  // namespace

WhatIf::~WhatIf() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
}

void WhatIf::add_to(kube::Routes &routes, std::function<void(std::function<void()>)> post) {
    post_ = std::move(post);
    answer_ = answer("Idle", {});
    routes.add(explain_base + "whatif", [this](const kube::ServedRequest &request, const kube::Answering &done) {
        // Not POST: that a browser sends for another site's page without asking first.
        if (request.method == "PUT") return ask(request, done);
        if (is_method(request, "GET", done)) done({200, answer_, "application/json"});
    });
}

void WhatIf::ask(const kube::ServedRequest &request, const kube::Answering &done) {
    auto bad = [&](const std::string &what) { done(kube::status_answer(bad_request, "BadRequest", what)); };
    if (running_)
        return done(
            kube::status_answer(too_many, "TooManyRequests", "another simulation is running: wait for its end"));
    if (request.body.size() > largest)
        return done(kube::status_answer(too_large, "RequestEntityTooLarge",
                                        "Request entity too large: limit is " + std::to_string(largest)));
    if (std::ranges::count(base_.options.inputs, "-") > 0)
        return bad("the cluster came from standard input, which cannot be read again; give berth simulate a file");
    auto changes = decode::read_document(request.body, "changes.json");
    if (!changes || !changes->value().is_object())
        return bad("expected an object as JSON" + (changes ? "" : ": " + changes.error().text));
    auto file = changed_config(base_.configuration, changes->value());
    if (const auto *causes = std::get_if<std::vector<kube::Cause>>(&file))
        return done(kube::invalid_answer("WhatIf", "changes", *causes));
    begin(request.body, std::get<std::string>(std::move(file)));
    done({accepted, answer_, "application/json"});
}

void WhatIf::begin(std::string changes, std::string file) {
    if (thread_.joinable()) thread_.join();
    running_ = true;
    answer_ = answer("Running", changes);
    thread_ = std::thread([this, changes = std::move(changes), file = std::move(file)] {
        auto text = simulated(changes, file);
        post_([this, text = std::move(text)]() mutable {
            answer_ = std::move(text);
            running_ = false;
        });
    });
}

/// Runs it to its end; the answer. On a thread of its own.
std::string WhatIf::simulated(const std::string &changes, const std::string &file) const {
    const Nameless config(file);
    const auto end = env::run_command(simulation(base_.options, config.path()), patience, most_output, stop_);
    auto failed = [&](const std::string &why) {
        return answer("Failed", changes,
                      [&](model::Arena &, ObjectBuilder &out) { out.add("error", std::string_view{why}); });
    };
    // A scenario whose expectations do not hold ends with another code and has a result all the same.
    const auto result = decode::read_document(end.output, "result.json");
    if (end.output.empty() || !result) return failed(complaint(end, config.path()));
    const auto base = report::to_tree(base_.result, model::Detail::Summary);
    return answer("Done", changes, [&](model::Arena &arena, ObjectBuilder &out) {
        out.add("configuration", std::string_view{file});
        report::add_comparison(arena, out, report::outcome_of(base->value()), report::outcome_of(result->value()),
                               most_differences);
    });
}

}  // namespace berth::cli
