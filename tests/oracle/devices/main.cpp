// SPDX-License-Identifier: Apache-2.0
// Reads cases of tests/oracle/judge/devices from the standard input, one a line, and answers each with a line: for each
// of its nodes what Berth's allocator says as the release of Kubernetes that is its argument.

#include "decode/document.h"
#include "devices/allocator.h"

#include <iostream>
#include <map>
#include <stdexcept>

namespace {

using namespace kubernetes::devices;
using berth::Value;

/// Answers that the case has with it: by expression, for each device in the order of the slices.
class GivenAnswers : public Selectors {
    Value answers_;
    std::map<const Device *, std::size_t> places_;

public:
    GivenAnswers(Value answers, const Inventory &inventory) : answers_(answers) {
        for (const auto &slice : inventory.all())
            for (const auto &device : slice->devices) places_.emplace(&device, places_.size());
    }
    Selected select(const std::string &expression, const Slice &, const Device &device) const override {
        auto answer = answers_[expression].at(places_.at(&device));
        const std::string fault(answer["fault"].string());
        return {answer["matches"].is_true(), fault, fault.starts_with("CEL runtime error: ")};
    }
};

Uses read_uses(Value list) {
    Uses out;
    for (std::size_t i = 0; i < list.size(); ++i) {
        auto u = list.at(i), consumed = u["consumed"];
        auto &use = out[device_id(u["driver"].string(), u["pool"].string(), u["device"].string())];
        Consumed amounts;
        for (std::size_t k = 0; k < consumed.size(); ++k)
            amounts.emplace_back(consumed.key(k), Amount::read(consumed.member(k)));
        if (u["shareID"].is_null()) ++use.exclusive;
        else use.add_share(consumed.is_null() ? nullptr : &amounts);
    }
    return out;
}

std::string answer(Value test, const Rules &rules) {
    std::vector<SlicePtr> slices;
    for (std::size_t i = 0; i < test["slices"].size(); ++i) {
        auto s = test["slices"].at(i);
        slices.push_back(std::make_shared<const Slice>(Slice::read(s["metadata"]["name"].string(), s["spec"])));
    }
    const Inventory inventory(std::move(slices), rules);
    std::vector<Claim> claims;
    for (std::size_t i = 0; i < test["claims"].size(); ++i) {
        auto c = test["claims"].at(i), meta = c["metadata"];
        claims.push_back(Claim::read(meta["namespace"].string(), meta["name"].string(), c["spec"]));
    }
    std::vector<const Claim *> wanted;
    for (const auto &claim : claims) wanted.push_back(&claim);
    std::map<std::string, Class, std::less<>> classes;
    for (std::size_t i = 0; i < test["classes"].size(); ++i) {
        auto c = test["classes"].at(i);
        auto name = c["metadata"]["name"].string();
        classes.emplace(name, Class::read(name, c["spec"]));
    }
    auto find_class = [&](std::string_view name) {
        auto at = classes.find(name);
        return at == classes.end() ? nullptr : &at->second;
    };
    const auto uses = read_uses(test["uses"]);
    const GivenAnswers selectors(test["selectors"], inventory);
    const Allocator allocator(inventory, uses, selectors, find_class);

    std::string out;
    for (std::size_t i = 0; i < test["nodes"].size(); ++i) {
        auto meta = test["nodes"].at(i)["metadata"];
        std::vector<berth_label> labels;
        for (std::size_t k = 0; k < meta["labels"].size(); ++k)
            labels.push_back({berth::to_str(meta["labels"].key(k)), berth::to_str(meta["labels"].member(k).string())});
        std::ranges::sort(labels, {}, [](const berth_label &l) { return berth::view(l.key); });
        const NodeView node{meta["name"].string(), labels};
        const auto found = allocator.allocate(node, wanted, [] { return false; });
        using Outcome = Allocation::Outcome;
        const char *outcome = found.outcome == Outcome::Found   ? "found"
                              : found.outcome == Outcome::Error ? "error"
                                                                : "none";
        out += (out.empty() ? "" : ",") + std::string("{\"outcome\":\"") + outcome +
               "\",\"text\":" + berth::json_quote(found.text) + ",\"steps\":" + std::to_string(found.steps);
        std::string allocations;
        for (std::size_t k = 0; k < found.claims.size(); ++k)
            (allocations += allocations.empty() ? "" : ",") += allocation_json(
                claims[k], found.claims[k], node.name, find_class, [] { return std::string("some"); }, rules);
        out += ",\"allocations\":[" + allocations + "]}";
    }
    return "[" + out + "]";
}

}  // namespace

int main(int argc, char **argv) {
    std::ios::sync_with_stdio(false);
    const std::string_view release = argc == 2 ? argv[1] : "";
    const bool since_1_37 = release.starts_with("1.37");
    if (!since_1_37 && !release.starts_with("1.36")) {
        std::cerr << "usage: berth_devices_answer 1.36|1.37\n";
        return 2;
    }
    const Rules rules(since_1_37);
    for (std::string line; std::getline(std::cin, line);) {
        auto document = berth::decode::read_document(line, "case");
        if (!document) {
            std::cerr << document.error().text << '\n';
            return 2;
        }
        std::cout << answer(document->value(), rules) << '\n' << std::flush;
    }
    return 0;
}
