// SPDX-License-Identifier: Apache-2.0
#include "watches.h"

#include "model/pod_group.h"

#include <cstdlib>
#include <iostream>

namespace timeline_play {

using namespace berth;

namespace {

std::string plural(const model::Kind &kind) {
    return kind.group.empty() ? kind.resource : kind.resource + "." + kind.group;
}

}  // namespace

Watches::Watches(env::Observer &observer, const std::vector<plugin::Watched> &kinds, model::Accounting accounting) {
    all_["nodes"].collection = kube::nodes_for(observer);
    all_["pods"].collection = kube::pods_for(observer, accounting);
    for (const auto &watched : kinds) all_[plural(watched.kind)].collection = kube::objects_for(observer, watched.kind);
}

void Watches::tell(const News &news) {
    auto at = all_.find(news.resource);
    if (at == all_.end()) return;
    auto &[collection, known] = at->second;
    kube::WatchEvents reader(collection, false);
    for (auto &change : reader.take(news.line + "\n", 0)) {
        if (!change.object) {
            std::cerr << "a change of " << news.resource << " cannot be read: " << change.text << '\n';
            std::exit(2);
        }
        auto before = known.find(change.key);
        const bool is_known = before != known.end();
        if (change.type == kube::Change::Type::Gone) {
            if (!is_known) continue;
            known.erase(before);
            collection.deleted(std::move(change.object));
            continue;
        }
        if (news.resource == "pods") {
            const auto &pod = static_cast<const model::Pod &>(*change.object);
            pods_[std::string(pod.uid())] = {change.key, pod.group().empty() ? "" : model::group_key(pod)};
        }
        if (!is_known) {
            known[change.key] = change.object;
            collection.added(std::move(change.object));
        } else {
            auto was = std::exchange(before->second, change.object);
            collection.updated(std::move(was), std::move(change.object));
        }
    }
}

std::string Watches::pod(std::string_view uid) const {
    auto at = pods_.find(std::string(uid));
    return at == pods_.end() ? std::string(uid) : at->second.pod;
}

std::string Watches::group(std::string_view uid) const {
    auto at = pods_.find(std::string(uid));
    return at == pods_.end() ? std::string() : at->second.group;
}

}  // namespace timeline_play
