// SPDX-License-Identifier: Apache-2.0
#include "player.h"

#include <algorithm>

namespace queue_play {

using namespace berth;
using queue::Place;
using queue::QueuedPod;

namespace {

constexpr std::int64_t between_ns = 1000;

struct Names {
    std::vector<std::string> list;
    explicit Names(const queue::Instances &instances) {
        for (const auto *instance : instances) list.push_back(instance->name);
        std::sort(list.begin(), list.end());
    }
    std::string text() const {
        std::string out;
        for (const auto &name : list) out += (out.empty() ? "" : ",") + name;
        return out;
    }
};

std::string describe(const QueuedPod &pod) {
    auto named = [](const char *name, auto number) { return " " + std::string(name) + "=" + std::to_string(number); };
    return pod.pod->key() +
           " version=" + std::string(model::at_pointer(pod.pod->tree->value(), "/metadata/resourceVersion").string()) +
           named("attempts", pod.view.attempts) + named("queued", pod.view.queued_time_ns) +
           named("initial", pod.view.initial_attempt_ns) + named("rejected", pod.unschedulable_count) +
           named("broke", pod.error_count) + " by=" + Names(pod.unschedulable).text() +
           " waits=" + Names(pod.pending).text() + " gate=" + (pod.gated_by ? pod.gated_by->name : "");
}

std::string_view name_of(Place place) {
    switch (place) {
        case Place::Active: return "active";
        case Place::Backoff:
        case Place::ErrorBackoff: return "backoff";
        case Place::Unschedulable: return "unschedulable";
        default: return "in flight";
    }
}

queue::Settings settings_of(Value settings, config::Release release) {
    queue::Settings out;
    out.rules = config::Rules(release);
    out.backoff.initial_ns = queue::wait_ns(number(settings["initialBackoffSeconds"]));
    out.backoff.max_ns = queue::wait_ns(number(settings["maxBackoffSeconds"]));
    out.backoff.early = !settings["wholeBackoff"].is_true();
    out.longest_unschedulable_ns = queue::wait_ns(number(settings["longestUnschedulableSeconds"]));
    return out;
}

Answers answers_of(Value script) {
    Answers out;
    out.sort_key = script["settings"]["sortKey"].is_true();
    for (std::size_t i = 0; i < script["answers"].size(); ++i) out.set(script["answers"].at(i));
    return out;
}

}  // namespace

Player::Player(Value script, config::Release release)
    : answers_(answers_of(script)),
      clock_(number(script["settings"]["startNs"])),
      profiles_(make_profiles(script, answers_, plugins_)),
      queue_(profiles_, *this, clock_, nullptr, settings_of(script["settings"], release)),
      flush_at_ns_(clock_.now_ns() + queue::flush_period_ns) {
    queue_.on_incoming([this](const QueuedPod &pod, Place place, std::string_view event) {
        entries_.push_back({pod.pod->key(), std::string(name_of(place)), std::string(event)});
    });
}

const berth_nodes *Player::table(int which, const model::Node &node) { return &cache_.one_node(which, node); }

void Player::play(Value step) {
    std::string what(step["do"].string());
    out_ += "step " + std::to_string(number_++) + " " + what + "\n";
    entries_.clear();
    pass(between_ns);
    act(what, step);
    report();
}

void Player::act(std::string_view what, Value step) {
    if (what == "add") return add(pod_of(step["pod"]));
    if (what == "update") return update(pod_of(step["pod"]));
    if (what == "delete") return remove(*pod_of(step["pod"]));
    if (what == "pop") return pop();
    if (what == "requeue") return requeue(step);
    if (what == "node") return node(node_of(step["oldNode"]), node_of(step["node"]));
    if (what == "assigned") return assigned(pod_of(step["oldPod"]), pod_of(step["pod"]));
    if (what == "sleep") return pass(number(step["ns"]));
    if (what == "answer") return answers_.set(step["answer"]);
    if (what == "gate") {
        answers_.gates[std::string(step["key"].string())] = {std::string(step["plugin"].string()),
                                                             static_cast<std::int32_t>(number(step["code"]))};
    } else if (what == "done") {
        if (auto pod = flight(step["uid"].string()); pod != flying_.end()) flying_.erase(pod);
        queue_.done(step["uid"].string());
    } else if (what == "event") {
        queue::Event event;
        event.resource = step["resource"].string();
        event.action = actions(step["actions"]);
        queue_.move(event);
    } else if (what == "activate") {
        for (std::size_t i = 0; i < step["keys"].size(); ++i) {
            auto pod = pods_.find(std::string(step["keys"].at(i).string()));
            if (pod != pods_.end()) queue_.activate(pod->second);
        }
    } else {
        out_ += "  no such step\n";
    }
}

void Player::add(model::PodPtr pod) {
    if (flight(pod->uid()) != flying_.end()) return;
    pods_[pod->key()] = pod;
    queue_.add(pod);
}

void Player::update(model::PodPtr pod) {
    auto known = pods_.find(pod->key());
    if (known == pods_.end() || known->second->uid() != pod->uid()) return;
    model::PodPtr before = std::exchange(known->second, pod);
    queue_.update(before, pod);
    if (before->nominated_node() != pod->nominated_node()) free_nomination(before);
}

void Player::remove(const model::Pod &named) {
    auto known = pods_.find(named.key());
    if (known == pods_.end()) return;
    model::PodPtr pod = std::move(known->second);
    pods_.erase(known);
    queue_.remove(*pod);
    free_nomination(pod);
}

void Player::free_nomination(const model::PodPtr &pod) {
    if (pod->nominated_node().empty()) return;
    queue_.move({queue::resource_assigned_pod, BERTH_EVENT_DELETE, pod, nullptr, nullptr, nullptr},
                [&](const QueuedPod &other) { return other.view.priority <= pod->view.priority; });
}

void Player::pop() {
    auto pod = queue_.pop();
    if (!pod) return;
    out_ += "  pop " + describe(*pod) + "\n";
    flying_.push_back(std::move(pod));
}

void Player::requeue(Value step) {
    auto found = flight(step["uid"].string());
    if (found == flying_.end()) return;
    Flight pod = std::move(*found);
    flying_.erase(found);
    auto current = pods_.find(pod->pod->key());
    if (current == pods_.end() || current->second->uid() != pod->pod->uid()) return queue_.done(pod->pod->uid());
    auto instances = [&](Value names) {
        queue::Instances out;
        for (std::size_t i = 0; i < names.size(); ++i)
            for (const auto &instance : pod->profile->instances)
                if (instance->name == names.at(i).string()) out.push_back(instance.get());
        return out;
    };
    queue::Instances unschedulable = instances(step["unschedulable"]), pending = instances(step["pending"]);
    queue_.requeue(std::move(pod), current->second, std::move(unschedulable), std::move(pending));
}

void Player::node(const model::NodePtr &before, const model::NodePtr &after) {
    if (!before) return queue_.move(queue::node_event(BERTH_EVENT_ADD, nullptr, after));
    if (!after) return queue_.move(queue::node_event(BERTH_EVENT_DELETE, before, nullptr));
    for (const auto &event : queue::node_events(before, after, queue_.settings().rules.target_pod_events))
        queue_.move(event);
}

void Player::assigned(const model::PodPtr &before, const model::PodPtr &after) {
    if (!before) return queue_.move(queue::pod_event(*after, BERTH_EVENT_ADD, nullptr, after));
    if (!after) return queue_.move(queue::pod_event(*before, BERTH_EVENT_DELETE, before, nullptr));
    for (const auto &event : queue::pod_events(before, after, queue_.settings().rules.target_pod_events))
        queue_.move(event);
}

/// Lets time go by as upstream's timers divide it, and holds the queue to its word about when it is to be woken.
void Player::pass(std::int64_t ns) {
    std::int64_t end = clock_.now_ns() + ns;
    for (;;) {
        std::int64_t next = (clock_.now_ns() / queue::second_ns + 1) * queue::second_ns;
        next = std::min(next, flush_at_ns_);
        if (next > end) break;
        auto wake = queue_.next_wake();
        std::size_t entered = entries_.size();
        clock_.advance_to(next);
        queue_.flush();
        if (next == flush_at_ns_) flush_at_ns_ += queue::flush_period_ns;
        if (entries_.size() > entered && wake.value_or(INT64_MAX) > next) out_ += "  overslept\n";
    }
    clock_.advance_to(end);
}

std::list<Player::Flight>::iterator Player::flight(std::string_view uid) {
    return std::find_if(flying_.begin(), flying_.end(), [&](const Flight &pod) { return pod->pod->uid() == uid; });
}

void Player::report() {
    std::stable_sort(entries_.begin(), entries_.end(), [](const Entry &a, const Entry &b) { return a.pod < b.pod; });
    for (const auto &entry : entries_) out_ += "  in " + entry.pod + " " + entry.queue + " " + entry.event + "\n";
    std::map<std::string, std::string> now, changed;
    queue_.each([&](const QueuedPod &pod) {
        std::string state = std::string(name_of(pod.place)) + " " + describe(pod);
        if (name_of(pod.place) == "backoff") state += " until=" + std::to_string(pod.backoff_end_ns);
        now[pod.pod->key()] = state;
    });
    changed = now;
    for (const auto &[key, state] : states_)
        if (!now.contains(key)) changed[key] = "gone";
    for (const auto &[key, state] : changed)
        if (auto before = states_.find(key); before == states_.end() || before->second != state)
            out_ += "  state " + key + " " + state + "\n";
    states_ = std::move(now);
}

}  // namespace queue_play
