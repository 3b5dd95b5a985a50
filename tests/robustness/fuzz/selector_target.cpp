// SPDX-License-Identifier: Apache-2.0
// {"selector": …, "labels": {…}}: as a selector of labels, of nodes and of what plugins of the SDK take.
#include "../../../plugins/kubernetes/label_selector.h"
#include "target.h"

#include "decode/document.h"
#include "model/field.h"
#include "sim/label_selector.h"

#include <berth/selector.hpp>

namespace berth::fuzz {

void selector(std::string_view bytes) {
    auto document = decode::read_document(bytes, "selector.yaml");
    if (!document) return promise(!document.error().text.empty(), "a refusal says why");
    const auto root = document->value(), selector = root["selector"], labels = root["labels"];
    model::Arena arena;
    model::Faults faults{nullptr, {}};
    const model::FaultSink sink = [](model::Value, const std::string &, const std::string &) {};
    faults.sink = &sink;
    const model::Field field(root, faults), map = field["labels"];
    const auto sorted = model::read_labels(arena, map);

    const bool simulated = sim::selects(selector, labels);
    std::size_t wrong = 0;
    const auto of_sdk = LabelSelector::parse(selector, [&](const std::string &, const std::string &text) {
        promise(!text.empty(), "a fault says what is wrong");
        ++wrong;
    });
    const bool by_list = of_sdk.matches(sorted), by_tree = of_sdk.matches(labels);
    const bool plain = faults.seen.empty();  // the labels are a map of strings
    if (wrong == 0 && plain) promise(by_list == by_tree, "labels are the same in both forms");
    try {
        const auto of_labels = kubernetes::LabelSelector::parse(selector);
        const bool matches = of_labels.matches(sorted);
        if (plain) promise(matches == simulated, "the simulation selects as the default plugins do");
        if (wrong == 0 && plain && !selector.is_null())
            promise(matches == by_list, "three readers of one selector agree");
        std::string text;
        of_labels.write(text);
    } catch (const std::runtime_error &fault) {
        promise(*fault.what() != '\0', "a refusal says why");
        promise(!simulated, "a selector that is refused selects nothing");
    }
    auto terms = parse_node_selector(selector, "selector");
    for (auto &preferred : parse_preferred_terms(root["preferred"], "preferred")) terms.push_back(std::move(preferred));
    (void)faults_of(terms);
    for (const auto &term : terms) (void)matches_term(term, sorted, root["name"].string());
}

}  // namespace berth::fuzz
