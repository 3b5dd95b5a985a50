// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Which call into a plugin a thread is in, and about which pod: for whoever has to tell of it from outside, because
/// the call has crashed or does not come back.

#include "model/pod.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace berth::plugin {

/// Of one thread. Written by it; read by its signal handler, and by other threads while it stands still.
struct AtHand {
    std::atomic<const std::string *> plugin{nullptr};  ///< null: in no plugin
    std::atomic<const char *> point{nullptr};
    std::atomic<std::size_t> point_size{0};
    std::atomic<const model::Pod *> pod{nullptr};
    std::atomic<bool> shadow{false};       ///< the plugin is a shadow's
    std::atomic<std::uint64_t> serial{0};  ///< changes with every call and every return

    /// Of the thread that asks. Safe in a signal handler.
    static AtHand &mine();
};

/// A call into a plugin, as long as this lives. The names outlive it.
class InCall {
    AtHand &at_ = AtHand::mine();
    const std::string *plugin_;
    const char *point_;
    std::size_t point_size_;
    bool shadow_;

    void set(const std::string *plugin, const char *point, std::size_t point_size, bool shadow) {
        at_.plugin.store(plugin, std::memory_order_relaxed);
        at_.point.store(point, std::memory_order_relaxed);
        at_.point_size.store(point_size, std::memory_order_relaxed);
        at_.shadow.store(shadow, std::memory_order_relaxed);
        // One writer: no need to lock the bus.
        at_.serial.store(at_.serial.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    }

public:
    InCall(const std::string &plugin, std::string_view point, bool shadow = false)
        : plugin_(at_.plugin.load(std::memory_order_relaxed)),
          point_(at_.point.load(std::memory_order_relaxed)),
          point_size_(at_.point_size.load(std::memory_order_relaxed)),
          shadow_(at_.shadow.load(std::memory_order_relaxed)) {
        set(&plugin, point.data(), point.size(), shadow);
    }
    ~InCall() { set(plugin_, point_, point_size_, shadow_); }
    InCall(const InCall &) = delete;
    InCall &operator=(const InCall &) = delete;
};

/// What this thread does is about a pod, as long as this lives.
class AboutPod {
    model::PodPtr pod_;
    const model::Pod *before_;

public:
    explicit AboutPod(model::PodPtr pod) : pod_(std::move(pod)), before_(AtHand::mine().pod.load()) {
        AtHand::mine().pod.store(pod_.get(), std::memory_order_relaxed);
    }
    ~AboutPod() { AtHand::mine().pod.store(before_, std::memory_order_relaxed); }
    AboutPod(const AboutPod &) = delete;
    AboutPod &operator=(const AboutPod &) = delete;
};

}  // namespace berth::plugin
