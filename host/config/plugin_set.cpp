// SPDX-License-Identifier: Apache-2.0
#include "config/plugin_set.h"

#include "model/json_pointer.h"

#include <algorithm>

namespace berth::config {
namespace {

Place place(const decode::Document &document, model::Value value, std::string path) {
    auto position = document.position(value);
    return {document.file, static_cast<std::uint32_t>(std::max(position.line, 0)),
            static_cast<std::uint32_t>(std::max(position.column, 0)), std::move(path)};
}

std::vector<PluginEntry> read_entries(decode::Fields &set, std::string_view name) {
    std::vector<PluginEntry> out;
    for (auto &item : set.objects(name)) {
        PluginEntry entry;
        entry.name = item.string("name").value_or("");
        entry.weight = item.int32("weight").value_or(0);
        entry.place = place_of(item);
        item.finish();
        out.push_back(std::move(entry));
    }
    return out;
}

bool is_index(std::string_view segment) {
    return !segment.empty() && std::ranges::all_of(segment, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

Place place_of(const decode::Fields &fields) { return place(fields.document(), fields.value(), fields.path()); }

Place place_at(const decode::Document &document, std::string_view pointer) {
    std::string path;
    model::Value enclosing = document.value();
    bool found = true;
    while (!pointer.empty()) {
        pointer.remove_prefix(pointer.front() == '/' ? 1 : 0);
        auto segment = model::unescaped(pointer.substr(0, pointer.find('/')));
        pointer.remove_prefix(std::min(pointer.find('/'), pointer.size()));
        bool in_array = found ? enclosing.is_array() : is_index(segment);
        if (in_array) path += '[' + segment + ']';
        else path += (path.empty() ? "" : ".") + segment;
        if (!found) continue;
        model::Value next;
        if (!in_array) next = enclosing[segment];
        else if (is_index(segment) && segment.size() < 10) next = enclosing.at(std::stoul(segment));
        if (next) enclosing = next;
        else found = false;
    }
    return place(document, enclosing, std::move(path));
}

PluginSet read_plugin_set(decode::Fields &fields) {
    PluginSet out;
    out.enabled = read_entries(fields, "enabled");
    out.disabled = read_entries(fields, "disabled");
    fields.finish();
    return out;
}

}  // namespace berth::config
