// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Reads of the simulated API server: an object by its name, and lists of a kind.

#include "sim/store.h"

namespace berth::sim {

/// Answers a Get or List of nodes, pods or a stored kind as an API server does: 404 for an object that does not exist;
/// a list has the kind's name and "List" behind it, and is sorted by namespace and name. Other than there, the items of
/// a list say their own kind, a kind without a known definition is listed as "List", and a next page has what is stored
/// by then.
env::ApiAnswer serve_read(const Store &store, const env::ApiRequest &request);

}  // namespace berth::sim
