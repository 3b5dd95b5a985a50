// SPDX-License-Identifier: Apache-2.0
#include "api/plugin_table.h"

#include "api/query.h"
#include "env/sha256.h"

#include <algorithm>
#include <utility>

namespace berth::api {
using report::PluginList;

void PluginTable::add_to(kube::Routes &routes, Explainer::Post work) {
    work_ = std::move(work);
    routes.add(explain_base + "plugins", [this](const kube::ServedRequest &request, const kube::Answering &done) {
        if (!is_method(request, "GET", done)) return;
        world_.loop.post(
            [this, done] { work_([this, done, what = list()] { done({200, text(what), "application/json"}); }); });
    });
}

PluginList PluginTable::list() const {
    auto out = counts_.meter.plugins();
    out.by = world_.answerer();
    if (!counts_.failures) return out;
    // A plugin in quarantine is in no profile.
    auto of = [&](const std::string &name) -> PluginList::Plugin & {
        const auto at = std::ranges::lower_bound(out.plugins, name, {}, &PluginList::Plugin::name);
        if (at != out.plugins.end() && at->name == name) return *at;
        return *out.plugins.insert(at, {name, {}, {}, {}, 0, {}, -1});
    };
    for (const auto &[who, times] : counts_.failures->counts()) of(who.first).failures += times;
    for (auto &held : counts_.failures->quarantined()) of(held.plugin).quarantine = std::move(held.why);
    return out;
}

/// Where answers are written: a library is read once for its digest.
std::string PluginTable::text(report::PluginList list) {
    for (auto &one : list.plugins) {
        if (one.fd < 0) continue;
        auto [known, fresh] = digests_.try_emplace(one.fd);
        if (fresh)
            if (auto digest = env::sha256_of(one.fd)) known->second = std::move(*digest);
        one.sha256 = known->second;
    }
    return report::json(list);
}

}  // namespace berth::api
