// SPDX-License-Identifier: Apache-2.0
#include "kube/watch_events.h"

#include <utility>

namespace berth::kube {
namespace {

/// Of what came in protobuf, why it is not all that the server says; empty: it is, or it came in JSON.
template <class T>
std::string lacking(const model::Result<T> &read, std::string_view bytes) {
    if (bytes.starts_with('{')) return {};
    if (!read) return read.error().text;
    return read->unknown_fields ? "it has fields that are not known here" : "";
}

Change to_change(const Collection &collection, std::string_view type, const decode::WireObject &sent) {
    Change change;
    auto root = sent.tree->value();
    if (type == "ERROR") {
        change.type = Change::Type::Error;
        change.code = static_cast<int>(root["code"].integer().value_or(0));
        change.text = root["message"].string();
        return change;
    }
    auto metadata = root["metadata"];
    change.version = metadata["resourceVersion"].string();
    if (type == "BOOKMARK") {
        change.type = Change::Type::Bookmark;
        change.list_ends = metadata["annotations"]["k8s.io/initial-events-end"].string() == "true";
        return change;
    }
    change.type = type == "DELETED" ? Change::Type::Gone : Change::Type::Present;
    change.uid = metadata["uid"].string();
    const auto name = metadata["name"].string();
    change.key = name.empty() ? "" : metadata["namespace"].string();
    if (!change.key.empty()) change.key += '/';
    change.key += name;
    if (sent.fault.empty()) change.object = collection.read(sent.tree, change.text);
    else change.text = sent.fault;
    return change;
}

Change read_event(decode::WireReader &reader, const Collection &collection, std::string_view message) {
    auto event = reader.watch_event(message);
    Change change;
    if (event) change = to_change(collection, event->type, event->object);
    else change.text = event.error().text;
    change.lacking = lacking(event, message);
    return change;
}

}  // namespace

Page read_page(const Collection &collection, std::string_view body) {
    Page page;
    auto read = decode::WireReader().list_page(body, collection.api_version, collection.kind);
    page.lacking = lacking(read, body);
    if (!read) {
        page.error = read.error().text;
        return page;
    }
    page.version = std::move(read->resource_version);
    page.next = std::move(read->next);
    page.changes.reserve(read->items.size());
    for (auto &item : read->items) page.changes.push_back(to_change(collection, "ADDED", std::exchange(item, {})));
    return page;
}

std::vector<Change> WatchEvents::take(std::string_view bytes, std::int64_t now_ns) {
    const bool good = messages_.take(bytes, [&](std::string_view message) {
        changes_.push_back(read_event(reader_, collection_, message));
        const auto &change = changes_.back();
        listing_ &= !change.list_ends && change.type != Change::Type::Error;
    });
    if (!good) {
        constexpr auto limit = most_of_event / mebibyte;
        changes_.emplace_back();
        changes_.back().type = Change::Type::Error;
        changes_.back().text = "the server sent an event of more than " + std::to_string(limit) + " MiB";
        listing_ = false;
    }
    if (listing_ && changes_.size() < most && now_ns - last_ns_ < longest_ns) return {};
    last_ns_ = now_ns;
    return std::exchange(changes_, {});
}

}  // namespace berth::kube
