// SPDX-License-Identifier: Apache-2.0
#include "decode/document.h"

#include "decode/json.h"
#include "decode/source.h"
#include "decode/source_map.h"
#include "decode/yaml.h"

#include <algorithm>
#include <optional>

namespace berth::decode {

std::vector<Position> positions(const Document &document) {
    return document.source_map ? document.source_map->positions() : std::vector<Position>{};
}

std::vector<Document> parts(const Document &document, model::Value value) {
    std::vector<Document> out;
    if (!document.source_map) return out;
    auto positions = document.source_map->positions_from(document.value(), value);
    if (positions.empty()) return out;
    auto take = [&](std::size_t n) {
        const auto taken = positions.first(std::min(n, positions.size()));
        positions = positions.subspan(taken.size());
        return taken;
    };
    auto add = [&](model::Value part) {
        auto tree = std::make_shared<model::Tree>();
        tree->root = model::copy(tree->arena, part);
        const auto own = take(position_count(part));
        out.push_back(positioned_document(std::move(tree), document.file, {own.begin(), own.end()}));
    };
    if (!value.is_array()) return add(value), out;
    take(1);  // its own
    for (std::size_t i = 0; i < value.size(); ++i) add(value.at(i));
    return out;
}

Document positioned_document(model::TreePtr tree, std::string file, std::vector<Position> positions) {
    return {std::move(tree), std::move(file), std::make_shared<const SourceMap>(std::move(positions))};
}

model::Result<Document> read_document(std::string_view bytes, const std::string &file) {
    Source source{bytes};
    std::optional<JsonRefusal> no_json;
    if (char c = source.first_visible(); c == '{' || c == '[') {
        Document document;
        constexpr std::size_t bom = 3;
        auto text = bytes.starts_with("\xEF\xBB\xBF") ? bytes.substr(bom) : bytes;
        no_json = JsonParser().parse(text, file, {1, 1}, {}, document);
        if (!no_json) return document;
        if (!no_json->syntax || file.ends_with(".json")) return model::Error{no_json->message};
    }
    std::optional<Document> found;
    auto result = read_yaml(source, file, YamlMode::One, [&](Document document) -> model::Result<void> {
        found = std::move(document);
        return {};
    });
    if (!result.ok) return model::Error{no_json && result.syntax ? no_json->message : result.message};
    if (!found) return model::Error{file + ": the file is empty; one YAML or JSON document is expected"};
    return *std::move(found);
}

}  // namespace berth::decode
