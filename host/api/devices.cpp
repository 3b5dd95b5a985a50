// SPDX-License-Identifier: Apache-2.0
#include "api/devices.h"

#include "api/query.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace berth::api {
namespace {

constexpr int not_found = 404;

model::Kind slices() { return model::kind_of("resource.k8s.io", "v1", "resourceslices"); }
model::Kind claims() { return model::kind_of("resource.k8s.io", "v1", "resourceclaims"); }

/// All of a kind that plugins watch; objects of other kinds are not visited.
std::vector<model::TreePtr> trees(plugin::Objects &objects, const model::Kind &kind) {
    std::vector<model::TreePtr> out;
    objects.visit(objects.kind(kind), {}, [&](const model::AnyObject &object) {
        out.push_back(object.tree);
        return true;
    });
    return out;
}

}  // namespace

void Devices::add_to(kube::Routes &routes, Explainer::Post work) {
    work_ = std::move(work);
    const auto all = explain_base + "devices", below = all + "/";
    routes.add(all, [this](const kube::ServedRequest &request, const kube::Answering &done) {
        answer(request, done, report::device_use_json);
    });
    routes.add_below(below, [this, below](const kube::ServedRequest &request, const kube::Answering &done) {
        const auto node = request.path.substr(below.size());
        if (node.empty() || node.find('/') != node.npos)
            return done(kube::status_answer(not_found, "NotFound", "expected " + below + "NODE"));
        answer(request, done, [node](const report::DeviceObjects &objects, std::size_t most) {
            return report::node_devices_json(objects, node, most);
        });
    });
}

void Devices::answer(const kube::ServedRequest &request, const kube::Answering &done, Text text) {
    if (!is_method(request, "GET", done)) return;
    const auto most = number(request, "limit", usual_rows, most_rows);
    if (!most) return done(bad_number("limit"));
    world_.questions.ask(
        [this, done, most = *most, text = std::move(text)] {
            work_([done, most, text, objects = std::make_shared<report::DeviceObjects>(objects())] {
                done({200, text(*objects, most), "application/json"});
            });
        },
        done);
}

report::DeviceObjects Devices::objects() const {
    report::DeviceObjects out{.by = world_.answerer()};
    plugin::Services services;
    world_.scheduler->offer(services);
    const auto kinds = world_.scheduler->watched_kinds();
    /// Fills `to`, and adds what it may lack; whether the kind is watched.
    auto gather = [&](const model::Kind &kind, const std::string &name, std::vector<model::TreePtr> &to) {
        const auto at = std::ranges::find(kinds, kind, &plugin::Watched::kind);
        if (at == kinds.end()) return false;
        to = trees(*services.objects, kind);
        if (!at->part.is_all())
            out.warnings.push_back("plugins watch only a part of the " + name + ": " + at->part.text());
        const auto unread = world_.left_out ? world_.left_out->counts()[kind.text()] : 0;
        if (unread > 0) out.warnings.push_back(std::to_string(unread) + " of the " + name + " cannot be read");
        return true;
    };
    out.watched = gather(slices(), "ResourceSlices", out.slices);
    if (out.watched && !gather(claims(), "ResourceClaims", out.claims))
        out.warnings.emplace_back("no plugin watches ResourceClaims: devices that are allocated count as free");
    return out;
}

}  // namespace berth::api
