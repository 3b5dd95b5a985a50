// SPDX-License-Identifier: Apache-2.0
#include "record/tree.h"

#include "model/shared_values.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace berth::record {

using model::Value;

namespace {

constexpr std::string_view last_applied = "kubectl.kubernetes.io/last-applied-configuration";

/// Of which object a member is: what may be anybody's key, such as a label's, is left out where it means something.
enum class Place : std::uint8_t { Any, Secret, Metadata, Annotations };

/// Objects stand in others, too, such as a pod in an extender's request.
Place place_in(Place place, std::string_view key) {
    if (key == "metadata") return Place::Metadata;
    return place == Place::Metadata && key == "annotations" ? Place::Annotations : Place::Any;
}

bool is_recorded(std::string_view key, Value value, Place place) {
    if (place == Place::Secret) return key == "apiVersion" || key == "kind" || key == "metadata" || key == "type";
    if (place == Place::Metadata) return !(value.is_array() && key == "managedFields");
    if (place == Place::Annotations) return key != last_applied;
    switch (key.size()) {
        case 3: return !(value.is_array() && key == "env");
        case 4: return !(value.is_array() && key == "args");
        case 7: return !(value.is_array() && (key == "envFrom" || key == "command"));
        case 10: return !(value.is_object() && key == "terminated");
        case 11: return !(value.is_array() && key == "httpHeaders");
        default: return true;
    }
}

enum Op : char { Same, Null, False, True, Integer, Double, Text, Array, Object, Patch, EditObject, EditArray };

/// Levels that are recorded as differences, which takes recursion; deeper differences are recorded whole.
constexpr int deepest_difference = 100;
/// Differences that are read: earlier versions wrote more levels of them.
constexpr int deepest = 200;
/// Levels of values that are recorded whole: those that Go reads, and of what such an object may be in.
constexpr std::size_t deepest_whole = 10'100;

/// An object's members that are recorded.
class Members {
    Value object_;
    std::size_t at_ = 0;
    Place place_;

    void skip() {
        while (at_ < object_.size() && !recorded()) ++at_;
    }
    bool recorded() const { return is_recorded(object_.key(at_), object_.member(at_), place_); }

public:
    Members(Value object, Place place) : object_(object), place_(place) { skip(); }
    bool more() const { return at_ < object_.size(); }
    std::string_view key() const { return object_.key(at_); }
    Value value() const { return object_.member(at_); }
    void next() {
        ++at_;
        skip();
    }
};

class Writer {
    struct Open {
        Value v;
        std::size_t next;
        Place place;
    };
    std::string &out_;
    std::vector<Open> open_;  ///< of the value that is being recorded whole
    int level_ = 0;           ///< of differences

    void op(Op op) { out_.push_back(op); }

    void begin_whole(Value v, Place place) {
        switch (v.kind()) {
            case BERTH_VALUE_BOOL: return op(v.is_true() ? True : False);
            case BERTH_VALUE_INT: op(Integer); return put_signed(out_, v.raw()->n.integer);
            case BERTH_VALUE_DOUBLE:
                op(Double);
                return put_number(out_, static_cast<std::uint64_t>(v.raw()->n.integer));
            case BERTH_VALUE_STRING: op(Text); return put_text(out_, v.string());
            case BERTH_VALUE_ARRAY:
                op(Array);
                put_number(out_, v.size());
                return open_.push_back({v, 0, Place::Any});
            case BERTH_VALUE_OBJECT: {
                std::size_t n = 0;
                for (Members m(v, place); m.more(); m.next()) ++n;
                op(Object);
                put_number(out_, n);
                return open_.push_back({v, 0, place});
            }
            default: return op(Null);
        }
    }

    /// With a list of what is open, not by recursion: objects may have thousands of levels.
    void whole(Value v, Place place) {
        begin_whole(v, place);
        while (!open_.empty()) {
            const auto [in, i, of] = open_.back();
            if (i == in.size()) {
                open_.pop_back();
                continue;
            }
            ++open_.back().next;
            if (in.is_array()) {
                begin_whole(in.at(i), Place::Any);
            } else if (is_recorded(in.key(i), in.member(i), of)) {
                put_text(out_, in.key(i));
                begin_whole(in.member(i), place_in(of, in.key(i)));
            }
        }
    }

