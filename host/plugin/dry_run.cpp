// SPDX-License-Identifier: Apache-2.0
#include "plugin/dry_run.h"

#include "plugin/stopwatch.h"

#include <utility>

namespace berth::plugin {
namespace {

thread_local bool active = false;

}  // namespace

DryRun::DryRun() : meter_(meter()) {
    set_meter(Stopwatch::current());
    active = true;
}

DryRun::~DryRun() {
    active = false;
    set_meter(meter_);
}

bool DryRun::on() { return active; }

}  // namespace berth::plugin
