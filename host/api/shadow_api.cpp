// SPDX-License-Identifier: Apache-2.0
#include "api/shadow_api.h"

#include "api/query.h"

#include <utility>

namespace berth::api {
namespace {

constexpr int not_found = 404;

kube::ServedAnswer none() {
    return kube::status_answer(not_found, "NotFound", "there is no shadow: Berth was started without --shadow FILE");
}

}  // namespace

void ShadowApi::add_to(kube::Routes &routes, Explainer::Post work) {
    work_ = std::move(work);
    auto on = [this](auto member) {
        return [this, member](const kube::ServedRequest &request, const kube::Answering &done) {
            if (!state_) return done(none());
            (this->*member)(request, done);
        };
    };
    routes.add(explain_base + "shadow", on(&ShadowApi::counts));
    routes.add_below(explain_base + "shadow/", on(&ShadowApi::pod));
}

void ShadowApi::counts(const kube::ServedRequest &request, const kube::Answering &done) {
    if (!is_method(request, "GET", done)) return;
    const auto most = number(request, "limit", usual_differences, most_differences);
    if (!most) return done(bad_number("limit"));
    world_.loop.post([this, done, most = *most] {
        work_([done, by = world_.answerer(), state = state_(most)] {
            done({200, report::shadow_json(by, state), "application/json"});
        });
    });
}

void ShadowApi::pod(const kube::ServedRequest &request, const kube::Answering &done) {
    if (!is_method(request, "GET", done)) return;
    auto rest = std::string_view(request.path).substr(explain_base.size() + std::string_view("shadow/").size());
    const auto slash = rest.find('/');
    const std::string name_space(rest.substr(0, slash)), name(slash == rest.npos ? "" : rest.substr(slash + 1));
    if (name.empty() || name_space.empty() || name.find('/') != name.npos)
        return done(kube::status_answer(not_found, "NotFound", "expected " + explain_base + "shadow/NAMESPACE/POD"));
    const auto nodes = number(request, "nodes", Explainer::usual_nodes, Explainer::most_nodes);
    if (!nodes) return done(bad_number("nodes"));
    world_.questions.ask([=, this, nodes = *nodes] { explain_pod(name_space, name, nodes, done); }, done);
}

void ShadowApi::explain_pod(const std::string &name_space, const std::string &name, std::size_t nodes,
                            const kube::Answering &done) {
    auto pod = world_.scheduler->find_pod(name_space, name);
    if (!pod)
        return done(kube::status_answer(
            not_found, "NotFound",
            "pods \"" + name + "\" not found in namespace \"" + name_space + "\": the scheduler does not know it"));
    // One that has a node is not tried again; another like it would be.
    DryRunPod another;
    if (!world_.scheduler->scheduling_state(pod).node.empty()) another = one_more(*pod);
    if (another.tree) pod = another.pod();
    auto real = world_.scheduler->dry_runs().run(pod).decision,
         shadow = world_.scheduler->dry_runs().run_shadow(pod).decision;
    work_([=, by = world_.answerer()] {
        done({200, report::comparison_json(by, {name_space, name, {}}, real, shadow, nodes), "application/json"});
    });
}

}  // namespace berth::api
