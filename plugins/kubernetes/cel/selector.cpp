// SPDX-License-Identifier: Apache-2.0
#include "selector.h"

#include "checker.h"
#include "nodes.h"
#include "parser.h"
#include "planner.h"

namespace kubernetes::cel {

namespace {

constexpr const char *cancelled = "operation cancelled: actual cost limit exceeded";

Compiled failed(std::string text) { return {nullptr, std::move(text), 0}; }

/// What upstream says of a result that is no bool.
std::string not_bool(const Value &value) {
    switch (value.kind()) {
        case Kind::Int:
        case Kind::Uint: return std::string{"unsupported type conversion from '"} + value.type_name() + "' to bool";
        case Kind::String: return "unsupported native conversion from string to 'bool'";
        case Kind::Double: return "type conversion error from Double to 'bool'";
        case Kind::Bytes: return "type conversion error from Bytes to 'bool'";
        case Kind::Null: return "type conversion error from 'null_type' to 'bool'";
        case Kind::Quantity: return "type conversion error from 'Quantity' to 'bool'";
        case Kind::Semver: return "type conversion error from 'Semver' to 'bool'";
        case Kind::Type: return "type conversion not supported for 'type'";
        case Kind::Optional: return "optional.none() dereference";
        case Kind::Error: return value.text();
        default: return std::string{"type conversion error from "} + value.type_name() + " to 'bool'";
    }
}

void conclude(const Value &value, Result &result) {
    if (value.is_error()) {
        result.error = value.text();
        return;
    }
    const auto &inner = within(value);
    if (inner.is(Kind::Bool)) result.matches = inner.truth();
    else
        result.error = std::string{"CEL result of type "} + value.type_name() +
                       " could not be converted to bool: " + not_bool(inner);
}

}  // namespace

class Program {
public:
    Plan plan;
};

struct DeviceValues {
    Value root;
    std::string fault;  ///< of an attribute: no selector can be evaluated
};

namespace {

/// Maps from domain to map from id.
class Domains {
    struct Domain {
        std::string name;
        std::vector<std::pair<Value, Value>> entries;
    };
    std::vector<Domain> domains_;

public:
    void add(std::string_view name, const std::string &driver, Value value) {
        const auto slash = name.find('/');
        const auto domain = slash == std::string_view::npos ? driver : std::string{name.substr(0, slash)};
        auto id = Value::of_string(std::string{slash == std::string_view::npos ? name : name.substr(slash + 1)});
        for (auto &each : domains_) {
            if (each.name != domain) continue;
            for (auto &[known, old] : each.entries) {
                if (known.text() != id.text()) continue;
                old = std::move(value);
                return;
            }
            each.entries.emplace_back(std::move(id), std::move(value));
            return;
        }
        auto &added = domains_.emplace_back(Domain{domain, {}});
        added.entries.emplace_back(std::move(id), std::move(value));
    }

    Value value() && {
        std::vector<std::pair<Value, Value>> all;
        for (auto &domain : domains_)
            all.emplace_back(Value::of_string(domain.name), Value::of_map(std::move(domain.entries), true));
        return Value::of_map(std::move(all), true, true);
    }
};

std::string read_attribute(const AttributeValue &attribute, Value &into) {
    if (const auto *truth = std::get_if<bool>(&attribute)) into = Value::of_bool(*truth);
    else if (const auto *integer = std::get_if<std::int64_t>(&attribute)) into = Value::of_int(*integer);
    else if (const auto *text = std::get_if<std::string>(&attribute)) into = Value::of_string(*text);
    else if (const auto *version = std::get_if<VersionText>(&attribute)) {
        Semver parsed;
        if (auto error = Semver::parse(version->text, parsed); !error.empty())
            return "parse semantic version: " + error;
        into = Value::of_semver(std::move(parsed));
    } else {
        return "unsupported attribute value";
    }
    return {};
}

DeviceValues values_of(const Device &device) {
    DeviceValues values;
    Domains attributes;
    Domains capacity;
    for (const auto &attribute : device.attributes) {
        Value value;
        if (auto error = read_attribute(attribute.value, value); !error.empty()) {
            if (values.fault.empty()) values.fault = "attribute " + attribute.name + ": " + error;
            continue;
        }
        attributes.add(attribute.name, device.driver, std::move(value));
    }
    for (const auto &each : device.capacity) {
        Quantity quantity;
        if (auto error = Quantity::parse(each.value, quantity); !error.empty()) {
            if (values.fault.empty()) values.fault = "capacity " + each.name + ": " + error;
            continue;
        }
        capacity.add(each.name, device.driver, Value::of_quantity(quantity));
    }
    std::vector<std::pair<Value, Value>> fields;
    fields.emplace_back(Value::of_string("attributes"), std::move(attributes).value());
    fields.emplace_back(Value::of_string("capacity"), std::move(capacity).value());
    fields.emplace_back(Value::of_string("driver"), Value::of_string(device.driver));
    fields.emplace_back(Value::of_string("allowMultipleAllocations"),
                        Value::of_bool(device.allow_multiple_allocations));
    values.root = Value::of_map(std::move(fields), true);
    return values;
}

}  // namespace

Input::Input(const Device &device) : values_(std::make_shared<const DeviceValues>(values_of(device))) {}

Compiled compile(std::string_view text, Rules rules) {
    const Source source{text};
    Issues issues{source};
    try {
        auto expr = parse(source, issues);
        if (!expr) return failed("compilation failed: " + issues.text());
        TypeStore store;
        Work work;
        const auto *attribute = rules.attributes_are_dynamic ? types::dyn_type() : types::any_type();
        check(*expr, attribute, store, work, issues);
        if (!issues.empty()) return failed("compilation failed: " + issues.text());
        if (expr->type->kind != Type::Kind::Bool && expr->type->kind != attribute->kind)
            return failed("must evaluate to bool or the unknown type, not " + in_results(*expr->type));
        auto program = std::make_shared<Program>();
        program->plan = plan(*expr, work);
        // Of the literals' texts, of which each byte may become a U+FFFD, and of the rest.
        const auto bytes = 3 * text.size() + program->plan.bytes;
        return {std::move(program), {}, bytes};
    } catch (const PlanError &error) {
        return failed("program instantiation failed: " + error.text);
    } catch (const TypeStore::TooLarge &) {
        return failed("compilation failed: not supported: a type of more than 1000 parts");
    } catch (const Work::Exhausted &) {
        return failed("compilation failed: not supported: an expression that takes too long to compile");
    }
}

Result evaluate(const Program &program, const Input &device) {
    Result result;
    const auto &values = device.values();
    if (!values.fault.empty()) {
        result.error = values.fault;
        return result;
    }
    Evaluation evaluation;
    const auto before = evaluation.work.left();
    evaluation.device = &values.root;
    evaluation.slots.resize(program.plan.slots);
    try {
        conclude(program.plan.root->run(evaluation), result);
    } catch (const Evaluation::Abort &abort) {
        result.error = abort.text;
    } catch (const Work::Exhausted &) {
        result.error = cancelled;
    }
    result.cost = evaluation.cost;
    result.work = before - evaluation.work.left();
    return result;
}

}  // namespace kubernetes::cel
