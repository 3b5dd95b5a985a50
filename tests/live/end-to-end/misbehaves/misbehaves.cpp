// SPDX-License-Identifier: Apache-2.0

/// Misbehaves: does what no plugin should at the point that a pod's labels name: `throws: Filter`, `hangs: Filter` (for
/// args.seconds), `crashes: Filter`, `answers: Filter` (what is no answer; at Score too). Other pods do not notice it.

#include <berth/plugin.hpp>

#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>

namespace {

class Misbehaves {
    std::chrono::seconds seconds_;

    static std::string_view label(berth::Pod pod, std::string_view key) {
        for (const auto &l : pod.labels())
            if (berth::view(l.key) == key) return berth::view(l.value);
        return {};
    }

    void at(std::string_view point, berth::Pod pod) const {
        if (label(pod, "throws") == point) throw std::runtime_error("no tea in " + std::string(point));
        if (label(pod, "hangs") == point) std::this_thread::sleep_for(seconds_);
        if (label(pod, "crashes") == point) std::raise(SIGSEGV);
    }
    berth::Verdict ok_at(std::string_view point, berth::Pod pod) const {
        at(point, pod);
        return berth::ok;
    }

public:
    static constexpr const char *description = "Throws, hangs and crashes when a pod asks for it";

    explicit Misbehaves(berth::Args args) : seconds_(args.integer("seconds", 7)) {}

    berth::Verdict pre_enqueue(berth::Pod pod) const { return ok_at("PreEnqueue", pod); }
    berth::Verdict pre_filter(berth::Pod pod) const { return ok_at("PreFilter", pod); }
    berth::Verdict filter(berth::Pod pod, berth::Node) const {
        constexpr std::int32_t no_code = 99;
        return label(pod, "answers") == "Filter" ? berth::Verdict(no_code) : ok_at("Filter", pod);
    }
    berth::Verdict post_filter(berth::Call, berth::State, berth::Pod pod, berth::Nodes, berth::Outcome,
                               berth::Nomination) const {
        at("PostFilter", pod);
        return berth::unschedulable("");
    }
    berth::Verdict pre_score(berth::Pod pod, berth::Nodes, berth::Slots) const { return ok_at("PreScore", pod); }
    std::int64_t score(berth::Pod pod, berth::Node) const {
        constexpr std::int64_t too_much = 300;
        at("Score", pod);
        return label(pod, "answers") == "Score" ? too_much : 0;
    }
    void normalize(berth::Call, berth::State, berth::Pod pod, berth::Nodes, berth::Slots, berth::Scores) const {
        at("NormalizeScore", pod);  // and leaves the scores as they are
    }
    berth::Verdict reserve(berth::Pod pod, std::string_view) const { return ok_at("Reserve", pod); }
    void unreserve(berth::Pod pod, std::string_view) const { at("Unreserve", pod); }
    berth::Permit permit(berth::Pod pod, std::string_view) const {
        at("Permit", pod);
        if (label(pod, "throws") == "Unreserve") return berth::unschedulable("not permitted");
        return berth::ok;
    }
    berth::Verdict pre_bind(berth::Pod pod, std::string_view) const { return ok_at("PreBind", pod); }
    berth::Verdict bind(berth::Pod pod, std::string_view) const {
        at("Bind", pod);
        return berth::skip();
    }
    void post_bind(berth::Pod pod, std::string_view) const { at("PostBind", pod); }
    void events(berth::Events) const {}
};

}  // namespace

BERTH_PLUGIN(Misbehaves, "Misbehaves", "1.0.0")
