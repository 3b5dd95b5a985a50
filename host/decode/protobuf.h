// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The decoder of Kubernetes objects in protobuf into the trees of their JSON; private to decode. They have the same
/// members and the same values; metadata.managedFields are left out.

#include "decode/protobuf_schema.h"
#include "model/value.h"

#include <functional>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace berth::decode::protobuf {

/// What cannot be read, as a text for a person.
struct Unreadable : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Calls `take` with the number and the bytes of each field of a message that has bytes; what else it has is left out.
/// Throws Unreadable.
void each_message(std::string_view message, const std::function<void(std::uint32_t, std::string_view)> &take);

/// What is around each object: Kubernetes' four bytes and a message runtime.Unknown.
struct Envelope {
    std::string_view api_version, kind, content;  ///< point into what was given

    static bool begins(std::string_view bytes);
    /// Throws Unreadable.
    explicit Envelope(std::string_view bytes);
};

/// One per object.
class ObjectReader {
    /// What was sent of one field.
    struct Sent {
        std::size_t field;  ///< which of the message's
        berth_kv value;     ///< of a map with its key, of form Inline the bytes as a string
    };
    std::vector<Sent> sent_;         ///< of the messages that are being read
    std::vector<berth_kv> members_;  ///< of the objects that are being made
    model::Tree &tree_;
    bool unknown_fields_ = false;

public:
    explicit ObjectReader(model::Tree &tree) : tree_(tree) {}

    /// Makes the tree's root of the message's bytes. Throws Unreadable.
    void read(std::string_view bytes, const Kind &kind);
    /// Whether a field that says something is none of the schema's, so that the tree lacks it.
    bool unknown_fields() const { return unknown_fields_; }

private:
    berth_value message(std::string_view bytes, std::uint16_t index);
    void add_members(std::string_view bytes, std::uint16_t index);
    void take(std::string_view bytes, std::span<const Field> fields);
    void add_member(const Field &field, std::size_t first, std::size_t last);
    berth_value zero(const Field &field);
    berth_value of_message(const Field &field, std::string_view bytes);
    berth_kv map_entry(const Field &field, std::string_view bytes);
    berth_value text(std::string_view bytes);
    berth_value json(std::string_view bytes);
};

}  // namespace berth::decode::protobuf
