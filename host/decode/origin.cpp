// SPDX-License-Identifier: Apache-2.0
#include "decode/origin.h"

#include "decode/json_text.h"

#include <algorithm>
#include <numeric>

namespace berth::decode {
namespace {

model::Value part(model::Value of, std::size_t i) { return of.is_object() ? of.member(i) : of.at(i); }

bool plain_name(std::string_view key) {
    return !key.empty() && key.find_first_of(".[]\"'\\ /") == std::string_view::npos;
}

}  // namespace

/// With a list of what is open, not by recursion: an object may have thousands of levels.
std::optional<Steps> steps_to(model::Value root, model::Value v) {
    if (!root || !v) return std::nullopt;
    Steps steps;
    std::vector<model::Value> open{root};
    if (root.raw() == v.raw()) return steps;
    steps.push_back(0);
    while (!open.empty()) {
        auto &step = steps.back();
        if (step == open.back().size()) {
            open.pop_back();
            steps.pop_back();
            if (!steps.empty()) ++steps.back();
            continue;
        }
        const auto next = part(open.back(), step);
        if (next.raw() == v.raw()) return steps;
        if (next.size() == 0) {
            ++step;
            continue;
        }
        open.push_back(next);
        steps.push_back(0);
    }
    return std::nullopt;
}

std::size_t mark_count(model::Value v) {
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

std::size_t mark_index(model::Value root, const Steps &steps) {
    std::size_t index = 0;
    for (auto step : steps) {
        bool object = root.is_object();
        ++index;
        for (std::size_t i = 0; i < step; ++i)
            index += object ? 1 + mark_count(root.member(i)) : mark_count(root.at(i));
        if (object) ++index;
        root = object ? root.member(step) : root.at(step);
    }
    return index;
}

Mark Origin::mark(model::Value root, model::Value v, bool key) const {
    auto steps = steps_to(root, v);
    if (!steps) return {};
    if (!json_) {
        auto index = mark_index(root, *steps);
        if (key && index > 0) {
            auto parent = root;
            for (std::size_t i = 0; i + 1 < steps->size(); ++i)
                parent = parent.is_object() ? parent.member((*steps)[i]) : parent.at((*steps)[i]);
            if (parent.is_object()) --index;
        }
        return index < marks_.size() ? marks_[index] : Mark{};
    }
    if (added_ && !steps->empty()) {
        if (steps->front() < added_) return {};
        steps->front() -= added_;
    }
    auto text = std::string_view{text_}.substr(0, size_);
    return mark_at(text, json_offset(text, *steps, key), start_);
}

std::vector<Mark> Origin::marks() const {
    if (!json_) return marks_;
    std::vector<Mark> out;
    auto text = std::string_view{text_}.substr(0, size_);
    Mark at = start_;
    for (std::size_t begin = 0; begin < size_;) {
        auto end = json_token_end(text, begin);
        if (std::string_view{" \t\r\n,:]}"}.find(text[begin]) == std::string_view::npos) out.push_back(at);
        at = mark_at(text.substr(begin, end - begin), end - begin, at);
        begin = end;
    }
    // Keys and values that the text does not have come first in the root.
    if (!out.empty()) out.insert(out.begin() + 1, 2 * added_, Mark{});
    return out;
}

Mark mark_at(std::string_view text, std::size_t offset, Mark start) {
    Mark mark = start;
    offset = std::min(offset, text.size());
    for (std::size_t i = 0; i < offset; ++i) {
        if (text[i] == '\n') {
            ++mark.line;
            mark.column = 1;
        } else {
            ++mark.column;
        }
    }
    return mark;
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
    const auto *own = static_cast<const berth_kv *>(tree.root.ptr);
    members.insert(members.end(), own, own + object.size());
    tree.root = model::make_object(tree.arena, members);
    return added;
}

Mark Document::mark(model::Value v) const { return origin ? origin->mark(value(), v, false) : Mark{}; }

Mark Document::key_mark(model::Value v) const { return origin ? origin->mark(value(), v, true) : Mark{}; }

std::string where(std::string_view file, Mark mark) {
    std::string text{file};
    if (mark.line > 0) text += ':' + std::to_string(mark.line);
    if (mark.line > 0 && mark.column > 0) text += ':' + std::to_string(mark.column);
    return text;
}

std::string Document::where(model::Value v) const { return decode::where(file, mark(v)); }

std::string Document::path(model::Value v) const {
    auto at = value();
    std::string text;
    auto steps = steps_to(at, v);
    if (!steps) return text;
    for (auto step : *steps) {
        if (at.is_array()) {
            text += '[' + std::to_string(step) + ']';
            at = at.at(step);
            continue;
        }
        auto key = at.key(step);
        if (plain_name(key)) (text += text.empty() ? "" : ".") += key;
        else ((text += "[\"") += key) += "\"]";
        at = at.member(step);
    }
    return text;
}

}  // namespace berth::decode
