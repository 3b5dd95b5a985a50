// SPDX-License-Identifier: Apache-2.0
#include "report/explanation.h"

#include <string_view>

namespace berth::report {
namespace {

using Kind = model::NearChange::Kind;
using Part = model::NearChange::Part;

/// milli-CPU as CPUs, all three digits of it.
std::string cpus(std::int64_t milli) {
    constexpr std::int64_t one = 1000;
    auto out = std::to_string(milli / one);
    if (milli % one == 0) return out;
    auto rest = std::to_string(milli % one + one).substr(1);
    while (rest.back() == '0') rest.pop_back();
    return out + "." + rest;
}

/// In the largest unit that leaves a number of at least three digits: no more than a hundredth too much.
std::string bytes(std::int64_t n) {
    constexpr std::int64_t unit = 1024, least = 100;
    constexpr const char *names[] = {"", "Ki", "Mi", "Gi", "Ti"};
    std::size_t at = 0;
    while (at + 1 < std::size(names) && (n % unit == 0 || n >= least * unit) && n >= unit) {
        n = n / unit + (n % unit > 0 ? 1 : 0);
        ++at;
    }
    return std::to_string(n) + names[at];
}

bool in_bytes(std::string_view resource) {
    return resource == "memory" || resource == "ephemeral-storage" || resource.starts_with("hugepages-");
}

std::string part_text(const Part &p) {
    switch (p.kind) {
        case Kind::Resource: {
            const auto amount = p.name == "cpu"    ? cpus(p.amount)
                                : in_bytes(p.name) ? bytes(p.amount)
                                                   : std::to_string(p.amount);
            return amount + " more " + p.name;
        }
        case Kind::Pods: return "room for " + std::to_string(p.amount) + (p.amount == 1 ? " more pod" : " more pods");
        case Kind::Taint: return p.name + (p.value.empty() ? "" : "=" + p.value) + ":" + p.effect;
        case Kind::Label: return p.name + "=" + p.value;
        case Kind::NoLabel: return p.name;
        case Kind::Cordon:
        case Kind::Reason: break;
    }
    return p.name;
}

/// What comes before the first of the parts of a kind.
std::string_view verb(Kind kind) {
    switch (kind) {
        case Kind::Taint: return "tolerate ";
        case Kind::Label: return "label ";
        case Kind::NoLabel: return "no label ";
        default: return "";
    }
}

}  // namespace

std::string change_text(const model::NearChange &change) {
    const auto &first = change.parts.front();
    if (first.kind == Kind::Reason) return change.node + ": " + first.name;
    if (first.kind == Kind::Cordon && change.parts.size() == 1) return "uncordon " + change.node;
    std::string out;
    for (std::size_t i = 0; i < change.parts.size(); ++i) {
        const auto &p = change.parts[i];
        if (i > 0) out += " and ";
        if (i == 0 || p.kind != change.parts[i - 1].kind) out += verb(p.kind);
        out += part_text(p);
    }
    return out + " on " + change.node;
}

}  // namespace berth::report
