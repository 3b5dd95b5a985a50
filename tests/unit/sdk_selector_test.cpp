// SPDX-License-Identifier: Apache-2.0
#include <berth/node_selector.hpp>
#include <berth/selector.hpp>
#include <berth/toleration.hpp>

#include "catch.h"
#include "object_text.h"

#include <limits>

using namespace berth;
using Op = SelectionOperator;

namespace {

using Labels = std::vector<berth_label>;

bool holds_for(Op op, std::optional<std::string_view> label, const std::vector<std::string> &values,
               std::int64_t bound = 0) {
    return holds(op, label, values, bound);
}

/// The faults of a node selector's first term, or what it says of a node with these labels.
std::string said(std::string_view term, const Labels &labels, std::string_view name = "n") {
    const auto tree = tree_of("nodeSelectorTerms: [" + std::string(term) + "]");
    const auto terms = parse_node_selector(tree->value(), "");
    if (terms.empty()) return "nothing";
    if (const auto faults = faults_of(terms); !faults.empty()) {
        CHECK(!matches_term(terms[0], labels, name));
        return faults;
    }
    return matches_term(terms[0], labels, name) ? "yes" : "no";
}

std::string expression(std::string_view text, const Labels &labels = {}) {
    return said("{matchExpressions: [" + std::string(text) + "]}", labels);
}

struct Selected {
    bool matches;
    std::vector<std::string> faults;
};

/// What a selector of labels says of `{a: x}`, as a sorted set and as a tree; both must agree. It is an argument.
Selected selected(std::string_view selector) {
    const auto tree = tree_of("selector: " + std::string(selector)), labels = tree_of("{a: x}");
    std::vector<std::string> faults;
    const auto parsed = LabelSelector::parse(
        tree->value()["selector"],
        [&](const std::string &path, const std::string &text) { faults.push_back(path + ": " + text); });
    const Labels sorted{{to_str("a"), to_str("x")}};
    CHECK(parsed.matches(sorted) == parsed.matches(labels->value()));
    return {parsed.matches(sorted), faults};
}

/// What a field of an object that is a selector says of `{a: x}`: "yes", "no", or why Kubernetes refuses it.
std::string field(std::string_view selector) {
    const auto tree = tree_of("selector: " + std::string(selector));
    std::string why;
    const auto read = LabelSelector::of_field(tree->value()["selector"], &why);
    CHECK(read.has_value() == why.empty());
    CHECK(LabelSelector::of_field(tree->value()["selector"]).has_value() == why.empty());
    if (!read) return why;
    const Labels labels{{to_str("a"), to_str("x")}};
    return read->matches(labels) ? "yes" : "no";
}
std::string field_by(std::string_view expressions) {
    return field("{matchExpressions: [" + std::string(expressions) + "]}");
}

berth_toleration toleration(std::string_view key, std::string_view op, std::string_view value,
                            std::string_view effect) {
    return {to_str(key), to_str(op), to_str(value), to_str(effect)};
}
berth_taint taint(std::string_view key, std::string_view value, std::string_view effect) {
    return {to_str(key), to_str(value), to_str(effect)};
}

}  // namespace

TEST_CASE("sdk: an operator has one name, and label selectors know four of the six", "[sdk]") {
    CHECK(node_selector_operator("In") == Op::In);
    CHECK(node_selector_operator("NotIn") == Op::NotIn);
    CHECK(node_selector_operator("Exists") == Op::Exists);
    CHECK(node_selector_operator("DoesNotExist") == Op::DoesNotExist);
    CHECK(node_selector_operator("Gt") == Op::Gt);
    CHECK(node_selector_operator("Lt") == Op::Lt);
    for (auto unknown : {"", "in", "IN", "In ", "Equals", "GreaterThan", "Ge"}) CHECK(!node_selector_operator(unknown));
    for (auto name : {"In", "NotIn", "Exists", "DoesNotExist"})
        CHECK(label_selector_operator(name) == node_selector_operator(name));
    for (auto name : {"Gt", "Lt", "", "exists"}) CHECK(!label_selector_operator(name));
}