    static bool same_scalar(Value a, Value b) {
        if (a.kind() != b.kind() || a.is_object() || a.is_array()) return false;
        return a.is_string() ? a.string() == b.string() : a.is_null() || a.raw()->n.integer == b.raw()->n.integer;
    }

    /// One child of a patch, if it differs: how many children after the last one that did, and the difference.
    void child(Value now, Value base, Place place, std::size_t at, std::size_t &next) {
        if (same_scalar(now, base)) return;
        const auto before = out_.size();
        put_number(out_, at + 1 - next);
        if (differs(now, base, place)) next = at + 1;
        else out_.resize(before);
    }

    bool patched(std::size_t begun, std::size_t next) {
        if (next == 0) {
            out_.resize(begun);
            return false;
        }
        put_number(out_, 0);
        return true;
    }

    /// Whether the members have the same names in the same order, and are recorded alike; if so, `changed` says whether
    /// one differs, and that is appended.
    bool patches(Value now, Value base, Place place, bool &changed) {
        if (now.size() != base.size()) return false;
        const auto begun = out_.size();
        op(Patch);
        std::size_t at = 0, next = 0;
        for (std::size_t i = 0; i < now.size(); ++i) {
            const auto key = now.key(i);
            const auto value = now.member(i), old = base.member(i);
            const bool recorded = is_recorded(key, value, place);
            if (key != base.key(i) || (value.kind() != old.kind() && recorded != is_recorded(key, old, place))) {
                out_.resize(begun);
                return false;
            }
            if (recorded) child(value, old, place_in(place, key), at++, next);
        }
        changed = patched(begun, next);
        return true;
    }

    bool object_differs(Value now, Value base, Place place) {
        if (bool changed = false; patches(now, base, place, changed)) return changed;
        std::vector<std::pair<std::string_view, Value>> old;
        for (Members m(base, place); m.more(); m.next()) old.emplace_back(m.key(), m.value());
        std::size_t n = 0, hint = 0;
        constexpr std::size_t few = 64;
        std::map<std::string_view, std::size_t> indices;  // of the old members, if they are many
        for (std::size_t i = 0; old.size() > few && i < old.size(); ++i) indices.emplace(old[i].first, i);
        auto place_of = [&](std::string_view key) {
            if (const auto at = indices.find(key); at != indices.end()) return at->second;
            for (std::size_t i = 0; indices.empty() && i < old.size(); ++i)
                if (const auto at = (hint + i) % old.size(); old[at].first == key) return at;
            return old.size();
        };
        for (Members m(now, place); m.more(); m.next()) ++n;
        op(EditObject);
        put_number(out_, n);
        for (Members m(now, place); m.more(); m.next()) {
            const auto found = place_of(m.key());
            put_number(out_, found == old.size() ? 0 : found + 1);
            if (found == old.size()) {
                put_text(out_, m.key());
                whole(m.value(), place_in(place, m.key()));
            } else {
                hint = found + 1;
                if (!differs(m.value(), old[found].second, place_in(place, m.key()))) op(Same);
            }
        }
        return true;
    }

    bool array_differs(Value now, Value base) {
        const auto begun = out_.size();
        const auto shared = std::min(now.size(), base.size());
        if (now.size() == base.size()) {
            op(Patch);
            std::size_t next = 0;
            for (std::size_t i = 0; i < shared; ++i) child(now.at(i), base.at(i), Place::Any, i, next);
            return patched(begun, next);
        }
        op(EditArray);
        put_number(out_, now.size());
        for (std::size_t i = 0; i < now.size(); ++i) {
            if (i >= shared) whole(now.at(i), Place::Any);
            else if (!differs(now.at(i), base.at(i), Place::Any)) op(Same);
        }
        return true;
    }

public:
    explicit Writer(std::string &out) : out_(out) {}

