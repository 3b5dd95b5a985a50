// SPDX-License-Identifier: Apache-2.0
#include "api/explainer.h"

#include "api/evaluation.h"
#include "api/query.h"

#include <algorithm>
#include <utility>

namespace berth::api {
namespace {

constexpr int bad_request = 400, not_found = 404;
/// Objects that cannot be read which an answer names.
constexpr std::size_t unreadable_in_list = 20, unreadable_of_pod = 5;

std::string warning(const kube::LeftOut::One &one) {
    return one.resource + " " + one.key + " cannot be read and " +
           (one.kept ? "is taken as it was before: " : "is left out: ") + one.why;
}

}  // namespace

/// What may be missing in what is said of a namespace, or of all of them: its objects, and those without one; and
/// whether Berth may end soon for want of memory.
std::vector<std::string> Explainer::warnings(std::string_view name_space, std::size_t most) const {
    std::vector<std::string> out;
    if (world_.memory)
        if (auto why = report::memory_warning(world_.memory()); !why.empty()) out.push_back(std::move(why));
    if (!world_.left_out || world_.left_out->size() == 0) return out;
    std::size_t more = 0;
    for (const auto &one : world_.left_out->all()) {
        const auto slash = one.key.find('/');
        if (!name_space.empty() && slash != one.key.npos && one.key.substr(0, slash) != name_space) continue;
        if (out.size() < most) out.push_back(warning(one));
        else ++more;
    }
    if (more > 0) out.push_back(std::to_string(more) + " more objects cannot be read");
    return out;
}

void Explainer::add_to(kube::Routes &routes, Post work) {
    work_ = std::move(work);
    auto on = [this](auto member) {
        return [this, member](const kube::ServedRequest &request, const kube::Answering &done) {
            (this->*member)(request, done);
        };
    };
    routes.add(explain_base + "decisions", on(&Explainer::list));
    routes.add_below(explain_base + "decisions/", on(&Explainer::one));
    routes.add(explain_base + "dryrun", on(&Explainer::dry_run));
}

/// Texts are made on another thread, so that large ones delay neither the loop nor other clients of the server.
void Explainer::write(const kube::Answering &done, std::function<std::string()> text) {
    work_([done, text = std::move(text)] { done({200, text(), "application/json"}); });
}

void Explainer::list(const kube::ServedRequest &request, const kube::Answering &done) {
    if (!is_method(request, "GET", done)) return;
    auto most = number(request, "limit", usual_decisions, report::DecisionRing::usual);
    if (!most) return done(bad_number("limit"));
    world_.loop.post([this, done, most = *most] {
        write(done,
              [by = world_.answerer(), decisions = world_.last.newest(most),
               warnings = warnings({}, unreadable_in_list)] { return report::list_json(by, decisions, warnings); });
    });
}

void Explainer::one(const kube::ServedRequest &request, const kube::Answering &done) {
    if (!is_method(request, "GET", done)) return;
    auto rest = std::string_view(request.path).substr(explain_base.size() + std::string_view("decisions/").size());
    const auto slash = rest.find('/');
    Question question;
    question.done = done;
    question.name_space = rest.substr(0, slash);
    if (slash != rest.npos) question.name = rest.substr(slash + 1);
    if (question.name.empty() || question.name_space.empty() || question.name.find('/') != question.name.npos)
        return done(kube::status_answer(not_found, "NotFound", "expected " + explain_base + "decisions/NAMESPACE/POD"));
    auto nodes = number(request, "nodes", usual_nodes, most_nodes);
    if (!nodes) return done(bad_number("nodes"));
    question.nodes = *nodes;
    for (const auto &detail : kube::query_values(request.query, "detail")) {
        if (detail != "nodes" && detail != "summary")
            return done(
                kube::status_answer(bad_request, "BadRequest", "detail: expected summary or nodes, got " + detail));
        question.detail = detail == "nodes";
    }
    world_.questions.ask([this, question] { explain_pod(question); }, done);
}

void Explainer::dry_run(const kube::ServedRequest &request, const kube::Answering &done) {
    if (!is_method(request, "POST", done)) return;
    auto nodes = number(request, "nodes", usual_nodes, most_nodes);
    if (!nodes) return done(bad_number("nodes"));
    work_([this, done, nodes = *nodes, body = request.body] {
        auto read = read_dry_run_pod(body);
        if (auto *refused = std::get_if<kube::ServedAnswer>(&read)) return done(std::move(*refused));
        Question question;
        question.done = done;
        question.nodes = nodes;
        question.pod = std::get<DryRunPod>(std::move(read));
        world_.questions.ask([this, question] { explain_dry_run(question); }, done);
    });
}

void Explainer::explain_pod(const Question &question) {
    constexpr std::size_t decisions = 10;
    report::Explanation out;
    out.by = world_.answerer();
    out.decisions = world_.last.newest(decisions, question.name_space, question.name);
    const auto pod = world_.scheduler->find_pod(question.name_space, question.name);
    const auto unread =
        world_.left_out ? world_.left_out->find("pods", question.name_space + "/" + question.name) : std::nullopt;
    if (!pod && out.decisions.empty() && unread)
        return question.done(kube::status_answer(not_found, "NotFound", warning(*unread)));
    if (!pod && out.decisions.empty())
        return question.done(
            kube::status_answer(not_found, "NotFound",
                                "pods \"" + question.name + "\" not found in namespace \"" + question.name_space +
                                    "\": neither does the scheduler know it nor was it decided about lately"));
    if (pod) {
        if (question.detail) {
            add_present(*world_.scheduler, pod, Times::Measured, out);
        } else {
            out.scheduling_state = world_.scheduler->scheduling_state(pod);
            out.pod = out.scheduling_state->pod;
        }
    } else {
        out.pod = out.decisions.front()->pod;
    }
    for (auto &text : warnings(question.name_space, unreadable_of_pod)) out.warnings.push_back(std::move(text));
    write(question.done,
          [out = std::move(out), nodes = question.nodes] { return report::explanation_json(out, nodes); });
}

void Explainer::explain_dry_run(const Question &question) {
    report::Explanation out;
    out.by = world_.answerer();
    out.warnings = question.pod.warnings;
    auto pod = question.pod.pod();
    const auto names = world_.scheduler->profile_names();
    if (std::ranges::find(names, pod->scheduler_name()) == names.end()) {
        std::string all;
        for (const auto &name : names) all += (all.empty() ? "\"" : ", \"") + name + "\"";
        return question.done(kube::invalid_answer(
            "Pod", pod->name(),
            {{"FieldValueNotSupported",
              "Unsupported value: \"" + std::string(pod->scheduler_name()) + "\": supported values: " + all,
              "spec.schedulerName"}}));
    }
    // A waiting pod's nomination does not count against itself.
    const auto known = world_.scheduler->find_pod(pod->name_space(), pod->name());
    if (known && known->node_name().empty()) pod = question.pod.pod(known->uid());
    out.pod = {std::string(pod->name_space()), std::string(pod->name()), {}};
    evaluate(*world_.scheduler, pod, Times::Measured, out);
    write(question.done, [out = std::move(out), nodes = question.nodes] { return report::dry_run_json(out, nodes); });
}

}  // namespace berth::api
