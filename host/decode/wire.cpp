// SPDX-License-Identifier: Apache-2.0
#include "decode/wire.h"

#include "decode/json.h"
#include "decode/origin.h"

namespace berth::decode {
namespace {

/// Who wrote which field when: often half of an object, and of no use to a scheduler.
constexpr std::string_view managed_fields[] = {"metadata", "managedFields"};

/// Each thread keeps the memory of its parser.
model::Result<std::vector<JsonParser::Part>> take_apart(std::string_view json) {
    thread_local JsonParser parser;
    std::vector<JsonParser::Part> parts;
    if (auto refusal = parser.take_apart(json, "the API server's answer", managed_fields, parts))
        return model::Error{std::move(refusal->message)};
    return parts;
}

}  // namespace

model::Result<ListPage> read_list_page(std::string_view json, std::string_view api_version, std::string_view kind) {
    auto parts = take_apart(json);
    if (!parts) return parts.error();
    ListPage page;
    for (auto &part : *parts) {
        if (part.key == "metadata" && !part.item) {
            auto metadata = part.tree->value();
            page.resource_version = metadata["resourceVersion"].string();
            page.next = metadata["continue"].string();
        } else if (part.key == "items" && part.item) {
            complete_object(*part.tree, api_version, kind);
            page.items.push_back(std::move(part.tree));
        }
    }
    if (page.resource_version.empty())
        return model::Error{"the API server's answer is no list: it has no metadata.resourceVersion"};
    return page;
}

model::Result<WatchEvent> read_watch_event(std::string_view json) {
    auto parts = take_apart(json);
    if (!parts) return parts.error();
    WatchEvent event;
    for (auto &part : *parts) {
        if (part.item) continue;
        if (part.key == "type") event.type = part.tree->value().string();
        else if (part.key == "object") event.object = std::move(part.tree);
    }
    if (event.type.empty() || !event.object)
        return model::Error{"the API server's answer is no watch event: it has no type or no object"};
    return event;
}

std::string status_message(std::string_view body) {
    if (body.starts_with('{')) {
        if (auto parts = take_apart(body))
            for (auto &part : *parts)
                if (part.key == "message" && !part.item && !part.tree->value().string().empty())
                    return std::string(part.tree->value().string());
    }
    while (!body.empty() && (body.back() == '\n' || body.back() == ' ')) body.remove_suffix(1);
    return std::string(body);
}

}  // namespace berth::decode
