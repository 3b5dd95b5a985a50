// SPDX-License-Identifier: Apache-2.0
#include "decode/source_map.h"

#include "decode/json_text.h"

#include <algorithm>
#include <numeric>

namespace berth::decode {
namespace {

model::Value part(model::Value of, std::size_t i) { return of.is_object() ? of.member(i) : of.at(i); }

}  // namespace

std::size_t position_count(model::Value v) {
    std::size_t count = 0;
    std::vector<model::Value> open{v};
    while (!open.empty()) {
        const auto one = open.back();
        open.pop_back();
        count += one.is_object() ? 1 + one.size() : 1;
        for (std::size_t i = 0; i < one.size(); ++i) open.push_back(part(one, i));
    }
    return count;
}

const SourceMap::Index &SourceMap::index(model::Value root) const {
    std::call_once(indexed_, [&] {
        if (json_) index_.from_text = positions();
        struct Open {
            model::Value value;
            std::size_t next;
        };
        std::uint32_t at = 0;
        std::vector<Open> open;
        auto meet = [&](model::Value value, bool member) {
            if (member) ++at;  // its key
            index_.indices.emplace(value.raw(), Index::Place{at++, member});
            if (value.size() > 0) open.push_back({value, 0});
        };
        meet(root, false);
        while (!open.empty()) {
            const auto of = open.back().value;
            const auto i = open.back().next++;
            if (i == of.size()) open.pop_back();
            else meet(part(of, i), of.is_object());
        }
    });
    return index_;
}

Position SourceMap::position(model::Value root, model::Value v, bool key) const {
    if (!root || !v) return {};
    if (v.raw() == root.raw()) {
        if (!json_) return positions_.empty() ? Position{} : positions_.front();
        const auto text = std::string_view{text_}.substr(0, size_);
        return position_at(text, text.find_first_not_of(" \t\r\n"), start_);
    }
    const auto &known = index(root);
    const auto &positions = positions_of(known);
    const auto at = known.indices.find(v.raw());
    if (at == known.indices.end() || at->second.position >= positions.size()) return {};
    return positions[at->second.position - (key && at->second.member ? 1 : 0)];
}

std::span<const Position> SourceMap::positions_from(model::Value root, model::Value v) const {
    const auto &known = index(root);
    const auto at = known.indices.find(v.raw());
    const std::span<const Position> all = positions_of(known);
    return at == known.indices.end() ? std::span<const Position>{}
                                     : all.subspan(std::min<std::size_t>(at->second.position, all.size()));
}

std::vector<Position> SourceMap::positions() const {
    if (!json_) return positions_;
    std::vector<Position> out;
    auto text = std::string_view{text_}.substr(0, size_);
    Position at = start_;
    for (std::size_t begin = 0; begin < size_;) {
        auto end = json_token_end(text, begin);
        if (std::string_view{" \t\r\n,:]}"}.find(text[begin]) == std::string_view::npos) out.push_back(at);
        at = position_at(text.substr(begin, end - begin), end - begin, at);
        begin = end;
    }
    // Keys and values that the text does not have come first in the root.
    if (!out.empty()) out.insert(out.begin() + 1, 2 * added_, Position{});
    return out;
}

Position position_at(std::string_view text, std::size_t offset, Position start) {
    Position position = start;
    offset = std::min(offset, text.size());
    for (std::size_t i = 0; i < offset; ++i) {
        if (text[i] == '\n') {
            ++position.line;
            position.column = 1;
        } else {
            ++position.column;
        }
    }
    return position;
}

std::optional<std::pair<std::size_t, std::size_t>> repeated_key(const berth_kv *members, std::size_t n) {
    auto key = [&](std::size_t i) { return model::view(members[i].key); };
    constexpr std::size_t few = 12;
    if (n <= few) {
        for (std::size_t again = 1; again < n; ++again)
            for (std::size_t first = 0; first < again; ++first)
                if (key(first) == key(again)) return std::pair{first, again};
        return std::nullopt;
    }
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return key(a) < key(b); });
    std::optional<std::pair<std::size_t, std::size_t>> found;
    for (std::size_t i = 1; i < n; ++i)
        if (key(order[i - 1]) == key(order[i]) && (!found || order[i] < found->second))
            found = std::pair{order[i - 1], order[i]};
    return found;
}

std::size_t complete_object(model::Tree &tree, std::string_view api_version, std::string_view kind) {
    auto object = tree.value();
    std::vector<berth_kv> members;
    if (!object.is_object()) return 0;
    auto add = [&](std::string_view name, std::string_view text) {
        if (object[name] || text.empty()) return;
        members.push_back({model::to_str(tree.arena.copy(name)), model::make_string(tree.arena, text)});
    };
    add("apiVersion", api_version);
    add("kind", kind);
    auto added = members.size();
    if (added == 0) return 0;
    const auto *own = tree.root.ptr.members;
    members.insert(members.end(), own, own + object.size());
    tree.root = model::make_object(tree.arena, members);
    return added;
}

Position Document::position(model::Value v) const {
    return source_map ? source_map->position(value(), v, false) : Position{};
}

Position Document::key_position(model::Value v) const {
    return source_map ? source_map->position(value(), v, true) : Position{};
}

std::string where(std::string_view file, Position position) {
    std::string text{file};
    if (position.line > 0) text += ':' + std::to_string(position.line);
    if (position.line > 0 && position.column > 0) text += ':' + std::to_string(position.column);
    return text;
}

std::string Document::where(model::Value v) const { return decode::where(file, position(v)); }

}  // namespace berth::decode