TEST_CASE("sdk: a number of Gt and Lt is what Go's ParseInt reads", "[sdk]") {
    CHECK(parse_int64("0") == 0);
    CHECK(parse_int64("-0") == 0);
    CHECK(parse_int64("+5") == 5);
    CHECK(parse_int64("-5") == -5);
    CHECK(parse_int64("007") == 7);
    CHECK(parse_int64("9223372036854775807") == std::numeric_limits<std::int64_t>::max());
    CHECK(parse_int64("-9223372036854775808") == std::numeric_limits<std::int64_t>::min());
    for (auto text : {"", "+", "-", "+-5", "-+5", "++5", "--5", " 5", "5 ", "5\n", "5.0", "5e3", "0x5", "1_000", "five",
                      "9223372036854775808", "-9223372036854775809", "99999999999999999999999999"})
        CHECK(!parse_int64(text));
}

TEST_CASE("sdk: each operator holds for absent, present and odd labels as upstream's does", "[sdk]") {
    const std::vector<std::string> none, one{"a"}, two{"a", ""};
    const auto absent = std::nullopt;
    SECTION("In and NotIn") {
        for (const auto &values : {none, one, two}) {
            CHECK(!holds_for(Op::In, absent, values));
            CHECK(holds_for(Op::NotIn, absent, values));
        }
        CHECK(!holds_for(Op::In, "a", none));
        CHECK(holds_for(Op::NotIn, "a", none));
        CHECK(holds_for(Op::In, "a", one));
        CHECK(!holds_for(Op::NotIn, "a", one));
        CHECK(!holds_for(Op::In, "A", one));
        CHECK(!holds_for(Op::In, "", one));  // an empty label is not an absent one
        CHECK(holds_for(Op::NotIn, "", one));
        CHECK(holds_for(Op::In, "", two));
        CHECK(!holds_for(Op::NotIn, "", two));
    }
    SECTION("Exists and DoesNotExist") {
        for (const auto &values : {none, one}) {
            CHECK(!holds_for(Op::Exists, absent, values));
            CHECK(holds_for(Op::Exists, "", values));
            CHECK(holds_for(Op::Exists, "a", values));
            CHECK(holds_for(Op::DoesNotExist, absent, values));
            CHECK(!holds_for(Op::DoesNotExist, "", values));
            CHECK(!holds_for(Op::DoesNotExist, "a", values));
        }
    }
    SECTION("Gt and Lt") {
        for (auto op : {Op::Gt, Op::Lt}) {
            CHECK(!holds_for(op, absent, none, 5));
            CHECK(!holds_for(op, "5", none, 5));
            for (auto text : {"", "a", " 9", "4 ", "1.0", "9223372036854775808", "-9223372036854775809"})
                CHECK(!holds_for(op, text, none, 5));
        }
        CHECK(holds_for(Op::Gt, "6", none, 5));
        CHECK(!holds_for(Op::Lt, "6", none, 5));
        CHECK(holds_for(Op::Gt, "+6", none, 5));
        CHECK(holds_for(Op::Lt, "-6", none, 5));
        CHECK(!holds_for(Op::Gt, "4", none, 5));
        CHECK(holds_for(Op::Lt, "4", none, 5));
        const auto most = std::numeric_limits<std::int64_t>::max();
        CHECK(!holds_for(Op::Gt, "9223372036854775807", none, most));
        CHECK(holds_for(Op::Lt, "9223372036854775806", none, most));
    }
}

TEST_CASE("sdk: a label is found in a set sorted by key", "[sdk]") {
    const Labels labels{{to_str("a"), to_str("1")}, {to_str("b"), to_str("")}, {to_str("d"), to_str("4")}};
    CHECK(find_label(labels, "a") == "1");
    CHECK(find_label(labels, "b") == "");
    CHECK(find_label(labels, "d") == "4");
    for (auto key : {"", "A", "aa", "c", "e"}) CHECK(!find_label(labels, key));
    CHECK(!find_label({}, "a"));
}

TEST_CASE("sdk: a selector of labels selects by all that it requires", "[sdk]") {
    CHECK(selected("{}").matches);
    CHECK(selected("null").matches);  // an argument that is left out
    CHECK(selected("{matchLabels: {a: x}}").matches);
    CHECK(!selected("{matchLabels: {a: y}}").matches);
    CHECK(!selected("{matchLabels: {b: ''}}").matches);
    CHECK(selected("{matchExpressions: [{key: a, operator: In, values: [w, x]}]}").matches);
    CHECK(!selected("{matchExpressions: [{key: a, operator: NotIn, values: [w, x]}]}").matches);
    CHECK(selected("{matchExpressions: [{key: b, operator: NotIn, values: [x]}]}").matches);
    CHECK(selected("{matchExpressions: [{key: a, operator: Exists}, {key: b, operator: DoesNotExist}]}").matches);
    CHECK(!selected("{matchLabels: {a: x}, matchExpressions: [{key: a, operator: DoesNotExist}]}").matches);
}

