// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Reads of objects from the API server: get and list, for what a plugin does not watch.
///
/// ```cpp
/// static constexpr std::array reads{"get v1/configmaps"};
/// void declare(berth::Declare d) const { d.read(BERTH_READ_GET, "", "v1", "configmaps"); }
///
/// host.read(berth::Get{.resource = "configmaps", .name_space = "kube-system", .name = "limits"},
///           [this](const berth::Answer &answer) {
///               if (answer.ok()) limit_ = answer.value()["data"]["limit"].string();
///           });
/// ```

#include <berth/host.hpp>

namespace berth {

/// One object; see berth_read.
struct Get {
    std::string_view group{}, version = "v1", resource{}, name_space{}, name{};
};

/// A page of a kind; see berth_read.
struct List {
    std::string_view group{}, version = "v1", resource{}, name_space{}, label_selector{}, field_selector{};
    std::string_view continue_token{};  ///< Answer::continue_token of the page before
    std::uint64_t limit = 0;            ///< items at most; 0: as many as the host gives
};

inline Reading Host::read(const berth_read &read, OnAnswer on_read) const {
    BERTH_USES_DRAFT(BERTH_HOST_READER_DRAFT1);
    const auto begin = function<&berth_host_reader::read>(reader_, BERTH_HOST_READER_DRAFT1);
    auto held = std::make_unique<Awaited>(Awaited{this, "a callback of read", std::move(on_read)});
    Reading out;
    const auto code = begin(h_, &read, Awaited::come, held.get(), &out.id);
    if (code == BERTH_STATUS_SUCCESS) return (void)held.release(), out;
    if (code == BERTH_STATUS_UNSUPPORTED) return {};
    const char *why = code == BERTH_STATUS_CANCELLED ? "the instance is about to end; not read: "
                      : code == BERTH_STATUS_BUSY    ? "too many reads are pending; not read: "
                                                  : "the read is not valid or not declared, or cannot be made here: ";
    throw std::runtime_error(why + std::string(view(read.resource)) + " " + std::string(view(read.name)));
}

namespace detail {

inline berth_read raw_read(std::uint32_t verb, const List &list, std::string_view name) {
    berth_read raw{};
    raw.struct_size = sizeof raw;
    raw.verb = verb;
    raw.group = to_str(list.group);
    raw.version = to_str(list.version);
    raw.resource = to_str(list.resource);
    raw.namespace_ = to_str(list.name_space);
    raw.name = to_str(name);
    raw.label_selector = to_str(list.label_selector);
    raw.field_selector = to_str(list.field_selector);
    raw.continue_ = to_str(list.continue_token);
    raw.limit = list.limit;
    return raw;
}

}  // namespace detail

inline Reading Host::read(const Get &get, OnAnswer on_read) const {
    List kind;
    kind.group = get.group;
    kind.version = get.version;
    kind.resource = get.resource;
    kind.name_space = get.name_space;
    return read(detail::raw_read(BERTH_READ_GET, kind, get.name), std::move(on_read));
}

inline Reading Host::read(const List &list, OnAnswer on_read) const {
    return read(detail::raw_read(BERTH_READ_LIST, list, {}), std::move(on_read));
}

}  // namespace berth
