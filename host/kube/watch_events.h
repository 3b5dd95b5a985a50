// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The parser of a collection's list pages and watch events. On the transport's
/// threads.

#include "decode/wire.h"
#include "kube/collection.h"
#include "kube/watch_messages.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::kube {

/// One object as it is now, or an event that is about none.
struct Change {
    /// Garbled: what came is no event at all.
    enum class Type { Present, Gone, Bookmark, Error, Garbled } type = Type::Garbled;
    std::string key;      ///< "namespace/name" or "name"; empty if that could not be read
    std::string version;  ///< metadata.resourceVersion
    std::string uid;
    bool list_ends = false;  ///< of a Bookmark: the initial events are complete
    ObjectPtr object;        ///< null if it could not be read
    int code = 0;            ///< of an Error
    std::string text;        ///< of an Error, or why the object could not be read
    std::string lacking;     ///< why it is not all that the server says: it came in protobuf
};

/// The part of a list that came with one answer.
struct Page {
    std::string version, next, error;
    std::string lacking;  ///< as of a Change
    std::vector<Change> changes;
};
Page read_page(const Collection &collection, std::string_view body);

/// The events of one stream. Of a list, which is of no use before its end, they are kept back for a while: to wake the
/// loop for each costs as much as to read one.
class WatchEvents {
    static constexpr std::size_t most = 512;
    static constexpr std::int64_t longest_ns = 1'000'000'000;

    const Collection &collection_;
    bool listing_;
    WatchMessages messages_;
    decode::WireReader reader_;
    std::vector<Change> changes_;
    std::int64_t last_ns_ = 0;

public:
    /// `collection` outlives it. `listing`: the stream begins with a list.
    WatchEvents(const Collection &collection, bool listing) : collection_(collection), listing_(listing) {}

    /// What the loop is to hear of now that these bytes came; mostly nothing while it lists.
    std::vector<Change> take(std::string_view bytes, std::int64_t now_ns);
};

}  // namespace berth::kube
