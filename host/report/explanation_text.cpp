// SPDX-License-Identifier: Apache-2.0
#include "report/explanation_text.h"

#include "model/time.h"
#include "report/table.h"
#include "report/victims.h"

#include <cstdio>
#include <map>
#include <optional>
#include <vector>

namespace berth::report {
namespace {

using model::Value;

std::string text_of(Value v) { return printable(v.string()); }
std::int64_t number_of(Value v) { return v.integer().value_or(0); }
std::string pod_of(Value answer) {
    return text_of(answer["metadata"]["namespace"]) + "/" + text_of(answer["metadata"]["name"]);
}

/// The name, or its beginning: what is left fits beside other columns.
std::string shortened(const std::string &name, bool wide) {
    constexpr std::size_t longest = 40;
    if (wide || display_width(name) <= longest) return name;
    return name.substr(0, longest - 1) + "…";
}

std::optional<std::int64_t> time_of(Value v) { return model::parse_time(v.string()); }

/// "in 4 m 12 s" from the answer's own clock.
std::string in_how_long(Value answer, Value when) {
    constexpr std::int64_t second = 1'000'000'000, minute = 60;
    const auto now = time_of(answer["time"]), then = time_of(when);
    if (!now || !then) return "";
    const auto seconds = (*then - *now + second - 1) / second;
    if (seconds <= 0) return "now";
    if (seconds < minute) return "in " + std::to_string(seconds) + " s";
    return "in " + std::to_string(seconds / minute) + " m " + std::to_string(seconds % minute) + " s";
}

/// Empty where time is simulated.
std::string took(Value decision) {
    char out[32];
    const double seconds = decision["seconds"].number().value_or(0);
    if (seconds == 0) return "";
    std::snprintf(out, sizeof out, "%.1f ms", seconds * 1e3);
    return out;
}

std::string reasons_of(Value of) {
    std::string out;
    for (std::size_t i = 0; i < of["reasons"].size(); ++i)
        out += (out.empty() ? "" : "; ") + text_of(of["reasons"].at(i));
    return out.empty() ? text_of(of["status"]) : out;
}

std::string names_of(Value list) {
    std::string out;
    for (std::size_t i = 0; i < list.size(); ++i) out += (out.empty() ? "" : ", ") + text_of(list.at(i));
    return out;
}

std::string counted(std::int64_t n, const char *what) { return plural(static_cast<std::uint64_t>(n), what); }

std::string standing_line(Value answer) {
    const auto s = answer["standing"];
    const auto pod = pod_of(answer), state = std::string(s["state"].string()), node = text_of(s["node"]);
    const auto tries = ", " + counted(number_of(s["attempts"]), "attempt");
    if (state == "Placed") return pod + " is on " + node;
    if (state == "Binding") return pod + " is being bound to " + node;
    if (state == "Waiting") return pod + " has " + node + " and waits for the plugins' permission";
    if (state == "Active") return pod + " is pending: it is ready and waits for its turn" + tries;
    if (state == "Scheduling") return pod + " is pending: an attempt is under way";
    if (state == "BackingOff") return pod + " is pending: it is tried again " + in_how_long(answer, s["until"]) + tries;
    if (state == "Gated") return pod + " is gated by " + text_of(s["gatedBy"]);
    if (state == "Unschedulable") return pod + " is pending: " + names_of(s["rejectedBy"]) + " rejected it" + tries;
    if (state == "Deleted") return pod + " is being deleted and not scheduled any more";
    if (state == "NotOurs")
        return pod + " asks for scheduler \"" + text_of(s["profile"]) + "\", which is none of this one's profiles";
    return pod + ": " + (state.empty() ? "the scheduler does not know it any more" : printable(state));
}

std::string verdict(Value answer) {
    if (answer["kind"].string() != "DryRun") return standing_line(answer);
    const auto d = answer["evaluation"];
    const auto pod = pod_of(answer), result = std::string(d["result"].string());
    if (result == "Scheduled") return pod + " would go to " + text_of(d["node"]);
    if (result == "Gated") return pod + " would be gated by " + names_of(d["rejectedBy"]);
    if (result == "Unschedulable")
        return pod + " would stay pending: " + names_of(d["rejectedBy"]) + " would reject it";
    return pod + ": the attempt would fail at " + text_of(d["phase"]);
}

std::string rejections(Value d, bool wide) {
    const auto list = d["rejections"], nodes = d["nodes"];
    if (list.size() == 0) return "";
    auto example = [&](Value r) {
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const auto verdict = nodes.at(i)["verdict"];
            if (verdict["plugin"].string() == r["plugin"].string() && model::equal(verdict["reasons"], r["reasons"]))
                return shortened(text_of(nodes.at(i)["name"]), wide);
        }
        return std::string("-");
    };
    const bool examples = nodes.size() > 0;
    Table table(examples ? std::vector<std::string>{">NODES", "PLUGIN", "SUCH AS", "REASON"}
                         : std::vector<std::string>{">NODES", "PLUGIN", "REASON"});
    for (std::size_t i = 0; i < list.size(); ++i) {
        const auto r = list.at(i);
        std::vector<std::string> row{grouped(static_cast<std::uint64_t>(number_of(r["nodes"]))), text_of(r["plugin"])};
        if (examples) row.push_back(example(r));
        row.push_back(reasons_of(r));
        table.add(std::move(row));
    }
    return "\nNODES THAT DO NOT TAKE IT\n" + table.text(2);
}

/// The nodes have numbers, so that long names do not widen the table of the plugins.
std::string best_nodes(Value d, const ViewOptions &options) {
    std::vector<Value> best;
    for (std::size_t i = 0; i < d["nodes"].size() && best.size() < options.nodes; ++i)
        if (!d["nodes"].at(i)["verdict"].is_object()) best.push_back(d["nodes"].at(i));
    if (best.empty()) return "";
    const bool scored = best.front()["scores"].size() > 0;
    if (!scored)
        return "\nONLY NODE THAT TAKES IT\n  " + text_of(best.front()["name"]) + "  (a single one is not scored)\n";
    Table names({">", ">SCORE", "NODE"});
    std::vector<std::string> titles{"PLUGIN"};
    for (std::size_t i = 0; i < best.size(); ++i) {
        const auto name = text_of(best[i]["name"]);
        names.add({std::to_string(i + 1), std::to_string(number_of(best[i]["total"])),
                   name + (name == text_of(d["node"]) ? "  (chosen)" : "")});
        titles.push_back(">" + std::to_string(i + 1));
    }
    Table scores(titles);
    const auto plugins = best.front()["scores"];
    for (std::size_t p = 0; p < plugins.size(); ++p) {
        std::vector<std::string> row{text_of(plugins.at(p)["plugin"])};
        for (const auto &node : best) {
            const auto s = node["scores"].at(p);
            auto weighted = std::to_string(number_of(s["weighted"]));
            row.push_back(options.wide ? std::to_string(number_of(s["raw"])) + "/" +
                                             std::to_string(number_of(s["normalized"])) + "/" + weighted
                                       : weighted);
        }
        scores.add(std::move(row));
    }
    const auto shown = static_cast<std::int64_t>(best.size());
    const auto feasible = number_of(d["feasibleNodes"]);
    return "\nBEST NODES" +
           (shown < feasible
                ? " (" + std::to_string(shown) + " of " + grouped(static_cast<std::uint64_t>(feasible)) + ")"
                : "") +
           "\n" + names.text(2) + "\nSCORES BY PLUGIN (" + (options.wide ? "raw/normalized/weighted" : "weighted") +
           ")\n" + scores.text(2);
}

std::string counts(Value d) {
    return "  " + counted(number_of(d["evaluatedNodes"]), "node") + " looked at, " +
           grouped(static_cast<std::uint64_t>(number_of(d["feasibleNodes"]))) + " can take it; profile " +
           text_of(d["profile"]) + (took(d).empty() ? "" : ", " + took(d)) + "\n";
}

std::string remedies(Value d) {
    const auto list = d["remedies"];
    if (list.size() == 0) return "";
    Table table({"CHANGE", "PLUGIN", ">NODES"});
    for (std::size_t i = 0; i < list.size(); ++i)
        table.add({text_of(list.at(i)["change"]), text_of(list.at(i)["plugin"]),
                   grouped(static_cast<std::uint64_t>(number_of(list.at(i)["nodes"])))});
    return "\nWHAT WOULD MAKE IT FIT (one of these)\n" + table.text(2);
}

std::string evaluation(Value d, const ViewOptions &options) {
    std::string out = counts(d);
    if (const auto message = text_of(d["message"]); !message.empty()) out += "  " + message + "\n";
    out += best_nodes(d, options) + rejections(d, options.wide) + remedies(d);
    if (const auto not_called = names_of(d["notAsked"]); !not_called.empty())
        out += "\nNot called, because a dry run changes nothing: " + not_called + "\n";
    return out;
}

std::string event_words(Value wake) {
    static const std::map<std::string_view, const char *> actions{
        {"Add", "added"},
        {"Delete", "deleted"},
        {"Update", "changed"},
        {"All", "anything"},
        {"UpdateNodeAllocatable", "allocatable changed"},
        {"UpdateNodeLabel", "labels changed"},
        {"UpdateNodeTaint", "taints changed"},
        {"UpdateNodeCondition", "conditions changed"},
        {"UpdateNodeAnnotation", "annotations changed"},
        {"UpdateNodeDeclaredFeature", "declared features changed"},
        {"UpdatePodLabel", "labels changed"},
        {"UpdatePodScaleDown", "requests less"},
        {"UpdatePodToleration", "tolerations changed"},
        {"UpdatePodSchedulingGatesEliminated", "scheduling gates gone"},
        {"UpdatePodGeneratedResourceClaim", "resource claims made"}};
    static const std::map<std::string_view, const char *> resources{
        {"Pod", "pod"}, {"AssignedPod", "placed pod"}, {"Node", "node"}, {"*", "whatever"}};
    const auto resource = resources.find(wake["resource"].string());
    std::string out = resource == resources.end() ? text_of(wake["resource"]) : resource->second;
    for (std::size_t i = 0; i < wake["actions"].size(); ++i) {
        const auto known = actions.find(wake["actions"].at(i).string());
        out += (i ? ", " : ": ") + (known == actions.end() ? text_of(wake["actions"].at(i)) : known->second);
    }
    return out;
}

/// Without victims, that the pod is nominated.
std::string who_gives_way(Value state) {
    model::Victims victims;
    for (std::size_t i = 0; i < state["victims"].size(); ++i) victims.pods.push_back(text_of(state["victims"].at(i)));
    if (victims.pods.empty()) return "it is nominated";
    victims.more = static_cast<std::size_t>(number_of(state["moreVictims"]));
    const auto why = text_of(state["victimsReason"]);
    return giving_way(victims) + (why.empty() ? "" : " (" + why + ")");
}

std::string waking(Value answer) {
    const auto s = answer["standing"], wakes = s["wakes"];
    std::string out;
    if (wakes.size() > 0) {
        Table table({"PLUGIN", "EVENT", ""});
        for (std::size_t i = 0; i < wakes.size(); ++i)
            table.add({text_of(wakes.at(i)["plugin"]), event_words(wakes.at(i)),
                       wakes.at(i)["hint"].is_true() ? "if it helps" : ""});
        out += "\nWHAT WAKES IT\n" + table.text(2);
    }
    if (s["state"].string() == "Unschedulable" && s["until"].is_string())
        out += "  in any case it is tried again " + in_how_long(answer, s["until"]) + "\n";
    if (const auto node = text_of(s["nominatedNode"]); !node.empty())
        out += "\nRoom is being made for it on " + node + ": " + who_gives_way(s) + ".\n";
    return out;
}

/// "07:12:33" of a time that is today or soon was.
std::string clock_time(Value when) {
    const auto text = when.string();
    constexpr std::size_t from = 11, length = 8;
    return text.size() >= from + length ? std::string(text.substr(from, length)) : std::string(text);
}

std::string decisions(Value list, bool pods, bool wide) {
    constexpr std::size_t longest = 60;
    std::vector<std::string> titles{"TIME", "POD", ">ATTEMPT", "RESULT", ">TOOK", "NODE, OR WHY NOT"};
    constexpr std::size_t pod_column = 1, took_column = 4;
    bool timed = false;
    for (std::size_t i = 0; i < list.size(); ++i) timed = timed || !took(list.at(i)).empty();
    auto kept = [&](std::vector<std::string> row) {
        if (!timed) row.erase(row.begin() + took_column);
        if (!pods) row.erase(row.begin() + pod_column);
        return row;
    };
    Table table(kept(titles));
    for (std::size_t i = 0; i < list.size(); ++i) {
        const auto d = list.at(i);
        auto what = text_of(d["node"]);
        if (what.empty()) what = text_of(d["message"]);
        if (!wide) what = clipped(what, longest);
        std::vector<std::string> row{clock_time(d["time"]),
                                     text_of(d["pod"]["namespace"]) + "/" + text_of(d["pod"]["name"]),
                                     std::to_string(number_of(d["attempt"])),
                                     text_of(d["result"]),
                                     took(d),
                                     what};
        table.add(kept(std::move(row)));
    }
    return table.text(pods ? 0 : 2);
}

}  // namespace

