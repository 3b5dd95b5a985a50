// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The kinds of entries of a recording (docs/replay.md).

#include <cstdint>

namespace berth::record {

/// A change of numbers or meanings makes another format (journal.h).
enum class Entry : std::uint8_t {
    // Entries without a time of their own.
    Built = 1,  ///< profiles were made: number of the build, and how, as a JSON text
    Requested,  ///< a request was made: id, digest
    Decision,   ///< one was taken: its encoding
    Kind,       ///< the next kind of objects: group, version, resource, name, scope, custom
    // Inputs: a time follows, as the difference from the previous input.
    Used = 16,      ///< the profiles of a build take the place of those before: number of the build
    NodeAdded,      ///< uid, object
    NodeUpdated,    ///< uid before, whether what it was follows, that object if so, object
    NodeDeleted,    ///< uid, object
    PodAdded,       ///< and so on
    PodUpdated,     ///<
    PodDeleted,     ///<
    ObjectAdded,    ///< number of the kind, then as above
    ObjectUpdated,  ///<
    ObjectDeleted,  ///<
    Forgotten,      ///< the objects of a kind: its number
    ScheduleOne,    ///< the next pod was taken up, if there was one
    Called,         ///< what was posted, a timer or the end of a task: id
    Answered,       ///< a request: id, HTTP status, body
    ExtenderSaid,   ///< id, whether from within the call, whether it failed, the error or what it said as a text
    Dropped,        ///< the profiles of a build end without having been used: number of the build
};

constexpr bool is_input(Entry entry) { return entry >= Entry::Used && entry <= Entry::Dropped; }

}  // namespace berth::record
