// SPDX-License-Identifier: Apache-2.0
#include "report/replay.h"

#include "decode/write.h"
#include "model/time.h"
#include "report/table.h"

#include <filesystem>
#include <string_view>

namespace berth::report {
namespace {

std::string outcome(const std::optional<model::Decision> &d) {
    if (!d) return "no decision";
    std::string out(model::result_name(d->result));
    if (!d->node.empty()) out += " on " + d->node;
    return d->message.empty() ? out : out + ": " + d->message;
}

/// "evaluatedNodes was 4, now 5" of decisions that end alike; empty of others.
std::string besides(const FirstDifference &difference) {
    if (!difference.recorded || !difference.replayed) return {};
    if (printable(outcome(difference.recorded)) != printable(outcome(difference.replayed))) return {};
    std::string out;
    auto add = [&](std::string_view name, const std::string &was, const std::string &is) {
        if (was != is) out += (out.empty() ? "" : "; ") + std::string(name) + " was " + was + ", now " + is;
    };
    model::Arena arena;
    const auto one = model::to_value(arena, *difference.recorded, model::Detail::Summary);
    const auto other = model::to_value(arena, *difference.replayed, model::Detail::Summary);
    const model::Value was{&one}, is{&other};
    auto text = [](model::Value v) { return v ? decode::to_json(v) : std::string("absent"); };
    for (std::size_t i = 0; i < was.size(); ++i) add(was.key(i), text(was.member(i)), text(is[was.key(i)]));
    for (std::size_t i = 0; i < is.size(); ++i)
        if (!was[is.key(i)]) add(is.key(i), "absent", text(is.member(i)));
    auto quoted = [](const std::optional<std::string> &node) { return node ? '"' + *node + '"' : "none"; };
    add("the nomination that is written", quoted(difference.recorded->nomination),
        quoted(difference.replayed->nomination));
    return out;
}

std::string difference_text(const FirstDifference &difference) {
    std::string out = "\nThe first difference: ";
    if (const auto *d = about(difference)) {
        out += "pod " + d->pod.name_space + "/" + d->pod.name + ", attempt " + std::to_string(d->attempt) + ", cycle " +
               std::to_string(d->cycle) + ", " + model::format_time(d->time_ns) +
               "\n  then: " + printable(outcome(difference.recorded)) +
               "\n  now:  " + printable(outcome(difference.replayed)) + "\n";
        const auto more = besides(difference);
        if (!more.empty()) out += "  what differs: " + printable(more) + "\n";
    } else {
        out += difference.what + "\n";
    }
    if (difference.divergence)
        out += "  plugin " + difference.divergence->plugin + " made the difference, at " +
               difference.divergence->point + ": " + printable(difference.divergence->text) + "\n";
    return out;
}

berth_value difference_value(model::Arena &arena, const FirstDifference &difference) {
    model::ObjectBuilder out(arena);
    const auto what = difference.what.empty() ? besides(difference) : difference.what;
    if (!what.empty()) out.add("what", what);
    if (const auto &d = difference.recorded) out.add("then", model::to_value(arena, *d, model::Detail::Summary));
    if (const auto &d = difference.replayed) out.add("now", model::to_value(arena, *d, model::Detail::Summary));
    if (const auto &divergence = difference.divergence)
        out.add("plugin", divergence->plugin).add("point", divergence->point).add("why", divergence->text);
    return out.value();
}

}  // namespace

const model::Decision *about(const FirstDifference &difference) {
    if (difference.replayed) return &*difference.replayed;
    return difference.recorded ? &*difference.recorded : nullptr;
}

std::string to_text(const Replay &replay) {
    Table table({"RECORDING", "FROM", "TO", ">DECISIONS", ">DIFFERING"});
    table.add({std::filesystem::path(replay.file).filename().string(), model::format_time(replay.began_ns),
               model::format_time(replay.ended_ns), grouped(replay.recorded), grouped(replay.differing)});
    return table.text() + (replay.difference ? difference_text(*replay.difference) : "");
}

std::string decisions_text(const Replay &replay, bool all) {
    constexpr std::size_t longest = 100;
    Table table({"TIME", ">CYCLE", ">ATTEMPT", "RESULT", "NODE", "MESSAGE"});
    for (const auto &d : replay.shown) {
        auto text = printable(d.message);
        if (!all && text.size() > longest) text = text.substr(0, longest) + "...";
        table.add({model::format_time(d.time_ns), std::to_string(d.cycle), std::to_string(d.attempt),
                   std::string(model::result_name(d.result)), d.node, text});
    }
    return table.text();
}

berth_value replay_value(model::Arena &arena, const Replay &replay, std::optional<model::Detail> shown) {
    model::ObjectBuilder out(arena);
    out.add("recording", replay.file).add("berth", replay.berth);
    out.add("from", model::format_time(replay.began_ns)).add("to", model::format_time(replay.ended_ns));
    out.add("decisions", replay.recorded).add("differing", replay.differing);
    if (!replay.torn.empty()) out.add("torn", replay.torn);
    if (replay.difference) out.add("firstDifference", difference_value(arena, *replay.difference));
    if (shown) {
        model::ArrayBuilder decisions(arena);
        for (const auto &d : replay.shown) decisions.add(model::to_value(arena, d, *shown));
        out.add("podDecisions", decisions);
    }
    return out.value();
}

}  // namespace berth::report
