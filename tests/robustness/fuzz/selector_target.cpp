// SPDX-License-Identifier: Apache-2.0
// {"selector": …, "labels": {…}}: as a selector of labels, of nodes and of what plugins of the SDK take.
#include "../../../plugins/kubernetes/label_selector.h"
#include "target.h"

#include "decode/document.h"
#include "model/field.h"

#include <berth/node_selector.hpp>
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

    std::size_t wrong = 0;
    const auto of_sdk = LabelSelector::parse(selector, [&](const std::string &, const std::string &text) {
        promise(!text.empty(), "a fault says what is wrong");
        ++wrong;
    });
    const bool by_list = of_sdk.matches(sorted), by_tree = of_sdk.matches(labels);
    const bool plain = faults.seen.empty();  // the labels are a map of strings
    if (plain) promise(by_list == by_tree, "labels are the same in both forms");
    std::string why, text;
    if (const auto of_field = LabelSelector::of_field(selector, &why)) {
        if (wrong == 0 && !selector.is_null())
            promise(of_field->matches(sorted) == by_list, "a field and an argument of one text select the same");
        kubernetes::write(*of_field, text);
        promise(!text.empty() && why.empty(), "a selector is refused or read");
    } else {
        promise(!why.empty(), "a refusal says why");
        promise(wrong > 0 && !by_list, "what a field refuses an argument refuses, and it selects nothing");
    }
    auto terms = parse_node_selector(selector, "selector");
    for (auto &preferred : parse_preferred_terms(root["preferred"], "preferred")) terms.push_back(std::move(preferred));
    (void)faults_of(terms);
    for (const auto &term : terms) (void)matches_term(term, sorted, root["name"].string());
}

}  // namespace berth::fuzz
