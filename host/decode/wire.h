// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The decoder of the API server's answers, list pages and watch events, in JSON or protobuf. An object's
/// metadata.managedFields are left out. JSON is taken as Kubernetes' own decoder takes it (decode/go_json.h), also that
/// which stands in protobuf.

#include "model/result.h"
#include "model/value.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace berth::decode {

class JsonParser;

/// Whether objects of a kind can be read in protobuf; any kind can be in JSON. Any thread.
bool reads_protobuf(std::string_view api_version, std::string_view kind);

/// One object as it was sent.
struct WireObject {
    /// Of one that cannot be read its metadata at most: what it is called, and which version of it this is. Not null.
    model::TreePtr tree;
    std::string fault;  ///< why it cannot be read; empty: it can be
};

/// A page of a list. Every item has a tree of its own, and one that cannot be read costs no other.
struct ListPage {
    std::string resource_version;
    std::string next;  ///< the `continue` token; empty: this is the last page
    std::vector<WireObject> items;
    /// It came in protobuf and has fields which are not known here, so that trees lack what JSON would have. So do
    /// events.
    bool unknown_fields = false;
};

struct WatchEvent {
    std::string type;  ///< ADDED, MODIFIED, DELETED, BOOKMARK, ERROR
    WireObject object;
    bool unknown_fields = false;
};

/// Reads the pages of a list and the events of a watch. It keeps the memory of its parser from one to the next, so a
/// stream of events has one reader. One thread at a time.
class WireReader {
    std::unique_ptr<JsonParser> json_;

public:
    WireReader();
    ~WireReader();
    WireReader(const WireReader &) = delete;
    WireReader &operator=(const WireReader &) = delete;

    /// Items lack `apiVersion` and `kind` on the wire and get these.
    model::Result<ListPage> list_page(std::string_view text, std::string_view api_version, std::string_view kind);
    /// One line of a watch, or a frame of it in protobuf.
    model::Result<WatchEvent> watch_event(std::string_view text);
};

/// Any other JSON that goes to an API server or comes from one, as Kubernetes' decoder takes it. Any thread.
model::Result<model::TreePtr> read_api_json(std::string_view json);

/// The answer to a single read, in JSON: an object or a list.
struct ReadBody {
    std::shared_ptr<const model::Tree> tree;
    bool left_out = false;  ///< managedFields, of it or of its items, so that the text has more than the tree
};
model::Result<ReadBody> read_body(std::string_view json);

/// The `message` of a Status, as a server explains a refusal; any other text as it is. Any thread.
std::string status_message(std::string_view body);

}  // namespace berth::decode
