// SPDX-License-Identifier: Apache-2.0
// One library per case about PostFilter and what making room takes: case_name says what it does.
#include "case_name.h"

#include <berth/plugin.hpp>

#include <cstdlib>
#include <optional>
#include <thread>
#include <vector>

namespace {

/// Lets nobody in, then tries to make room.
class Strict {
    const berth::Host &host_;
    std::uint32_t key_;
    berth_trial *trial_ = nullptr;
    berth_state *copy_ = nullptr;  ///< of the trial
    std::optional<berth::Nomination> nomination_;
    std::optional<berth::Done> done_;
    std::optional<berth::Call> call_;
    const berth_outcome *outcome_ = nullptr;
    const berth_object *victim_ = nullptr;
    mutable std::string_view victim_name_;
    mutable bool asking_ = false;

    std::int32_t ask(berth_trial *trial) const { return host_.runner().filter(host_.raw(), trial, nullptr, nullptr); }
    berth_state *state_of(berth_trial *trial) const {
        const auto *raw = host_.raw();
        return static_cast<const berth_host_trial_state *>(
                   raw->get_service(raw, berth::to_str(BERTH_HOST_TRIAL_STATE_DRAFT1)))
            ->state(raw, trial);
    }
    void *read(const berth_state *state) const { return host_.state_service().get(host_.raw(), state, key_); }
    berth_trial *open(berth::Call call, berth::State state, berth::Pod pod, berth::Nodes nodes) const {
        return host_.runner().open(host_.raw(), call.raw(), state.raw(), pod.raw(), nodes.raw(), nodes.order()[0]);
    }

    void in_trial(berth::Nodes nodes) {
        const berth_pods *pods = nodes.raw()->pods;
        const std::uint32_t *rows = nullptr;
        if (is("declares_in_remove_pod") || is("keeps_removed_pod") || is("puts_in_add_pod")) {
            host_.nodes_service().pods_of(host_.raw(), pods, nodes.order()[0], &rows);
            const std::uint32_t row = rows[0];
            host_.runner().remove_pod(host_.raw(), trial_, row, nullptr, nullptr);
            host_.runner().add_pod(host_.raw(), trial_, row, nullptr, nullptr);
        }
        if (is("asks_in_filter")) {
            asking_ = true;
            ask(trial_);
            asking_ = false;
        }
        copy_ = state_of(trial_);
        if (is("makes_no_room") && (!copy_ || read(copy_) != &key_)) std::abort();  // as PreFilter put it
        if (is("state_on_other_thread")) std::thread([&] { state_of(trial_); }).join();
        if (is("asks_on_other_thread")) std::thread([&] { ask(trial_); }).join();
    }

    static void name(berth::Nomination nomination, std::vector<std::uint32_t> rows) {
        try {
            nomination.victims(rows, "tea");
        } catch (const std::exception &) {  // it was told
        }
    }

    void narrow(const berth_call *call, std::uint32_t slot) const {
        const berth_candidate one{slot, 0, nullptr, 0, 0};
        try {
            host_.narrow(call, {&one, 1}, [](auto, auto) {});
        } catch (const std::exception &) {  // it was told
        }
    }

