// SPDX-License-Identifier: Apache-2.0
#include "plugin/current_call.h"

namespace berth::plugin {
namespace {

// What a signal handler and malloc read must be found without an argument and without a lock; nothing else in host is
// a thread-local (docs/architecture.md).
constinit thread_local CurrentCall current_call;

}  // namespace

CurrentCall &CurrentCall::mine() { return current_call; }

std::optional<CurrentCall::Seen> CurrentCall::seen(std::uint64_t then) const {
    // Each load is an acquire, so that the last look at the serial comes after them all.
    const bool in_plugin = plugin.load(std::memory_order_acquire) != nullptr;
    const char *point_text = point.load(std::memory_order_acquire);
    const auto size = point_size.load(std::memory_order_acquire);
    const bool of_pod = pod.load(std::memory_order_acquire) != nullptr;
    Seen out{plugin_name_.get(), {}, {}, shadow.load(std::memory_order_acquire)};
    if (of_pod) out.pod = pod_namespace_.get() + "/" + pod_name_.get();
    if (then % 2 != 0 || !in_plugin || serial.load(std::memory_order_relaxed) != then) return std::nullopt;
    out.point.assign(point_text, size);
    return out;
}

}  // namespace berth::plugin
