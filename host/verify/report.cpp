// SPDX-License-Identifier: Apache-2.0
#include "verify/report.h"

#include "decode/write.h"
#include "model/build.h"
#include "report/table.h"

#include <sstream>
#include <utility>

namespace berth::verify {
namespace {

/// "expected: …", further lines below the first.
std::string field(std::string_view name, const std::string &text) {
    if (text.empty()) return field(name, "nothing was said");
    std::string out;
    std::istringstream lines(text);
    for (std::string one; std::getline(lines, one);)
        out += (out.empty() ? "      " + std::string(name) : "               ") + " " + report::printable(one) + "\n";
    return out;
}

std::string seconds_text(double seconds) {
    auto ms = static_cast<long long>(seconds * 1000);
    auto rest = std::to_string(ms % 1000);
    return std::to_string(ms / 1000) + "." + std::string(3 - rest.size(), '0') + rest;
}

std::string times(std::uint64_t n) { return report::grouped(n); }

/// Points that the plugin has and that nothing called.
std::string never_called(const Reached &reached) {
    std::string out;
    for (auto point : reached.points)
        if (!reached.coverage.points.contains(point)) out.append(out.empty() ? "" : ", ").append(point);
    return out;
}

/// What was tried in such a way that a test says little about it, a line for each.
std::string hardly_tried(const Coverage &coverage) {
    std::string out;
    const auto filter = coverage.points.find("Filter");
    if (filter != coverage.points.end() && filter->second.calls > 0 && filter->second.rejected == 0)
        out += "  Filter rejected no node in " + times(filter->second.calls) + " calls; try --cluster\n";
    if (coverage.equal_scores > 0 && coverage.unequal_scores == 0)
        out += "  Score gave all nodes the same score in " + times(coverage.equal_scores) + " calls; try --cluster\n";
    return out;
}

/// PreFilter and PreScore may leave a pod to others.
bool may_skip(std::string_view point) { return point == "PreFilter" || point == "PreScore"; }
bool may_reject(std::string_view point) { return point == "PreFilter" || point == "Filter"; }

model::ObjectBuilder as_json(model::Arena &arena, const Reached &reached) {
    model::ArrayBuilder points(arena), objects(arena), reads(arena), keys(arena);
    for (auto name : reached.points) {
        const auto at = reached.coverage.points.find(name);
        const auto point = at == reached.coverage.points.end() ? PointCoverage{} : at->second;
        model::ObjectBuilder one(arena);
        one.add("point", name).add("calls", point.calls).add("units", point.units);
        if (may_skip(name)) one.add("skipped", point.skipped);
        if (may_reject(name)) one.add("rejected", point.rejected);
        points.add(one.value());
    }
    for (const auto &[from, to] : {std::pair{&reached.coverage.objects, &objects}, {&reached.coverage.reads, &reads}})
        for (const auto &[kind, looks] : *from) {
            model::ObjectBuilder one(arena);
            one.add("kind", std::string_view{kind}).add("found", looks.found).add("missed", looks.missed);
            to->add(one.value());
        }
    const auto &all = reached.coverage;
    model::ObjectBuilder timers(arena), scores(arena);
    timers.add("begun", all.timers.begun).add("came", all.timers.came);
    scores.add("equal", all.equal_scores).add("unequal", all.unequal_scores);
    for (const auto &key : reached.coverage.keys) keys.add(std::string_view{key});
    model::ObjectBuilder out(arena);
    out.add("plugin", std::string_view{reached.plugin}).add("points", points).add("objects", objects);
    out.add("reads", reads).add("timers", timers).add("scores", scores);
    return out.add("keys", keys);
}

std::string xml(std::string_view text) {
    std::string out;
    for (char c : text) {
        switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            case '\n': out += "&#10;"; break;
            // XML has no way to write the other control characters.
            default: out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
        }
    }
    return out;
}

}  // namespace

std::string line(const Result &result) {
    const std::string what = result.test + (result.plugin.empty() ? "" : " " + report::printable(result.plugin)) +
                             " (seed " + std::to_string(result.seed) + ")\n";
    if (!result.found) return "ok    " + what;
    std::string out = (result.accepted ? "known " : "FAIL  ") + what + field("expected:", result.found->expected) +
                      field("happened:", result.found->happened);
    if (!result.found->where.empty()) out += field("where:   ", result.found->where);
    return out + field("again:   ", result.repeat);
}

