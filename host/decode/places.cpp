// SPDX-License-Identifier: Apache-2.0
#include "decode/places.h"

#include "decode/origin.h"

#include <algorithm>

namespace berth::decode {

Places::Places(const Document &document) : document_(document), marks_(marks(document)) {
    if (!document.tree) return;
    std::size_t at = 0;
    walk(document.value(), at);
}

void Places::walk(model::Value value, std::size_t &at) {
    index_.emplace(value.raw(), at++);
    const bool object = value.is_object();
    for (std::size_t i = 0; i < value.size(); ++i) {
        if (object) ++at;  // its key
        walk(object ? value.member(i) : value.at(i), at);
    }
}

std::string Places::where(model::Value value) const {
    const auto found = index_.find(value.raw());
    const bool known = found != index_.end() && found->second < marks_.size();
    return decode::where(document_.file, known ? marks_[found->second] : Mark{});
}

std::vector<Document> Places::parts(model::Value value) const {
    const auto found = index_.find(value.raw());
    std::vector<Document> out;
    if (found == index_.end()) return out;
    auto at = found->second;
    auto add = [&](model::Value part) {
        auto tree = std::make_shared<model::Tree>();
        tree->root = model::copy(tree->arena, part);
        auto mark = [&](std::size_t i) {
            return marks_.begin() + static_cast<std::ptrdiff_t>(std::min(i, marks_.size()));
        };
        const auto end = at + mark_count(part);
        out.push_back(marked_document(std::move(tree), document_.file, {mark(at), mark(end)}));
        at = end;
    };
    if (!value.is_array()) return add(value), out;
    ++at;  // its own
    for (std::size_t i = 0; i < value.size(); ++i) add(value.at(i));
    return out;
}

}  // namespace berth::decode
