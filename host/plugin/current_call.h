// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The plugin call of each thread, with its pod, for the watchdog and the crash record.

#include "model/pod.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace berth::plugin {

/// A short text that one thread writes while others read it; a longer one is cut. A reader finds out by
/// CurrentCall::serial whether it has read what was written together.
template <std::size_t Size>
class SharedText {
    static constexpr std::size_t word = sizeof(std::uint64_t);
    static_assert(Size % word == 0);
    std::array<std::atomic<std::uint64_t>, Size / word> words_{};
    std::atomic<std::size_t> size_{0};

public:
    void set(std::string_view text) {
        const auto size = std::min(text.size(), Size);
        size_.store(size, std::memory_order_release);
        for (std::size_t at = 0; at < size; at += word) {
            std::uint64_t part = 0;
            std::memcpy(&part, text.data() + at, std::min(word, size - at));
            words_[at / word].store(part, std::memory_order_release);
        }
    }
    std::string get() const {
        std::string out(size_.load(std::memory_order_acquire), '\0');
        for (std::size_t at = 0; at < out.size(); at += word) {
            const auto part = words_[at / word].load(std::memory_order_acquire);
            std::memcpy(out.data() + at, &part, std::min(word, out.size() - at));
        }
        return out;
    }
};

/// Of one thread, which alone writes it. What the pointers refer to lives as long as they stand here, so that only the
/// thread itself, in its signal handler too, may follow them; other threads ask for a copy, by seen().
struct CurrentCall {
    std::atomic<const std::string *> plugin{nullptr};  ///< null: in no plugin
    std::atomic<const char *> point{nullptr};          ///< static
    std::atomic<std::size_t> point_size{0};
    std::atomic<const model::Pod *> pod{nullptr};
    std::atomic<bool> shadow{false};  ///< the plugin is a shadow's
    /// Changes with every call and every return, and with the pod; odd while that is being written down.
    std::atomic<std::uint64_t> serial{0};

    /// What the thread has allocated in calls: its own alone (verify/heap_counter.h).
    std::uint64_t allocations = 0, allocated_bytes = 0;

    /// Of the thread that asks. Safe in a signal handler, and in malloc.
    static CurrentCall &mine();

    /// What the thread is at, in words of its own.
    struct Seen {
        std::string plugin, point, pod;  ///< the pod as "namespace/name"; empty: none
        bool shadow = false;
    };
    /// Nothing if it is in no plugin, or has moved on since `serial` was read. Any thread.
    std::optional<Seen> seen(std::uint64_t serial) const;

    /// The thread itself: `write` changes what stands here.
    template <class Write>
    void change(Write write) {
        // One writer: no need to lock the bus.
        const auto before = serial.load(std::memory_order_relaxed);
        serial.store(before + 1, std::memory_order_relaxed);
        write();
        serial.store(before + 2, std::memory_order_release);
    }

private:
    friend class InCall;
    friend class AboutPod;
    // As long as the longest name of a pod, and of its namespace.
    SharedText<256> pod_name_;
    SharedText<64> pod_namespace_;
    SharedText<128> plugin_name_;
};

/// A call into a plugin, as long as this lives. The names outlive it.
class InCall {
    CurrentCall &at_ = CurrentCall::mine();
    const std::string *plugin_;
    const char *point_;
    std::size_t point_size_;
    bool shadow_;

    void set(const std::string *plugin, const char *point, std::size_t point_size, bool shadow) {
        at_.change([&] {
            at_.plugin.store(plugin, std::memory_order_release);
            at_.point.store(point, std::memory_order_release);
            at_.point_size.store(point_size, std::memory_order_release);
            at_.shadow.store(shadow, std::memory_order_release);
            if (plugin) at_.plugin_name_.set(*plugin);
        });
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
    CurrentCall &at_ = CurrentCall::mine();
    model::PodPtr pod_;
    const model::Pod *before_;

    void set(const model::Pod *pod) {
        at_.change([&] {
            at_.pod.store(pod, std::memory_order_release);
            at_.pod_namespace_.set(pod ? pod->name_space() : "");
            at_.pod_name_.set(pod ? pod->name() : "");
        });
    }

public:
    explicit AboutPod(model::PodPtr pod) : pod_(std::move(pod)), before_(at_.pod.load(std::memory_order_relaxed)) {
        set(pod_.get());
    }
    ~AboutPod() { set(before_); }
    AboutPod(const AboutPod &) = delete;
    AboutPod &operator=(const AboutPod &) = delete;
};

}  // namespace berth::plugin
