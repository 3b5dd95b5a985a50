// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Consumable capacities of devices: the amount that a request consumes.

#include "allocated.h"
#include "request.h"
#include "rules.h"

#include <algorithm>
#include <limits>

namespace kubernetes::devices {

/// How much of a device's capacity a request consumes; nothing: it cannot have so much.
/// Formulas: consumable_capacity.go of the allocator, whose steps are whole units in 64 bits.
class CapacityRequest {
    const Capacity &capacity_;
    const Amount *requested_;  ///< nullptr: the request does not name the capacity
    const Rules &rules_;

    static std::int64_t wrapping(std::uint64_t n) { return static_cast<std::int64_t>(n); }
    static std::uint64_t bits(std::int64_t n) { return static_cast<std::uint64_t>(n); }

    /// A range in whole units, and how many steps above its least an amount is.
    struct Steps {
        std::int64_t least, step;
        std::uint64_t count;

        /// Nothing: the amount is not rounded.
        static std::optional<Steps> of(const Amount &wanted, const RequestPolicy::Range &range) {
            if (wanted.quantity < range.min->quantity || !range.step) return std::nullopt;
            const auto step = range.step->quantity.value(), least = range.min->quantity.value();
            if (step <= 0) return std::nullopt;
            const auto above = wrapping(bits(wanted.quantity.value()) - bits(least));
            return Steps{least, step, bits(above / step) + (above % step != 0 ? 1 : 0)};
        }
        bool pass_most() const { return least >= 0 && wrapping(count) > (most - least) / step; }
    };
    static constexpr auto most = std::numeric_limits<std::int64_t>::max();

    Amount rounded_up(const Amount &wanted, const RequestPolicy::Range &range) const {
        if (wanted.quantity < range.min->quantity) return *range.min;
        const auto steps = Steps::of(wanted, range);
        if (!steps) return wanted;
        return Amount::of(wrapping(bits(steps->least) + bits(steps->step) * steps->count),
                          rules_.rounded_as_step ? range.step->format() : Amount::Format::Binary);
    }
    static Amount rounded_up(const Amount &wanted, const std::vector<Amount> &values) {
        auto at = std::find_if(values.begin(), values.end(),
                               [&](const Amount &value) { return wanted.quantity <= value.quantity; });
        return at == values.end() ? wanted : *at;
    }
    Amount amount() const {
        const auto &policy = capacity_.policy;
        if (!requested_) return policy && policy->preset ? *policy->preset : capacity_.value;
        if (!policy) return *requested_;
        if (policy->valid_range && policy->valid_range->min) return rounded_up(*requested_, *policy->valid_range);
        if (policy->valid_values) return rounded_up(*requested_, *policy->valid_values);
        return *requested_;
    }
    bool allowed(const Amount &amount) const {
        if (!capacity_.policy) return true;
        const auto &policy = *capacity_.policy;
        if (policy.preset && amount.quantity == policy.preset->quantity && amount.text == policy.preset->text)
            return true;
        if (policy.valid_range) {
            const auto &range = *policy.valid_range;
            if (range.max && amount.quantity > range.max->quantity) return false;
            if (!range.step) return true;
            const auto step = range.step->quantity.value();
            if (step <= 0 || !range.min) return false;
            return wrapping(bits(amount.quantity.value()) - bits(range.min->quantity.value())) % step == 0;
        }
        if (!policy.valid_values || policy.valid_values->empty()) return true;
        return std::any_of(policy.valid_values->begin(), policy.valid_values->end(),
                           [&](const Amount &value) { return value.quantity == amount.quantity; });
    }

public:
    CapacityRequest(const Capacity &capacity, const Request &request, const Rules &rules)
        : capacity_(capacity), requested_(nullptr), rules_(rules) {
        for (const auto &[name, wanted] : request.capacities)
            if (name == capacity.name) requested_ = &wanted;
    }

    Amount consumed() const { return amount(); }

    /// Why the amount cannot be; empty: it can.
    std::string fault() const {
        const auto unrepresentable = [&](const std::string &what) {
            return "capacity request cannot be represented in the device's range arithmetic: " + what;
        };
        const auto &policy = capacity_.policy;
        if (requested_ && policy && policy->valid_range && policy->valid_range->min)
            if (const auto steps = Steps::of(*requested_, *policy->valid_range)) {
                if (requested_->quantity > berth::Quantity::of(most))
                    return unrepresentable("request " + requested_->text + " exceeds MaxInt64");
                if (steps->pass_most())
                    return unrepresentable("rounding request " + requested_->text +
                                           " up to the next step passes MaxInt64");
            }
        return amount().quantity.negative() ? "capacity value is negative" : "";
    }

    /// Whether that much is left beside what claims consume and what this attempt has taken already.
    bool fits(const berth::Quantity *in_use, const berth::Quantity *taken) const {
        auto total = amount();
        if (!allowed(total)) return false;
        if (in_use) total.quantity += *in_use;
        if (taken) total.quantity += *taken;
        return total.quantity <= capacity_.value.quantity;
    }
};

/// Whether the device has all capacities that the request names.
inline bool has_capacities(const Device &device, const Request &request) {
    return std::all_of(request.capacities.begin(), request.capacities.end(), [&](const auto &wanted) {
        return std::any_of(device.capacities.begin(), device.capacities.end(),
                           [&](const Capacity &capacity) { return capacity.name == wanted.first; });
    });
}

/// Why the device's amounts cannot be, whatever is left of them; empty: they can.
inline std::string capacity_fault(const Device &device, const Request &request, const Rules &rules) {
    if (!rules.capacity_faults || !has_capacities(device, request)) return {};
    for (const auto &capacity : device.capacities)
        if (auto fault = CapacityRequest(capacity, request, rules).fault(); !fault.empty())
            return "capacity \"" + capacity.name + "\": " + fault;
    return {};
}

/// Whether a request for amounts can be served by the device.
inline bool capacity_suffices(const Device &device, const Request &request, const Use *use, const Use &taken,
                              const Rules &rules) {
    return has_capacities(device, request) &&
           std::all_of(device.capacities.begin(), device.capacities.end(), [&](const Capacity &capacity) {
               return CapacityRequest(capacity, request, rules)
                   .fits(use ? use->consumed_of(capacity.name) : nullptr, taken.consumed_of(capacity.name));
           });
}

}  // namespace kubernetes::devices
