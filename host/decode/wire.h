// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What an API server sends, as JSON: answers, pages of a list, events of a watch. An object's metadata.managedFields
/// are left out.

#include "model/result.h"
#include "model/value.h"

#include <string>
#include <string_view>
#include <vector>

namespace berth::decode {

/// A page of a list. Every item has a tree of its own.
struct ListPage {
    std::string resource_version;
    std::string next;  ///< the `continue` token; empty: this is the last page
    std::vector<model::TreePtr> items;
};

/// Items lack `apiVersion` and `kind` on the wire and get these. Any thread.
model::Result<ListPage> read_list_page(std::string_view json, std::string_view api_version, std::string_view kind);

struct WatchEvent {
    std::string type;  ///< ADDED, MODIFIED, DELETED, BOOKMARK, ERROR
    model::TreePtr object;
};

/// One line of a watch. Any thread.
model::Result<WatchEvent> read_watch_event(std::string_view json);

/// The `message` of a Status, as a server explains a refusal; any other text as it is. Any thread.
std::string status_message(std::string_view body);

}  // namespace berth::decode
