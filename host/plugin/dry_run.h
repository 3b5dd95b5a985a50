// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Asking plugins what they would say, without anything coming of it.

#include "plugin/meter.h"

namespace berth::plugin {

/// As long as it lives, what plugins do on this thread counts in no metric and for no quarantine, and what they want to
/// change in the world through the host is refused. Not to be nested.
class DryRun {
    Meter *meter_;

public:
    DryRun();
    ~DryRun();
    DryRun(const DryRun &) = delete;
    DryRun &operator=(const DryRun &) = delete;
    /// Is there one on this thread?
    static bool on();
};

}  // namespace berth::plugin
