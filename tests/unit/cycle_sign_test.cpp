// SPDX-License-Identifier: Apache-2.0
// What a plugin has said of a node holds for the next pod that it signs alike.
#include "fake_world.h"

#include <deque>
#include <set>

using namespace berth;
using model::AttemptResult;

namespace {

using Asked = std::vector<std::string>;

/// A plugin that signs pods by their label "kind", and notes which nodes it is asked about.
struct Signer : FakePlugin {
    Asked filtered, scored;
    std::string bad = "none";  ///< the node that it rejects
    std::string signature(const berth_pod *pod) const {
        for (std::uint64_t i = 0; i < pod->labels_len; ++i)
            if (text(pod->labels[i].key) == "kind") return text(pod->labels[i].value);
        return {};
    }
    explicit Signer(std::string called) {
        name = std::move(called);
        filter = [this](const std::string &node) {
            filtered.push_back(node);
            return node == bad ? FilterSays{BERTH_STATUS_UNSCHEDULABLE, {name + " rejects it"}} : FilterSays{};
        };
        score = [this](const std::string &node) -> std::int64_t {
            scored.push_back(node);
            return node.back() - '0';
        };
        sign = [this](const berth_pod *pod) -> std::optional<std::string> {
            if (signature(pod) == "own") return std::nullopt;
            return signature(pod);
        };
    }
    /// What was asked since the last time.
    std::pair<Asked, Asked> asked() { return {std::exchange(filtered, {}), std::exchange(scored, {})}; }
};

model::PodPtr of_kind(const std::string &name, const std::string &kind) {
    return plain_pod(name, ", labels: {kind: " + kind + "}");
}

const model::Decision &try_pod(FakeWorld &world, const model::PodPtr &pod) {
    world.scheduler.observer().pod_added(pod);
    world.settle();
    return world.last();
}

const Asked all{"n1", "n2", "n3"};

}  // namespace

TEST_CASE("sign: an alike pod is judged and scored on the changed nodes alone", "[cycle]") {
    Signer a("A");
    a.bad = "n2";
    FakePlugin bind = binder();
    FakeWorld world({&a, &bind});
    world.add_nodes(3);
    CHECK(try_pod(world, of_kind("p1", "x")).node == "n3");
    CHECK(a.asked() == std::pair{all, Asked{"n1", "n3"}});
    const auto &second = try_pod(world, of_kind("p2", "x"));
    CHECK(second.node == "n3");
    CHECK(second.nodes.at(1).verdict.reasons == Asked{"A rejects it"});
    CHECK(second.nodes.at(2).total == 3);
    CHECK(a.asked() == std::pair{Asked{"n3"}, Asked{"n3"}});  // the first pod is on it now
    try_pod(world, of_kind("p3", "y"));
    CHECK(a.asked() == std::pair{all, Asked{"n1", "n3"}});
    world.scheduler.observer().node_updated(plain_node("n2"), plain_node("n2", ", labels: {a: b}"));
    try_pod(world, of_kind("p4", "x"));
    CHECK(a.asked() == std::pair{Asked{"n2", "n3"}, Asked{"n3"}});
}

TEST_CASE("sign: who does not sign a pod is asked about every node for it", "[cycle]") {
    Signer a("A");
    FakePlugin bind = binder();
    FakeWorld world({&a, &bind});
    world.add_nodes(3);
    for (const auto *name : {"p1", "p2"}) {
        try_pod(world, of_kind(name, "own"));
        CHECK(a.asked() == std::pair{all, all});
    }
    try_pod(world, of_kind("p3", "x"));
    a.asked();
    a.sign = [](const berth_pod *) -> std::optional<std::string> { throw std::runtime_error("no"); };
    try_pod(world, of_kind("p4", "x"));
    CHECK(a.asked() == std::pair{all, all});
}

// promise(tenant): Berth schedules a pod with a megabyte of constraints like any other, and does not use that text as a
// key of its caches.
TEST_CASE("sign: a signature of more than 16 KiB counts as no signature", "[cycle]") {
    Signer a("A");
    std::size_t bytes = 16 << 10;
    a.sign = [&](const berth_pod *) -> std::optional<std::string> { return std::string(bytes, 'x'); };
    FakePlugin bind = binder();
    FakeWorld world({&a, &bind});
    world.add_nodes(3);
    try_pod(world, of_kind("p1", "x"));
    a.asked();
    try_pod(world, of_kind("p2", "x"));
    CHECK(a.asked().first == Asked{"n3"});
    ++bytes;
    for (const auto *name : {"p3", "p4"}) {
        try_pod(world, of_kind(name, "x"));
        CHECK(a.asked() == std::pair{all, all});
    }
}

