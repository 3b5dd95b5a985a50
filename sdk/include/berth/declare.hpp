// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The declarations of a plugin: events that requeue its pods, watched kinds, rights to write and read.

#include <berth/draft/reader.h>
#include <berth/draft/selective_watches.h>
#include <berth/detail/uses.hpp>
#include <berth/sinks.hpp>

#include <stdexcept>

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

/// Some objects of a kind, those that have all of this; see berth_watch.
struct Watch {
    std::string_view group{}, version = "v1", resource{}, name_space{}, name{}, label_selector{}, field_selector{};
};

/// Collects what an instance watches, writes and reads.
class Declare {
    const berth_host *host_;
    berth_declare_sink *raw_;
    SinkOf<berth_declare_sink> sink_;

    template <class Table>
    const Table *service(const char *id) const {
        return static_cast<const Table *>(host_->get_service(host_, to_str(id)));
    }

public:
    Declare(const berth_host *host, berth_declare_sink *sink) : host_(host), raw_(sink), sink_(host, sink) {}
    void watch(std::string_view group, std::string_view version, std::string_view resource) const {
        sink_.call<&berth_host_sinks::declare_watch>(to_str(group), to_str(version), to_str(resource));
    }
    /// Watches only these objects: the plugin sees no others of the kind. Throws on a host that does not offer this,
    /// which is a draft: such a host refuses the profile.
    void watch(const Watch &only) const {
        BERTH_USES_DRAFT(BERTH_HOST_SELECTIVE_WATCHES_DRAFT1);
        const auto *table = service<berth_host_selective_watches>(BERTH_HOST_SELECTIVE_WATCHES_DRAFT1);
        if (!table) throw std::runtime_error("this host does not offer " BERTH_HOST_SELECTIVE_WATCHES_DRAFT1);
        berth_watch raw{};
        raw.struct_size = sizeof raw;
        raw.group = to_str(only.group);
        raw.version = to_str(only.version);
        raw.resource = to_str(only.resource);
        raw.namespace_ = to_str(only.name_space);
        raw.name = to_str(only.name);
        raw.label_selector = to_str(only.label_selector);
        raw.field_selector = to_str(only.field_selector);
        table->declare(host_, raw_, &raw);
    }
    void write(std::uint32_t verb, std::string_view group, std::string_view version, std::string_view resource) const {
        sink_.call<&berth_host_sinks::declare_write>(verb, to_str(group), to_str(version), to_str(resource));
    }
    /// `verb` is a BERTH_READ_…. Does nothing on a host that does not offer reads, which are a draft.
    void read(std::uint32_t verb, std::string_view group, std::string_view version, std::string_view resource) const {
        BERTH_USES_DRAFT(BERTH_HOST_READER_DRAFT1);
        const auto *table = service<berth_host_reader>(BERTH_HOST_READER_DRAFT1);
        if (table) table->declare(host_, raw_, verb, to_str(group), to_str(version), to_str(resource));
    }
};

}  // namespace berth
