// SPDX-License-Identifier: Apache-2.0
#include "plugin/rehearsal.h"

#include "plugin/stopwatch.h"

#include <utility>

namespace berth::plugin {
namespace {

thread_local bool rehearsing = false;

}  // namespace

Rehearsal::Rehearsal() : meter_(meter()) {
    set_meter(Stopwatch::current());
    rehearsing = true;
}

Rehearsal::~Rehearsal() {
    rehearsing = false;
    set_meter(meter_);
}

bool Rehearsal::on() { return rehearsing; }

}  // namespace berth::plugin
