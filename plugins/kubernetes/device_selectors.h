// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cel/selector.h"
#include "devices/allocator.h"

#include <mutex>
#include <unordered_map>

namespace kubernetes {

/// Evaluates the CEL selectors of classes and claims. An expression is compiled once, and evaluated once for each
/// device of a slice: the answer depends on nothing else. When too much is remembered all is forgotten, as users choose
/// the expressions. Thread: any.
class DeviceSelectors final : public devices::Selectors {
    struct Results {
        std::vector<std::int8_t> by_device;  ///< 0 not known, 1 yes, 2 no, 3 a fault
        std::unordered_map<std::size_t, std::string> faults;
    };
    struct Expression {
        cel::Compiled compiled;
        std::unordered_map<const devices::Slice *, Results> by_slice;
    };
    mutable std::mutex mutex_;
    mutable std::unordered_map<std::string, Expression> expressions_;
    mutable std::size_t bytes_ = 0;

    static constexpr std::size_t expressions_at_most = 1024, bytes_at_most = std::size_t{64} << 20;
    static constexpr std::size_t bytes_of_program = 64;  ///< for one of its text, roughly
    enum : std::int8_t { Unknown, Yes, No, Fault };

    static cel::Device as_cel(const devices::Slice &slice, const devices::Device &device) {
        cel::Device out;
        out.driver = slice.driver;
        out.allow_multiple_allocations = device.shareable;
        for (const auto &[name, attribute] : device.attributes) out.attributes.push_back({name, value_of(attribute)});
        for (const auto &capacity : device.capacities) out.capacity.push_back({capacity.name, capacity.value.text});
        return out;
    }
    static cel::AttributeValue value_of(const devices::Attribute &attribute) {
        switch (attribute.type) {
            case devices::Attribute::Type::Bool: return attribute.number != 0;
            case devices::Attribute::Type::Int: return attribute.number;
            case devices::Attribute::Type::String: return attribute.text;
            case devices::Attribute::Type::Version: return cel::VersionText{attribute.text};
            case devices::Attribute::Type::Unknown: break;
        }
        return std::monostate{};
    }

    Expression &compiled(const std::string &text) const {
        if (auto at = expressions_.find(text); at != expressions_.end()) return at->second;
        if (expressions_.size() >= expressions_at_most || bytes_ >= bytes_at_most) {
            expressions_.clear();
            bytes_ = 0;
        }
        bytes_ += text.size() * bytes_of_program;
        return expressions_.emplace(text, Expression{cel::compile(text), {}}).first->second;
    }

public:
    devices::Selected select(const std::string &expression, const devices::Slice &slice,
                             const devices::Device &device) const override {
        const std::lock_guard lock(mutex_);
        auto &known = compiled(expression);
        if (!known.compiled.program) return {false, "CEL compile error: " + known.compiled.error};
        auto &results = known.by_slice[&slice];
        if (results.by_device.empty()) {
            results.by_device.resize(slice.devices.size());
            bytes_ += sizeof results + results.by_device.size();
        }
        const auto place = static_cast<std::size_t>(&device - slice.devices.data());
        auto &answer = results.by_device.at(place);
        if (answer == Unknown) {
            auto result = cel::evaluate(*known.compiled.program, cel::Input(as_cel(slice, device)));
            answer = !result.error.empty() ? Fault : result.matches ? Yes : No;
            if (answer == Fault) {
                bytes_ += result.error.size();
                results.faults.emplace(place, "CEL runtime error: " + result.error);
            }
        }
        return {answer == Yes, answer == Fault ? results.faults.at(place) : std::string{}};
    }

    /// The slice is about to go.
    void forget(const devices::Slice &slice) {
        const std::lock_guard lock(mutex_);
        for (auto &[text, expression] : expressions_) expression.by_slice.erase(&slice);
    }
};

}  // namespace kubernetes