TEST_CASE("sign: the first plugin that rejects a node counts, whoever signs", "[cycle]") {
    Signer first("First"), second("Second"), third("Third");
    first.sign = third.sign = nullptr;
    FakePlugin bind = binder();
    FakeWorld world({&first, &second, &third, &bind});
    world.add_nodes(3);
    second.bad = "n2";
    for (const auto *name : {"p1", "p2"}) {
        const auto &d = try_pod(world, of_kind(name, "x"));
        CHECK(d.nodes.at(1).verdict.plugin == "Second");
        CHECK(first.asked().first == all);
        CHECK(third.asked().first == Asked{"n1", "n3"});
    }
    CHECK(second.asked().first == Asked{"n1", "n2", "n3", "n3"});
    first.bad = "n2";  // earlier than the one whose word is known
    CHECK(try_pod(world, of_kind("p3", "x")).nodes.at(1).verdict.plugin == "First");
    first.bad = "none";
    CHECK(try_pod(world, of_kind("p4", "x")).nodes.at(1).verdict.plugin == "Second");
}

TEST_CASE("sign: an error is not kept", "[cycle]") {
    Signer a("A");
    bool broken = true;
    a.filter = [&](const std::string &node) {
        return node == "n1" && broken ? FilterSays{BERTH_STATUS_ERROR, {"out of order"}} : FilterSays{};
    };
    FakePlugin bind = binder();
    FakeWorld world({&a, &bind});
    world.add_nodes(2);
    CHECK(try_pod(world, of_kind("p1", "x")).result == AttemptResult::Error);
    broken = false;
    CHECK(try_pod(world, of_kind("p2", "x")).result == AttemptResult::Scheduled);
}

TEST_CASE("sign: a plugin that skips a pod does not answer for it", "[cycle]") {
    Signer a("A");
    a.bad = "n2";
    bool skips = false;
    a.pre_filter = [&](const berth_nodes *, berth_restrict *, berth_status *status) {
        if (skips) answer(status, BERTH_STATUS_SKIP);
    };
    Signer b("B");
    FakePlugin bind = binder();
    FakeWorld world({&a, &b, &bind});
    world.add_nodes(3);
    CHECK(try_pod(world, of_kind("p1", "x")).nodes.at(1).verdict.plugin == "A");
    skips = true;
    CHECK(try_pod(world, of_kind("p2", "x")).nodes.at(1).verdict.code == BERTH_STATUS_SUCCESS);
    skips = false;
    CHECK(try_pod(world, of_kind("p3", "x")).nodes.at(1).verdict.plugin == "A");
}

TEST_CASE("sign: many kinds of pods take turns, and each is told the truth", "[cycle]") {
    Signer a("A");
    FakePlugin bind = binder();
    FakeWorld world({&a, &bind});
    world.add_nodes(3);
    for (int round = 0; round < 3; ++round)
        for (int kind = 0; kind < 20; ++kind) {
            a.bad = "n" + std::to_string(kind % 3 + 1);
            const auto name = "p" + std::to_string(round) + "-" + std::to_string(kind);
            const auto &d = try_pod(world, of_kind(name, "k" + std::to_string(kind)));
            for (std::size_t i = 0; i < 3; ++i)
                CHECK((d.nodes.at(i).verdict.code != BERTH_STATUS_SUCCESS) == (d.nodes.at(i).name == a.bad));
        }
}

namespace {

bool nobody_waits = false;

/// Scores as the fake does, but when nobody waits any more it is told so before the last node, and leaves that out.
void score_until_told(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                      const berth_nodes *nodes, const std::uint32_t *slots, std::uint64_t n, std::int64_t *out,
                      berth_status *status) {
    if (nobody_waits) plugin::CallContext::of(call)->set_cancelled(true);
    FakeTables::score(self, call, state, pod, nodes, slots, nobody_waits ? n - 1 : n, out, status);
}

constexpr berth_plugin_score told_table{sizeof(berth_plugin_score), 0, score_until_told};

}  // namespace

