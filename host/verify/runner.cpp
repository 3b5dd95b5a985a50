// SPDX-License-Identifier: Apache-2.0
#include "verify/runner.h"

#include "env/command.h"
#include "plugin/fault.h"
#include "verify/message.h"
#include "verify/sanitizer.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <sstream>
#include <thread>

namespace berth::verify {
namespace {

/// Something to be run, and how it ended when it has.
struct Task {
    const Test *test;
    std::string plugin;
    std::optional<Result> result{};
    std::string trace{};
    std::string coverage{};
};

class Runner {
    const Order &order_;
    std::atomic<bool> stop_ = false;

    std::vector<std::string> arguments(const Task &task) const {
        std::vector<std::string> out{"plugin",
                                     "verify",
                                     order_.file + (task.plugin.empty() ? "" : "#" + task.plugin),
                                     "--test",
                                     std::string(task.test->name),
                                     "--seed",
                                     std::to_string(order_.seed)};
        out.insert(out.end(), order_.arguments.begin(), order_.arguments.end());
        return out;
    }

    /// One process. The end of its output says how the test ended, unless the process did not come to that.
    Message once(const Task &task, std::chrono::milliseconds late) const {
        env::Command command;
        command.program = "/proc/self/exe";
        command.arguments = arguments(task);
        command.arguments.insert(command.arguments.end(),
                                 {"--within-process", "--time-limit", std::to_string(order_.patience.count()) + "s"});
        if (late.count() > 0) std::this_thread::sleep_for(late);
        constexpr std::size_t most = 64U << 20U;
        // Freed memory must not look as it did: what is used after its end is to be seen.
        command.environment["MALLOC_PERTURB_"] = "165";
        for (const auto &[name, value] : order_.environment) command.environment[name] = value;
        auto end = env::run_command(command, order_.patience + std::chrono::seconds{5}, most, stop_);
        if (!order_.environment.empty())
            if (auto report = sanitizer_report(end.complaints))
                return {.found = Finding{"nothing that the sanitizer reports", *std::move(report)}};
        if (auto message = parse(end.output)) return *std::move(message);
        return {.found = Finding{"the test's end", death(end)}};
    }

    /// A crash, or an exit, reports its plugin, point and pod on standard error.
    static std::string death(const env::CommandEnd &end) {
        std::istringstream lines(end.complaints);
        std::string crash, hang, end_by;
        for (std::string line; std::getline(lines, line);) {
            if (line.starts_with("berth: SIG")) crash = line.substr(7);
            if (line.starts_with("berth: exit") || line.starts_with("berth: quick_exit")) end_by = line.substr(7);
            if (line.starts_with(still_running)) hang = line.substr(still_running.size());
        }
        if (!hang.empty()) {
            auto where = crash.substr(std::min(crash.size(), crash.find(' ')));
            return "it was still running after " + hang + where;
        }
        if (!crash.empty()) return "it crashed: " + crash;
        if (!end_by.empty()) return "its process was ended by " + end_by;
        std::string said = end.complaints.substr(0, 400);
        return "its process " + (end.why.empty() ? "ended early, with exit code 0" : "came to nothing: " + end.why) +
               (said.empty() ? "" : "; it said: " + said);
    }

public:
    explicit Runner(const Order &order) : order_(order) {}

    void run(Task &task) const {
        if (task.result) return;  // it was needed before
        const auto begin = std::chrono::steady_clock::now();
        auto message = once(task, {});
        if (task.test->twice && !message.found) {
            // Another second, another process: neither time nor addresses may count.
            auto again = once(task, std::chrono::milliseconds{1100});
            if (again.found) message = std::move(again);
            else message.found = difference(message.trace, again.trace);
        }
        Result result;
        result.test = task.test->name;
        result.plugin = task.plugin;
        result.seed = order_.seed;
        result.found = std::move(message.found);
        result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        result.repeat = order_.program + " plugin verify";
        for (const auto &argument : std::vector<std::string>(arguments(task)))
            if (argument != "plugin" && argument != "verify") result.repeat += " " + argument;
        task.trace = std::move(message.trace);
        task.coverage = std::move(message.coverage);
        task.result = std::move(result);
    }

