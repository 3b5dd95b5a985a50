// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The sinks that a plugin writes to in a test.

#include <berth/detail/characters.hpp>
#include <berth/detail/selection.hpp>
#include <berth/detail/versions.hpp>
#include <berth/remedy.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <string_view>
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
/// A kind as a note's watches has it, and what is watched of it.
struct Selected {
    std::string kind;
    berth::detail::Selection selection;
};
struct Declared {
    std::vector<std::string> watches, writes, reads;  ///< watches: also of what is `selected`
    std::vector<std::string> whole;                   ///< those of `watches` that are watched as a whole
    std::vector<Selected> selected;
    std::string fault;  ///< for which a host refuses the plugin

    /// Of a group that could be taken for a version, a host takes neither watches nor writes.
    void check_group(std::string_view group, const std::string &what) {
        if (fault.empty() && berth::detail::begins_like_version(group))
            fault = "it declares " + what + ", whose group begins like a version";
    }
    /// Does the plugin watch this object of a kind?
    bool sees(const std::string &kind, std::string_view name_space, std::string_view name, Value object) const {
        if (std::find(whole.begin(), whole.end(), kind) != whole.end()) return true;
        return std::any_of(selected.begin(), selected.end(), [&](const Selected &one) {
            return one.kind == kind && one.selection.has(name_space, name, object);
        });
    }
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

/// As a note has a kind.
inline std::string kind_path(std::string_view group, std::string_view version, std::string_view resource) {
    std::string out(group);
    return out.append(group.empty() ? "" : "/").append(version).append("/").append(resource);
}
inline std::string kind_path(const berth_str &group, const berth_str &version, const berth_str &resource) {
    using berth::detail::text_or_none;
    return kind_path(text_or_none(group), text_or_none(version), text_or_none(resource));
}

/// Group, version and plural of a kind in a note.
inline std::array<std::string_view, 3> kind_of(std::string_view path) {
    const auto last = path.rfind('/'), first = last == 0 ? last : path.rfind('/', last - 1);
    if (first == std::string_view::npos) return {{{}, path.substr(0, last), path.substr(last + 1)}};
    return {{path.substr(0, first), path.substr(first + 1, last - first - 1), path.substr(last + 1)}};
}

/// As a host reads what a plugin hands to it.
template <class T>
std::int32_t readable(const T &handed) {
    if (handed.struct_size < sizeof handed) return BERTH_STATUS_INVALID;
    return handed.flags & BERTH_FLAG_MUST_UNDERSTAND ? BERTH_STATUS_UNSUPPORTED : BERTH_STATUS_SUCCESS;
}

/// berth.host.sinks/1.
inline const berth_host_sinks &sinks_table() {
    static constexpr berth_host_sinks table{
        sizeof table,
        0,
        [](const berth_host *, berth_text_sink *to, berth_str text) { TextSlot::of(to).append(view(text)); },
        [](const berth_host *, berth_error_sink *sink, berth_str where, berth_str text) {
            auto &to = ErrorSlot::of(sink);
            to += (to.empty() ? "" : "; ") + std::string(view(where)) + ": " + std::string(view(text));
        },
        [](const berth_host *, berth_declare_sink *to, berth_str group, berth_str version, berth_str resource) {
            auto &declared = DeclareSlot::of(to);
            const auto kind = kind_path(group, version, resource);
            declared.check_group(berth::detail::text_or_none(group), "to watch \"" + kind + "\"");
            for (auto *list : {&declared.watches, &declared.whole}) list->push_back(kind);
        },
        [](const berth_host *, berth_declare_sink *to, std::uint32_t verb, berth_str group, berth_str version,
           berth_str resource) {
            auto text = verb_name(verb) + " " + kind_path(group, version, resource);
            DeclareSlot::of(to).check_group(berth::detail::text_or_none(group), "the write \"" + text + "\"");
            DeclareSlot::of(to).writes.push_back(std::move(text));
        },
        [](const berth_host *, berth_event_sink *to, berth_str resource, std::uint64_t actions, std::uint32_t hinted) {
            char hex[17];
            std::snprintf(hex, sizeof hex, "%llx", static_cast<unsigned long long>(actions));
            EventSlot::of(to).push_back(std::string(view(resource)) + " 0x" + hex + (hinted ? " hinted" : ""));
        }};
    return table;
}

/// berth.host.selective_watches/draft1. It does not know which kinds have namespaces.
inline const berth_host_selective_watches &selective_watches_table() {
    static constexpr auto add = [](Declared &to, const berth_watch *watch) -> std::string {
        if (!watch || readable(*watch) != BERTH_STATUS_SUCCESS) return "a berth_watch that this host cannot read";
        std::string kind = kind_path(watch->group, watch->version, watch->resource), why;
        to.check_group(berth::detail::text_or_none(watch->group), "to watch \"" + kind + "\"");
        auto selection = berth::detail::Selection::read(*watch, why);
        to.watches.push_back(kind);
        if (!selection) return "\"" + kind + "\": " + why;
        if (selection->is_all()) return to.whole.push_back(std::move(kind)), std::string();
        std::uint32_t others = 0;
        for (const auto &one : to.selected) {
            if (one.kind == kind && one.selection == *selection) return {};
            others += one.kind == kind ? 1 : 0;
        }
        if (others == BERTH_WATCH_MOST_SELECTIONS)
            return "more than " + std::to_string(others) + " different selections of \"" + kind + "\"";
        to.selected.push_back({std::move(kind), *std::move(selection)});
        return {};
    };
    static constexpr berth_host_selective_watches table{
        sizeof table, 0, [](const berth_host *, berth_declare_sink *sink, const berth_watch *watch) {
            auto &to = DeclareSlot::of(sink);
            const auto why = add(to, watch);
            if (!why.empty() && to.fault.empty()) to.fault = "it declares to watch " + why;
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
