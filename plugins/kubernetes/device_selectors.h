// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The CEL selectors of device classes and claims, compiled once and with cached results.

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
        std::size_t bytes = 0;
    };
    struct Expression {
        cel::Compiled compiled;
        std::unordered_map<std::uint64_t, Results> by_slice;  ///< by their serial
    };
    cel::Rules rules_;
    bool see_sharing_;
    mutable std::mutex mutex_;
    mutable std::unordered_map<std::string, Expression> expressions_;
    mutable std::size_t bytes_ = 0;

    static constexpr std::size_t expressions_at_most = 1024;
    static constexpr std::size_t around = 64;  ///< bytes of an entry of a map, beside what it holds
    static constexpr std::size_t longest_fault = 1024;
    enum : std::int8_t { Unknown, Yes, No, Fault };

    cel::Device as_cel(const devices::Slice &slice, const devices::Device &device) const {
        cel::Device out;
        out.driver = slice.driver;
        out.allow_multiple_allocations = device.shareable && see_sharing_;
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

    /// Whole characters of a fault: one may name all that a user has made.
    static std::string cut(std::string text) {
        if (text.size() <= longest_fault) return text;
        auto end = longest_fault;
        while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80) --end;
        return text.substr(0, end) + "…";
    }

    Expression &compiled(const std::string &text) const {
        if (auto at = expressions_.find(text); at != expressions_.end()) return at->second;
        auto compiled = cel::compile(text, rules_);
        if (!compiled.program) compiled.error = cut("CEL compile error: " + compiled.error);
        bytes_ += around + sizeof(Expression) + text.size() + compiled.error.size() + compiled.bytes;
        return expressions_.emplace(text, Expression{std::move(compiled), {}}).first->second;
    }

public:
    static constexpr std::size_t bytes_at_most = std::size_t{64} << 20;

    /// `see_sharing`: selectors see that a device allows multiple allocations.
    explicit DeviceSelectors(cel::Rules rules, bool see_sharing = true) : rules_(rules), see_sharing_(see_sharing) {}

    devices::Selected select(const std::string &expression, const devices::Slice &slice,
                             const devices::Device &device) const override {
        const std::lock_guard lock(mutex_);
        // One selection adds a program and a result at most, so that it is enough to look before each.
        if (expressions_.size() > expressions_at_most || bytes_ >= bytes_at_most) {
            expressions_.clear();
            bytes_ = 0;
        }
        auto &known = compiled(expression);
        if (!known.compiled.program) return {false, known.compiled.error};
        auto &results = known.by_slice[slice.serial];
        const auto remember = [&](std::size_t bytes) {
            results.bytes += bytes;
            bytes_ += bytes;
        };
        if (results.by_device.empty()) {
            results.by_device.resize(slice.devices.size());
            remember(around + sizeof results + results.by_device.size());
        }
        const auto place = static_cast<std::size_t>(&device - slice.devices.data());
        auto &answer = results.by_device.at(place);
        if (answer == Unknown) {
            auto result = cel::evaluate(*known.compiled.program, cel::Input(as_cel(slice, device)));
            answer = !result.error.empty() ? Fault : result.matches ? Yes : No;
            if (answer == Fault) {
                auto fault = cut("CEL runtime error: " + result.error);
                remember(around + fault.size());
                results.faults.emplace(place, std::move(fault));
            }
        }
        return {answer == Yes, answer == Fault ? results.faults.at(place) : std::string{}, answer == Fault};
    }

    /// The slice is no longer one of the cluster; an attempt that goes on may still ask about it.
    void forget(const devices::Slice &slice) {
        const std::lock_guard lock(mutex_);
        for (auto &[text, expression] : expressions_) {
            const auto at = expression.by_slice.find(slice.serial);
            if (at == expression.by_slice.end()) continue;
            bytes_ -= at->second.bytes;
            expression.by_slice.erase(at);
        }
    }

    /// Of memory that all this takes: at most what one selection adds to bytes_at_most.
    std::size_t bytes() const {
        const std::lock_guard lock(mutex_);
        return bytes_;
    }
};

}  // namespace kubernetes
