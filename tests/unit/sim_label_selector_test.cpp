// SPDX-License-Identifier: Apache-2.0
#include "sim/label_selector.h"

#include "catch.h"
#include "object_text.h"
#include "sim/volume_match.h"

using namespace berth;

namespace {

bool selects(std::string_view selector) {
    const auto tree = tree_of("selector: " + std::string(selector)), labels = tree_of("{a: x, n: '5', empty: ''}");
    return sim::selects(tree->value()["selector"], labels->value());
}

bool selects_by(std::string_view expression) {
    return selects("{matchExpressions: [" + std::string(expression) + "]}");
}

}  // namespace

TEST_CASE("sim: an absent selector of labels selects nothing, an empty one everything", "[sim]") {
    CHECK(!selects("null"));
    CHECK(selects("{}"));
    CHECK(selects("{matchLabels: {}, matchExpressions: []}"));
}

TEST_CASE("sim: a selector of labels selects by all that it requires", "[sim]") {
    CHECK(selects("{matchLabels: {a: x, empty: ''}}"));
    CHECK(!selects("{matchLabels: {a: x, missing: ''}}"));
    CHECK(selects_by("{key: a, operator: In, values: [w, x]}"));
    CHECK(!selects_by("{key: missing, operator: In, values: ['']}"));
    CHECK(selects_by("{key: missing, operator: NotIn, values: [x]}"));
    CHECK(!selects_by("{key: a, operator: NotIn, values: [x]}"));
    CHECK(selects_by("{key: empty, operator: Exists}"));
    CHECK(!selects_by("{key: empty, operator: DoesNotExist}"));
    CHECK(selects_by("{key: a, operator: Exists}, {key: missing, operator: DoesNotExist}"));
}

TEST_CASE("sim: a selector of labels that Kubernetes refuses selects nothing", "[sim]") {
    for (auto expression :
         {"{key: n, operator: Gt, values: ['1']}", "{key: n, operator: Lt, values: ['9']}",
          "{key: n, operator: Odd, values: ['9']}", "{key: n, operator: in, values: ['5']}", "{key: n}",
          "{key: a, operator: In}", "{key: a, operator: NotIn}", "{key: a, operator: Exists, values: [x]}",
          "{key: missing, operator: DoesNotExist, values: [x]}", "{key: 'no key', operator: DoesNotExist}",
          "{key: a, operator: NotIn, values: ['no value']}"})
        CHECK(!selects_by(expression));
    const auto odd = tree_of("{'no key': x, a: 'no value'}");
    CHECK(!sim::selects(tree_of("{matchLabels: {'no key': x}}")->value(), odd->value()));
    CHECK(!sim::selects(tree_of("{matchLabels: {a: 'no value'}}")->value(), odd->value()));
}

TEST_CASE("sim: a claim without a selector may have every volume, with one what it selects", "[sim]") {
    const auto volume = tree_of("{metadata: {labels: {n: '5'}}, spec: {}, status: {phase: Available}}");
    const auto free_for = [&](std::string_view spec) {
        const auto claim = tree_of("{spec: " + std::string(spec) + "}");
        return sim::is_free_for(volume->value(), claim->value());
    };
    CHECK(free_for("{}"));
    CHECK(free_for("{selector: null}"));
    CHECK(free_for("{selector: {}}"));
    CHECK(free_for("{selector: {matchLabels: {n: '5'}}}"));
    CHECK(!free_for("{selector: {matchLabels: {n: '6'}}}"));
    CHECK(!free_for("{selector: {matchExpressions: [{key: n, operator: Gt, values: ['1']}]}}"));
}
