// SPDX-License-Identifier: Apache-2.0
#include "config/mutable_tree.h"

#include <algorithm>

namespace berth::config {

/// Reads values with their positions, which come in the order of the text.
class MutableTree::Reader {
    const std::vector<decode::Position> &positions_;
    std::size_t at_ = 0;
    decode::Position all_;  ///< when there are none

    decode::Position next() { return at_ < positions_.size() ? positions_[at_++] : all_; }

public:
    Reader(const std::vector<decode::Position> &positions, decode::Position all) : positions_(positions), all_(all) {}

    MutableTree read(model::Value value) {
        MutableTree out;
        out.position_ = next();
        if (!value) return out;
        out.scalar_ = *value.raw();
        if (value.size() > 0 || value.is_string()) out.scalar_.ptr.any = nullptr;  // its parts are copied
        out.text_ = value.string();
        for (std::size_t i = 0; i < value.size(); ++i) {
            if (!value.is_object()) {
                out.items_.push_back(read(value.at(i)));
                continue;
            }
            auto position = next();
            out.members_.push_back({std::string(value.key(i)), read(value.member(i)), position});
        }
        return out;
    }
};

class MutableTree::Writer {
    model::Arena &arena_;
    std::vector<decode::Position> &positions_;

public:
    Writer(model::Arena &arena, std::vector<decode::Position> &positions) : arena_(arena), positions_(positions) {}

    berth_value write(const MutableTree &part) {
        positions_.push_back(part.position_);
        if (part.is_text()) return model::make_string(arena_, part.text_);
        if (part.is_list()) {
            std::vector<berth_value> items;
            items.reserve(part.items_.size());
            for (const auto &item : part.items_) items.push_back(write(item));
            return model::make_array(arena_, items);
        }
        if (!part.is_object()) return part.scalar_;
        std::vector<berth_kv> members;
        members.reserve(part.members_.size());
        for (const auto &member : part.members_) {
            positions_.push_back(member.position);
            auto name = model::to_str(arena_.copy(member.name));
            members.push_back({name, write(member.value)});
        }
        return model::make_object(arena_, members);
    }
};

MutableTree::MutableTree() = default;
MutableTree::MutableTree(const MutableTree &) = default;
MutableTree::MutableTree(MutableTree &&) noexcept = default;
MutableTree &MutableTree::operator=(const MutableTree &) = default;
MutableTree &MutableTree::operator=(MutableTree &&) noexcept = default;
MutableTree::~MutableTree() = default;

MutableTree MutableTree::of(const decode::Document &document) {
    auto positions = decode::positions(document);
    return Reader(positions, {}).read(document.value());
}

MutableTree MutableTree::of(model::Value value, decode::Position position) { return Reader({}, position).read(value); }

MutableTree MutableTree::text(std::string_view text, decode::Position position) {
    MutableTree out;
    out.scalar_.kind = BERTH_VALUE_STRING;
    out.text_ = text;
    out.position_ = position;
    return out;
}

MutableTree MutableTree::integer(std::int64_t n, decode::Position position) {
    MutableTree out;
    out.scalar_ = model::make_int(n);
    out.position_ = position;
    return out;
}

MutableTree MutableTree::object(decode::Position position) {
    MutableTree out;
    out.scalar_.kind = BERTH_VALUE_OBJECT;
    out.position_ = position;
    return out;
}

MutableTree MutableTree::list(decode::Position position) {
    MutableTree out;
    out.scalar_.kind = BERTH_VALUE_ARRAY;
    out.position_ = position;
    return out;
}

const MutableTree *MutableTree::find(std::string_view name) const {
    auto at = std::ranges::find(members_, name, &Member::name);
    return at == members_.end() ? nullptr : &at->value;
}

MutableTree *MutableTree::find(std::string_view name) {
    return const_cast<MutableTree *>(std::as_const(*this).find(name));
}

std::optional<MutableTree> MutableTree::take(std::string_view name) {
    auto at = std::ranges::find(members_, name, &Member::name);
    if (at == members_.end()) return std::nullopt;
    auto out = std::move(at->value);
    members_.erase(at);
    return out;
}

MutableTree &MutableTree::put(std::string_view name, MutableTree value) {
    if (auto *member = find(name)) return *member = std::move(value);
    auto position = value.position();
    members_.push_back({std::string(name), std::move(value), position});
    return members_.back().value;
}

MutableTree &MutableTree::inside(std::string_view name) {
    auto *member = find(name);
    return member && !member->is_null() ? *member : put(name, object(position_));
}

void MutableTree::put_at(std::string_view path, MutableTree value) {
    auto dot = path.find('.');
    if (dot == std::string_view::npos) put(path, std::move(value));
    else inside(path.substr(0, dot)).put_at(path.substr(dot + 1), std::move(value));
}

void MutableTree::prune() {
    std::erase_if(members_, [](const Member &member) {
        return member.value.is_null() || (member.value.is_list() && member.value.items().empty());
    });
    for (auto &member : members_) member.value.prune();
    for (auto &item : items_) item.prune();
}

void MutableTree::sort() {
    std::ranges::sort(members_, {}, &Member::name);
    for (auto &member : members_) member.value.sort();
    for (auto &item : items_) item.sort();
}

model::TreePtr MutableTree::tree() const { return document({}).tree; }

decode::Document MutableTree::document(const std::string &file) const {
    auto tree = std::make_shared<model::Tree>();
    std::vector<decode::Position> positions;
    tree->root = Writer(tree->arena, positions).write(*this);
    return decode::positioned_document(std::move(tree), file, std::move(positions));
}

}  // namespace berth::config
