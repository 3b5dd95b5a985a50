// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The texts about resources that nodes lack, such as "Insufficient cpu" (NodeResourcesFit).

#include <berth/plugin.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace kubernetes {

/// What nodes are short of, of what a pod requests. Many nodes are short of the same, so that the texts are made once
/// for each difference, and a resource that no node offers, of which a pod may list tens of thousands, costs nothing
/// per node.
class Shortages {
    berth::Call call_;
    const berth_resources &want_;
    const std::vector<std::uint32_t> &everywhere_;  // places of scalars
    std::vector<std::uint32_t> here_;
    std::map<std::vector<std::uint32_t>, std::uint32_t> reasons_of_;  // by what they are short of: the reasons

    std::string text(std::uint32_t what) const {
        return what == pods ? "Too many pods" : "Insufficient " + std::string(resource(want_, what));
    }

public:
    static constexpr std::uint32_t pods = 0, cpu = 1, memory = 2, ephemeral = 3, first_scalar = 4;

    /// The name of what is not pods.
    static std::string_view resource(const berth_resources &want, std::uint32_t what) {
        switch (what) {
            case cpu: return "cpu";
            case memory: return "memory";
            case ephemeral: return "ephemeral-storage";
            default: return berth::view(want.scalars[what - first_scalar].name);
        }
    }

    /// `everywhere`: places of the scalars that all nodes are short of, ascending. All outlive it.
    Shortages(berth::Call call, const berth_resources &want, const std::vector<std::uint32_t> &everywhere)
        : call_(call), want_(want), everywhere_(everywhere) {}

    /// Another node.
    void clear() { here_.clear(); }
    /// Ascending; a scalar is first_scalar and its place.
    void add(std::uint32_t what) { here_.push_back(what); }
    bool none() const { return here_.empty() && everywhere_.empty(); }

    /// The id of the reasons for this node: "Too many pods", then what is insufficient, scalars by name.
    std::uint32_t reasons() {
        auto [at, fresh] = reasons_of_.try_emplace(here_);
        if (!fresh) return at->second;
        auto all = here_;
        for (auto place : everywhere_) all.push_back(first_scalar + place);
        std::ranges::inplace_merge(all, all.begin() + static_cast<std::ptrdiff_t>(here_.size()));
        std::vector<std::string> texts;
        std::vector<berth_str> views;
        for (auto what : all) texts.push_back(text(what));
        for (const auto &one : texts) views.push_back(berth::to_str(one));
        return at->second = call_.reasons(views);
    }
};

}  // namespace kubernetes