    /// Appends the difference. False, and nothing is appended, if there is none.
    bool differs(Value now, Value base, Place place) {
        const bool alike = base && now.kind() == base.kind();
        if (alike && same_scalar(now, base)) return false;
        if (alike && (now.is_object() || now.is_array())) {
            if (level_ < deepest_difference) {
                ++level_;
                const bool differ = now.is_object() ? object_differs(now, base, place) : array_differs(now, base);
                --level_;
                return differ;
            }
            if (model::same(now, base)) return false;
        }
        whole(now, place);
        return true;
    }
};

/// Takes `bytes` from `room`, or fails.
bool take_room(Bytes &journal, Room &room, std::uint64_t bytes) {
    if (bytes > room.left) return journal.fail(room.otherwise), false;
    room.left -= bytes;
    return true;
}

/// Reads a difference. What is made shares what it can with the base, so that it takes little more than its bytes in
/// the recording, and what it takes beyond comes out of `room`.
class Reader {
    Bytes &bytes_;
    model::Arena arena_;
    Room room_;

    berth_value wrong() {
        bytes_.fail();
        return model::make_null();
    }

    std::vector<berth_value> items(Value base) {
        std::vector<berth_value> out;
        if (!take_room(bytes_, room_, base.size() * sizeof(berth_value))) return out;
        for (std::size_t i = 0; i < base.size(); ++i) out.push_back(*base.at(i).raw());
        return out;
    }
    std::vector<berth_kv> members(Value base) {
        std::vector<berth_kv> out;
        if (!take_room(bytes_, room_, base.size() * sizeof(berth_kv))) return out;
        for (std::size_t i = 0; i < base.size(); ++i)
            out.push_back({model::to_str(base.key(i)), *base.member(i).raw()});
        return out;
    }

    template <class Items, class At>
    bool patch(Items &items, At at, int depth) {
        for (std::size_t next = 0;;) {
            const auto gap = bytes_.number();
            if (gap == 0) return bytes_.good();
            if (gap > items.size() || next + gap > items.size()) return false;
            next += gap;
            berth_value &child = at(items[next - 1]);
            const berth_value base = child;
            child = read(Value{&base}, depth + 1);
        }
    }

    berth_value patched(Value base, int depth) {
        if (base.is_array()) {
            auto all = items(base);
            if (!patch(all, [](berth_value &v) -> berth_value & { return v; }, depth)) return wrong();
            return model::make_array(arena_, all);
        }
        auto all = members(base);
        if (!patch(all, [](berth_kv &kv) -> berth_value & { return kv.value; }, depth)) return wrong();
        return model::make_object(arena_, all);
    }

    berth_value edited_object(Value base, int depth) {
        std::vector<berth_kv> all;
        for (auto n = bytes_.number(); n > 0 && bytes_.good(); --n) {
            const auto from = bytes_.number();
            if (from > base.size()) return wrong();
            if (from > 0) {
                all.push_back({model::to_str(base.key(from - 1)), read(base.member(from - 1), depth + 1)});
            } else {
                const auto key = arena_.copy(bytes_.text());
                all.push_back({model::to_str(key), read({}, depth + 1)});
            }
        }
        return model::make_object(arena_, all);
    }

    berth_value edited_array(Value base, int depth) {
        std::vector<berth_value> all;
        const auto n = bytes_.number();
        for (std::size_t i = 0; i < n && bytes_.good(); ++i) all.push_back(read(base.at(i), depth + 1));
        return model::make_array(arena_, all);
    }

    struct Open {
        bool object;
        std::uint64_t left;  ///< parts that have not come yet
        std::size_t first;   ///< of those that have
        berth_str key;       ///< of the one that comes
    };

    berth_value end(const Open &open, std::vector<berth_kv> &parts) {
        const auto n = parts.size() - open.first;
        berth_value out{};
        if (open.object) {
            auto *members = arena_.array<berth_kv>(n);
            std::copy_n(parts.data() + open.first, n, members);
            out = {BERTH_VALUE_OBJECT, 0, {static_cast<std::int64_t>(n)}, {members}};
        } else {
            auto *items = arena_.array<berth_value>(n);
            for (std::size_t i = 0; i < n; ++i) items[i] = parts[open.first + i].value;
            out = {BERTH_VALUE_ARRAY, 0, {static_cast<std::int64_t>(n)}, {items}};
        }
        parts.resize(open.first);
        return out;
    }

