// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Objects in a recording: their differences from a base, without secrets and other omitted fields.
///
/// Nearly every object looks like another one, a pod like those of the same ReplicaSet, a node like itself ten seconds
/// ago. Telling the difference takes one walk over both and few bytes.

#include "model/value.h"
#include "record/bytes.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace berth::record {

/// Appends `now`, a whole object, as what differs from `base`, which may be absent. Left out are, wherever they stand,
/// the lists `env`, `envFrom`, `command`, `args` and `httpHeaders` and what a container that has ended said
/// (`terminated`); of any metadata `managedFields` and the annotation in which kubectl repeats the whole object; and of
/// a Secret (`secret`) all but its metadata and type.
void put_tree(std::string &out, model::Value now, model::Value base, bool secret = false);

/// What a tree may take in memory, and what is said of one that takes more. An API server takes objects of 3 MiB at
/// most, and a value is a few bytes of those.
struct Room {
    std::uint64_t left = std::uint64_t{64} << 20;
    const char *otherwise = "it tells of an object that takes more memory than one can";
};

/// The tree that was appended, its bytes in `arena`; `base` is what was recorded of the base. bytes.good() is false if
/// it is not one, or if it takes more than there is room: a few bytes can say that much of the base is there again and
/// again. What it takes is taken from `room`.
berth_value take_tree(Bytes &bytes, model::Value base, model::Arena &arena, Room &room);
berth_value take_tree(Bytes &bytes, model::Value base, model::Arena &arena);

}  // namespace berth::record
