// SPDX-License-Identifier: Apache-2.0
#include "nodes.h"

#include <algorithm>
#include <limits>

namespace kubernetes::cel {

namespace {

/// Go's maps take no keys of these types.
[[noreturn]] void unhashable(const Value &key) {
    throw Evaluation::Abort{"internal error: runtime error: hash of unhashable type " + go_type(key)};
}
bool hashable(const Value &key) { return !key.is(Kind::Bytes) && !key.is(Kind::Semver); }

/// Upstream's cost trackers take these arguments for what they should be.
void expect_list(const Value &value) {
    if (value.is(Kind::List)) return;
    const bool adds = value.is(Kind::Int) || value.is(Kind::Uint) || value.is(Kind::Double) || value.is(Kind::String) ||
                      value.is(Kind::Bytes);
    throw Evaluation::Abort{"internal error: interface conversion: " + go_type(value) +
                            " is not traits.Lister: missing method " + (adds ? "Contains" : "Add")};
}

void expect_trackable(Cost cost, Arguments arguments) {
    if (cost == Cost::SelfCompared) expect_list(arguments[0]);
    if (cost == Cost::KeysCompared) expect_list(arguments[1]);
    if (cost == Cost::Flattened && arguments.size() == 2 && !arguments[1].is(Kind::Int))
        throw Evaluation::Abort{"internal error: interface conversion: ref.Val is " + go_type(arguments[1]) +
                                ", not types.Int"};
}

bool is_error_or(const Value &value, Value &error) {
    error = value.is_error() ? value : Value::no_such_overload();
    return false;
}

}  // namespace

Call::Call(const Function &function, const Overload *overload, std::vector<NodePtr> arguments,
           std::unique_ptr<Regex> regex)
    : function_(function),
      overload_(overload),
      arguments_(std::move(arguments)),
      regex_(std::move(regex)),
      cost_(function.cost),
      early_(arguments_.size() > 2 || regex_ != nullptr) {
    if (overload && (overload->extension || cost_ == Cost::One)) cost_ = overload->cost;
    // Where the overload is found at run time, upstream's dispatcher takes the arguments one after another.
    if (!overload && !function.run) early_ = true;
}

bool Call::pure() const {
    return std::ranges::all_of(arguments_, [](const auto &argument) { return argument->pure(); });
}

Value Call::run(Evaluation &evaluation) const {
    std::array<Value, 4> values;
    const auto count = arguments_.size();
    const Value *error = nullptr;
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = arguments_[i]->run(evaluation);
        if (!values[i].is_error() || function_.non_strict) continue;
        if (early_ && i + 1 < count) return values[i];
        if (!error) error = &values[i];
    }
    const Arguments arguments{values.data(), count};
    auto result = error ? *error : applied(evaluation, arguments);
    expect_trackable(cost_, arguments);
    evaluation.charge(cost_of_call(evaluation.work, cost_, arguments, result));
    return result;
}

Value Call::applied(Evaluation &evaluation, Arguments arguments) const {
    auto &work = evaluation.work;
    if (regex_) return with_regex(work, arguments);
    if (function_.run) {
        if (!function_.takes || function_.takes(arguments[0])) {
            if (function_.name == "@in" && arguments[1].is(Kind::Map) && !arguments[1].map().native &&
                !hashable(arguments[0]) && !arguments[1].map().entries.empty())
                unhashable(arguments[0]);
            return function_.run(work, arguments);
        }
        // Upstream asks a string itself whether it knows the function.
        if (arguments[0].is(Kind::String)) return Value::no_such_overload();
        return Value::error("no such overload: " + function_.name);
    }
    return dispatched(work, arguments);
}

/// Upstream looks at the Go value of an argument here, which is that within an optional and the name of a type.
Value Call::with_regex(Work &work, Arguments arguments) const {
    const auto &first = within(arguments[0]);
    if (!first.is(Kind::String) && !first.is(Kind::Type)) return Value::no_such_overload();
    const auto text = first.is(Kind::String) ? first.text() : std::string{first.named_type()};
    if (function_.name == "matches") return Value::of_bool(regex_->matches(work, text));
    if (function_.name == "find") return Value::of_string(regex_->find(work, text));
    if (arguments.size() < 3) return Value::of_list(regex_->find_all(work, text, -1));
    const auto &most = within(arguments[2]);
    if (!most.is(Kind::Int)) return Value::no_such_overload();
    return Value::of_list(regex_->find_all(work, text, most.integer()));
}

