// SPDX-License-Identifier: Apache-2.0
#include "config/draft.h"

#include <algorithm>

namespace berth::config {

/// Reads values with their marks, which come in the order of the text.
class Draft::Reader {
    const std::vector<decode::Mark> &marks_;
    std::size_t at_ = 0;
    decode::Mark all_;  ///< when there are none

    decode::Mark next() { return at_ < marks_.size() ? marks_[at_++] : all_; }

public:
    Reader(const std::vector<decode::Mark> &marks, decode::Mark all) : marks_(marks), all_(all) {}

    Draft read(model::Value value) {
        Draft out;
        out.mark_ = next();
        if (!value) return out;
        out.scalar_ = *value.raw();
        if (value.size() > 0 || value.is_string()) out.scalar_.ptr = nullptr;  // its parts are copied
        out.text_ = value.string();
        for (std::size_t i = 0; i < value.size(); ++i) {
            if (!value.is_object()) {
                out.items_.push_back(read(value.at(i)));
                continue;
            }
            auto mark = next();
            out.members_.push_back({std::string(value.key(i)), read(value.member(i)), mark});
        }
        return out;
    }
};

class Draft::Writer {
    model::Arena &arena_;
    std::vector<decode::Mark> &marks_;

public:
    Writer(model::Arena &arena, std::vector<decode::Mark> &marks) : arena_(arena), marks_(marks) {}

    berth_value write(const Draft &draft) {
        marks_.push_back(draft.mark_);
        if (draft.is_text()) return model::make_string(arena_, draft.text_);
        if (draft.is_list()) {
            std::vector<berth_value> items;
            items.reserve(draft.items_.size());
            for (const auto &item : draft.items_) items.push_back(write(item));
            return model::make_array(arena_, items);
        }
        if (!draft.is_object()) return draft.scalar_;
        std::vector<berth_kv> members;
        members.reserve(draft.members_.size());
        for (const auto &member : draft.members_) {
            marks_.push_back(member.mark);
            auto name = model::to_str(arena_.copy(member.name));
            members.push_back({name, write(member.value)});
        }
        return model::make_object(arena_, members);
    }
};

Draft::Draft() = default;
Draft::Draft(const Draft &) = default;
Draft::Draft(Draft &&) noexcept = default;
Draft &Draft::operator=(const Draft &) = default;
Draft &Draft::operator=(Draft &&) noexcept = default;
Draft::~Draft() = default;

Draft Draft::of(const decode::Document &document) {
    auto marks = decode::marks(document);
    return Reader(marks, {}).read(document.value());
}

Draft Draft::of(model::Value value, decode::Mark mark) { return Reader({}, mark).read(value); }

Draft Draft::text(std::string_view text, decode::Mark mark) {
    Draft out;
    out.scalar_.kind = BERTH_VALUE_STRING;
    out.text_ = text;
    out.mark_ = mark;
    return out;
}

Draft Draft::integer(std::int64_t n, decode::Mark mark) {
    Draft out;
    out.scalar_ = model::make_int(n);
    out.mark_ = mark;
    return out;
}

Draft Draft::object(decode::Mark mark) {
    Draft out;
    out.scalar_.kind = BERTH_VALUE_OBJECT;
    out.mark_ = mark;
    return out;
}

Draft Draft::list(decode::Mark mark) {
    Draft out;
    out.scalar_.kind = BERTH_VALUE_ARRAY;
    out.mark_ = mark;
    return out;
}

const Draft *Draft::find(std::string_view name) const {
    auto at = std::ranges::find(members_, name, &Member::name);
    return at == members_.end() ? nullptr : &at->value;
}

Draft *Draft::find(std::string_view name) { return const_cast<Draft *>(std::as_const(*this).find(name)); }

std::optional<Draft> Draft::take(std::string_view name) {
    auto at = std::ranges::find(members_, name, &Member::name);
    if (at == members_.end()) return std::nullopt;
    auto out = std::move(at->value);
    members_.erase(at);
    return out;
}

Draft &Draft::put(std::string_view name, Draft value) {
    if (auto *member = find(name)) return *member = std::move(value);
    auto mark = value.mark();
    members_.push_back({std::string(name), std::move(value), mark});
    return members_.back().value;
}

Draft &Draft::inside(std::string_view name) {
    auto *member = find(name);
    return member && !member->is_null() ? *member : put(name, object(mark_));
}

void Draft::put_at(std::string_view path, Draft value) {
    auto dot = path.find('.');
    if (dot == std::string_view::npos) put(path, std::move(value));
    else inside(path.substr(0, dot)).put_at(path.substr(dot + 1), std::move(value));
}

void Draft::prune() {
    std::erase_if(members_, [](const Member &member) {
        return member.value.is_null() || (member.value.is_list() && member.value.items().empty());
    });
    for (auto &member : members_) member.value.prune();
    for (auto &item : items_) item.prune();
}

void Draft::sort() {
    std::ranges::sort(members_, {}, &Member::name);
    for (auto &member : members_) member.value.sort();
    for (auto &item : items_) item.sort();
}

model::TreePtr Draft::tree() const { return document({}).tree; }

decode::Document Draft::document(const std::string &file) const {
    auto tree = std::make_shared<model::Tree>();
    std::vector<decode::Mark> marks;
    tree->root = Writer(tree->arena, marks).write(*this);
    return decode::marked_document(std::move(tree), file, std::move(marks));
}

}  // namespace berth::config
