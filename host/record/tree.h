// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Objects in a recording: what differs from an object that is there already, without what must not be there.
///
/// Nearly every object looks like another one, a pod like those of the same ReplicaSet, a node like itself ten seconds
/// ago. Telling the difference takes one walk over both and few bytes.

#include "model/value.h"
#include "record/bytes.h"

#include <string>
#include <string_view>

namespace berth::record {

/// Appends `now`, a whole object, as what differs from `base`, which may be absent. Left out are, wherever they stand,
/// the lists `env`, `envFrom`, `command`, `args` and `httpHeaders` and what a container that has ended said
/// (`terminated`); of any metadata `managedFields` and the annotation in which kubectl repeats the whole object; and of
/// a Secret (`secret`) all but its metadata and type.
void put_tree(std::string &out, model::Value now, model::Value base, bool secret = false);

/// The tree that was appended, its bytes in `arena`; `base` is what was recorded of the base. bytes.good() is false if
/// it is not one.
berth_value take_tree(Bytes &bytes, model::Value base, model::Arena &arena);

}  // namespace berth::record
