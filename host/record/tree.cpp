// SPDX-License-Identifier: Apache-2.0
#include "record/tree.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace berth::record {

using model::Value;

namespace {

constexpr std::string_view last_applied = "kubectl.kubernetes.io/last-applied-configuration";

/// Of which object a member is: what may be anybody's key, such as a label's, is left out where it means something.
enum class Place : std::uint8_t { Any, Secret, Metadata, Annotations };

/// Objects stand in others, too, such as a pod in what an extender is asked.
Place place_in(Place place, std::string_view key) {
    if (key == "metadata") return Place::Metadata;
    return place == Place::Metadata && key == "annotations" ? Place::Annotations : Place::Any;
}

bool is_told(std::string_view key, Value value, Place place) {
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

constexpr int deepest = 200;

/// An object's members that are told.
class Members {
    Value object_;
    std::size_t at_ = 0;
    Place place_;

    void skip() {
        while (at_ < object_.size() && !told()) ++at_;
    }
    bool told() const { return is_told(object_.key(at_), object_.member(at_), place_); }

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
    std::string &out_;

    void op(Op op) { out_.push_back(op); }

    void whole(Value v, Place place) {
        switch (v.kind()) {
            case BERTH_VALUE_BOOL: return op(v.is_true() ? True : False);
            case BERTH_VALUE_INT: op(Integer); return put_signed(out_, v.raw()->n);
            case BERTH_VALUE_DOUBLE: op(Double); return put_number(out_, static_cast<std::uint64_t>(v.raw()->n));
            case BERTH_VALUE_STRING: op(Text); return put_text(out_, v.string());
            case BERTH_VALUE_ARRAY:
                op(Array);
                put_number(out_, v.size());
                for (std::size_t i = 0; i < v.size(); ++i) whole(v.at(i), Place::Any);
                return;
            case BERTH_VALUE_OBJECT: return whole_object(v, place);
            default: return op(Null);
        }
    }

    void whole_object(Value v, Place place) {
        std::size_t n = 0;
        for (Members m(v, place); m.more(); m.next()) ++n;
        op(Object);
        put_number(out_, n);
        for (Members m(v, place); m.more(); m.next()) {
            put_text(out_, m.key());
            whole(m.value(), place_in(place, m.key()));
        }
    }

    static bool same_scalar(Value a, Value b) {
        if (a.kind() != b.kind() || a.is_object() || a.is_array()) return false;
        return a.is_string() ? a.string() == b.string() : a.is_null() || a.raw()->n == b.raw()->n;
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

    /// Whether the members have the same names in the same order, and are told of alike; if so, `changed` says whether
    /// one differs, and that is appended.
    bool patches(Value now, Value base, Place place, bool &changed) {
        if (now.size() != base.size()) return false;
        const auto begun = out_.size();
        op(Patch);
        std::size_t at = 0, next = 0;
        for (std::size_t i = 0; i < now.size(); ++i) {
            const auto key = now.key(i);
            const auto value = now.member(i), old = base.member(i);
            const bool told = is_told(key, value, place);
            if (key != base.key(i) || (value.kind() != old.kind() && told != is_told(key, old, place))) {
                out_.resize(begun);
                return false;
            }
            if (told) child(value, old, place_in(place, key), at++, next);
        }
        changed = patched(begun, next);
        return true;
    }

    bool object_differs(Value now, Value base, Place place) {
        if (bool changed = false; patches(now, base, place, changed)) return changed;
        std::vector<std::pair<std::string_view, Value>> old;
        for (Members m(base, place); m.more(); m.next()) old.emplace_back(m.key(), m.value());
        std::size_t n = 0, hint = 0;
        for (Members m(now, place); m.more(); m.next()) ++n;
        op(EditObject);
        put_number(out_, n);
        for (Members m(now, place); m.more(); m.next()) {
            std::size_t found = old.size();
            for (std::size_t i = 0; i < old.size() && found == old.size(); ++i)
                if (const auto at = (hint + i) % old.size(); old[at].first == m.key()) found = at;
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
        if (alike && now.is_object()) return object_differs(now, base, place);
        if (alike && now.is_array()) return array_differs(now, base);
        if (alike && same_scalar(now, base)) return false;
        whole(now, place);
        return true;
    }
};

class Reader {
    Bytes &bytes_;
    model::Arena &arena_;

    berth_value wrong() {
        bytes_.fail();
        return model::make_null();
    }

    std::vector<berth_value> items(Value base) {
        std::vector<berth_value> out;
        for (std::size_t i = 0; i < base.size(); ++i) out.push_back(*base.at(i).raw());
        return out;
    }
    std::vector<berth_kv> members(Value base) {
        std::vector<berth_kv> out;
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
                const auto value = read(base.member(from - 1), depth + 1);
                all.push_back({model::to_str(arena_.copy(base.key(from - 1))), value});
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

    berth_value object(int depth) {
        std::vector<berth_kv> all;
        for (auto n = bytes_.number(); n > 0 && bytes_.good(); --n) {
            const auto key = arena_.copy(bytes_.text());
            all.push_back({model::to_str(key), read({}, depth + 1)});
        }
        return model::make_object(arena_, all);
    }

public:
    Reader(Bytes &bytes, model::Arena &arena) : bytes_(bytes), arena_(arena) {}

    berth_value read(Value base, int depth) {
        if (depth > deepest) return wrong();
        switch (static_cast<char>(bytes_.byte())) {
            case Same: return base ? *base.raw() : wrong();
            case Null: return model::make_null();
            case False: return model::make_bool(false);
            case True: return model::make_bool(true);
            case Integer: return model::make_int(bytes_.signed_number());
            case Double: return model::make_double(std::bit_cast<double>(bytes_.number()));
            case Text: return model::make_string(arena_, bytes_.text());
            case Array: return edited_array({}, depth);
            case Object: return object(depth);
            case Patch: return base.is_array() || base.is_object() ? patched(base, depth) : wrong();
            case EditObject: return edited_object(base, depth);
            case EditArray: return edited_array(base, depth);
            default: return wrong();
        }
    }
};

}  // namespace

void put_tree(std::string &out, Value now, Value base, bool secret) {
    if (!Writer(out).differs(now, base, secret ? Place::Secret : Place::Any)) out.push_back(Same);
}

berth_value take_tree(Bytes &bytes, Value base, model::Arena &arena) {
    const auto read = Reader(bytes, arena).read(base, 0);
    // What it shares with the base lives as long as that; the tree is to live by itself.
    return model::copy(arena, Value{&read});
}

}  // namespace berth::record