TEST_CASE("sdk: an operator that a selector of labels does not know selects nothing, and is a fault", "[sdk]") {
    for (const std::string op : {"Gt", "Lt", "in", "Equals"}) {
        const auto read = selected("{matchExpressions: [{key: a, operator: " + op + ", values: [x]}]}");
        CHECK(!read.matches);
        CHECK(read.faults ==
              std::vector<std::string>{"matchExpressions[0]: \"" + op + "\" is not a valid label selector operator"});
    }
}

TEST_CASE("sdk: an argument that is a selector tells all of its faults, and then selects nothing", "[sdk]") {
    const auto read = selected(
        "{matchExpressions: [{key: a, operator: NotIn}, {key: b, operator: DoesNotExist}, {key: a, "
        "operator: Exists, values: [x]}, {operator: Exists}], matchLabels: {a: x, c: 'y z'}}");
    CHECK(!read.matches);
    REQUIRE(read.faults.size() == 4);
    CHECK(read.faults[0].starts_with("matchLabels.c.values[0][c]: Invalid value: \"y z\": a valid label must be "));
    CHECK(read.faults[1] ==
          "matchExpressions[0].values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty");
    CHECK(read.faults[2] ==
          "matchExpressions[2].values: Invalid value: [\"x\"]: values set must be empty for exists and does not exist");
    CHECK(read.faults[3].starts_with("matchExpressions[3].key: Invalid value: \"\": name part must be non-empty; "));
    const auto only_fault = [](std::string_view selector) {
        const auto of = selected(selector);
        CHECK(!of.matches);
        REQUIRE(of.faults.size() == 1);
        return of.faults[0];
    };
    CHECK(only_fault("5") == ": expected an object with matchLabels or matchExpressions, got a number");
    CHECK(only_fault("{matchLabel: {a: x}}") == "matchLabel: unknown field; expected matchLabels or matchExpressions");
    CHECK(only_fault("{matchLabels: [a]}").starts_with("matchLabels: expected an object, got "));
    CHECK(only_fault("{matchLabels: {a: 5}}").starts_with("matchLabels.a: expected a string, got "));
    CHECK(only_fault("{matchExpressions: {}}").starts_with("matchExpressions: expected a list, got "));
}

TEST_CASE("sdk: a field that is a selector selects nothing if it is absent, everything if it is empty", "[sdk]") {
    CHECK(field("null") == "no");
    CHECK(field("{}") == "yes");
    CHECK(field("{matchLabels: {}, matchExpressions: []}") == "yes");
    CHECK(field("{matchLabels: {a: x}}") == "yes");
    CHECK(field("{matchLabels: {a: x, missing: ''}}") == "no");
    CHECK(field_by("{key: a, operator: In, values: [w, x]}, {key: missing, operator: DoesNotExist}") == "yes");
    CHECK(field_by("{key: missing, operator: NotIn, values: [x]}") == "yes");
    CHECK(field_by("{key: missing, operator: In, values: ['']}") == "no");
}

TEST_CASE("sdk: a field that is a selector is refused as Kubernetes does it, with its text", "[sdk]") {
    for (const std::string op : {"Gt", "Lt", "in", "Odd", ""})
        CHECK(field_by("{key: a, operator: '" + op + "', values: ['1']}") ==
              "\"" + op + "\" is not a valid label selector operator");
    const std::string empty = "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty";
    const std::string full = ": values set must be empty for exists and does not exist";
    CHECK(field_by("{key: a, operator: In}") == empty);
    CHECK(field_by("{key: a, operator: NotIn, values: []}") == empty);
    CHECK(field_by("{key: a, operator: Exists, values: [x, z]}") == "values: Invalid value: [\"x\",\"z\"]" + full);
    CHECK(field_by("{key: missing, operator: DoesNotExist, values: [x]}") == "values: Invalid value: [\"x\"]" + full);
    const auto key = label_key_fault("no key"), value = label_value_fault("no value");
    CHECK(field_by("{key: 'no key', operator: DoesNotExist}") == "key: Invalid value: \"no key\": " + key);
    CHECK(field_by("{key: a, operator: NotIn, values: [x, 'no value']}") ==
          "values[1][a]: Invalid value: \"no value\": " + value);
    CHECK(field("{matchLabels: {'no key': 'no value'}}") ==
          "[key: Invalid value: \"no key\": " + key + ", values[0][no key]: Invalid value: \"no value\": " + value +
              "]");
    // The first requirement that is refused tells why.
    CHECK(field_by("{key: a, operator: In}, {key: a, operator: Odd}") == empty);
}