Value Call::dispatched(Work &work, Arguments arguments) const {
    const auto fits = [&](const Overload &overload) {
        if (overload.arguments.size() != arguments.size() || !overload.run) return false;
        if (!function_.guarded) return true;
        for (std::size_t i = 0; i < arguments.size(); ++i)
            if (!assignable(*overload.arguments[i], arguments[i])) return false;
        return true;
    };
    if (overload_) {
        if (fits(*overload_)) return overload_->run(work, arguments);
    } else {
        for (const auto &overload : function_.overloads)
            if (fits(overload)) return overload.run(work, arguments);
    }
    std::string types;
    for (const auto &argument : arguments) (types += types.empty() ? "" : ", ") += argument.type_name();
    return Value::error("no such overload: " + function_.name + '(' + types + ')');
}

Value Logic::run(Evaluation &evaluation) const {
    evaluation.work.charge(1);
    Value error;
    for (const auto *term : {&left_, &right_}) {
        auto value = (*term)->run(evaluation);
        if (value.is(Kind::Bool)) {
            if (value.truth() == decisive_) return value;
        } else if (!error.is_error()) {
            is_error_or(value, error);
        }
    }
    return error.is_error() ? error : Value::of_bool(!decisive_);
}

Value Equals::run(Evaluation &evaluation) const {
    const std::array<Value, 2> values{left_->run(evaluation), right_->run(evaluation)};
    auto &work = evaluation.work;
    Value result;
    if (values[0].is_error() || values[1].is_error()) {
        result = values[0].is_error() ? values[0] : values[1];
    } else {
        result = equal(work, values[0], values[1]);
        if (negated_) result = Value::of_bool(!result.is_true());
    }
    const bool unit = !negated_ && (values[0].is(Kind::Quantity) || values[0].is(Kind::Semver));
    evaluation.charge(unit ? 1 : cost_of_call(work, Cost::SmallerSize, values, result));
    return result;
}

Value ListLiteral::made(Evaluation &evaluation) const {
    std::vector<Value> items;
    items.reserve(elements_.size());
    for (std::size_t i = 0; i < elements_.size(); ++i) {
        auto value = elements_[i]->run(evaluation);
        evaluation.work.charge(1);
        if (value.is_error()) return value;
        if (!optional_.empty() && optional_[i]) {
            if (!value.is(Kind::Optional))
                return Value::error("cannot initialize optional list element from non-optional value " +
                                    printed(evaluation.work, value));
            if (!value.optional().has_value) continue;
            value = value.optional().value;
        }
        items.push_back(std::move(value));
    }
    return Value::of_list(std::move(items));
}

Value ListLiteral::run(Evaluation &evaluation) const {
    auto list = made(evaluation);
    evaluation.charge(10);
    return list;
}

Value MapLiteral::made(Evaluation &evaluation) const {
    auto &work = evaluation.work;
    std::vector<std::pair<Value, Value>> entries;
    const auto find = [&](const Value &key) {
        work.charge(1 + entries.size());
        return std::ranges::find_if(entries, [&](const auto &entry) { return same_key(work, entry.first, key); });
    };
    for (std::size_t i = 0; i < parts_.size(); i += 2) {
        auto key = parts_[i]->run(evaluation);
        if (key.is_error()) return key;
        auto value = parts_[i + 1]->run(evaluation);
        if (value.is_error()) return value;
        const bool optional = !optional_.empty() && optional_[i / 2];
        if (optional && !value.is(Kind::Optional))
            return Value::error("cannot initialize optional entry '" + printed(work, key) +
                                "' from non-optional value " + printed(work, value));
        if (!hashable(key)) unhashable(key);
        const auto same = find(key);
        if (optional && !value.optional().has_value) {
            if (same != entries.end()) entries.erase(same);
            continue;
        }
        if (optional) value = value.optional().value;
        if (same != entries.end()) same->second = std::move(value);
        else entries.emplace_back(std::move(key), std::move(value));
    }
    return Value::of_map(std::move(entries));
}

