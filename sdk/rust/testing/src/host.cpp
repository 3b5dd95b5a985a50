// SPDX-License-Identifier: Apache-2.0
// berth::testing as functions of C, for the crate. A function reports to `take`, as a word with a text and
// a number; what it throws is reported as a "fault".
#include <berth/testing.hpp>

#include <sstream>

namespace {

using berth::testing::Answer;
using berth::testing::Cluster;
using berth::testing::Plugin;

struct Teller {
    void *ctx;
    void (*take)(void *ctx, berth_str word, berth_str text, std::int64_t number);

    void operator()(std::string_view word, std::string_view text, std::int64_t number = 0) const {
        take(ctx, berth::to_str(word), berth::to_str(text), number);
    }
    void operator()(const Answer &answer) const {
        (*this)("code", "", answer.code());
        for (const auto &text : answer.texts()) (*this)("reason", text);
        if (answer.timeout) (*this)("timeout", "", answer.timeout->count());
        if (answer.nominated) (*this)("nominated", *answer.nominated);
        for (const auto &victim : answer.victims) (*this)("victim", victim);
        if (!answer.victims.empty()) (*this)("why", answer.victims_reason);
        if (!answer.nodes) return;
        (*this)("narrowed", "");
        for (const auto &node : *answer.nodes) (*this)("node", node);
    }
    void all(const std::vector<std::string> &texts) const {
        for (const auto &text : texts) (*this)("text", text);
    }
};

template <class Fn>
void try_to(const Teller &tell, Fn &&fn) {
    try {
        fn();
    } catch (const std::exception &e) {
        tell("fault", e.what());
    }
}

struct Question {
    Plugin &plugin;
    std::string_view a, b, c;  ///< names of pods and nodes, or YAML
    std::int64_t number;
};
using Ask = void (*)(const Question &, const Teller &);

constexpr std::pair<std::string_view, Ask> questions[] = {
    {"pre_enqueue", [](const Question &q, const Teller &tell) { tell(q.plugin.pre_enqueue(q.a)); }},
    {"less", [](const Question &q, const Teller &tell) { tell("number", "", q.plugin.less(q.a, q.b)); }},
    {"pre_filter", [](const Question &q, const Teller &tell) { tell(q.plugin.pre_filter(q.a)); }},
    {"add_pod", [](const Question &q, const Teller &tell) { tell(q.plugin.add_pod(q.a, q.b, q.c)); }},
    {"remove_pod", [](const Question &q, const Teller &tell) { tell(q.plugin.remove_pod(q.a, q.b, q.c)); }},
    {"filter", [](const Question &q, const Teller &tell) { tell(q.plugin.filter(q.a, q.b)); }},
    {"post_filter", [](const Question &q, const Teller &tell) { tell(q.plugin.post_filter(q.a)); }},
    {"pre_score", [](const Question &q, const Teller &tell) { tell(q.plugin.pre_score(q.a)); }},
    {"score", [](const Question &q, const Teller &tell) { tell("number", "", q.plugin.score(q.a, q.b)); }},
    {"scores",
     [](const Question &q, const Teller &tell) {
         for (const auto &[node, score] : q.plugin.scores(q.a)) tell("score", node, score);
     }},
    {"reserve", [](const Question &q, const Teller &tell) { tell(q.plugin.reserve(q.a, q.b)); }},
    {"unreserve", [](const Question &q, const Teller &) { q.plugin.unreserve(q.a, q.b); }},
    {"permit", [](const Question &q, const Teller &tell) { tell(q.plugin.permit(q.a, q.b)); }},
    {"pre_bind", [](const Question &q, const Teller &tell) { tell(q.plugin.pre_bind(q.a, q.b)); }},
    {"bind", [](const Question &q, const Teller &tell) { tell(q.plugin.bind(q.a, q.b)); }},
    {"post_bind", [](const Question &q, const Teller &) { q.plugin.post_bind(q.a, q.b); }},
    {"wakes", [](const Question &q, const Teller &tell) { tell.all(q.plugin.wakes()); }},
    {"hint",
     [](const Question &q, const Teller &tell) {
         tell("number", "", q.plugin.hint(q.a, static_cast<std::uint64_t>(q.number), q.b, q.c));
     }},
    {"log", [](const Question &q, const Teller &tell) { tell.all(q.plugin.host.log); }},
    {"log_fields",
     [](const Question &q, const Teller &tell) {
         for (const auto &[key, value] : q.plugin.host.log_fields) tell.all({key, value});
     }},
    {"metric",
     [](const Question &q, const Teller &tell) {
         const auto &all = q.plugin.host.metrics;
         if (const auto found = all.find(std::string(q.a)); found != all.end())
             tell("text", berth::detail::number_text(found->second));
     }},
    {"sent",
     [](const Question &q, const Teller &tell) {
         for (const auto &sent : q.plugin.host.sent) tell.all({sent.right(), sent.name_space, sent.name, sent.body});
     }},
    {"api",
     [](const Question &q, const Teller &) {
         q.plugin.host.api = [answer = berth::testing::ApiAnswer{static_cast<std::int32_t>(q.number),
                                                                 std::string(q.a)}](const auto &) { return answer; };
     }},
    {"read", [](const Question &q, const Teller &tell) { tell.all(q.plugin.host.read); }},
    {"no_reads",
     [](const Question &q, const Teller &) {
         q.plugin.host.no_reads = {static_cast<std::int32_t>(q.number), std::string(q.a)};
     }},
    {"waits",
     [](const Question &q, const Teller &) { q.plugin.host.waiting.emplace_back(std::string(q.a), std::string(q.b)); }},
    {"pends",
     [](const Question &q, const Teller &) {
         berth::testing::PendingPod pod{std::string(q.a), static_cast<std::uint32_t>(q.number)};
         std::istringstream plugins{std::string(q.b)}, numbers{std::string(q.c)};
         for (std::string name; std::getline(plugins, name);) pod.plugins.push_back(name);
         numbers >> pod.attempts >> pod.backoff_end_ns >> pod.queued_time_ns >> pod.initial_attempt_ns >>
             pod.group_priority >> pod.group;
         q.plugin.host.pending.push_back(std::move(pod));
     }},
    {"allowed", [](const Question &q, const Teller &tell) { tell.all(q.plugin.host.allowed); }},
    {"rejected", [](const Question &q, const Teller &tell) { tell.all(q.plugin.host.rejected); }},
    {"cancel_calls", [](const Question &q, const Teller &) { q.plugin.cancel_calls(); }},
    {"pass",
     [](const Question &q, const Teller &) { q.plugin.host.pass_seconds(static_cast<double>(q.number) / 1e9); }},
};

}  // namespace