TEST_CASE("sdk: a selector can be made of others", "[sdk]") {
    const Labels labels{{to_str("a"), to_str("x")}, {to_str("no key"), to_str("")}};
    auto all = LabelSelector::everything();
    CHECK(all.empty());
    CHECK(all.matches(labels));
    CHECK(!LabelSelector::nothing().empty());
    CHECK(LabelSelector::nothing().is_nothing());
    CHECK(!LabelSelector::nothing().matches(labels));
    all.add("no key", "");
    CHECK(!all.empty());
    CHECK(all.matches(labels));
    auto other = LabelSelector::everything();
    other.add("a", "y");
    all.add(LabelSelector::nothing());
    CHECK(all.matches(labels));
    all.add(other);
    CHECK(all.requirements().size() == 2);
    CHECK(!all.matches(labels));
}

TEST_CASE("sdk: a term of a node selector holds if all of its requirements do", "[sdk]") {
    const Labels labels{{to_str("cores"), to_str("+8")}, {to_str("disk"), to_str("ssd")}};
    CHECK(said("{}", labels) == "nothing");
    CHECK(expression("{key: disk, operator: In, values: [hdd, ssd]}", labels) == "yes");
    CHECK(expression("{key: disk, operator: NotIn, values: [hdd, ssd]}", labels) == "no");
    CHECK(expression("{key: gpu, operator: NotIn, values: [a100]}", labels) == "yes");
    CHECK(expression("{key: disk, operator: Exists}, {key: gpu, operator: DoesNotExist}", labels) == "yes");
    CHECK(expression("{key: disk, operator: Exists}, {key: gpu, operator: Exists}", labels) == "no");
    CHECK(expression("{key: cores, operator: Gt, values: ['7']}", labels) == "yes");
    CHECK(expression("{key: cores, operator: Lt, values: ['8']}", labels) == "no");
    CHECK(expression("{key: disk, operator: Lt, values: ['8']}", labels) == "no");
    const auto by_name = [&](std::string_view op) {
        return said("{matchFields: [{key: metadata.name, operator: " + std::string(op) + ", values: [n]}]}", labels);
    };
    CHECK(by_name("In") == "yes");
    CHECK(by_name("NotIn") == "no");
    // A field that nodes do not have reads as the empty string.
    CHECK(said("{matchFields: [{key: spec.podCIDR, operator: In, values: ['']}]}", labels) == "yes");
    CHECK(said("{matchFields: [{key: metadata.name, operator: In, values: [m]}]}", labels, "m") == "yes");
}

TEST_CASE("sdk: a term that Kubernetes refuses never holds, and its fault has upstream's text", "[sdk]") {
    const std::string at = "nodeSelectorTerms[0].matchExpressions[0]";
    CHECK(expression("{key: a, operator: Equals, values: [x]}") ==
          at + ".operator: Unsupported value: \"Equals\": supported values: \"In\", \"NotIn\", \"Exists\", "
               "\"DoesNotExist\", \"Gt\", \"Lt\"");
    for (auto op : {"In", "NotIn"})
        for (const auto &[values, written] : {std::pair("", "null"), std::pair(", values: []", "[]")})
            CHECK(expression("{key: a, operator: " + std::string(op) + values + "}") ==
                  at + ".values: Invalid value: " + written +
                      ": for 'in', 'notin' operators, values set can't be empty");
    for (auto op : {"Exists", "DoesNotExist"})
        CHECK(expression("{key: a, operator: " + std::string(op) + ", values: [x]}") ==
              at + ".values: Invalid value: [\"x\"]: values set must be empty for exists and does not exist");
    for (const std::string op : {"Gt", "Lt"}) {
        CHECK(expression("{key: a, operator: " + op + "}") ==
              at + ".values: Invalid value: null: for 'Gt', 'Lt' operators, exactly one value is required");
        CHECK(expression("{key: a, operator: " + op + ", values: ['1', '2']}") ==
              at + ".values: Invalid value: [\"1\",\"2\"]: for 'Gt', 'Lt' operators, exactly one value is required");
        for (const std::string value : {"x", "", "9223372036854775808"})
            CHECK(expression("{key: a, operator: " + op + ", values: ['" + value + "']}") ==
                  at + ".values[0]: Invalid value: \"" + value +
                      "\": for 'Gt', 'Lt' operators, the value must be an integer");
    }
    // A number with a sign is no label value.
    CHECK(expression("{key: a, operator: Gt, values: ['+5']}")
              .starts_with(at + ".values[0][a]: Invalid value: \"+5\": a "));
    CHECK(expression("{key: '', operator: Exists}").starts_with(at + ".key: Invalid value: \"\": name part must be "));
    CHECK(said("{matchFields: [{key: metadata.name, operator: Exists}]}", {}) ==
          "nodeSelectorTerms[0].matchFields[0].operator: Unsupported value: \"Exists\": supported values: \"In\", "
          "\"NotIn\"");
    CHECK(said("{matchFields: [{key: metadata.name, operator: In, values: [m, n]}]}", {}) ==
          "nodeSelectorTerms[0].matchFields[0].values: Invalid value: [\"m\",\"n\"]: must have one element");
}