    /// Runs all of them, some at a time; reports them in order.
    void run(std::vector<Task> &tasks, const std::function<void(const Task &)> &each) const {
        std::atomic<std::size_t> next = 0;
        std::mutex mutex;
        std::condition_variable ended;
        std::vector<bool> done(tasks.size());
        std::vector<std::jthread> workers;
        for (std::size_t i = 0; i < std::min(order_.at_once, tasks.size()); ++i)
            workers.emplace_back([&] {
                for (std::size_t at = next++; at < tasks.size(); at = next++) {
                    run(tasks[at]);
                    const std::scoped_lock lock(mutex);
                    done[at] = true;
                    ended.notify_one();
                }
            });
        for (std::size_t at = 0; at < tasks.size(); ++at) {
            std::unique_lock lock(mutex);
            ended.wait(lock, [&] { return done[at]; });
            lock.unlock();
            each(tasks[at]);
        }
    }
};

bool wanted(const Order &order, const Test &test) {
    return order.only.empty() || std::ranges::any_of(order.only, [&](const auto &name) {
               return test.name == name || test.name.starts_with(name + "/");
           });
}

bool accepts(const Order &order, const Result &result) {
    return std::ranges::any_of(order.accepted, [&](const std::string &name) {
        return name == result.test || name == result.test + "#" + result.plugin;
    });
}

struct Held {
    std::string plugin;
    std::vector<std::string> interfaces;
};

/// What load/opens found in the library.
std::vector<Held> held(const std::string &trace) {
    std::vector<Held> out;
    std::istringstream lines(trace);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream fields(line);
        Held one;
        std::getline(fields, one.plugin, '\t');
        for (std::string id; std::getline(fields, id, '\t');) one.interfaces.push_back(id);
        out.push_back(std::move(one));
    }
    return out;
}

}  // namespace

std::size_t Report::failed() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(results, [](const auto &r) { return r.found && !r.accepted; }));
}

std::size_t Report::known() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(results, [](const auto &r) { return r.found && r.accepted; }));
}

model::Result<Report> run(const Order &order, const std::function<void(const Result &)> &each) {
    for (const auto &name : order.only)
        if (std::ranges::none_of(
                tests(), [&](const Test &test) { return test.name == name || test.name.starts_with(name + "/"); })) {
            std::vector<std::string> groups;
            for (const auto &test : tests())
                if (std::string group(test.name.substr(0, test.name.find('/'))); std::ranges::count(groups, group) == 0)
                    groups.push_back(group);
            return model::Error{"--test " + name + ": there is no such test; expected a name such as " +
                                std::string(tests().front().name) + ", or a group: " + plugin::listed(groups)};
        }
    for (const auto &name : order.accepted)
        if (!find_test(std::string_view(name).substr(0, name.find('#'))))
            return model::Error{"--accept " + name + ": there is no such test; expected a name such as " +
                                std::string(tests().back().name) + ", or with a plugin, as in " +
                                std::string(tests().back().name) + "#PLUGIN"};
    Report report{order.file, order.seed};
    const Runner runner(order);
    auto take = [&](const Task &task) {
        for (auto &one : report.reached)
            if (one.plugin == task.plugin) one.coverage.add(Coverage::parse(task.coverage));
        report.results.push_back(*task.result);
        report.results.back().accepted = accepts(order, *task.result);
        each(report.results.back());
    };
    // What the library holds is known when it has been loaded, which no process of this program does for itself.
    Task opening{find_test("load/opens"), {}};
    runner.run(opening);
    std::vector<Task> of_file, of_plugins;
    for (const auto &test : tests())
        if (test.needs == Needs::File && wanted(order, test))
            of_file.push_back(&test == opening.test ? opening : Task{&test, {}});
    if (!order.plugin.empty() && !order.only.empty()) of_file.clear();
    runner.run(of_file, take);
    if (opening.result->found) {
        report.left_out = "the library could not be loaded, so its plugins were not tried";
        if (of_file.empty()) take(opening);
        return report;
    }
    std::vector<std::string> names;
    std::vector<Held> plugins;
    std::vector<Task> makings, rest;
    for (auto &one : held(opening.trace)) {
        names.push_back(one.plugin);
        if (!order.plugin.empty() && one.plugin != order.plugin) continue;
        makings.push_back({find_test(makes_instance), one.plugin});
        plugins.push_back(std::move(one));
    }
    if (plugins.empty())
        return model::Error{order.file + ": holds no plugin " + plugin::in_quotes(order.plugin) + "; it holds " +
                            plugin::listed(names)};
    if (order.only.empty())
        for (const auto &one : plugins) report.reached.push_back({one.plugin, points_of(one.interfaces), {}});
    runner.run(makings, [](const Task &) {});
    for (std::size_t i = 0; i < plugins.size(); ++i) {
        const bool made = !makings[i].result->found;
        for (const auto &test : tests())
            if (test.needs != Needs::File && wanted(order, test) && test.applies(plugins[i].interfaces)) {
                if (&test == makings[i].test) rest.push_back(makings[i]);
                else if (made || test.needs == Needs::Plugin) rest.push_back({&test, plugins[i].plugin});
            }
        if (!made)
            report.left_out += (report.left_out.empty() ? "" : "\n") + plugins[i].plugin + ": " +
                               std::string(makes_instance) + " failed, so what needs an instance was not tried";
    }
    runner.run(rest, take);
    // A requested test that could not run must not count as a success.
    for (const auto &task : makings)
        if (task.result->found && !wanted(order, *task.test)) take(task);
    if (report.results.empty())
        return model::Error{"--test: none of these tests is for " +
                            (order.plugin.empty() ? order.file : plugin::in_quotes(order.plugin)) +
                            ", which has not the points that they try"};
    return report;
}

}  // namespace berth::verify