extern "C" {

Cluster *berth_testing_cluster() { return new Cluster; }
void berth_testing_add(Cluster *cluster, berth_str yaml, Teller tell) {
    try_to(tell, [&] { cluster->add(berth::view(yaml)); });
}
void berth_testing_remove(Cluster *cluster, berth_str kind, berth_str name) {
    cluster->remove(berth::view(kind), berth::view(name));
}
void berth_testing_free_cluster(Cluster *cluster) { delete cluster; }

/// NULL after a fault. The cluster outlives it.
Plugin *berth_testing_plugin(Cluster *cluster, const berth_library *library, berth_str name, berth_str args,
                             Teller tell) {
    Plugin *made = nullptr;
    try_to(tell, [&] { made = new Plugin(*cluster, *library, berth::view(name), berth::view(args)); });
    return made;
}
void berth_testing_free_plugin(Plugin *plugin) { delete plugin; }

/// `names` are three.
void berth_testing_ask(Plugin *plugin, berth_str what, const berth_str *names, std::int64_t number, Teller tell) {
    try_to(tell, [&] {
        const auto *found = std::ranges::find(questions, berth::view(what), &std::pair<std::string_view, Ask>::first);
        if (found == std::end(questions)) throw std::logic_error("no such question");
        const Question question{*plugin, berth::view(names[0]), berth::view(names[1]), berth::view(names[2]), number};
        found->second(question, tell);
    });
}
}
