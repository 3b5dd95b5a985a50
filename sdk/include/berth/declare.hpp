// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The declarations of a plugin: events that requeue its pods, watched kinds, rights to write.

#include <berth/sinks.hpp>

namespace berth {

/// Collects the events that wake a plugin's pods.
class Events {
    SinkOf<berth_event_sink> sink_;

public:
    Events(const berth_host *host, berth_event_sink *sink) : sink_(host, sink) {}
    /// Such an event always wakes them.
    void add(std::string_view resource, std::uint64_t actions) const {
        sink_.call<&berth_host_sinks::add_event>(to_str(resource), actions, 0u);
    }
    /// The plugin's hint method is asked first.
    void add_hinted(std::string_view resource, std::uint64_t actions) const {
        sink_.call<&berth_host_sinks::add_event>(to_str(resource), actions, 1u);
    }
};

/// Collects what an instance watches and writes.
class Declare {
    SinkOf<berth_declare_sink> sink_;

public:
    Declare(const berth_host *host, berth_declare_sink *sink) : sink_(host, sink) {}
    void watch(std::string_view group, std::string_view version, std::string_view resource) const {
        sink_.call<&berth_host_sinks::declare_watch>(to_str(group), to_str(version), to_str(resource));
    }
    void write(std::uint32_t verb, std::string_view group, std::string_view version, std::string_view resource) const {
        sink_.call<&berth_host_sinks::declare_write>(verb, to_str(group), to_str(version), to_str(resource));
    }
};

}  // namespace berth