std::string coverage(const Report &report) {
    std::string out;
    for (const auto &reached : report.reached) {
        out += "coverage of " + report::printable(reached.plugin) + ", all tests together\n";
        report::Table table({"POINT", ">CALLS", ">NODES", ">SKIPPED", ">REJECTED"});
        for (auto name : reached.points) {
            const auto at = reached.coverage.points.find(name);
            if (at == reached.coverage.points.end()) continue;
            const auto &point = at->second;
            table.add({std::string(name), times(point.calls), point.units == point.calls ? "" : times(point.units),
                       may_skip(name) ? times(point.skipped) : "", may_reject(name) ? times(point.rejected) : ""});
        }
        if (table.size() > 0) out += table.text(2);
        for (const auto &[kind, looks] : reached.coverage.objects)
            out += "  " + report::printable(kind) + " by name: " + times(looks.found) + " found, " +
                   times(looks.missed) + " not\n";
        for (const auto &[kind, looks] : reached.coverage.reads)
            out += "  reads of " + report::printable(kind) + ": " + times(looks.found) + " found something, " +
                   times(looks.missed) + " nothing\n";
        if (const auto &timers = reached.coverage.timers; timers.begun > 0)
            out += "  timers: " + times(timers.begun) + " begun, " + times(timers.came) + " came\n";
        out += hardly_tried(reached.coverage);
        if (auto missed = never_called(reached); !missed.empty())
            out += "  never called, so no test says anything about it: " + missed + "; try --cluster\n";
    }
    return out;
}

std::string summary(const Report &report) {
    const auto failed = report.failed(), known = report.known();
    return (report.left_out.empty() ? "" : report.left_out + "\n") +
           std::to_string(report.results.size() - failed - known) + " passed, " + std::to_string(failed) + " failed" +
           (known ? ", " + std::to_string(known) + " known" : "");
}

std::string to_json(const Report &report) {
    model::Arena arena;
    model::ArrayBuilder tests(arena);
    for (const auto &r : report.results) {
        model::ObjectBuilder one(arena);
        one.add("test", std::string_view{r.test}).add("plugin", std::string_view{r.plugin}).add("seed", r.seed);
        one.add("passed", !r.found).add("accepted", r.accepted && r.found).add("seconds", r.seconds);
        if (r.found) {
            one.add("expected", std::string_view{r.found->expected});
            one.add("happened", std::string_view{r.found->happened});
            one.add("where", std::string_view{r.found->where});
        }
        tests.add(one.add("repeat", std::string_view{r.repeat}).value());
    }
    model::ObjectBuilder root(arena);
    root.add("file", std::string_view{report.file}).add("seed", report.seed);
    root.add("passed", report.results.size() - report.failed() - report.known()).add("failed", report.failed());
    root.add("known", report.known());
    root.add("leftOut", std::string_view{report.left_out});
    model::ArrayBuilder reached(arena);
    for (const auto &one : report.reached) reached.add(as_json(arena, one).value());
    root.add("coverage", reached);
    const auto value = root.add("tests", tests).value();
    return decode::to_json(model::Value{&value}, 2) + "\n";
}

std::string to_junit(const Report &report) {
    double all = 0;
    for (const auto &r : report.results) all += r.seconds;
    const std::string counts = " tests=\"" + std::to_string(report.results.size()) + "\" failures=\"" +
                               std::to_string(report.failed()) + "\" time=\"" + seconds_text(all) + "\">\n";
    std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" + counts + "  <testsuite name=\"" +
                      xml(report.file) + "\"" + counts;
    for (const auto &r : report.results) {
        out += "    <testcase classname=\"" + xml(r.plugin.empty() ? "library" : r.plugin) + "\" name=\"" +
               xml(r.test) + "\" time=\"" + seconds_text(r.seconds) + "\"";
        if (!r.found || r.accepted) {
            out += "/>\n";
            continue;
        }
        out += ">\n      <failure message=\"" + xml(r.found->happened) + "\">" +
               xml("expected: " + r.found->expected + "\nhappened: " + r.found->happened +
                   (r.found->where.empty() ? "" : "\nwhere: " + r.found->where) + "\nagain: " + r.repeat) +
               "</failure>\n    </testcase>\n";
    }
    return out + "  </testsuite>\n</testsuites>\n";
}

}  // namespace berth::verify
