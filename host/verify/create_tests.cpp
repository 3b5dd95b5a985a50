// SPDX-License-Identifier: Apache-2.0
// Tests of instances: right, wrong and random arguments, older and later hosts.
#include "verify/process_state.h"
#include "verify/random.h"
#include "verify/random_arguments.h"
#include "verify/stage.h"
#include "verify/strange_host.h"
#include "verify/test.h"
#include "verify/world.h"

#include "decode/write.h"
#include "plugin/fault.h"

#include <functional>
#include <utility>

namespace berth::verify {
namespace {

std::string shown(const model::TreePtr &args) {
    if (!args) return "no arguments";
    constexpr std::size_t enough = 160;
    auto text = decode::to_json(args->value());
    return "arguments " + (text.size() > enough ? text.substr(0, enough) + "…" : text);
}

/// Why a refusal is none that a user could do something with, or "".
std::string unfit(const std::string &refusal) {
    for (const auto *what : {"create threw", "default_args threw", "default_args returned", "without saying why"})
        if (refusal.find(what) != refusal.npos) return refusal;
    return {};
}

/// Takes the arguments or refuses them with a text: anything else is found.
Found takes_or_refuses(Run &run, const model::TreePtr &args) {
    Stage stage(run.seed);
    run.subject.set_arguments(args);
    auto made = run.subject.make(stage.services);
    if (made) return {};
    if (auto why = unfit(made.error().text); !why.empty())
        return Finding{"an instance, or a refusal with a text that says what is wrong", why, shown(args)};
    return {};
}

Found configured(Run &run) {
    Stage stage(run.seed);
    auto made = run.subject.make(stage.services);
    if (made) return {};
    return Finding{run.subject.arguments()
                       ? "an instance with the arguments of the configuration"
                       : "an instance without arguments; if it needs some, name a configuration with --config",
                   made.error().text, shown(run.subject.arguments())};
}

Found empty_args(Run &run) { return takes_or_refuses(run, nullptr); }

Found wrong_args(Run &run) {
    for (const auto &args : wrong_arguments(known_fields(run.subject)))
        if (auto found = takes_or_refuses(run, args)) return found;
    return {};
}

Found random_args(Run &run) {
    const auto fields = known_fields(run.subject);
    Random random(run.seed);
    for (int i = 0; i < 300; ++i)
        if (auto found = takes_or_refuses(run, random_arguments(random, fields))) return found;
    return {};
}

/// Does `once` a hundred times, after it has been warmed up, and looks at what is left when `settle` has been called.
/// `least` bytes of each are something; less is the allocator's own doing, or the host's.
template <class Fn>
Found leaves_nothing(
    const std::string &what, const Fn &once, std::size_t least = 24, const std::function<void()> &settle = [] {}) {
    constexpr int warm = 20, times = 100;
    const ProcessState first;
    for (int i = 0; i < warm; ++i) once();
    settle();
    const ProcessState before;
    const std::size_t bytes = allocated_bytes();
    for (int i = 0; i < times; ++i) once();
    settle();
    const std::size_t now = allocated_bytes();
    const ProcessState after;
    const std::string expected = "nothing left behind by 100 times " + what;
    if (now >= bytes + least * times)
        return Finding{expected, std::to_string((now - bytes) / times) + " bytes of each are never freed"};
    if (after.threads > before.threads)
        return Finding{expected, std::to_string(after.threads - before.threads) + " threads go on"};
    if (after.files > before.files)
        return Finding{expected, std::to_string(after.files - before.files) + " files stay open"};
    if (auto changed = after.changed_since(first); !changed.empty()) return Finding{expected, changed};
    return {};
}

/// So that all has come that an instance which is gone had begun; the host itself begins some things again and again.
constexpr int enough_timers = 10'000;

Found repeats(Run &run) {
    constexpr int few = 4;
    Stage stage(run.seed);
    return leaves_nothing("create and destroy", [&] {
        {
            // The instance's own timers come some times while it lives.
            const auto made = run.subject.make(stage.services);
            pass_time(stage.clock, few);
        }
        // What waits on the clock has come to its end, as it does where time passes: it is no leak.
        pass_time(stage.clock, enough_timers);
    });
}

/// Each instance gets to know a cluster's objects and pods, which it forgets with its end.
Found repeats_with_pods(Run &run) {
    constexpr std::size_t pods = 4, least = 128;
    World world(run, {6, 12, pods});
    return leaves_nothing(
        "create, attempts of a few pods and destroy",
        [&] {
            const auto fresh = world.another(run.subject);
            for (const auto &pod : world.pending) (void)Attempt(world, pod, &fresh).results();
        },
        least, [&] { pass_time(world.stage.clock, enough_timers); });
}

Found repeats_refusals(Run &run) {
    Stage stage(run.seed);
    for (const auto &args : wrong_arguments(known_fields(run.subject))) {
        run.subject.set_arguments(args);
        if (run.subject.make(stage.services)) continue;
        auto found = leaves_nothing("a refused create", [&] { (void)run.subject.make(stage.services); });
        if (found) found->where = shown(args);
        return found;
    }
    return {};
}

/// Several profiles have an instance each; they come and go in any order.
Found several(Run &run) {
    Stage stage(run.seed);
    Random random(run.seed);
    std::vector<std::unique_ptr<plugin::Instance>> all;
    for (int i = 0; i < 60; ++i) {
        if (all.size() > 1 && random.once_in(2)) {
            all.erase(all.begin() + static_cast<std::ptrdiff_t>(random.below(all.size())));
            continue;
        }
        auto made = run.subject.make(stage.services);
        if (!made)
            return Finding{"another instance beside " + std::to_string(all.size()) + " others", made.error().text};
        for (const auto &other : all)
            if (other->self == (*made)->self && other->self != nullptr)
                return Finding{"an instance of its own for each profile", "create gave the same `self` twice"};
        all.push_back(*std::move(made));
    }
    return {};
}

Found strange_host(Run &run, Strangeness how, const std::string &which) {
    Stage stage(run.seed);
    auto arguments = plugin::arguments_of(run.subject.use());
    if (!arguments) return {};  // create/configured says so
    StrangeHost host(run.subject, stage.services, *arguments, how);
    auto ended = host.create_and_destroy();
    // A plugin that requires a service may say so.
    if (ended || (how == Strangeness::Lesser && unfit(ended.error().text).empty())) return {};
    return Finding{"an instance on " + which, ended.error().text};
}

Found lesser_host(Run &run) {
    return strange_host(run, Strangeness::Lesser, "a host that has only the services that the plugin requires");
}
Found later_host(Run &run) {
    return strange_host(run, Strangeness::Later,
                        "a later host, whose structs are longer and have flags of later minors");
}
/// A struct that was compiled with another layout, or a text that is taken to be terminated, reads beyond.
Found tight_host(Run &run) {
    return strange_host(run, Strangeness::Tight, "a host whose structs and texts end where the memory does");
}

}  // namespace

std::vector<Test> create_tests() {
    return {{.name = "create/configured", .run = configured, .needs = Needs::Plugin},
            {.name = "create/empty-args", .run = empty_args, .needs = Needs::Plugin},
            {.name = "create/wrong-args", .run = wrong_args, .needs = Needs::Plugin},
            {.name = "create/random-args", .run = random_args, .needs = Needs::Plugin},
            {.name = "create/repeated", .run = repeats},
            {.name = "create/used", .run = repeats_with_pods},
            {.name = "create/refused", .run = repeats_refusals},
            {.name = "create/several", .run = several},
            {.name = "create/lesser-host", .run = lesser_host},
            {.name = "create/later-host", .run = later_host},
            {.name = "create/tight-host", .run = tight_host}};
}

}  // namespace berth::verify
