// SPDX-License-Identifier: Apache-2.0
// The words of remedies, such as "2 more cpu on n17".
#include "report/explanation.h"

#include <string_view>

namespace berth::report {
namespace {

using Change = model::Remedy::Change;
using Kind = Change::Kind;

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

std::string change_text(const Change &c) {
    switch (c.kind) {
        case Kind::Resource: {
            const auto amount = c.name == "cpu"    ? cpus(c.amount)
                                : in_bytes(c.name) ? bytes(c.amount)
                                                   : std::to_string(c.amount);
            return amount + " more " + c.name;
        }
        case Kind::Pods: return "room for " + std::to_string(c.amount) + (c.amount == 1 ? " more pod" : " more pods");
        case Kind::Toleration: return c.name + (c.value.empty() ? "" : "=" + c.value) + ":" + c.effect;
        case Kind::Uncordon: return "uncordon";
        case Kind::Label: return c.name + "=" + c.value;
        case Kind::NoLabel:
        case Kind::Other: break;
    }
    return c.name;
}

/// What comes before the first of the changes of a kind.
std::string_view verb(Kind kind) {
    switch (kind) {
        case Kind::Toleration: return "tolerate ";
        case Kind::Label: return "label ";
        case Kind::NoLabel: return "no label ";
        default: return "";
    }
}

}  // namespace

std::string remedy_text(const model::Remedy &remedy) {
    const auto &changes = remedy.changes;
    if (changes.size() == 1 && changes.front().kind == Kind::Uncordon) return "uncordon " + remedy.node;
    std::string out;
    for (std::size_t i = 0; i < changes.size(); ++i) {
        if (i > 0) out += " and ";
        if (i == 0 || changes[i].kind != changes[i - 1].kind) out += verb(changes[i].kind);
        out += change_text(changes[i]);
    }
    return out + " on " + remedy.node;
}

}  // namespace berth::report