TEST_CASE("sdk: preferred terms have their weights, and those of weight 0 are not read", "[sdk]") {
    const auto tree = tree_of(
        "[{weight: 0, preference: {matchExpressions: [{key: a, operator: Odd}]}}, {weight: 7, preference: "
        "{matchExpressions: [{key: a, operator: Exists}]}}, {weight: 9, preference: {}}]");
    const auto terms = parse_preferred_terms(tree->value(), "p");
    REQUIRE(terms.size() == 1);
    CHECK(terms[0].weight == 7);
    CHECK(faults_of(terms).empty());
}

TEST_CASE("sdk: a toleration matches a taint by effect, key, operator and value", "[sdk]") {
    const auto stated = taint("k", "v", "NoSchedule");
    SECTION("operators") {
        CHECK(tolerates(toleration("k", "Exists", "", "NoSchedule"), stated));
        CHECK(tolerates(toleration("k", "Exists", "other", "NoSchedule"), stated));
        for (auto equal : {"", "Equal"}) {
            CHECK(tolerates(toleration("k", equal, "v", "NoSchedule"), stated));
            CHECK(!tolerates(toleration("k", equal, "", "NoSchedule"), stated));
            CHECK(!tolerates(toleration("k", equal, "V", "NoSchedule"), stated));
            CHECK(tolerates(toleration("k", equal, "", ""), taint("k", "", "NoExecute")));
        }
        const auto number = taint("k", "5", "NoSchedule");
        for (auto other : {"Lt", "Gt", "exists", "equal", "NotIn"}) {
            CHECK(!tolerates(toleration("k", other, "5", ""), number));
            CHECK(!tolerates(toleration("k", other, "9", ""), number));
            CHECK(!tolerates(toleration("k", other, "1", ""), number));
        }
    }
    SECTION("keys and effects that are left out") {
        CHECK(tolerates(toleration("", "Exists", "", ""), stated));
        CHECK(tolerates(toleration("", "Equal", "v", ""), stated));
        CHECK(!tolerates(toleration("", "Equal", "w", ""), stated));
        CHECK(tolerates(toleration("k", "Exists", "", ""), stated));
        CHECK(!tolerates(toleration("K", "Exists", "", ""), stated));
        CHECK(!tolerates(toleration("k", "Exists", "", "NoExecute"), stated));
        CHECK(!tolerates(toleration("k", "Exists", "", "NoSchedule"), taint("k", "v", "")));
    }
    SECTION("one of several") {
        const std::vector<berth_toleration> some{toleration("a", "Exists", "", ""), toleration("k", "", "v", "")};
        CHECK(tolerated(some, stated));
        CHECK(!tolerated(some, taint("k", "w", "NoSchedule")));
        CHECK(!tolerated({}, stated));
    }
}

TEST_CASE("sdk: taints NoSchedule and NoExecute keep pods away, no others do", "[sdk]") {
    CHECK(keeps_away(taint("k", "", "NoSchedule")));
    CHECK(keeps_away(taint("k", "", "NoExecute")));
    for (auto effect : {"PreferNoSchedule", "", "noschedule", "NoAdmit"}) CHECK(!keeps_away(taint("k", "", effect)));
}