TEST_CASE("sign: scores of a batch that nobody waited for any more are not kept", "[cycle]") {
    Signer a("A");
    FakePlugin bind = binder();
    FakeWorld world({});
    std::vector<plugin::Profile> profiles;
    profiles.push_back(fake_profile({&a, &bind}));
    profiles.back().instances.front()->score = &told_table;
    world.scheduler.use(std::move(profiles), {});
    world.add_nodes(3);
    nobody_waits = true;
    CHECK(try_pod(world, of_kind("p1", "x")).node == "n2");
    nobody_waits = false;
    a.asked();
    CHECK(try_pod(world, of_kind("p2", "x")).node == "n3");
    CHECK(a.asked().second == all);
}

namespace {

enum class Sign : char { Nobody, Some, All };

/// What is chosen for pods of two kinds while nodes come, go and change, by plugins whose scores change with the pods
/// on a node. `wanted`: where somebody wants the tables, every total is made anew.
std::vector<std::string> choices(model::Detail wanted, Sign who) {
    std::map<std::string, std::int64_t> placed;
    auto number = [](const std::string &node) -> std::int64_t { return node.back() - '0'; };
    std::deque<Signer> scorers;
    auto scorer = [&](const char *name, std::int64_t weight, std::uint32_t mode, auto &&score) -> Signer & {
        Signer &one = scorers.emplace_back(name);
        one.filter = nullptr;
        one.weight = weight;
        one.normalize_mode = mode;
        one.score = score;
        return one;
    };
    auto &plain = scorer("Plain", 2, 0, [&](const std::string &n) { return 90 - 5 * placed[n] - number(n); });
    auto &most = scorer("Most", 3, BERTH_NORMALIZE_DEFAULT, [&](const std::string &n) { return 3 + placed[n] % 3; });
    auto &least = scorer("Least", 1, BERTH_NORMALIZE_REVERSE, [&](const std::string &n) { return 7 * number(n); });
    auto &halved = scorer("Halved", 5, 0, [&](const std::string &n) { return 60 + 9 * placed[n]; });
    halved.normalize = [](std::int64_t *scores, std::uint64_t n, berth_status *) {
        for (std::uint64_t i = 0; i < n; ++i) scores[i] /= 2;
    };
    auto &own = scorer("Own", 1, 0, [&](const std::string &n) { return (13 * placed[n] + 29 * number(n)) % 50; });
    if (who == Sign::Some) own.sign = nullptr;
    if (who == Sign::All) halved.normalize = nullptr;
    Signer full("Full");
    full.score = nullptr;
    full.filter = [&](const std::string &n) {
        return placed[n] < 4 ? FilterSays{} : FilterSays{BERTH_STATUS_UNSCHEDULABLE, {"full"}};
    };
    if (who == Sign::Nobody)
        for (Signer *one : {&plain, &most, &least, &halved, &own, &full}) one->sign = nullptr;
    FakePlugin bind = binder();
    FakeWorld world({&plain, &most, &least, &halved, &own, &full, &bind});
    world.wanted = wanted;
    world.add_nodes(7);
    std::vector<std::string> out;
    for (int i = 0; i < 33; ++i) {
        if (i == 6) world.scheduler.observer().node_updated(plain_node("n2"), plain_node("n2", ", labels: {a: b}"));
        if (i == 9) world.scheduler.observer().node_added(plain_node("n8"));
        if (i == 17) world.scheduler.observer().node_deleted(plain_node("n5"));
        const auto &node = try_pod(world, of_kind("p" + std::to_string(i), i % 5 == 4 ? "y" : "x")).node;
        ++placed[out.emplace_back(node)];
    }
    return out;
}

}  // namespace

TEST_CASE("sign: totals that are patched choose what totals made anew choose", "[cycle]") {
    const auto patched = choices(model::Detail::Summary, Sign::Some), anew = choices(model::Detail::Nodes, Sign::Some);
    CHECK(patched == anew);
    CHECK(patched == choices(model::Detail::Summary, Sign::Nobody));
    CHECK(patched.back().empty());  // no more than 32 pods find a place
    CHECK(std::set(anew.begin(), anew.end()).size() == 9);
}

TEST_CASE("sign: totals that every plugin signs choose what totals made anew choose", "[cycle]") {
    const auto patched = choices(model::Detail::Summary, Sign::All);
    CHECK(patched == choices(model::Detail::Nodes, Sign::All));
    CHECK(patched.back().empty());
}
