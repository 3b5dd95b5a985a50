// SPDX-License-Identifier: Apache-2.0
#include "plugin/field_observer.h"

#include <atomic>

namespace berth::plugin {
namespace {

std::atomic<FieldObserver *> of_process = nullptr;

}  // namespace

FieldObserver *field_observer() { return of_process.load(std::memory_order_acquire); }
void set_field_observer(FieldObserver *observer) { of_process.store(observer, std::memory_order_release); }

}  // namespace berth::plugin
