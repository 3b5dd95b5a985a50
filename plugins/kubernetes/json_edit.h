// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Changes of an object's JSON on its way to the API server.

#include <berth/plugin.hpp>

#include <map>
#include <string>
#include <vector>

namespace kubernetes {

class JsonEdit {
    struct Tree {
        std::string text;  ///< JSON; used if there are no members
        std::map<std::string, Tree, std::less<>> members;
    };
    Tree root_;

    static std::string write(const Tree &tree, berth::Value old) {
        if (tree.members.empty()) return tree.text;
        std::string out = "{";
        auto put = [&](std::string_view key, const std::string &text) {
            out += (out.size() > 1 ? "," : "") + berth::json_quote(key) + ":" + text;
        };
        for (std::size_t i = 0; i < old.size(); ++i) {
            auto at = tree.members.find(old.key(i));
            put(old.key(i), at == tree.members.end() ? berth::json(old.member(i)) : write(at->second, old.member(i)));
        }
        for (const auto &[key, member] : tree.members)
            if (!old[key]) put(key, write(member, berth::Value{}));
        return out + "}";
    }

public:
    /// Sets the member below these keys to a JSON text; what lies on the way is made.
    void set(const std::vector<std::string_view> &keys, std::string json_text) {
        auto *at = &root_;
        for (auto key : keys) at = &at->members[std::string(key)];
        at->text = std::move(json_text);
    }
    /// The object's JSON text with the changes.
    std::string apply(berth::Value object) const {
        return root_.members.empty() ? berth::json(object) : write(root_, object);
    }
};

}  // namespace kubernetes
