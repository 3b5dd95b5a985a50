// SPDX-License-Identifier: Apache-2.0
#include "cycle/remedies.h"

#include "cycle/filters.h"
#include "cycle/nominated_pods.h"
#include "cycle/pre_filters.h"
#include "model/look_ups.h"
#include "plugin/remedy_fault.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace berth::cycle {
namespace {

using model::Remedy;
using Change = Remedy::Change;
using Changes = std::vector<Change>;
using Slots = std::vector<std::uint32_t>;

/// Of a remedy without a fault.
Change change_of(const berth_change &change) {
    return {static_cast<Change::Kind>(change.kind - BERTH_CHANGE_RESOURCE), std::string(model::view(change.name)),
            std::string(model::view(change.value)), std::string(model::view(change.effect)), change.amount};
}

/// The smallest remedy for each slot of one call; empty: none.
struct Collector final : plugin::RemedySink {
    std::vector<Changes> all;

    explicit Collector(std::size_t slots) : all(slots) {}

    void add(std::uint64_t i, const berth_change *changes, std::uint64_t n) override {
        if (i >= all.size() || plugin::fault_of_remedy(changes, n)) return;
        if (!all[i].empty() && all[i].size() <= n) return;
        all[i].clear();
        for (std::uint64_t k = 0; k < n; ++k) all[i].push_back(change_of(changes[k]));
    }
};

std::vector<Changes> ask(const Search &search, const plugin::Instance &instance, const Slots &slots) {
    Collector collector(slots.size());
    if (!instance.remedy || slots.empty()) return std::move(collector.all);
    std::int32_t code = BERTH_STATUS_ERROR;
    const auto thrown = plugin::guard(instance, "Remedy", [&] {
        code = instance.remedy->remedy(instance.self, search.call.call(), search.state.handle(), &search.pod,
                                       &search.nodes, slots.data(), slots.size(), collector.handle());
    });
    search.call.free_scratch();
    if (!thrown.success() || code != BERTH_STATUS_SUCCESS) collector.all.assign(slots.size(), {});
    return std::move(collector.all);
}

/// How much the pod requests of a resource.
std::int64_t requested(const berth_pod &pod, std::string_view name) {
    const auto &of = *pod.requests;
    if (name == "cpu") return of.cpu;
    if (name == "memory") return of.memory;
    if (name == "ephemeral-storage") return of.ephemeral;
    for (std::uint64_t i = 0; i < of.scalars_len; ++i)
        if (model::view(of.scalars[i].name) == name) return of.scalars[i].value;
    return 0;
}

/// A node that was judged and rejected, with what all plugins say of it.
struct Node {
    std::uint32_t slot;
    Remedy remedy{};
    std::size_t rejected_by = 0;
    bool complete = true;  ///< every plugin that rejects it knows a remedy
    bool failed = false;   ///< a plugin could not judge it

    void add(const Changes &more, const berth_pod &pod) {
        for (const auto &change : more) {
            auto at = std::ranges::find_if(remedy.changes, [&](const auto &c) { return c.same_but_amount(change); });
            if (at == remedy.changes.end()) remedy.changes.push_back(change);
            else at->amount = std::max(at->amount, change.amount);
            if (change.kind != Change::Kind::Resource) continue;
            const auto of = requested(pod, change.name);
            const auto share = of > 0 ? static_cast<double>(change.amount) / static_cast<double>(of) : 1;
            remedy.size = std::max(remedy.size, share);
        }
        complete = complete && !more.empty();
    }
};

/// Asks all plugins of a profile about nodes, one plugin after the other.
class Asking {
    const Search &search_;
    Participants active_;
    std::vector<Node> nodes_;