bool is_placed(Value answer) {
    if (answer["kind"].string() == "DryRun") return answer["evaluation"]["result"].string() == "Scheduled";
    return !answer["standing"]["node"].string().empty();
}

std::string view_of(Value answer, const ViewOptions &options) {
    const auto kind = answer["kind"].string();
    std::string out;
    if (kind != "DecisionList") out = verdict(answer) + "\n";
    if (answer["leads"].boolean() == false)
        out += "  This instance does not lead: another one schedules, and knows about attempts.\n";
    for (std::size_t i = 0; i < answer["warnings"].size(); ++i) out += "  " + text_of(answer["warnings"].at(i)) + "\n";
    if (kind == "DecisionList") {
        const auto items = answer["items"];
        return out + (items.size() > 0 ? decisions(items, true, options.wide) : "Nothing was decided yet.\n");
    }
    const auto last = answer["decisions"];
    const bool evaluated = answer["evaluation"].is_object();
    const bool placed = is_placed(answer) && kind != "DryRun";
    if (evaluated)
        out += (kind == "DryRun" ? ""
                : placed         ? "\nONE MORE POD LIKE IT\n"
                                 : "\nNOW\n") +
               evaluation(answer["evaluation"], options);
    else if (last.size() > 0) out += counts(last.at(0)) + rejections(last.at(0), options.wide);
    out += waking(answer);
    if (last.size() > 0) out += "\nLAST DECISIONS\n" + decisions(last, false, options.wide);
    return out;
}

}  // namespace berth::report
