// SPDX-License-Identifier: Apache-2.0
#include "report/decision_ring.h"

#include "report/table.h"

#include <algorithm>

namespace berth::report {
namespace {

/// The same without the tables, and none of it longer than a reader wants.
model::Decision summary(const model::Decision &d) {
    static constexpr std::size_t texts = 16, text = 512;
    auto cut_list = [](const std::vector<std::string> &from) {
        std::vector<std::string> out;
        for (std::size_t i = 0; i < std::min(from.size(), texts); ++i) out.push_back(clipped(from[i], text));
        return out;
    };
    model::Decision out;
    out.seq = d.seq;
    out.pod = d.pod;
    out.profile = d.profile;
    out.attempt = d.attempt;
    out.cycle = d.cycle;
    out.time_ns = d.time_ns;
    out.result = d.result;
    out.phase = d.phase;
    out.node = d.node;
    out.reason = d.reason;
    out.message = clipped(d.message, DecisionRing::longest_text);
    out.rejected_by = cut_list(d.rejected_by);
    out.nominated_node = d.nominated_node;
    const auto named = std::min(d.victims.pods.size(), DecisionRing::most_victims);
    out.victims.pods.assign(d.victims.pods.begin(), d.victims.pods.begin() + static_cast<std::ptrdiff_t>(named));
    out.victims.more = d.victims.more + d.victims.pods.size() - named;
    out.victims.reason = d.victims.reason;
    out.evaluated_nodes = d.evaluated_nodes;
    out.feasible_nodes = d.feasible_nodes;
    out.start_index = d.start_index;
    out.began_ns = d.began_ns;
    out.decided_ns = d.decided_ns;
    for (std::size_t i = 0; i < std::min(d.rejections.size(), DecisionRing::most_rejections); ++i)
        out.rejections.push_back(
            {d.rejections[i].plugin, d.rejections[i].code, cut_list(d.rejections[i].reasons), d.rejections[i].nodes});
    return out;
}

std::size_t heap_of(const std::string &text) {
    constexpr std::size_t within = 15;  // so many bytes are in the string itself
    return text.capacity() > within ? text.capacity() : 0;
}

std::size_t heap_of(const std::vector<std::string> &texts) {
    std::size_t out = texts.capacity() * sizeof(std::string);
    for (const auto &text : texts) out += heap_of(text);
    return out;
}

/// Of what a summary has.
std::size_t bytes_of(const model::Decision &d) {
    std::size_t out = sizeof d + d.rejections.capacity() * sizeof d.rejections[0] + heap_of(d.rejected_by);
    for (const auto *text : {&d.pod.name_space, &d.pod.name, &d.pod.uid, &d.profile, &d.node, &d.message}) {
        constexpr std::size_t block = 16;
        if (const auto bytes = heap_of(*text)) out += bytes + block;
    }
    for (const auto &one : d.rejections) out += heap_of(one.reasons);
    out += heap_of(d.victims.pods) + heap_of(d.victims.reason);
    return out;
}

}  // namespace

void DecisionRing::add(const model::Decision &decision) {
    if (most_ == 0) return;
    if (ring_.size() == most_) {
        bytes_ -= bytes_of(*ring_.front());
        ring_.pop_front();
    }
    ring_.push_back(std::make_shared<const model::Decision>(summary(decision)));
    bytes_ += bytes_of(*ring_.back());
}

DecisionRing::Entries DecisionRing::newest(std::size_t most) const {
    Entries out;
    for (auto at = ring_.rbegin(); at != ring_.rend() && out.size() < most; ++at) out.push_back(*at);
    return out;
}

DecisionRing::Entries DecisionRing::newest(std::size_t most, std::string_view name_space, std::string_view name) const {
    Entries out;
    for (auto at = ring_.rbegin(); at != ring_.rend() && out.size() < most; ++at)
        if ((*at)->pod.name == name && (*at)->pod.name_space == name_space) out.push_back(*at);
    return out;
}

}  // namespace berth::report
