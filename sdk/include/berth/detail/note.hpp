// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The library's description, as static data and, repeated at compile time, as the ELF note. Not for plugin authors.

#include <berth/entry.h>
#include <berth/detail/code.hpp>

#include <array>
#include <tuple>
#include <utility>

namespace berth {

/// A plugin class with its name and version.
template <class T>
struct Entry {
    using Plugin = T;
    std::string_view name, version;
};
template <class T>
constexpr Entry<T> entry(std::string_view name, std::string_view version) {
    return {name, version};
}

namespace detail {

inline constexpr std::string_view services[] = {BERTH_HOST_LOG_V1,
                                                BERTH_HOST_OBJECT_V1,
                                                BERTH_HOST_STATE_V1,
                                                BERTH_HOST_COLUMNS_V1,
                                                BERTH_HOST_RANDOM_V1,
                                                BERTH_HOST_CLOCK_V1,
                                                BERTH_HOST_CLIENT_V1,
                                                BERTH_HOST_WAITING_PODS_V1,
                                                BERTH_HOST_RECORDER_V1,
                                                BERTH_HOST_CLUSTER_V1,
                                                BERTH_HOST_DELTA_V1,
                                                BERTH_HOST_RUNNER_V1,
                                                BERTH_HOST_NOMINATOR_V1,
                                                BERTH_HOST_ACTIVATOR_V1,
                                                BERTH_HOST_PODS_IN_PRE_BIND_DRAFT1,
                                                BERTH_HOST_TASK_V1,
                                                BERTH_HOST_PREPARED_V1,
                                                BERTH_HOST_EXTENDERS_DRAFT1,
                                                BERTH_HOST_CANCELLATION_DRAFT1,
                                                BERTH_HOST_REMEDIES_DRAFT1,
                                                BERTH_HOST_VICTIMS_DRAFT1,
                                                BERTH_HOST_KUBERNETES_DRAFT1,
                                                BERTH_HOST_LOG_FIELDS_DRAFT1,
                                                BERTH_HOST_METRICS_DRAFT1,
                                                BERTH_HOST_POD_GROUPS_DRAFT1,
                                                BERTH_HOST_PENDING_PODS_DRAFT1,
                                                BERTH_HOST_READER_DRAFT1,
                                                BERTH_HOST_TRIAL_STATE_DRAFT1,
                                                BERTH_HOST_SELECTIVE_WATCHES_DRAFT1};

template <class T>
constexpr std::string_view description_of() {
    if constexpr (requires { T::description; }) return T::description;
    else return "";
}

/// Counts characters, or writes them when it has a place to.
struct Writer {
    char *at = nullptr;
    std::size_t n = 0;
    constexpr void put(std::string_view s) {
        for (char c : s) {
            if (at) at[n] = c;
            ++n;
        }
    }
    constexpr void quoted(std::string_view s) {
        put("\"");
        for (char c : s) {
            if (c >= 0 && c < 0x20) {
                constexpr std::string_view hex = "0123456789abcdef";
                put(c < 0x10 ? "\\u000" : "\\u001");
                put(hex.substr(static_cast<std::size_t>(c % 16), 1));
                continue;
            }
            if (c == '"' || c == '\\') put("\\");
            put(std::string_view(&c, 1));
        }
        put("\"");
    }
};

template <class T>
constexpr void describe(Writer &w, const Entry<T> &e) {
    w.put("{\"name\":");
    w.quoted(e.name);
    w.put(",\"version\":");
    w.quoted(e.version);
    w.put(",\"description\":");
    w.quoted(description_of<T>());
    w.put(",\"interfaces\":[");
    bool first = true;
    auto item = [&](std::string_view s) {
        if (!first) w.put(",");
        first = false;
        w.quoted(s);
    };
    Points::each_interface<T>(item);
    w.put("],\"optional\":[");
    first = true;
    for (auto s : services) item(s);
    w.put("],\"watches\":[");
    first = true;
    if constexpr (requires { T::watches; })
        for (std::string_view s : T::watches) item(s);
    w.put("],\"writes\":[");
    first = true;
    if constexpr (requires { T::writes; })
        for (std::string_view s : T::writes) item(s);
    // The note of a class without it lacks this member. A member of another class may be called so, too.
    if constexpr (requires { typename std::integral_constant<std::size_t, std::size(T::reads)>; }) {
        w.put("],\"reads\":[");
        first = true;
        for (std::string_view s : T::reads) item(s);
    }
    w.put("]}");
}

template <class L>
constexpr void manifest(Writer &w) {
    w.put("{\"abi\":1,\"requiredMinor\":0,\"plugins\":[");
    std::apply(
        [&](const auto &...e) {
            std::size_t i = 0;
            ((w.put(i++ ? "," : ""), describe(w, e)), ...);
        },
        L::entries());
    w.put("]}");
}

template <class L>
constexpr std::size_t manifest_size() {
    Writer w;
    manifest<L>(w);
    return w.n;
}

template <std::size_t N>
struct Note {
    std::uint32_t name_size, desc_size, type;
    char name[8];
    char desc[(N + 3) / 4 * 4];
};

template <class L>
consteval auto make_note() {
    constexpr std::size_t n = manifest_size<L>();
    Note<n> note{sizeof(BERTH_NOTE_NAME), n, BERTH_NOTE_TYPE, BERTH_NOTE_NAME, {}};
    Writer w{note.desc};
    manifest<L>(w);
    return note;
}

template <class T>
struct Statics {
    static constexpr auto interface_ids = [] {
        std::array<berth_str, Points::interface_count<T>> ids{};
        std::size_t i = 0;
        Points::each_interface<T>([&](std::string_view id) { ids[i++] = {id.data(), id.size()}; });
        return ids;
    }();
    static constexpr auto service_ids = [] {
        std::array<berth_str, std::size(services)> ids{};
        for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = {services[i].data(), services[i].size()};
        return ids;
    }();
};

template <class T>
constexpr berth_plugin plugin_of(const Entry<T> &e) {
    Points::check_near_misses<T>();
    check_code_near_misses<T>();
    static_assert(Points::interface_count<T> > 0,
                  "the class has no public method of any extension point, such as filter or score");
    berth_plugin p{};
    p.struct_size = sizeof p;
    p.name = {e.name.data(), e.name.size()};
    p.version = {e.version.data(), e.version.size()};
    p.description = {description_of<T>().data(), description_of<T>().size()};
    p.interface_ids = Statics<T>::interface_ids.data();
    p.interface_ids_len = Statics<T>::interface_ids.size();
    p.optional_services = Statics<T>::service_ids.data();
    p.optional_services_len = Statics<T>::service_ids.size();
    if constexpr (HasDefaultArgs<T>) p.default_args = &Code<T>::default_args;
    p.create = &Code<T>::create;
    if constexpr (HasDeclare<T>) p.declare = &Code<T>::declare;
    p.destroy = &Code<T>::destroy;
    p.get_interface = &Code<T>::get_interface;
    return p;
}

template <class L>
const berth_library *library() {
    constexpr std::size_t n = std::tuple_size_v<decltype(L::entries())>;
    static constexpr auto plugins =
        std::apply([](const auto &...e) { return std::array<berth_plugin, n>{plugin_of(e)...}; }, L::entries());
    static constexpr auto pointers = [] {
        std::array<const berth_plugin *, n> p{};
        for (std::size_t i = 0; i < n; ++i) p[i] = &plugins[i];
        return p;
    }();
    static constexpr std::string_view sdk = "berth-cpp/" BERTH_VERSION;
    static constexpr std::string_view build = "C++ " __VERSION__;
    static constexpr berth_library lib{
        sizeof lib, 0, 0, BERTH_ABI_MINOR, pointers.data(), n, {sdk.data(), sdk.size()}, {build.data(), build.size()}};
    return &lib;
}

}  // namespace detail
}  // namespace berth