    berth_value scalar(char op) {
        switch (op) {
            case Null: return model::make_null();
            case False: return model::make_bool(false);
            case True: return model::make_bool(true);
            case Integer: return model::make_int(bytes_.signed_number());
            case Double: return model::make_double(std::bit_cast<double>(bytes_.number()));
            case Text: return model::make_string(arena_, bytes_.text());
            default: return wrong();
        }
    }

    /// A value recorded whole; it may have thousands of levels.
    berth_value whole(char op) {
        std::vector<Open> open;
        std::vector<berth_kv> parts;
        while (true) {
            if (op == Array || op == Object) {
                if (open.size() == deepest_whole) return wrong();
                open.push_back({op == Object, bytes_.number(), parts.size(), {}});
            } else {
                const auto value = scalar(op);
                if (open.empty()) return value;
                parts.push_back({open.back().key, value});
            }
            if (!bytes_.good()) return wrong();
            while (open.back().left == 0) {
                const auto value = end(open.back(), parts);
                open.pop_back();
                if (open.empty()) return value;
                parts.push_back({open.back().key, value});
            }
            --open.back().left;
            if (open.back().object) open.back().key = model::to_str(arena_.copy(bytes_.text()));
            op = static_cast<char>(bytes_.byte());
        }
    }

public:
    Reader(Bytes &bytes, const Room &room) : bytes_(bytes), room_(room) {}

    /// It lives as long as this and the base.
    berth_value read(Value base, int depth = 0) {
        if (depth > deepest) return wrong();
        switch (const auto op = static_cast<char>(bytes_.byte())) {
            case Same: return base ? *base.raw() : wrong();
            case Patch: return base.is_array() || base.is_object() ? patched(base, depth) : wrong();
            case EditObject: return edited_object(base, depth);
            case EditArray: return edited_array(base, depth);
            default: return whole(op);
        }
    }
};

/// A deep copy: of a base that is there again and again, as often. What it takes comes out of `room`.
berth_value copied(Bytes &bytes, model::Arena &arena, Room &room, Value v) {
    berth_value root{};
    // Objects may have as many levels as the API server lets through, for which a thread's stack need not suffice.
    std::vector<std::pair<Value, berth_value *>> open{{v, &root}};
    while (!open.empty() && bytes.good()) {
        const auto [from, to] = open.back();
        open.pop_back();
        const auto n = from.size();
        if (from.is_string()) {
            if (take_room(bytes, room, from.string().size())) *to = model::make_string(arena, from.string());
        } else if (from.is_array()) {
            if (!take_room(bytes, room, n * sizeof(berth_value))) break;
            auto *items = arena.array<berth_value>(n);
            for (std::size_t i = 0; i < n; ++i) open.emplace_back(from.at(i), items + i);
            *to = {BERTH_VALUE_ARRAY, 0, {static_cast<std::int64_t>(n)}, {items}};
        } else if (from.is_object()) {
            if (!take_room(bytes, room, n * sizeof(berth_kv))) break;
            auto *members = arena.array<berth_kv>(n);
            for (std::size_t i = 0; i < n && take_room(bytes, room, from.key(i).size()); ++i) {
                members[i].key = model::to_str(arena.copy(from.key(i)));
                open.emplace_back(from.member(i), &members[i].value);
            }
            *to = {BERTH_VALUE_OBJECT, 0, {static_cast<std::int64_t>(n)}, {members}};
        } else {
            *to = from.raw() ? *from.raw() : model::make_null();
        }
    }
    return bytes.good() ? root : model::make_null();
}

}  // namespace

void put_tree(std::string &out, Value now, Value base, bool secret) {
    if (!Writer(out).differs(now, base, secret ? Place::Secret : Place::Any)) out.push_back(Same);
}

berth_value take_tree(Bytes &bytes, Value base, model::Arena &arena, Room &room) {
    Reader reader(bytes, room);
    const auto read = reader.read(base);
    // The tree is to live by itself.
    return copied(bytes, arena, room, Value{&read});
}

berth_value take_tree(Bytes &bytes, Value base, model::Arena &arena) {
    Room room;
    return take_tree(bytes, base, arena, room);
}

}  // namespace berth::record