Value MapLiteral::run(Evaluation &evaluation) const {
    auto map = made(evaluation);
    evaluation.charge(30);
    return map;
}

bool Membership::possible(const List &list) {
    return std::ranges::all_of(list.items, [](const Value &item) {
        return item.is(Kind::Bool) || item.is(Kind::Int) || item.is(Kind::Uint) || item.is(Kind::Double) ||
               item.is(Kind::String);
    });
}

Membership::Membership(NodePtr element, const List &list) : element_(std::move(element)), set_(list.items) {
    for (const auto &item : list.items) {
        std::int64_t integer = 0;
        std::uint64_t natural = 0;
        switch (item.kind()) {
            case Kind::Double:
                if (to_int_exactly(item.real(), integer)) set_.push_back(Value::of_int(integer));
                if (to_uint_exactly(item.real(), natural)) set_.push_back(Value::of_uint(natural));
                break;
            case Kind::Int:
                set_.push_back(Value::of_double(static_cast<double>(item.integer())));
                if (item.integer() >= 0) set_.push_back(Value::of_uint(static_cast<std::uint64_t>(item.integer())));
                break;
            case Kind::Uint:
                set_.push_back(Value::of_double(static_cast<double>(item.natural())));
                if (item.natural() <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
                    set_.push_back(Value::of_int(static_cast<std::int64_t>(item.natural())));
                break;
            default: break;
        }
    }
}

Value Membership::run(Evaluation &evaluation) const {
    auto value = element_->run(evaluation);
    if (value.is_error()) return value;
    if (!hashable(value)) unhashable(value);
    evaluation.work.charge(set_.size());
    return Value::of_bool(
        std::ranges::any_of(set_, [&](const Value &item) { return same_key(evaluation.work, item, value); }));
}

Value OrElse::run(Evaluation &evaluation) const {
    evaluation.work.charge(1);
    auto value = optional_->run(evaluation);
    if (!value.is(Kind::Optional)) return value;
    if (!value.optional().has_value) return other_->run(evaluation);
    return value_ ? value.optional().value : value;
}

Value Fold::run(Evaluation &evaluation) const {
    evaluation.work.charge(1);
    auto range = parts_.range->run(evaluation);
    if (range.is_error()) return range;
    if (!range.is(Kind::List) && !range.is(Kind::Map))
        return Value::error("got '" + go_type(range) + "', expected iterable type");
    evaluation.slots[accumulator_] = {{}, false, parts_.initial.get()};
    auto result = iterated(evaluation, range);
    evaluation.slots[accumulator_] = {};
    evaluation.slots[variable_] = {};
    return result;
}

Value Fold::iterated(Evaluation &evaluation, const Value &range) const {
    const auto take = [&](const Value &item) {
        evaluation.work.charge(1);
        evaluation.slots[variable_].value = item;
        if (parts_.condition->run(evaluation).is_false()) return false;
        auto next = parts_.step->run(evaluation);
        evaluation.slots[accumulator_].ready = true;
        evaluation.slots[accumulator_].value = std::move(next);
        return true;
    };
    if (range.is(Kind::List)) {
        for (const auto &item : range.list().items)
            if (!take(item)) break;
    } else {
        for (const auto &[key, value] : range.map().entries)
            if (!take(key)) break;
    }
    return parts_.result->run(evaluation);
}

Value Append::run(Evaluation &evaluation) const {
    auto &slot = evaluation.slots[accumulator_];
    if (!slot.ready) {
        slot.ready = true;
        slot.value = slot.initial->run(evaluation);
    }
    // The accumulator is not read before it has its next value.
    Value list = std::move(slot.value);
    evaluation.charge(1);
    auto more = list_->run(evaluation);
    evaluation.charge(1);
    if (list.is_error() || !list.is(Kind::List)) return list;
    if (more.is_error()) return more;
    return appended(evaluation.work, std::move(list), more);
}

}  // namespace kubernetes::cel
