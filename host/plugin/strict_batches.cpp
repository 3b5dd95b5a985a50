// SPDX-License-Identifier: Apache-2.0
// Strict checks of Filter and Score: their results must not depend on how a batch is cut.
#include "plugin/strict_points.h"

#include "plugin/fault.h"

#include <algorithm>
#include <numeric>
#include <span>

namespace berth::plugin {
namespace {

/// What both points are given, beside their outputs.
struct Given {
    Strict &strict;
    const berth_call *call;
    berth_state *state;
    const berth_pod *pod;
    const berth_nodes *nodes;

    std::string node(std::uint32_t slot) const { return "node " + in_quotes(text_of(nodes->name[slot])); }
    std::string sentence(std::string_view point, const std::string &what) const {
        Call nothing(strict, point, Tag::Par, pod);
        strict.violated(what, &nothing.proxy());
        return nothing.end();
    }
};

/// The places of a batch in two halves, both in reversed order. Of one place: that one, once more.
std::vector<std::vector<std::size_t>> other_cut(std::size_t n) {
    std::vector<std::size_t> indices(n);
    std::iota(indices.rbegin(), indices.rend(), 0);
    auto middle = indices.begin() + static_cast<std::ptrdiff_t>(n / 2);
    std::vector<std::vector<std::size_t>> out;
    if (middle != indices.begin()) out.emplace_back(indices.begin(), middle);
    out.emplace_back(middle, indices.end());
    return out;
}

std::string ask_filter(const Given &g, berth_state *state, std::span<const std::uint32_t> slots,
                       std::span<std::int32_t> code, std::span<std::uint32_t> reasons) {
    Call call(g.strict, "Filter", Tag::Par, g.pod);
    CallProxy &proxy = call.proxy();
    auto *codes = proxy.memory.guarded_out(code.data(), code.size(), "code[]");
    auto *ids = proxy.memory.guarded_out(reasons.data(), reasons.size(), "reasons[]");
    const auto *guarded_slots = proxy.memory.guarded_in(slots.data(), slots.size(), "slots[]");
    g.strict.own<berth_plugin_filter>(Interface::Filter)
        .filter(g.strict.self(), call.proxied(g.call), call.proxied(state), call.proxied(g.pod), call.proxied(g.nodes),
                guarded_slots, slots.size(), codes, ids);
    std::copy_n(codes, code.size(), code.begin());
    std::copy_n(ids, reasons.size(), reasons.begin());
    return call.end();
}

std::string recut_filter(const Given &g, berth_state *state, std::span<const std::uint32_t> slots,
                         std::span<const std::int32_t> code, std::span<const std::uint32_t> reasons) {
    for (const auto &indices : other_cut(slots.size())) {
        std::vector<std::uint32_t> part, ids(indices.size(), BERTH_NO_REASONS);
        std::vector<std::int32_t> codes(indices.size(), BERTH_STATUS_NOT_EVALUATED);
        for (std::size_t place : indices) part.push_back(slots[place]);
        if (auto wrong = ask_filter(g, state, part, codes, ids); !wrong.empty()) return wrong;
        if (berth_cancelled(g.call)) return {};
        for (std::size_t i = 0; i < indices.size(); ++i) {
            std::int32_t before = code[indices[i]];
            if (codes[i] != before)
                return g.sentence("Filter", "answered " + model::code_name(before) + " for " + g.node(part[i]) +
                                                " in one batch and " + model::code_name(codes[i]) + " in another");
            if (before != BERTH_STATUS_SUCCESS && ids[i] != reasons[indices[i]])
                return g.sentence("Filter", "gave other reasons for " + g.node(part[i]) + " in another batch");
        }
    }
    return {};
}

std::string ask_score(const Given &g, std::span<const std::uint32_t> slots, std::span<std::int64_t> out,
                      berth_status *status) {
    Call call(g.strict, "Score", Tag::Par, g.pod);
    CallProxy &proxy = call.proxy();
    auto *scores = proxy.memory.guarded_out(out.data(), out.size(), "out[]");
    const auto *guarded_slots = proxy.memory.guarded_in(slots.data(), slots.size(), "slots[]");
    g.strict.own<berth_plugin_score>(Interface::Score)
        .score(g.strict.self(), call.proxied(g.call), call.proxied(g.state), call.proxied(g.pod), call.proxied(g.nodes),
               guarded_slots, slots.size(), scores, call.proxied(status));
    std::copy_n(scores, out.size(), out.begin());
    return call.end();
}

std::string recut_score(const Given &g, std::span<const std::uint32_t> slots, std::span<const std::int64_t> out) {
    for (const auto &indices : other_cut(slots.size())) {
        std::vector<std::uint32_t> part;
        std::vector<std::int64_t> scores(indices.size(), 0);
        for (std::size_t place : indices) part.push_back(slots[place]);
        StatusSlot status;
        if (auto wrong = ask_score(g, part, scores, status.raw()); !wrong.empty()) return wrong;
        if (status.raw()->code != BERTH_STATUS_SUCCESS)
            return g.sentence("Score", "answered Success for one batch and " + model::code_name(status.raw()->code) +
                                           " for a part of it");
        for (std::size_t i = 0; i < indices.size(); ++i)
            if (scores[i] != out[indices[i]])
                return g.sentence("Score", "scored " + g.node(part[i]) + " " + std::to_string(out[indices[i]]) +
                                               " in one batch and " + std::to_string(scores[i]) + " in another");
    }
    return {};
}

}  // namespace

void checked_filter(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                    const berth_nodes *nodes, const std::uint32_t *slots, std::uint64_t n, std::int32_t *code,
                    std::uint32_t *reasons) {
    Given given{Strict::of(self), call, state, pod, nodes};
    // Filter may write to its own slots of the state: the second asking gets its own.
    auto copy = State::of(state)->clone();
    auto wrong = ask_filter(given, state, {slots, n}, {code, n}, {reasons, n});
    if (wrong.empty() && copy && n > 0 && !berth_cancelled(call))
        wrong = recut_filter(given, copy->handle(), {slots, n}, {code, n}, {reasons, n});
    if (wrong.empty()) return;
    berth_str text = model::to_str(wrong);
    std::fill_n(code, n, BERTH_STATUS_ERROR);
    std::fill_n(reasons, n, behind(*call).intern_reasons(&text, 1));
}

void checked_score(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                   const berth_nodes *nodes, const std::uint32_t *slots, std::uint64_t n, std::int64_t *out,
                   berth_status *status) {
    Strict &strict = Strict::of(self);
    Given given{strict, call, state, pod, nodes};
    auto wrong = ask_score(given, {slots, n}, {out, n}, status);
    if (wrong.empty() && status->code != BERTH_STATUS_SUCCESS) return;
    for (std::uint64_t i = 0; i < n && wrong.empty() && !strict.normalizes(); ++i)
        if (out[i] < BERTH_SCORE_MIN || out[i] > BERTH_SCORE_MAX)
            wrong = given.sentence("Score", "scored " + given.node(slots[i]) + " " + std::to_string(out[i]) +
                                                ", which is not in 0 to 100, and does not normalize");
    if (wrong.empty() && n > 0) wrong = recut_score(given, {slots, n}, {out, n});
    fail(status, wrong);
}

}  // namespace berth::plugin
