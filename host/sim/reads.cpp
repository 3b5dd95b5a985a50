// SPDX-License-Identifier: Apache-2.0
#include "sim/reads.h"

#include "decode/write.h"
#include "sim/requests.h"

#include <berth/detail/listing.hpp>

namespace berth::sim {
namespace {

constexpr int ok = 200, bad_request = 400, not_found = 404, not_simulated = 501;

env::ApiAnswer answer_with(model::Value value) {
    auto body = decode::to_json(value);
    if (body.size() > env::most_of_read) return {0, "the answer has more than 4 MiB", true};
    return {ok, std::move(body)};
}

std::string in_group(const env::ApiRequest &r) { return r.resource + (r.group.empty() ? "" : "." + r.group); }

env::ApiAnswer get(const Store &store, const model::Kind &kind, const env::ApiRequest &request) {
    model::TreePtr found;
    if (kind != node_kind) found = store.find(kind, Store::key(request.name_space, request.name));
    else if (const auto node = store.node(request.name)) found = node->tree;
    if (!found)
        return refuse(not_found, in_group(request) + " \"" + request.name + "\" not found",
                      {request.group, request.resource, request.name});
    return answer_with(found->value());
}

env::ApiAnswer list(const Store &store, const model::Kind &kind, const env::ApiRequest &request) {
    std::vector<detail::Listed> all;
    const auto objects = store.list(kind);  // keeps the trees
    if (kind == node_kind)
        for (const auto &node : store.nodes()) all.push_back({{}, node->name, node->tree->value()});
    if (kind == pod_kind)
        for (const auto &[key, pod] : store.pods()) all.push_back({pod->name_space(), pod->name(), pod->tree->value()});
    for (const auto &tree : objects) {
        const auto metadata = tree->value()["metadata"];
        all.push_back({metadata["namespace"].string(), metadata["name"].string(), tree->value()});
    }
    const auto &how = request.list;
    const detail::Listing made(kind.api_version(), kind.name, std::to_string(store.next_version() - 1), std::move(all),
                               {request.name_space, how.label_selector, how.field_selector, how.after, how.limit});
    if (!made.refusal().empty()) return refuse(bad_request, made.refusal(), {request.group, request.resource});
    return answer_with(made.value());
}

}  // namespace

env::ApiAnswer serve_read(const Store &store, const env::ApiRequest &request) {
    const auto wanted = model::kind_of(request.group, request.version, request.resource);
    const auto *kind = wanted == node_kind ? &node_kind : store.kind(request.group, request.version, request.resource);
    if (!kind)
        return refuse(not_simulated, "the simulated API server has no " + in_group(request) +
                                         ": it has nodes, pods and what plugins declare to watch or read");
    return request.verb == env::Verb::Get ? get(store, *kind, request) : list(store, *kind, request);
}

}  // namespace berth::sim
