// SPDX-License-Identifier: Apache-2.0
#include "plugin/meter.h"

namespace berth::plugin {
namespace {

thread_local Meter *of_thread = nullptr;

}  // namespace

Meter *meter() { return of_thread; }
void set_meter(Meter *meter) { of_thread = meter; }

}  // namespace berth::plugin
