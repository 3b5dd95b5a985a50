// SPDX-License-Identifier: Apache-2.0
#include "player.h"

#include "hint_tables.h"
#include "reserve_table.h"

#include "config/feature_gates.h"
#include "config/read.h"
#include "decode/write.h"
#include "kube/awaited_extender.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>

namespace timeline_play {

using namespace berth;

namespace {

constexpr std::int64_t tick_ns = 1000;  ///< as long as an attempt takes, see upstream.go

[[noreturn]] void fail(const std::string &text) {
    std::cerr << text << '\n';
    std::exit(2);
}

template <class T>
T required(model::Result<T> result) {
    if (!result) fail(result.error().text);
    return std::move(*result);
}

std::string quoted(std::string_view text) {
    std::string out;
    decode::append_json_string(out, text);
    return out;
}

std::string key_of(const berth_pod &pod) {
    return std::string(model::view(pod.namespace_)).append("/").append(model::view(pod.name));
}

/// What an event is about, as upstream.go names it.
std::string about(const berth_event &event) {
    if (const auto *pod = event.new_pod ? event.new_pod : event.old_pod) return "Pod " + key_of(*pod);
    if (const auto *node = event.new_node ? event.new_node : event.old_node)
        return "Node " + std::string(model::view(node->name[0]));
    const auto *handle = event.new_object ? event.new_object : event.old_object;
    if (!handle) return "nothing";
    const auto &object = static_cast<const model::AnyObject &>(*model::object_of(handle));
    return std::string(object.tree->value()["kind"].string()) + " " + object.key();
}

std::string names(const queue::Instances &list) {
    std::vector<std::string> all;
    for (const auto *instance : list) all.push_back(instance->name);
    std::ranges::sort(all);
    all.erase(std::ranges::unique(all).begin(), all.end());
    std::string out;
    for (const auto &name : all) out += (out.empty() ? "" : ",") + name;
    return out;
}

std::string_view place_of(const queue::QueuedPod &pod) {
    switch (pod.place) {
        case queue::Place::Active: return "active";
        case queue::Place::Unschedulable: return "unschedulable";
        case queue::Place::Group: return "incomplete";
        default: return "backoff";
    }
}

std::string describe(const queue::QueuedPod &pod) {
    std::string out(place_of(pod));
    out += " attempts=" + std::to_string(pod.view.attempts) + " queued=" + std::to_string(pod.view.queued_time_ns) +
           " initial=" + std::to_string(pod.view.initial_attempt_ns) +
           " rejected=" + std::to_string(pod.unschedulable_count) + " broke=" + std::to_string(pod.error_count) +
           " by=" + names(pod.unschedulable) + " waits=" + names(pod.pending) +
           " gate=" + (pod.gated_by ? pod.gated_by->name : "");
    // The pods of a group wait as long as the group.
    const bool member = !pod.group && !pod.pod->group().empty();
    if (place_of(pod) == "backoff" && !member) out += " until=" + std::to_string(pod.backoff_end_ns);
    return out;
}

SchedulerSettings settings_of(const config::Configuration &configuration, plugin::Meter &meter) {
    SchedulerSettings settings;
    settings.meter = &meter;
    settings.seed = 1;
    settings.queue = queue::Settings(configuration);
    return settings;
}

/// The configuration as `berth run` has it with the feature gates.
config::Configuration read(const std::string &text, const Manner &manner) {
    auto configuration = required(config::read(text, "config.yaml", manner.release));
    if (auto applied = config::apply_gates(manner.gates, configuration); !applied) fail(applied.error().text);
    return configuration;
}

}  // namespace

Player::Player(std::int64_t now_ns, Manner manner, plugin::Catalog &catalog, const std::string &configuration)
    : manner_(manner),
      clock_(now_ns),
      scheduler_(clock_, this, *this, settings_of(read(configuration, manner), *this)),
      statuses_(api_, clock_, this) {
    const auto settings = read(configuration, manner);
    plugin::Services services;
    services.clock = &clock_;
    services.api = &api_;
    services.log = this;
    services.seed = 1;
    services.checks = manner.checks;
    services.recorder = this;
    services.workers = &workers_;
    scheduler_.offer(services);
    auto profiles = required(plugin::build_profiles(settings, catalog, services));
    watch_hints(profiles, [](const berth_pod &pod, const berth_event &event, const std::string &by, auto answer) {
        say("hint " + by + " " + std::string(answer) + " " + key_of(pod) + " " + about(event));
    });
    if (settings.schedules_groups)
        watch_reserves(profiles, [this](const berth_pod &pod, std::string_view node) {
            line("tried " + key_of(pod) + " " + std::string(node));
        });
    scheduler_.use(std::move(profiles), required(kube::awaited_extenders(settings.extenders)));
    watches_.emplace(scheduler_.observer(), scheduler_.watched_kinds(), config::Rules(manner.release).accounting);
    scheduler_.on_failure([this](const model::Pod &pod, const model::Decision &decision) {
        at_once_ = true;
        statuses_.failed(pod, decision);
        at_once_ = false;
    });
    scheduler_.on_group([this](const model::PodGroup &group, const model::GroupCondition &condition) {
        at_once_ = true;
        statuses_.group(group, condition);
        at_once_ = false;
    });
    scheduler_.on_delayed([this](const model::Pod &pod) { statuses_.nominate(pod); });
    scheduler_.on_bound([this](const model::Pod &pod, const model::Decision &) { statuses_.bound(pod); });
}

Player::~Player() {
    // What waits comes to its end: a timer that never fires would keep what it holds.
    constexpr std::int64_t longest_wait_ns = 3600 * queue::second_ns;
    for (auto &answered : std::exchange(answers_, {})) answered();
    for (auto &waiting : std::exchange(waiting_, {})) waiting.done({404, "{}"});
    clock_.advance_to(clock_.now_ns() + longest_wait_ns);
}

void Player::run_until(std::int64_t ns, bool busy) {
    for (;;) {
        settle();
        if (!busy && scheduler_.schedule_one()) {
            // What its binding asks for is answered when it is over (upstream.go).
            for (clock_.run(); !scheduler_.between_cycles() && settle_one(); clock_.run()) {
            }
            clock_.advance_to(clock_.now_ns() + tick_ns);
            continue;
        }
        auto next = clock_.next_timer();
        if (auto wake = busy ? std::nullopt : scheduler_.next_wake()) next = std::min(next.value_or(INT64_MAX), *wake);
        if (!next || *next > ns) break;
        if (*next <= clock_.now_ns())
            fail("the scheduler wants to be woken at " + std::to_string(*next) + " and has nothing to do");
        clock_.advance_to(*next);
    }
    clock_.advance_to(ns);
    settle();
}

void Player::take(std::vector<News> news) {
    for (auto &one : news) news_.push_back(std::move(one));
}

void Player::take_at_once(const std::vector<News> &news) {
    for (const auto &one : news) watches_->tell(one);
}

/// The scheduler hears of everything that has happened, and its requests are made, one after the other.
void Player::settle() {
    while (settle_one()) {
    }
}

bool Player::settle_one() {
    clock_.run();
    if (!news_.empty()) {
        const News one = std::move(news_.front());
        news_.pop_front();
        watches_->tell(one);
    } else if (!answers_.empty()) {
        const auto answered = std::move(answers_.front());
        answers_.pop_front();
        answered();
    } else if (!waiting_.empty()) {
        auto one = std::move(waiting_.front());
        waiting_.pop_front();
        serve(std::move(one));
    } else {
        return false;
    }
    return true;
}

void Player::request(kube::HttpRequest request, Done done) {
    Waiting waiting{std::move(request), std::move(done)};
    if (at_once_) serve(std::move(waiting));
    else waiting_.push_back(std::move(waiting));
}

void Player::serve(Waiting waiting) {
    const auto &r = waiting.request;
    auto reply = ask("request " + std::to_string(clock_.now_ns()) + " " + r.method + " " + r.path + " " +
                     (r.content_type.empty() ? "-" : r.content_type) + " " + r.body);
    take(std::move(reply.news));
    auto answered = [done = std::move(waiting.done), answer = kube::HttpAnswer{reply.status, std::move(reply.body)}] {
        done(answer);
    };
    if (manner_.news_first && !at_once_ && r.path.find("/pods/") != r.path.npos)
        answers_.emplace_back(std::move(answered));
    else clock_.post(std::move(answered));
}

void Player::decision(const model::Decision &d) {
    if (d.result == model::AttemptResult::Waiting) waited_.emplace(d.pod.uid, d.attempt);
    else if (waited_.erase({d.pod.uid, d.attempt}) != 0 && d.result == model::AttemptResult::Scheduled) return;
    const std::string head = d.pod.name_space + "/" + d.pod.name + " ";
    const std::string counts = std::to_string(d.attempt) + " " +
                               (d.result == model::AttemptResult::Error
                                    ? "-"
                                    : std::to_string(d.evaluated_nodes) + "/" + std::to_string(d.feasible_nodes)) +
                               " ";
    // A pod that got a node, and whose group failed, has been tried all the same.
    const bool placed = d.result == model::AttemptResult::Scheduled || d.result == model::AttemptResult::Waiting ||
                        (d.phase == "PlacementFeasible" && d.evaluated_nodes > 0);
    if (placed) report_scores(d);
    if (placed || (d.result == model::AttemptResult::Unschedulable && (d.phase == "Filter" || d.phase == "PreFilter")))
        report_verdicts(d);
    switch (d.result) {
        case model::AttemptResult::Gated: return;
        case model::AttemptResult::Scheduled:
        case model::AttemptResult::Waiting: return line("attempt " + head + counts + "on " + d.node);
        default: break;
    }
    const bool binding = d.phase == "Permit" || d.phase == "PreBind" || d.phase == "Bind";
    line((binding ? "binding " + head : "attempt " + head + counts) + std::string(model::result_name(d.result)) +
         " nominated=" + (d.nomination ? quoted(*d.nomination) : "-") + " " + quoted(d.message));
}

/// How many nodes each plugin has rejected.
void Player::report_verdicts(const model::Decision &d) {
    std::map<std::string, std::uint64_t> counts;
    for (const auto &rejection : d.rejections)
        if (rejection.plugin != "Extender") counts[rejection.plugin] += rejection.nodes;
    std::string text = "verdicts " + d.pod.name_space + "/" + d.pod.name + " " + std::to_string(d.attempt);
    for (const auto &[plugin, nodes] : counts) text += " " + plugin + "=" + std::to_string(nodes);
    line(text);
}

/// Node by node: `name=total:plugin=score,…`.
void Player::report_scores(const model::Decision &d) {
    std::map<std::string, std::string> nodes;
    for (const auto &node : d.nodes) {
        if (!node.scored) continue;
        std::map<std::string, std::int64_t> scores;
        for (const auto &score : node.scores) scores[score.plugin] = score.weighted;
        auto &text = nodes[node.name];
        text = std::to_string(node.total) + ":";
        for (const auto &[plugin, score] : scores) {
            // An extender is named by its address, and upstream tells of its scores elsewhere.
            if (plugin.find('/') == plugin.npos) text += plugin + "=" + std::to_string(score) + ",";
        }
    }
    if (nodes.empty()) return;
    std::string text = "scores " + d.pod.name_space + "/" + d.pod.name + " " + std::to_string(d.attempt);
    for (const auto &[node, scores] : nodes) text.append(" ").append(node).append("=").append(scores);
    line(text);
}

void Player::write(env::Severity, int, std::string_view message, const Pairs &pairs, std::source_location) {
    std::string text = "log " + std::string(message);
    for (const auto &[key, value] : pairs) text.append(" ").append(key).append("=").append(quoted(value));
    std::ranges::replace(text, '\n', ' ');
    line(text);
}

void Player::write_text(env::Severity, int, std::string_view plugin, std::string_view text) {
    std::string one = "log " + std::string(plugin) + ": " + std::string(text);
    std::ranges::replace(one, '\n', ' ');
    line(one);
}

void Player::entered(std::string_view uid, std::string_view queue, std::string_view event) {
    auto who = watches_->pod(uid);
    if (const auto &group = watches_->group(uid); scheduler_.queue().settings().groups && !group.empty()) {
        // Berth's queue tells of each pod of a group, upstream's of the group.
        const auto *entity = scheduler_.queue().waiting_group(group);
        if (!entity) fail(who + " enters a queue without its group");
        if (++members_told_ < entity->size()) return;
        members_told_ = 0;
        // sink.go leaves that out, too.
        if (queue == "unschedulable" && event == "UnscheduledPodAdd") return;
        who = group_entity + group;
    }
    line("in " + who + " " + std::string(queue) + " " + std::string(event));
}

void Player::report() {
    std::map<std::string, std::string> now;
    scheduler_.queue().each([&](const queue::QueuedPod &pod) {
        now[pod.pod->key()] = describe(pod);
        if (pod.pod->group().empty()) return;
        const auto group = model::group_key(*pod.pod);
        if (const auto *entity = scheduler_.queue().waiting_group(group)) now[group_entity + group] = describe(*entity);
    });
    for (const auto &[key, state] : states_)
        if (!now.contains(key)) line("state " + key + " gone");
    for (const auto &[key, state] : now)
        if (auto before = states_.find(key); before == states_.end() || before->second != state)
            line("state " + key + " " + state);
    states_ = std::move(now);
}

}  // namespace timeline_play
