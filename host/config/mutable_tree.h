// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A document that can be changed, for the conversion of a configuration between versions. Every part remembers where
/// it stood in the file, so that whatever is said about the result names the place that a person wrote.

#include "decode/document.h"
#include "model/value.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::config {

class MutableTree {
public:
    struct Member;

    MutableTree();  ///< null, without a place
    MutableTree(const MutableTree &);
    MutableTree(MutableTree &&) noexcept;
    MutableTree &operator=(const MutableTree &);
    MutableTree &operator=(MutableTree &&) noexcept;
    ~MutableTree();

    static MutableTree of(const decode::Document &document);
    /// A copy of `value`; all of it has the position `position`.
    static MutableTree of(model::Value value, decode::Position position);
    static MutableTree text(std::string_view text, decode::Position position);
    static MutableTree integer(std::int64_t n, decode::Position position);
    static MutableTree object(decode::Position position);
    static MutableTree list(decode::Position position);

    decode::Position position() const { return position_; }
    bool is_object() const { return scalar_.kind == BERTH_VALUE_OBJECT; }
    bool is_list() const { return scalar_.kind == BERTH_VALUE_ARRAY; }
    bool is_text() const { return scalar_.kind == BERTH_VALUE_STRING; }
    bool is_null() const { return scalar_.kind == BERTH_VALUE_NULL; }
    const std::string &text() const { return text_; }  ///< of a text, else empty
    std::optional<std::int64_t> integer() const { return model::Value{&scalar_}.integer(); }
    bool is_true() const { return model::Value{&scalar_}.is_true(); }

    std::vector<MutableTree> &items() { return items_; }  ///< of a list
    const std::vector<MutableTree> &items() const { return items_; }
    std::vector<Member> &members() { return members_; }  ///< of an object
    const std::vector<Member> &members() const { return members_; }

    MutableTree *find(std::string_view name);  ///< the member, or null
    const MutableTree *find(std::string_view name) const;
    /// Takes the member out. Nothing if there is none.
    std::optional<MutableTree> take(std::string_view name);
    /// Replaces the member, or appends it. Answers where it now is; good until the object changes again.
    MutableTree &put(std::string_view name, MutableTree value);
    /// The member, an object that is made when there is none (or null).
    MutableTree &inside(std::string_view name);
    /// The value at the path `a.b.c`, its objects made as needed, replaced by `value`.
    void put_at(std::string_view path, MutableTree value);
    /// Takes out members that are null or a list without items, of this object and of all objects in it.
    void prune();
    /// Puts the members of this object, and of all objects in it, in the order of their names.
    void sort();
    void add(MutableTree item) { items_.push_back(std::move(item)); }

    model::TreePtr tree() const;
    decode::Document document(const std::string &file) const;

private:
    berth_value scalar_{};  ///< the kind; with the value of what is neither text nor collection
    std::string text_;
    std::vector<Member> members_;
    std::vector<MutableTree> items_;
    decode::Position position_;

    class Reader;
    class Writer;
};

struct MutableTree::Member {
    std::string name;
    MutableTree value;
    decode::Position position;  ///< of the name
};

}  // namespace berth::config
