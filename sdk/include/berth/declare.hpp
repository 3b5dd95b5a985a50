// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a plugin declares: the events that wake its pods, its rights.

#include <berth/berth.h>
#include <berth/value.hpp>

#include <string_view>

namespace berth {

/// Collects the events that wake a plugin's pods.
class Events {
    const berth_event_sink *s_;

public:
    explicit Events(const berth_event_sink *s) : s_(s) {}
    /// Such an event always wakes them.
    void add(std::string_view resource, std::uint64_t actions) const { s_->add(s_->ctx, to_str(resource), actions, 0); }
    /// The plugin's hint method is asked first.
    void add_hinted(std::string_view resource, std::uint64_t actions) const {
        s_->add(s_->ctx, to_str(resource), actions, 1);
    }
};

/// Collects what an instance watches and writes.
class Declare {
    const berth_declare_sink *s_;

public:
    explicit Declare(const berth_declare_sink *s) : s_(s) {}
    void watch(std::string_view group, std::string_view version, std::string_view resource) const {
        s_->watch(s_->ctx, to_str(group), to_str(version), to_str(resource));
    }
    void write(std::uint32_t verb, std::string_view group, std::string_view version, std::string_view resource) const {
        s_->write(s_->ctx, verb, to_str(group), to_str(version), to_str(resource));
    }
};

}  // namespace berth
