// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The discovery of the objects that a plugin looks for, by calls in a small cluster.

#include "verify/requests.h"
#include "verify/test.h"

namespace berth::verify {

/// Calls the plugin for a few pods, again as long as it looks for something new among what it looked for before.
/// `material` is what the clusters meanwhile are made of.
void discover(Run &run, Material &material);

}  // namespace berth::verify
