// SPDX-License-Identifier: Apache-2.0
#include "decode/yaml_tree.h"

#include "decode/yaml_scalar.h"

#include <algorithm>
#include <set>

namespace berth::decode {
namespace {

constexpr std::string_view merge_help =
    "a merge key (<<) takes an alias of a mapping or a list of such aliases; write << in quotes if it is a text";

}  // namespace

void YamlTree::reset() {
    tree_ = std::make_shared<model::Tree>();
    positions_ = std::make_shared<std::vector<Position>>();
    parts_.clear();
    open_.clear();
    complete_ = false;
}

bool YamlTree::awaits_value_of(std::string_view key) const {
    return !open_.empty() && open_.back().map && open_.back().keyed && model::view(open_.back().next.key) == key;
}

std::string_view YamlTree::root_string(std::string_view name) const {
    if (open_.empty() || !open_.front().map) return {};
    std::size_t last = open_.size() > 1 ? open_[1].first_part : parts_.size();
    for (std::size_t i = open_.front().first_part; i < last; ++i)
        if (model::view(parts_[i].key) == name) return model::Value{&parts_[i].value}.string();
    return {};
}

void YamlTree::key(Position position, std::string_view text, bool merge) {
    auto &map = open_.back();
    map.keyed = true;
    map.merges = map.merges || merge;
    map.next = {model::to_str(tree_->arena.copy(text)), {}, positions_->size(), merge};
    positions_->push_back(position);
}

void YamlTree::value(const berth_value &v, std::size_t first_position, std::size_t levels, std::size_t anchor) {
    if (anchor) anchors_->values[anchor] = {tree_, positions_, first_position, positions_->size(), v, levels};
    if (open_.empty()) {
        tree_->root = v;
        complete_ = true;
        return;
    }
    auto &around = open_.back();
    around.levels = std::max(around.levels, levels + 1);
    if (around.map) {
        around.next.value = v;
        parts_.push_back(around.next);
        around.keyed = false;
    } else {
        parts_.push_back({{}, v, first_position, false});
    }
}

void YamlTree::scalar(Position position, std::string_view tag, std::size_t anchor, std::string_view text) {
    if (expects_key()) {
        // A scalar key is a string as it is written, as in sigs.k8s.io/yaml; its tag must still be known.
        bool plain = tag == "?";
        if (!plain && tag != "!")
            if (auto v = tagged_scalar(tree_->arena, tag, text); !v) throw Refusal{position, v.error().text, {}};
        if (anchor)
            anchors_->values[anchor] = {
                tree_, positions_, positions_->size(), positions_->size() + 1, model::make_string(tree_->arena, text),
                0};
        return key(position, text, plain && text == "<<");
    }
    auto v = tagged_scalar(tree_->arena, tag, text);
    if (!v) throw Refusal{position, v.error().text, {}};
    positions_->push_back(position);
    value(*v, positions_->size() - 1, 0, anchor);
}

void YamlTree::null(Position position, std::size_t anchor) {
    if (expects_key()) throw Refusal{position, "a key is missing or null; a key is a string", {}};
    positions_->push_back(position);
    value(model::make_null(), positions_->size() - 1, 0, anchor);
}

void YamlTree::alias(Position position, std::size_t anchor) {
    auto name = '*' + anchors_->names[anchor];
    auto found = anchors_->values.find(anchor);
    if (found == anchors_->values.end())
        throw Refusal{position, "the alias " + name + " stands inside the value that it names, which has no end", {}};
    const Anchored &a = found->second;
    if (expects_key()) {
        model::Value v{&a.value};
        if (!v.is_string()) throw Refusal{position, "the alias " + name + " is a key, but names no string", {}};
        return key(position, v.string(), false);
    }
    if (open_.size() + a.levels > most_levels)
        throw Refusal{
            position, "nested more than " + std::to_string(most_levels) + " levels deep by the alias " + name, {}};
    anchors_->expanded += a.last_position - a.first_position;
    if (anchors_->expanded > Anchors::most_expanded)
        throw Refusal{
            position, "the aliases of this document stand for more than 1000000 values; write out what is meant", {}};
    std::size_t first = positions_->size();
    // Its positions may be ours; one by one they make room for twice as many, and not each time for just these.
    for (std::size_t i = a.first_position; i < a.last_position; ++i) positions_->push_back((*a.positions)[i]);
    value(a.tree == tree_ ? a.value : model::copy(tree_->arena, model::Value{&a.value}), first, a.levels, 0);
}

void YamlTree::begin(Position position, std::string_view tag, std::size_t anchor, bool map) {
    if (expects_key())
        throw Refusal{
            position, "a list or a mapping cannot be a key; is a ':' missing, or a bracket not closed?", {}, true};
    if (tag != "?" && tag != "!" && short_tag(tag) != (map ? "!!map" : "!!seq"))
        throw Refusal{
            position, "a " + std::string{map ? "mapping" : "list"} + " has the unknown tag " + short_tag(tag), {}};
    if (open_.size() >= most_levels)
        throw Refusal{position, "nested more than " + std::to_string(most_levels) + " levels deep", {}};
    open_.push_back({map, false, false, parts_.size(), positions_->size(), 1, anchor, {}});
    positions_->push_back(position);
}

void YamlTree::end() {
    Open done = open_.back();
    berth_value v{};
    if (done.map) {
        v = end_map(done);
    } else {
        std::size_t n = parts_.size() - done.first_part;
        auto *items = tree_->arena.array<berth_value>(n);
        for (std::size_t i = 0; i < n; ++i) items[i] = parts_[done.first_part + i].value;
        v = {BERTH_VALUE_ARRAY, 0, {static_cast<std::int64_t>(n)}, {items}};
    }
    parts_.resize(done.first_part);
    open_.pop_back();
    value(v, done.first_position, done.levels, done.anchor);
}

berth_value YamlTree::end_map(const Open &map) {
    check_keys(map);
    if (map.merges) merge(map);
    std::size_t n = parts_.size() - map.first_part;
    auto *members = tree_->arena.array<berth_kv>(n);
    for (std::size_t i = 0; i < n; ++i) members[i] = {parts_[map.first_part + i].key, parts_[map.first_part + i].value};
    return {BERTH_VALUE_OBJECT, 0, {static_cast<std::int64_t>(n)}, {members}};
}

void YamlTree::check_keys(const Open &map) const {
    std::size_t n = parts_.size() - map.first_part;
    if (n < 2) return;
    const Part *parts = parts_.data() + map.first_part;
    std::vector<berth_kv> many;
    berth_kv few[12];
    if (n > std::size(few)) many.resize(n);
    berth_kv *keys = many.empty() ? few : many.data();
    for (std::size_t i = 0; i < n; ++i) keys[i].key = parts[i].key;
    auto twice = repeated_key(keys, n);
    if (!twice) return;
    throw Refusal{(*positions_)[parts[twice->second].first_position],
                  "the key \"" + std::string{model::view(parts[twice->second].key)} + "\" is repeated",
                  (*positions_)[parts[twice->first].first_position]};
}

/// Replaces the members `<<: …` of the innermost mapping by the members of what they name, as far as it has no such
/// members itself (https://yaml.org/type/merge.html), and the positions with them.
void YamlTree::merge(const Open &map) {
    struct Kept {
        Part part;
        std::size_t last_position;
    };
    std::vector<Kept> kept;
    std::set<std::string_view> names;  // of what is kept
    auto end_of = [&](std::size_t i) {
        return i + 1 < parts_.size() ? parts_[i + 1].first_position : positions_->size();
    };
    auto keep = [&](const Part &part, std::size_t last_position) {
        if (names.insert(model::view(part.key)).second) kept.push_back({part, last_position});
    };
    for (std::size_t i = map.first_part; i < parts_.size(); ++i)
        if (!parts_[i].merge) keep(parts_[i], end_of(i));
    auto take = [&](model::Value source, std::size_t position) {
        if (!source.is_object()) throw Refusal{(*positions_)[position], std::string{merge_help}, {}};
        ++position;
        for (std::size_t i = 0; i < source.size(); ++i) {
            std::size_t end = position + 1 + position_count(source.member(i));
            keep({model::to_str(source.key(i)), *source.member(i).raw(), position, false}, end);
            position = end;
        }
    };
    for (std::size_t i = map.first_part; i < parts_.size(); ++i) {
        if (!parts_[i].merge) continue;
        model::Value source{&parts_[i].value};
        std::size_t position = parts_[i].first_position + 1;
        if (!source.is_array()) {
            take(source, position);
            continue;
        }
        ++position;
        for (std::size_t k = 0; k < source.size(); ++k) {
            take(source.at(k), position);
            position += position_count(source.at(k));
        }
    }
    std::vector<Position> positions;
    parts_.resize(map.first_part);
    for (auto &k : kept) {
        auto first = map.first_position + 1 + positions.size();
        for (auto i = k.part.first_position; i < k.last_position; ++i) positions.push_back((*positions_)[i]);
        parts_.push_back({k.part.key, k.part.value, first, false});
    }
    positions_->resize(map.first_position + 1);
    positions_->insert(positions_->end(), positions.begin(), positions.end());
}

Document YamlTree::take(const std::string &file, std::string_view api_version, std::string_view kind) {
    auto added = complete_object(*tree_, api_version, kind);
    // An anchored value refers to the positions later, so that they are copied if they were not only ours.
    std::vector<Position> positions = positions_.use_count() == 1 ? std::move(*positions_) : *positions_;
    if (added) positions.insert(positions.begin() + 1, 2 * added, Position{});
    Document document{std::move(tree_), file, std::make_shared<const SourceMap>(std::move(positions))};
    reset();
    return document;
}

}  // namespace berth::decode
