// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The sinks that a plugin writes to in a test.

#include <berth/remedy.hpp>

#include <cstdio>
#include <string>
#include <vector>

namespace berth::testing {

/// A sink as the plugin is given it, of what stands behind it.
template <class Sink, class T>
class SinkSlot {
    T behind_{};

public:
    T &operator*() { return behind_; }
    Sink *handle() { return reinterpret_cast<Sink *>(&behind_); }
    static T &of(Sink *sink) { return *reinterpret_cast<T *>(sink); }
};
struct Declared {
    std::vector<std::string> watches, writes;
};
using TextSlot = SinkSlot<berth_text_sink, std::string>;
using ErrorSlot = SinkSlot<berth_error_sink, std::string>;  ///< all in one line
using DeclareSlot = SinkSlot<berth_declare_sink, Declared>;
using EventSlot = SinkSlot<berth_event_sink, std::vector<std::string>>;  ///< "Node 0x1", and "hinted" behind it
using RemedySlot = SinkSlot<berth_remedy_sink, std::vector<Remedy>>;

/// "create", and "?" for a verb that is none.
inline std::string verb_name(std::uint32_t verb) {
    constexpr const char *names[] = {"?", "create", "update", "patch", "delete"};
    return verb <= BERTH_VERB_DELETE ? names[verb] : "?";
}

/// berth.host.sinks/1.
inline const berth_host_sinks &sinks_table() {
    static constexpr auto path = [](berth_str group, berth_str version, berth_str resource) {
        return (group.len ? std::string(view(group)) + "/" : "") + std::string(view(version)) + "/" +
               std::string(view(resource));
    };
    static constexpr berth_host_sinks table{
        sizeof table,
        0,
        [](const berth_host *, berth_text_sink *to, berth_str text) { TextSlot::of(to).append(view(text)); },
        [](const berth_host *, berth_error_sink *sink, berth_str where, berth_str text) {
            auto &to = ErrorSlot::of(sink);
            to += (to.empty() ? "" : "; ") + std::string(view(where)) + ": " + std::string(view(text));
        },
        [](const berth_host *, berth_declare_sink *to, berth_str group, berth_str version, berth_str resource) {
            DeclareSlot::of(to).watches.push_back(path(group, version, resource));
        },
        [](const berth_host *, berth_declare_sink *to, std::uint32_t verb, berth_str group, berth_str version,
           berth_str resource) {
            DeclareSlot::of(to).writes.push_back(verb_name(verb) + " " + path(group, version, resource));
        },
        [](const berth_host *, berth_event_sink *to, berth_str resource, std::uint64_t actions, std::uint32_t hinted) {
            char hex[17];
            std::snprintf(hex, sizeof hex, "%llx", static_cast<unsigned long long>(actions));
            EventSlot::of(to).push_back(std::string(view(resource)) + " 0x" + hex + (hinted ? " hinted" : ""));
        }};
    return table;
}

/// berth.host.remedies/draft1.
inline const berth_host_remedies &remedies_table() {
    static constexpr berth_host_remedies table{
        sizeof table, 0,
        [](const berth_host *, berth_remedy_sink *to, std::uint64_t, const berth_change *changes, std::uint64_t n) {
            auto &remedy = RemedySlot::of(to).emplace_back();
            for (std::uint64_t i = 0; i < n; ++i) remedy.emplace_back(changes[i]);
        }};
    return table;
}

}  // namespace berth::testing
