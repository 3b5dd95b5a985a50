// SPDX-License-Identifier: Apache-2.0
// The selection of fields, keys and indexes from CEL values.
#include "nodes.h"

#include <limits>

namespace kubernetes::cel {

namespace {

const Value &empty_map() {
    static const Value same = Value::of_map({});
    return same;
}

Value no_such_key(Work &work, const Value &key) { return Value::error("no such key: " + printed(work, key)); }

/// What upstream makes of a value that it takes out of an optional: the Go value within, and of that a value again.
Value unwrapped(Work &work, const Value &value) {
    work.charge(1);
    switch (value.kind()) {
        case Kind::Quantity:
            return Value::error("unsupported conversion to ref.Val: (*resource.Quantity)" + printed(work, value));
        case Kind::Semver:
            return Value::error("unsupported conversion to ref.Val: (semver.Version)" + printed(work, value));
        case Kind::Error:
            return Value::error("unsupported conversion to ref.Val: (*errors.errorString)" + printed(work, value));
        case Kind::Type: return Value::of_string(value.named_type());
        case Kind::Optional: return value.optional().has_value ? unwrapped(work, value.optional().value) : Value{};
        case Kind::Map:
            if (!value.map().default_empty) return value;
            work.charge(value.map().entries.size());
            return Value::of_map(value.map().entries, true);
        case Kind::List: {
            if (!value.list().concatenated) return value;
            std::vector<Value> items;
            for (const auto &item : value.list().items) items.push_back(unwrapped(work, item));
            return Value::of_list(std::move(items));
        }
        default: return value;
    }
}

/// Of a list; an error, if `key` is none.
Value index_of(Work &work, const Value &key, std::int64_t &index) {
    switch (key.kind()) {
        case Kind::Int: index = key.integer(); return {};
        case Kind::Double:
            if (to_int_exactly(key.real(), index)) return {};
            return Value::error("unsupported index value " + printed(work, key) + " in list");
        case Kind::Uint:
            index = static_cast<std::int64_t>(key.natural());
            if (index >= 0) return {};
            return Value::error("unsupported index value " + printed(work, key) + " in list");
        default: break;
    }
    std::string type = key.type_name();
    if (key.is(Kind::List)) type = "list(dyn)";
    if (key.is(Kind::Map)) type = "map(dyn, dyn)";
    return Value::error("unsupported index type '" + type + "' in list");
}

bool is_key(const Value &value) {
    switch (value.kind()) {
        case Kind::Bool:
        case Kind::Int:
        case Kind::Uint:
        case Kind::Double:
        case Kind::String: return true;
        default: return false;
    }
}

/// What `key` selects of `of`: nullptr if there is nothing; then `error` may say why.
const Value *selected(Work &work, const Value &of, const Value &key, Value &error) {
    if (of.is(Kind::Map)) {
        const auto *found = of.map().find(work, key);
        if (found && found->is_error()) {
            error = *found;
            return nullptr;
        }
        return found || !of.map().default_empty ? found : &empty_map();
    }
    if (!of.is(Kind::List)) return nullptr;
    std::int64_t index = 0;
    error = index_of(work, key, index);
    if (error.is_error()) return nullptr;
    const auto &items = of.list().items;
    return index >= 0 && static_cast<std::size_t>(index) < items.size() ? &items[static_cast<std::size_t>(index)]
                                                                        : nullptr;
}

}  // namespace

Qualifier::Qualifier() = default;
Qualifier::~Qualifier() = default;

std::size_t Path::add(std::shared_ptr<const Qualifier> qualifier) {
    test_only_ = test_only_ || qualifier->test_only;
    if (root_ == Root::Conditional) {
        const auto places = truthy_->add(qualifier);
        return places + falsy_->add(std::move(qualifier));
    }
    qualifiers_.push_back(std::move(qualifier));
    return 1;
}

Value Path::qualified(Evaluation &evaluation, const Value &root) const {
    auto &work = evaluation.work;
    Value held;
    const Value *at = &root;
    bool optional = root.is(Kind::Optional);
    if (optional) {
        if (!root.optional().has_value) return root;
        held = unwrapped(work, root.optional().value);
        at = &held;
    }
    for (const auto &qualifier : qualifiers_) {
        Value made;
        const Value *key = &qualifier->key;
        if (qualifier->index || qualifier->path) {
            made = qualifier->path ? qualifier->path->resolve(evaluation) : qualifier->index->run(evaluation);
            key = &made;
        }
        optional = optional || qualifier->optional;
        Value error;
        const Value *found = nullptr;
        if (made.is_error()) error = made;
        else if (!is_key(*key)) error = Value::error("invalid qualifier type: " + go_type(*key));
        else if (at->is_error()) error = *at;
        else found = selected(work, *at, *key, error);
        if (qualifier->test_only && !optional) {
            evaluation.charge(1);
            if (error.is_error()) return error;
            return Value::of_bool(found != nullptr);
        }
        if (optional) {
            if (error.is_error()) return error;
            if (!found) return Value::none();
            evaluation.charge(1);
        } else {
            evaluation.charge(1);
            if (error.is_error()) return error;
            if (!found)
                return at->is(Kind::List) ? Value::error("index out of bounds: " + printed(work, *key))
                                          : no_such_key(work, *key);
        }
        at = found;
    }
    return optional ? Value::some(*at) : *at;
}

Value Path::resolve(Evaluation &evaluation) const {
    switch (root_) {
        case Root::Device: return qualified(evaluation, *evaluation.device);
        case Root::Variable: {
            auto &slot = evaluation.slots[slot_];
            if (!slot.ready) {
                slot.ready = true;
                slot.value = slot.initial->run(evaluation);
            }
            const Value &value = evaluation.slots[slot_].value;
            if (value.is_error()) return value;
            if (qualifiers_.empty() && !value.is(Kind::Optional)) return value;
            // Keys may run comprehensions, which do not touch this slot.
            return qualified(evaluation, value);
        }
        case Root::Operand: {
            const Value value = operand_->run(evaluation);
            return value.is_error() ? value : qualified(evaluation, value);
        }
        case Root::Conditional: {
            evaluation.work.charge(1);
            const Value value = operand_->run(evaluation);
            if (value.is(Kind::Bool)) return value.truth() ? truthy_->resolve(evaluation) : falsy_->resolve(evaluation);
            return value.is_error() ? value : Value::no_such_overload();
        }
    }
    return {};
}

Value Path::run(Evaluation &evaluation) const {
    auto value = resolve(evaluation);
    if (test_only_) {
        // has() of an optional says whether there is a value. The test itself costs nothing; upstream takes back a cost
        // that it has not charged of a conditional.
        if (root_ == Root::Conditional) {
            --evaluation.cost;
            evaluation.charge(0);
        }
        if (value.is(Kind::Optional)) return Value::of_bool(value.optional().has_value);
        return value;
    }
    if (root_ != Root::Conditional) evaluation.charge(1);
    return value;
}

}  // namespace kubernetes::cel
