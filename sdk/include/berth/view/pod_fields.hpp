// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The list of the fields of berth_pod, which makes their accessors, their readers and the copies of the strict checks.
/// Not for plugin authors.

#include <berth/view/pod.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

/// Every field behind `obj`, in the order of berth_pod.
///
/// FIELD(field, accessor, path) is a text, a number, or a pointer to resources. `accessor` is its name in class Pod.
/// `path` is its place in a document, if Berth and the testing kit take the value from there as it is; otherwise ""
/// (host/model/pod.cpp and testing/objects.hpp then fill the field by themselves). A number whose name ends in _ns is a
/// time in the document. LIST(field) is a pointer with its `field`_len. RESERVED(field) has no meaning yet.
#define BERTH_POD_FIELDS(FIELD, LIST, RESERVED)                             \
    FIELD(uid, uid, "")                                                     \
    FIELD(namespace_, name_space, "")                                       \
    FIELD(name, name, "")                                                   \
    FIELD(priority, priority, "spec.priority")                              \
    FIELD(pod_flags, flags, "")                                             \
    FIELD(requests, requests, "")                                           \
    FIELD(requests_nonzero, requests_nonzero, "")                           \
    FIELD(container_requests, container_requests, "")                       \
    FIELD(container_requests_nonzero, container_requests_nonzero, "")       \
    FIELD(current_requests, current_requests, "")                           \
    LIST(labels)                                                            \
    LIST(tolerations)                                                       \
    LIST(images)                                                            \
    LIST(host_ports)                                                        \
    FIELD(scheduler_name, scheduler_name, "")                               \
    FIELD(node_name, node_name, "")                                         \
    FIELD(nominated_node, nominated_node, "status.nominatedNodeName")       \
    FIELD(creation_time_ns, creation_time_ns, "metadata.creationTimestamp") \
    FIELD(queued_time_ns, queued_time_ns, "")                               \
    FIELD(initial_attempt_ns, initial_attempt_ns, "")                       \
    FIELD(attempts, attempts, "")                                           \
    RESERVED(reserved)

namespace berth::detail {

template <class T>
struct PodField {
    T berth_pod::*at;
    std::string_view name, path;
    std::size_t offset;

    bool is_time() const { return name.ends_with("_ns"); }
};

template <class T>
struct PodList {
    const T *berth_pod::*at;
    std::uint64_t berth_pod::*size;
    std::string_view name;
};

/// Calls `visit` with a PodField or a PodList for each field.
template <class Visit>
constexpr void each_pod_field(Visit &&visit) {
#define BERTH_DETAIL_FIELD(field, accessor, path) \
    visit(PodField<decltype(berth_pod::field)>{&berth_pod::field, #field, path, offsetof(berth_pod, field)});
#define BERTH_DETAIL_LIST(field)                                                           \
    visit(PodList<std::remove_const_t<std::remove_pointer_t<decltype(berth_pod::field)>>>{ \
        &berth_pod::field, &berth_pod::field##_len, #field});
#define BERTH_DETAIL_RESERVED(field)
    BERTH_POD_FIELDS(BERTH_DETAIL_FIELD, BERTH_DETAIL_LIST, BERTH_DETAIL_RESERVED)
#undef BERTH_DETAIL_FIELD
#undef BERTH_DETAIL_LIST
#undef BERTH_DETAIL_RESERVED
}

// NOLINTBEGIN(bugprone-sizeof-expression): of a field that is a pointer, the pointer is meant
/// Whether the list has every field of berth_pod: each begins where the one before it ends.
constexpr bool has_every_pod_field() {
    std::size_t end = offsetof(berth_pod, obj) + sizeof(berth_pod::obj);
    bool all = true;
    const auto next = [&](std::size_t offset, std::size_t size) {
        all = all && offset == end;
        end = offset + size;
    };
#define BERTH_DETAIL_FIELD(field, ...) next(offsetof(berth_pod, field), sizeof(berth_pod::field));
#define BERTH_DETAIL_LIST(field) BERTH_DETAIL_FIELD(field) BERTH_DETAIL_FIELD(field##_len)
    BERTH_POD_FIELDS(BERTH_DETAIL_FIELD, BERTH_DETAIL_LIST, BERTH_DETAIL_FIELD)
#undef BERTH_DETAIL_FIELD
#undef BERTH_DETAIL_LIST
    return all && end == sizeof(berth_pod);
}
// NOLINTEND(bugprone-sizeof-expression): of a field that is a pointer, the pointer is meant
static_assert(has_every_pod_field(),
              "BERTH_POD_FIELDS lacks a field of berth_pod in its place; a gap in the struct takes a reserved field");

/// What a document can give as it is.
template <class T>
concept Plain = std::is_integral_v<T> || std::is_same_v<T, berth_str>;

/// Whether every path is of a plain field, below a part of the document that is read.
constexpr bool can_read_every_path() {
    bool all = true;
    const auto below_a_part = [](std::string_view path) {
        return path.starts_with("metadata.") || path.starts_with("spec.") || path.starts_with("status.");
    };
#define BERTH_DETAIL_FIELD(field, accessor, path) \
    all = all && (*(path) == 0 || (Plain<decltype(berth_pod::field)> && below_a_part(path)));
#define BERTH_DETAIL_NONE(field)
    BERTH_POD_FIELDS(BERTH_DETAIL_FIELD, BERTH_DETAIL_NONE, BERTH_DETAIL_NONE)
#undef BERTH_DETAIL_FIELD
#undef BERTH_DETAIL_NONE
    return all;
}
static_assert(can_read_every_path(),
              "a path of BERTH_POD_FIELDS is that of a text or number in metadata, spec or status");

/// How C++ shows a field, and the value on a host that is older than the field.
template <class T>
struct Shown {
    using Type = T;
    static constexpr T absent{};
    static constexpr Type of(T value) { return value; }
};
template <>
struct Shown<berth_str> {
    using Type = std::string_view;
    static constexpr berth_str absent{};
    static constexpr Type of(const berth_str &text) { return {text.ptr, static_cast<std::size_t>(text.len)}; }
};
template <>
struct Shown<const berth_resources *> {
    using Type = const berth_resources &;
    static constexpr berth_resources nothing{};
    static constexpr const berth_resources *absent = &nothing;
    static constexpr Type of(const berth_resources *resources) { return *resources; }
};

}  // namespace berth::detail
