// SPDX-License-Identifier: Apache-2.0
#include "decode/protobuf.h"

#include "decode/go_json.h"
#include "model/time.h"

#include <simdjson.h>
#include <protozero/pbf_reader.hpp>

#include <algorithm>

namespace berth::decode::protobuf {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;

constexpr std::string_view magic{"k8s\0", 4};

std::string_view bytes_of(pbf_reader &reader) {
    auto view = reader.get_view();
    return {view.data(), view.size()};
}

void expect(const pbf_reader &reader, pbf_wire_type type, std::string_view name) {
    if (reader.wire_type() != type)
        throw Unreadable("field " + std::to_string(reader.tag()) + " (" + std::string(name) + ") has wire type " +
                         std::to_string(static_cast<unsigned>(reader.wire_type())));
}

/// Calls `take` with each field of a message.
template <class Take>
void each(std::string_view bytes, Take take) {
    pbf_reader reader{bytes.data(), bytes.size()};
    try {
        while (reader.next()) take(reader);
    } catch (const protozero::exception &e) {
        throw Unreadable(std::string("broken protobuf: ") + e.what());
    }
}

/// The bytes of the field `number` of a message that has nothing else of interest.
std::string_view only_field(std::string_view bytes, std::uint32_t number) {
    std::string_view out;
    each(bytes, [&](pbf_reader &reader) {
        if (reader.tag() != number || reader.wire_type() != pbf_wire_type::length_delimited) return reader.skip();
        out = bytes_of(reader);
    });
    return out;
}

/// Without a copy: for what lives longer.
berth_value as_string(std::string_view text) {
    return {BERTH_VALUE_STRING, 0, {static_cast<std::int64_t>(text.size())}, {text.data()}};
}

/// Whether the field that comes next says anything: what is not a pointer in Go is sent even when it is zero.
bool says_something(pbf_reader &reader) {
    switch (reader.wire_type()) {
        case pbf_wire_type::varint: return reader.get_uint64() != 0;
        case pbf_wire_type::length_delimited: return !bytes_of(reader).empty();
        case pbf_wire_type::fixed64: return reader.get_fixed64() != 0;
        case pbf_wire_type::fixed32: return reader.get_fixed32() != 0;
        default: return reader.skip(), true;
    }
}

bool is_zero(const berth_value &value) {
    switch (value.kind) {
        case BERTH_VALUE_NULL: return true;
        case BERTH_VALUE_BOOL:
        case BERTH_VALUE_INT: return value.n.integer == 0;
        case BERTH_VALUE_STRING: return value.n.len == 0;
        default: return false;
    }
}

/// As Go reads text that is no UTF-8 when it writes JSON: each byte of it becomes U+FFFD.
std::string repaired(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        std::size_t n = std::min<std::size_t>(text.size(), 4);
        while (n > 0 && !simdjson::validate_utf8(text.data(), n)) --n;
        if (n == 0) {
            out += "\xef\xbf\xbd";
            n = 1;
        } else {
            out += text.substr(0, n);
        }
        text.remove_prefix(n);
    }
    return out;
}

}  // namespace

bool Envelope::begins(std::string_view bytes) { return bytes.starts_with(magic); }

void each_message(std::string_view message, const std::function<void(std::uint32_t, std::string_view)> &take) {
    each(message, [&](pbf_reader &reader) {
        if (reader.wire_type() != pbf_wire_type::length_delimited) return reader.skip();
        const auto number = reader.tag();
        take(number, bytes_of(reader));
    });
}

Envelope::Envelope(std::string_view bytes) {
    if (!begins(bytes)) throw Unreadable("it is neither JSON nor Kubernetes' protobuf");
    constexpr std::uint32_t type_meta = 1, raw = 2, version = 1, name = 2;
    each_message(bytes.substr(magic.size()), [&](std::uint32_t number, std::string_view part) {
        if (number == raw) content = part;
        if (number != type_meta) return;
        api_version = only_field(part, version);
        kind = only_field(part, name);
    });
}

void ObjectReader::read(std::string_view bytes, const Kind &kind) {
    members_.clear();
    members_.push_back({model::to_str("kind"), as_string(kind.name)});
    members_.push_back({model::to_str("apiVersion"), as_string(kind.api_version)});
    add_members(bytes, kind.message);
    tree_.root = model::make_object(tree_.arena, members_);
}

berth_value ObjectReader::message(std::string_view bytes, std::uint16_t index) {
    const std::size_t first = members_.size();
    add_members(bytes, index);
    const std::size_t n = members_.size() - first;
    auto *members = tree_.arena.array<berth_kv>(n);
    std::copy_n(members_.data() + first, n, members);
    members_.resize(first);
    return {BERTH_VALUE_OBJECT, 0, {static_cast<std::int64_t>(n)}, {members}};
}

void ObjectReader::add_members(std::string_view bytes, std::uint16_t index) {
    const auto fields = fields_of(index);
    const std::size_t first = sent_.size();
    take(bytes, fields);
    const std::size_t last = sent_.size();
    std::size_t at = first;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const std::size_t begin = at;
        while (at < last && sent_[at].field == i) ++at;
        add_member(fields[i], begin, at);
    }
    sent_.resize(first);
}

