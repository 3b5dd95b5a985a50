// SPDX-License-Identifier: Apache-2.0
#include "decode/wire.h"

#include "decode/json.h"
#include "decode/protobuf.h"
#include "decode/source_map.h"

namespace berth::decode {
namespace {

/// The history of writers per field: often half of an object, and of no use to a scheduler.
constexpr std::string_view managed_fields[] = {"metadata", "managedFields"};

model::Result<std::vector<JsonParser::Part>> take_apart(JsonParser &parser, std::string_view json) {
    std::vector<JsonParser::Part> parts;
    if (auto refusal = parser.take_apart(json, "the API server's answer", managed_fields, parts))
        return model::Error{std::move(refusal->message)};
    return parts;
}

/// A message as an API server has them; protobuf never begins so.
bool is_json(std::string_view text) { return text.empty() || text.front() == '{'; }

model::Result<ListPage> list_in_json(JsonParser &parser, std::string_view json, std::string_view api_version,
                                     std::string_view kind) {
    auto parts = take_apart(parser, json);
    if (!parts) return parts.error();
    ListPage page;
    for (auto &part : *parts) {
        if (part.key == "metadata" && !part.item) {
            auto metadata = part.tree->value();
            page.resource_version = metadata["resourceVersion"].string();
            page.next = metadata["continue"].string();
        } else if (part.key == "items" && part.item) {
            complete_object(*part.tree, api_version, kind);
            page.items.push_back({std::move(part.tree), std::move(part.fault)});
        }
    }
    return page;
}

model::Result<WatchEvent> event_in_json(JsonParser &parser, std::string_view json) {
    auto parts = take_apart(parser, json);
    if (!parts) return parts.error();
    WatchEvent event;
    for (auto &part : *parts) {
        if (part.item) continue;
        if (part.key == "type") event.type = part.tree->value().string();
        else if (part.key == "object") event.object = {std::move(part.tree), std::move(part.fault)};
    }
    return event;
}

/// Of what is in an envelope.
std::shared_ptr<model::Tree> read_enveloped(std::string_view bytes, bool &unknown_fields) {
    const protobuf::Envelope envelope(bytes);
    const auto *kind = protobuf::find_kind(envelope.api_version, envelope.kind);
    if (!kind)
        throw protobuf::Unreadable("objects of " + std::string(envelope.api_version) + " " +
                                   std::string(envelope.kind) + " are not read in protobuf here");
    auto tree = std::make_shared<model::Tree>();
    protobuf::ObjectReader reader(*tree);
    reader.read(envelope.content, *kind);
    unknown_fields |= reader.unknown_fields();
    return tree;
}

ListPage list_in_protobuf(std::string_view bytes, std::string_view api_version, std::string_view kind_name) {
    const protobuf::Envelope envelope(bytes);
    const auto *kind = protobuf::find_kind(api_version, kind_name);
    const auto *list = protobuf::find_kind("v1", "ListMeta");
    if (!kind || envelope.kind != std::string(kind_name) + "List")
        throw protobuf::Unreadable("it is a " + std::string(envelope.kind) + ", not a list of " +
                                   std::string(kind_name));
    ListPage page;
    constexpr std::uint32_t metadata = 1, items = 2;
    protobuf::each_message(envelope.content, [&](std::uint32_t number, std::string_view content) {
        if (number != metadata && number != items) return;
        auto tree = std::make_shared<model::Tree>();
        protobuf::ObjectReader reader(*tree);
        reader.read(content, number == items ? *kind : *list);
        page.unknown_fields |= reader.unknown_fields();
        if (number == items) return page.items.push_back({std::move(tree), {}});
        page.resource_version = tree->value()["resourceVersion"].string();
        page.next = tree->value()["continue"].string();
    });
    return page;
}

WatchEvent event_in_protobuf(std::string_view bytes) {
    WatchEvent event;
    constexpr std::uint32_t type = 1, object = 2, raw = 1;
    protobuf::each_message(bytes, [&](std::uint32_t number, std::string_view content) {
        if (number == type) event.type = content;
        if (number != object) return;
        protobuf::each_message(content, [&](std::uint32_t inner, std::string_view enveloped) {
            if (inner == raw) event.object.tree = read_enveloped(enveloped, event.unknown_fields);
        });
    });
    return event;
}

/// Leaves them out of an object's metadata; whether there were any.
bool drop_managed_fields(model::Arena &arena, berth_value &object) {
    const auto without = [&](const berth_value &metadata) {
        std::vector<berth_kv> rest;
        const model::Value v{&metadata};
        for (std::size_t i = 0; v.is_object() && i < v.size(); ++i)
            if (v.key(i) != managed_fields[1]) rest.push_back(metadata.ptr.members[i]);
        return rest;
    };
    const model::Value v{&object};
    if (!v["metadata"]["managedFields"]) return false;
    std::vector<berth_kv> members(object.ptr.members, object.ptr.members + v.size());
    for (auto &member : members)
        if (model::view(member.key) == managed_fields[0])
            member.value = model::make_object(arena, without(member.value));
    object = model::make_object(arena, members);
    return true;
}

bool drop_managed_fields_of_items(model::Arena &arena, berth_value &list) {
    const model::Value v{&list};
    const auto items = v["items"];
    if (!items.is_array()) return false;
    std::vector<berth_value> all(items.raw()->ptr.items, items.raw()->ptr.items + items.size());
    bool dropped = false;
    for (auto &one : all) dropped |= drop_managed_fields(arena, one);
    if (!dropped) return false;
    std::vector<berth_kv> members(list.ptr.members, list.ptr.members + v.size());
    for (auto &member : members)
        if (model::view(member.key) == "items") member.value = model::make_array(arena, all);
    list = model::make_object(arena, members);
    return true;
}

template <class Read>
auto readable(Read read) -> model::Result<decltype(read())> {
    try {
        return read();
    } catch (const protobuf::Unreadable &e) {
        return model::Error{std::string("the API server's answer: ") + e.what()};
    }
}

}  // namespace

bool reads_protobuf(std::string_view api_version, std::string_view kind) {
    return protobuf::find_kind(api_version, kind) != nullptr;
}

WireReader::WireReader() : json_(std::make_unique<JsonParser>()) {}
WireReader::~WireReader() = default;

model::Result<ListPage> WireReader::list_page(std::string_view text, std::string_view api_version,
                                              std::string_view kind) {
    auto page = is_json(text) ? list_in_json(*json_, text, api_version, kind)
                              : readable([&] { return list_in_protobuf(text, api_version, kind); });
    if (page && page->resource_version.empty())
        return model::Error{"the API server's answer is no list: it has no metadata.resourceVersion"};
    return page;
}

model::Result<WatchEvent> WireReader::watch_event(std::string_view text) {
    auto event = is_json(text) ? event_in_json(*json_, text) : readable([&] { return event_in_protobuf(text); });
    if (event && (event->type.empty() || !event->object.tree))
        return model::Error{"the API server's answer is no watch event: it has no type or no object"};
    return event;
}

model::Result<model::TreePtr> read_api_json(std::string_view json) {
    auto tree = std::make_shared<model::Tree>();
    if (auto fault = JsonParser().read(json, {}, *tree)) return model::Error{*std::move(fault)};
    return model::TreePtr(std::move(tree));
}

model::Result<ReadBody> read_body(std::string_view json) {
    auto tree = std::make_shared<model::Tree>();
    if (auto fault = JsonParser().read(json, {}, *tree)) return model::Error{*std::move(fault)};
    const bool own = drop_managed_fields(tree->arena, tree->root);
    const bool of_items = drop_managed_fields_of_items(tree->arena, tree->root);
    return ReadBody{std::move(tree), own || of_items};
}

std::string status_message(std::string_view body) {
    if (is_json(body)) {
        JsonParser parser;
        if (auto parts = take_apart(parser, body))
            for (auto &part : *parts)
                if (part.key == "message" && !part.item && !part.tree->value().string().empty())
                    return std::string(part.tree->value().string());
    } else if (protobuf::Envelope::begins(body)) {
        bool unknown_fields = false;
        auto status = readable([&] { return read_enveloped(body, unknown_fields); });
        return status ? std::string((*status)->value()["message"].string()) : status.error().text;
    }
    while (!body.empty() && (body.back() == '\n' || body.back() == ' ')) body.remove_suffix(1);
    return std::string(body);
}

}  // namespace berth::decode
