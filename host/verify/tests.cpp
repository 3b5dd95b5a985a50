// SPDX-License-Identifier: Apache-2.0
#include "verify/test.h"

#include <algorithm>

namespace berth::verify {

bool Test::applies(std::span<const std::string> has) const {
    return interfaces.empty() ||
           std::ranges::any_of(interfaces, [&](auto id) { return std::ranges::find(has, id) != has.end(); });
}

std::span<const Test> tests() {
    static const auto *all = [] {
        auto *out = new std::vector<Test>;
        for (auto group : {file_tests, load_tests, create_tests, batch_tests, state_tests, thread_tests, scale_tests})
            for (auto &test : group()) out->push_back(std::move(test));
        return out;
    }();
    return *all;
}

const Test *find_test(std::string_view name) {
    const auto all = tests();
    auto at = std::ranges::find_if(all, [&](const Test &test) { return test.name == name; });
    return at == all.end() ? nullptr : &*at;
}

}  // namespace berth::verify