/// Puts what the message says behind what there is in `sent_`, by the order of the fields.
void ObjectReader::take(std::string_view bytes, std::span<const Field> fields) {
    const std::size_t first = sent_.size();
    std::size_t i = 0;
    bool in_order = true;
    each(bytes, [&](pbf_reader &reader) {
        if (i < fields.size() && fields[i].number > reader.tag()) {
            i = 0;
            in_order = false;
        }
        while (i < fields.size() && fields[i].number < reader.tag()) ++i;
        if (i == fields.size() || fields[i].number != reader.tag()) {
            unknown_fields_ |= says_something(reader);
            return;
        }
        const Field &field = fields[i];
        berth_kv sent{};
        if (field.shape == Shape::Integer || field.shape == Shape::Boolean) {
            expect(reader, pbf_wire_type::varint, field.name);
            sent.value = field.shape == Shape::Integer ? model::make_int(reader.get_int64())
                                                       : model::make_bool(reader.get_uint64() != 0);
        } else {
            expect(reader, pbf_wire_type::length_delimited, field.name);
            auto content = bytes_of(reader);
            if (field.shape == Shape::LeftOut) return;
            if (field.form == Form::Map) sent = map_entry(field, content);
            else if (field.form == Form::Inline) sent.value = as_string(content);
            else sent.value = of_message(field, content);
        }
        sent_.push_back({i, sent});
    });
    if (!in_order)
        std::stable_sort(sent_.begin() + static_cast<std::ptrdiff_t>(first), sent_.end(),
                         [](const Sent &a, const Sent &b) { return a.field < b.field; });
}

/// Of what stands in `sent_` from `first` to before `last`.
void ObjectReader::add_member(const Field &field, std::size_t first, std::size_t last) {
    if (field.shape == Shape::LeftOut) return;
    const std::size_t n = last - first;
    if (field.form == Form::Inline) {
        const std::string_view bytes = n > 0 ? model::Value{&sent_[last - 1].value.value}.string() : std::string_view{};
        return add_members(bytes, field.message);
    }
    if (n == 0 && (field.presence == Presence::IfSent || field.presence == Presence::IfNotZero)) return;
    berth_value value{};
    if (n == 0) {
        value = field.presence == Presence::OrNull ? model::make_null() : zero(field);
    } else if (field.form == Form::List) {
        auto *items = tree_.arena.array<berth_value>(n);
        for (std::size_t i = 0; i < n; ++i) items[i] = sent_[first + i].value.value;
        value = {BERTH_VALUE_ARRAY, 0, {static_cast<std::int64_t>(n)}, {items}};
    } else if (field.form == Form::Map) {
        auto *entries = tree_.arena.array<berth_kv>(n);
        bool ascending = true;  // as Go writes them, so that each key is there once
        for (std::size_t i = 0; i < n; ++i) {
            entries[i] = sent_[first + i].value;
            ascending &= i == 0 || model::view(entries[i - 1].key) < model::view(entries[i].key);
        }
        const auto kept = ascending ? n : keep_last_of_each_key(entries, n);
        value = {BERTH_VALUE_OBJECT, 0, {static_cast<std::int64_t>(kept)}, {entries}};
    } else {
        value = sent_[last - 1].value.value;
        if (field.presence == Presence::IfNotZero && is_zero(value)) return;
    }
    members_.push_back({model::to_str(field.name), value});
}

berth_value ObjectReader::zero(const Field &field) {
    switch (field.shape) {
        case Shape::Integer: return model::make_int(0);
        case Shape::Boolean: return model::make_bool(false);
        default: return of_message(field, {});
    }
}

/// Of anything that is sent as bytes.
berth_value ObjectReader::of_message(const Field &field, std::string_view bytes) {
    switch (field.shape) {
        case Shape::String: return text(bytes);
        case Shape::Message: return message(bytes, field.message);
        case Shape::Quantity: {
            auto number = only_field(bytes, 1);
            return text(number.empty() ? "0" : number);
        }
        case Shape::Json: return json(only_field(bytes, 1));
        default: break;
    }
    std::int64_t numbers[2] = {};
    std::string_view string;
    each(bytes, [&](pbf_reader &reader) {
        if (reader.tag() <= 2) {
            expect(reader, pbf_wire_type::varint, field.name);
            auto &number = numbers[reader.tag() - 1];
            number = reader.get_int64();
        } else if (reader.tag() == 3) {
            expect(reader, pbf_wire_type::length_delimited, field.name);
            string = bytes_of(reader);
        } else {
            reader.skip();
        }
    });
    if (field.shape == Shape::Time) return bytes.empty() ? model::make_null() : text(model::format_seconds(numbers[0]));
    return numbers[0] == 0 ? model::make_int(numbers[1]) : text(string);
}

berth_kv ObjectReader::map_entry(const Field &field, std::string_view bytes) {
    std::string_view key, value;
    each(bytes, [&](pbf_reader &reader) {
        if (reader.tag() > 2) return reader.skip();
        expect(reader, pbf_wire_type::length_delimited, field.name);
        auto &part = reader.tag() == 1 ? key : value;
        part = bytes_of(reader);
    });
    const auto name = text(key);
    return {model::to_str(model::Value{&name}.string()), of_message(field, value)};
}

berth_value ObjectReader::text(std::string_view bytes) {
    if (simdjson::validate_utf8(bytes.data(), bytes.size())) return model::make_string(tree_.arena, bytes);
    return model::make_string(tree_.arena, repaired(bytes));
}

/// Its author could write anything, so invalid JSON is no reason to drop the object: the value is null then.
berth_value ObjectReader::json(std::string_view bytes) {
    if (bytes.empty()) return model::make_null();
    berth_value out{};
    if (!read_go_json(bytes, {}, tree_.arena, out)) return out;
    return model::make_null();
}

}  // namespace berth::decode::protobuf
