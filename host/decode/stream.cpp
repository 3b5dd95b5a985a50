// SPDX-License-Identifier: Apache-2.0
#include "decode/stream.h"

#include "decode/json_stream.h"
#include "decode/list.h"
#include "decode/source_map.h"
#include "decode/yaml.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace berth::decode {
namespace {

/// One item of a list as a document of its own. All of it has the position at which the item begins.
Document item_of(const Document &list, model::Value item, const ItemType &type) {
    auto tree = std::make_shared<model::Tree>();
    tree->root = model::copy(tree->arena, item);
    complete_object(*tree, type.api_version, type.kind);
    auto source_map =
        std::make_shared<SourceMap>(std::vector<Position>(position_count(tree->value()), list.position(item)));
    return {std::move(tree), list.file, std::move(source_map)};
}

/// Hands a document over; one that is itself a list (it was an item of another one) item by item.
model::Result<void> hand_over(Document document, const Receive &receive) {
    auto root = document.value();
    auto kind = root["kind"].string();
    auto items = root["items"];
    if (kind == "List" && items.is_null()) return {};
    if (!kind.ends_with("List") || !items.is_array()) return receive(std::move(document));
    auto type = item_type(root["apiVersion"].string(), kind);
    for (std::size_t i = 0; i < items.size(); ++i)
        if (auto taken = hand_over(item_of(document, items.at(i), type), receive); !taken) return taken;
    return {};
}

}  // namespace

model::Result<std::uint64_t> read_stream(std::istream &in, const std::string &file, const Receive &receive,
                                         const Progress &progress, std::uint64_t total, bool *syntax) {
    if (syntax) *syntax = false;
    const auto error = [&](bool of_syntax, std::string message) {
        if (syntax) *syntax = of_syntax;
        return model::Error{std::move(message)};
    };
    Source source{in, progress, total};
    std::uint64_t objects = 0;
    const Receive count = [&](Document document) {
        ++objects;
        return receive(std::move(document));
    };
    const Receive each = [&](Document document) { return hand_over(std::move(document), count); };
    std::string no_json;
    if (char c = source.first_visible(); c == '{' || c == '[') {
        auto result = JsonStream{source, file, each}.read();
        if (result.ok) return objects;
        if (!result.syntax || result.objects > 0 || !source.small() || file.ends_with(".json"))
            return error(result.syntax, std::move(result.message));
        no_json = std::move(result.message);
        source.rewind();
    }
    auto result = read_yaml(source, file, YamlMode::Objects, each);
    if (result.ok) return objects;
    return error(result.syntax || result.foreign, !no_json.empty() && result.syntax ? no_json : result.message);
}

model::Result<std::uint64_t> read_file(const std::string &path, const Receive &receive, const Progress &progress,
                                       bool *syntax) {
    if (syntax) *syntax = false;
    namespace fs = std::filesystem;
    std::error_code error;
    auto status = fs::status(path, error);
    if (error) return model::Error{path + ": cannot be read: " + error.message()};
    if (!fs::is_regular_file(status) && !fs::is_fifo(status) && !fs::is_character_file(status))
        return model::Error{path + ": cannot be read: it is " + (fs::is_directory(status) ? "a directory" : "no file")};
    std::uint64_t size = fs::is_regular_file(status) ? fs::file_size(path, error) : 0;
    errno = 0;
    std::ifstream in{path, std::ios::binary};
    if (!in) return model::Error{path + ": cannot be read: " + std::generic_category().message(errno)};
    return read_stream(in, path, receive, progress, error ? 0 : size, syntax);
}

}  // namespace berth::decode