    std::vector<Changes> ask_about(const plugin::Instance &instance, const Slots &slots) {
        Slots plain;
        for (auto slot : slots)
            if (!has_nominated_pods(search_, slot)) plain.push_back(slot);
        auto of_plain = ask(search_, instance, plain);
        std::vector<Changes> out;
        for (auto at = of_plain.begin(); auto slot : slots) {
            if (at != of_plain.end() && plain[static_cast<std::size_t>(at - of_plain.begin())] == slot) {
                out.push_back(std::move(*at++));
                continue;
            }
            const WithNominatedPods with(search_, active_.extensions, slot);
            out.push_back(with.status().success() ? ask(with.search(), instance, {slot}).front() : Changes{});
        }
        return out;
    }

public:
    Asking(const Search &search, Participants active, const Slots &slots)
        : search_(search), active_(std::move(active)) {
        for (auto slot : slots) nodes_.push_back({slot, {.node = std::string(model::view(search.nodes.name[slot]))}});
    }

    void add_all() {
        for (const auto *instance : active_.filters) add(*instance);
    }

    std::vector<Remedy> remedies() {
        std::vector<Remedy> out;
        for (auto &node : nodes_) {
            if (!node.failed && node.rejected_by > 0 && node.complete) out.push_back(std::move(node.remedy));
        }
        return out;
    }

private:
    /// Has one plugin judge the nodes, and asks for the remedies of those that it rejects.
    void add(const plugin::Instance &instance) {
        Filters filters;
        Slots slots;
        for (const auto &node : nodes_) slots.push_back(node.slot);
        filters.begin(search_, {{&instance}, active_.extensions});
        (void)filters.visit(search_, slots, 0, static_cast<std::uint32_t>(slots.size()));
        std::vector<char> judged(search_.nodes.slots), rejects(search_.nodes.slots);
        for (auto slot : filters.visited()) judged[slot] = 1;
        slots.clear();
        for (const auto &rejected : filters.rejected()) {
            rejects[rejected.slot] = 1;
            slots.push_back(rejected.slot);
        }
        auto changes = ask_about(instance, slots);
        auto at = changes.begin();
        for (auto &node : nodes_) {
            node.failed = node.failed || !judged[node.slot];
            if (!rejects[node.slot]) continue;
            node.remedy.plugin += (node.rejected_by++ > 0 ? ", " : "") + instance.name;
            node.add(*at++, search_.pod);
        }
    }
};

/// What a change asks of people, from little to much: a command, a line of the pod, a decision about the node, another
/// machine or less of what the pod requests.
int effort(const Change &change) {
    switch (change.kind) {
        case Change::Kind::Uncordon: return 0;
        case Change::Kind::Toleration: return 1;
        case Change::Kind::Label:
        case Change::Kind::NoLabel: return 2;
        case Change::Kind::Other: return 3;
        case Change::Kind::Resource:
        case Change::Kind::Pods: return 4;
    }
    return 4;
}

}  // namespace

std::vector<Remedy> find_remedies(const Search &search, const std::vector<model::NodeRecord> &judged,
                                  std::size_t most) {
    PreFilters pre_filters;
    if (!pre_filters.run(search, nullptr).success()) return {};
    Slots slots;
    for (const auto &node : judged) {
        const auto slot = model::find_node(search.nodes, model::to_str(node.name));
        if (!node.verdict.success() && slot != BERTH_NO_SLOT) slots.push_back(slot);
    }
    Asking asking(search, pre_filters.participants(search), slots);
    asking.add_all();
    return smallest_remedies(asking.remedies(), most);
}

std::vector<Remedy> smallest_remedies(std::vector<Remedy> all, std::size_t most) {
    auto key = [](const Remedy &r) {
        return std::tuple(effort(*std::ranges::max_element(r.changes, {}, effort)), r.changes.size(), r.size,
                          std::string_view(r.node));
    };
    std::ranges::sort(all, [&](const auto &a, const auto &b) { return key(a) < key(b); });
    auto same = [](const Remedy &a, const Remedy &b) {
        return a.plugin == b.plugin && std::ranges::equal(a.changes, b.changes, [](const auto &x, const auto &y) {
                   return x.same_but_amount(y);
               });
    };
    std::vector<Remedy> out;
    for (auto &one : all) {
        auto at = std::ranges::find_if(out, [&](const Remedy &other) { return same(one, other); });
        if (at != out.end()) at->nodes += one.nodes;
        else out.push_back(std::move(one));
    }
    if (out.size() > most) out.resize(most);
    return out;
}

}  // namespace berth::cycle
