// SPDX-License-Identifier: Apache-2.0
// The list of all tests of `berth plugin verify`, and the search by name.
#include "verify/discovery.h"
#include "verify/test.h"

#include <algorithm>
#include <stdexcept>

namespace berth::verify {

const Material &Run::material(std::span<const model::Kind> kinds) {
    if (material_) return *material_;
    material_.emplace();
    if (files_.given()) {
        auto input = files_.read(kinds);
        if (!input) throw std::runtime_error(input.error().text);
        material_->given = std::make_shared<const sim::Input>(*std::move(input));
    } else {
        material_->seed = seed;
        discover(*this, *material_);
    }
    return *material_;
}

bool Test::applies(std::span<const std::string> has) const {
    return interfaces.empty() ||
           std::ranges::any_of(interfaces, [&](auto id) { return std::ranges::find(has, id) != has.end(); });
}

std::span<const Test> tests() {
    static const auto *all = [] {
        auto *out = new std::vector<Test>;
        for (auto group :
             {file_tests, load_tests, create_tests, batch_tests, state_tests, hint_tests, thread_tests, scale_tests})
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