    void misuse(berth::Call call, berth::State state, berth::Pod pod, berth::Nodes nodes, berth::Outcome outcome,
                berth::Nomination nomination) {
        const bool first = !outcome_;
        if (is("writes_outcome")) const_cast<std::int32_t *>(outcome.raw()->code)[0] = BERTH_STATUS_SUCCESS;
        if (is("late_nominate") && !first) nomination_->nominate("n1");
        if (is("names_late") && !first) name(*nomination_, {0});
        if (is("names_twice")) name(nomination, {0, 0});
        if (is("names_on_other_thread")) std::thread([&] { name(nomination, {0}); }).join();
        if (is("late_outcome") && !first) {
            const std::uint32_t *slots = nullptr;
            host_.call_service().outcome_slots(host_.raw(), outcome_, BERTH_STATUS_UNSCHEDULABLE, &slots);
        }
        if (is("uses_closed_trial") && !first) ask(trial_);
        if (is("state_of_closed_trial") && !first) state_of(trial_);
        if (is("stale_trial_state") && !first) read(copy_);
        if (is("late_done") && !first) (*done_)(berth::ok);
        if (is("opens_for_other_pod")) {
            const berth_pods *pods = nodes.raw()->pods;
            const std::uint32_t *rows = nullptr;
            const auto &look_ups = host_.nodes_service();
            look_ups.pods_of(host_.raw(), pods, nodes.order()[0], &rows);
            open(call, state, berth::Pod{look_ups.pod(host_.raw(), pods, rows[0]), &host_}, nodes);
        }
        if (is("removes_while_visiting"))
            host_.each_nominated("n1", [&](const berth_pod *) { host_.remove_nomination("uid-promised"); });
        if (is("activates_on_other_thread")) std::thread([&] { host_.activate("uid-p0"); }).join();
        if (is("cancels_on_other_thread")) std::thread([&] { host_.cancel_pre_bind("uid-p0", "tea"); }).join();
        if (is("narrows_on_other_thread")) std::thread([&] { narrow(call.raw(), nodes.order()[0]); }).join();
        if (is("narrows_what_is_none")) narrow(call.raw(), 77);
        if (is("narrows_without_function")) {
            const auto *raw = host_.raw();
            static_cast<const berth_host_extenders *>(raw->get_service(raw, berth::to_str(BERTH_HOST_EXTENDERS_DRAFT1)))
                ->narrow(raw, call.raw(), nullptr, 0, nullptr, nullptr);
        }
        if (is("visits_on_other_thread"))
            std::thread([&] { host_.each_nominated("n1", [](const berth_pod *) {}); }).join();
        if (is("event_without_reason")) host_.event(pod.raw()->obj, "Warning", "", "Tea", "no reason");
        if (is("event_of_no_type")) host_.event(pod.raw()->obj, "Alarm", "Tea", "Tea", "no type");
        if (is("event_of_stranger") && !first) host_.event(victim_, "Normal", "Tea", "Tea", "about whom?");
        if (is("event_on_other_thread"))
            std::thread([&] { host_.event(nodes.raw()->obj[0], "Normal", "Tea", "Tea", "where?"); }).join();
        trial_ = is("opens_for_other_pod") ? nullptr : open(call, state, pod, nodes);
        if (trial_) in_trial(nodes);
        if (is("names_in_trial")) {
            const std::uint32_t *rows = nullptr;
            host_.nodes_service().pods_of(host_.raw(), nodes.raw()->pods, nodes.order()[0], &rows);
            const auto row = rows[0];
            host_.runner().remove_pod(host_.raw(), trial_, row, nullptr, nullptr);
            name(nomination, {row});
        }
        if (trial_ && !is("leaves_trial_open")) host_.runner().close(host_.raw(), trial_);
        outcome_ = outcome.raw();
        nomination_ = nomination;
        victim_ = pod.raw()->obj;
    }

public:
    explicit Strict(const berth::Host &host) : host_(host), key_(host.state_key<int>("Strict").id) {}
    ~Strict() {
        if (!is("ends_in_destroy") || !done_) return;
        if (!call_->cancelled() || host_.activate("uid-p0")) std::abort();
        (*done_)(berth::ok);
    }
    Strict(const Strict &) = delete;
    Strict &operator=(const Strict &) = delete;

    berth::Verdict pre_filter(berth::Call call, berth::State state, berth::Pod pod, berth::Nodes nodes) {
        if (is("opens_in_pre_filter")) open(call, state, pod, nodes);
        if (is("narrows_in_pre_filter")) narrow(call.raw(), nodes.order()[0]);
        static const berth_plugin_state_type shared{sizeof shared, 0, nullptr, nullptr};
        if (is("makes_no_room")) host_.state_service().put(host_.raw(), state.raw(), key_, &key_, &shared);
        berth_plugin_changes nobody{};
        if (is("changes_since_tomorrow"))
            host_.delta().changes(host_.raw(), nodes.raw(), nodes.raw()->snapshot_id + 1, &nobody, nullptr);
        return berth::ok;
    }
    berth::Verdict add_pod(berth::Call call, berth::State state, berth::Pod, berth::Pod, berth::Node) const {
        static const berth_plugin_state_type type{sizeof type, 0, nullptr, nullptr};
        if (is("puts_in_add_pod"))
            host_.state_service().put(host_.raw(), state.raw(), 1, const_cast<void *>(static_cast<const void *>(this)),
                                      &type);
        if (is("keeps_removed_pod")) call.reason(victim_name_);
        return berth::ok;
    }
    berth::Verdict remove_pod(berth::Call, berth::State, berth::Pod, berth::Pod other, berth::Node) const {
        if (is("declares_in_remove_pod")) host_.column(BERTH_COLUMN_NODE_LABEL, "tea");
        victim_name_ = other.name();
        return berth::ok;
    }
    berth::Verdict filter(berth::Pod, berth::Node) const {
        if (asking_) ask(trial_);
        if (is("nominates_in_filter")) host_.remove_nomination("uid-p0");
        return berth::unschedulable("full");
    }
    berth::Verdict post_filter(berth::Call call, berth::State state, berth::Pod pod, berth::Nodes nodes,
                               berth::Outcome outcome, berth::Nomination nomination, berth::Done done) {
        misuse(call, state, pod, nodes, outcome, nomination);
        done_ = done;
        call_ = call;
        if (is("ends_in_destroy")) return berth::in_progress();
        if (is("asks_extenders")) {
            narrow(call.raw(), nodes.order()[0]);
            return berth::in_progress();
        }
        if (is("ends_twice") || is("ends_and_answers")) done(berth::ok);
        if (is("ends_twice")) done(berth::ok);
        if (is("ends_twice") || is("never_ends")) return berth::in_progress();
        return berth::unschedulable("no room");
    }
};

}  // namespace

BERTH_PLUGIN(Strict, "Strict", "1.0.0")
