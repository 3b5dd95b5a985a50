// SPDX-License-Identifier: Apache-2.0
#include "cli/explain_simulated.h"

#include "api/evaluation.h"
#include "cli/exit_codes.h"
#include "decode/document.h"
#include "decode/write.h"
#include "report/decision_text.h"
#include "report/explanation_text.h"
#include "report/shadow.h"

#include <algorithm>
#include <iostream>
#include <utility>

namespace berth::cli {
namespace {

using Decisions = std::vector<const model::Decision *>;
constexpr std::size_t few_nodes = 5;

/// The real decision and the shadow's.
std::string beside(const model::Decision &real, const model::Decision &shadow, bool all) {
    model::Tree here, there;
    here.root = model::to_value(here.arena, real, model::Detail::Nodes);
    there.root = model::to_value(there.arena, shadow, model::Detail::Nodes);
    return "BESIDE THE SHADOW\n" + report::side_by_side(here.value(), there.value(), {all ? SIZE_MAX : few_nodes, all});
}

/// The pod's decisions, the oldest first; by pod.
std::vector<Decisions> by_pod(const std::vector<model::Decision> &decisions) {
    std::vector<Decisions> out;
    for (const auto &d : decisions) {
        auto same = [&](const Decisions &of) {
            return of.front()->pod.name_space == d.pod.name_space && of.front()->pod.name == d.pod.name;
        };
        auto at = std::ranges::find_if(out, same);
        if (at == out.end()) at = out.emplace(at);
        at->push_back(&d);
    }
    return out;
}

/// The pod as it is at the end; one that is gone has its decisions alone.
report::Explanation explanation_of(offline::Simulated &simulated, const Decisions &decisions, std::size_t most) {
    report::Explanation out;
    out.by = {.leads = true, .time_ns = simulated.clock().now_ns(), .kubernetes_version = simulated.release()};
    out.pod = decisions.front()->pod;
    for (auto d = decisions.rbegin(); d != decisions.rend() && out.decisions.size() < most; ++d)
        out.decisions.push_back({std::shared_ptr<void>(), *d});  // which outlives the answer
    if (const auto pod = simulated.scheduler().find_pod(out.pod.name_space, out.pod.name))
        api::add_present(simulated.scheduler(), pod, api::Times::None, out);
    return out;
}

/// The answer as a document; what we write can be read.
model::Result<decode::Document> document_of(const report::Explanation &explanation, model::Detail detail) {
    return decode::read_document(report::explanation_json(explanation, SIZE_MAX, detail), "explanation");
}

model::Result<std::string> text_of(const offline::SimulateOptions &options, offline::Simulated &simulated,
                                   const Decisions &decisions) {
    constexpr std::size_t listed = 10;
    std::string out;
    const auto explanation = explanation_of(simulated, decisions, options.all ? SIZE_MAX : listed);
    const auto document = document_of(explanation, model::Detail::Summary);
    if (!document) return document.error();
    const bool pending = explanation.scheduling_state && !report::is_placed(document->value());
    if (pending) out += report::view_of(document->value(), {options.all ? SIZE_MAX : few_nodes, options.all}) + "\n";
    const std::size_t first = options.all ? 0 : decisions.size() - 1;
    for (std::size_t i = first; i < decisions.size(); ++i) {
        out += report::explain(*decisions[i], options.all) + "\n";
        if (const auto *theirs = simulated.sink().shadow_of(*decisions[i]))
            out += beside(*decisions[i], *theirs, options.all) + "\n";
    }
    if (first > 0)
        out += "… and " + std::to_string(first) + (first == 1 ? " earlier attempt" : " earlier attempts") +
               " (--all shows them)\n";
    return out;
}

/// Why nothing was decided about a pod that the input has.
std::string why_nothing(Scheduler &scheduler, const model::Pod &pod) {
    const auto which = "Pod " + pod.key();
    if (!pod.node_name().empty())
        return which + " is on node " + std::string(pod.node_name()) + " in the input: nothing was decided about it.\n";
    if (pod.terminating()) return which + " is being deleted: nothing was decided about it.\n";
    if (const auto known = scheduler.find_pod(pod.name_space(), pod.name());
        known && scheduler.scheduling_state(known).state != model::SchedulingState::State::NotOurs)
        return which + " waits and was not tried: nothing was decided about it.\n";
    return which + " asks for scheduler \"" + std::string(pod.scheduler_name()) +
           "\", which the configuration has no profile for: nothing was decided about it.\n";
}

int explain_object(const offline::SimulateOptions &options, offline::Simulated &simulated,
                   const std::vector<Decisions> &pods) {
    if (pods.size() > 1) {
        std::string names;
        for (const auto &of : pods)
            names += (names.empty() ? "" : ", ") + of.front()->pod.name_space + "/" + of.front()->pod.name;
        return refuse("--explain " + options.explain + ": several pods are called so: " + names +
                      "; give namespace/name");
    }
    const auto document = document_of(explanation_of(simulated, pods.front(), SIZE_MAX), model::Detail::Nodes);
    if (!document) return refuse(document.error().text);
    std::cout << (options.output == offline::Output::Json ? decode::to_json(document->value(), 2) + "\n"
                                                          : decode::to_yaml(document->value()));
    return done;
}

}  // namespace

std::vector<std::string> what_would_help(Scheduler &scheduler, const model::PodRef &pod) {
    std::vector<std::string> out;
    const auto found = scheduler.find_pod(pod.name_space, pod.name);
    if (!found || !found->node_name().empty()) return out;
    report::Explanation explanation;
    api::evaluate(scheduler, found, api::Times::None, explanation);
    for (const auto &remedy : explanation.remedies) out.push_back(report::remedy_text(remedy));
    return out;
}

int explain(const offline::SimulateOptions &options, offline::Simulated &simulated) {
    const auto pods = by_pod(simulated.sink().explained());
    if (pods.empty()) {
        for (const auto &pod : simulated.input().pods)
            if (simulated.sink().explains(pod->name_space(), pod->name())) {
                std::cout << why_nothing(simulated.scheduler(), *pod);
                return done;
            }
        return refuse("--explain " + options.explain +
                      ": the input has no such pod, or it has finished; give namespace/name");
    }
    if (options.output != offline::Output::Table) return explain_object(options, simulated, pods);
    for (const auto &of : pods) {
        const auto text = text_of(options, simulated, of);
        if (!text) return refuse(text.error().text);
        std::cout << *text;
    }
    return done;
}

}  // namespace berth::cli
