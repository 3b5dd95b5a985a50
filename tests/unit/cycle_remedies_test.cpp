// SPDX-License-Identifier: Apache-2.0
// Remedies: what plugins say would make a pod fit, put together and in words.
#include "cycle/remedies.h"

#include "fake_world.h"
#include "report/explanation.h"

#include <span>

using namespace berth;

namespace {

using Texts = std::vector<std::string>;
using Change = model::Remedy::Change;
using Kind = Change::Kind;

berth_change change(std::uint32_t kind, std::string_view name = {}, std::int64_t amount = 0,
                    std::string_view value = {}, std::string_view effect = {}) {
    return {kind, 0, model::to_str(name), model::to_str(value), model::to_str(effect), amount};
}

/// Rejects the nodes of `reasons`, with remedies by node; each remedy is an alternative.
struct Rejecting {
    FakePlugin plugin;
    std::map<std::string, Texts> reasons;
    std::map<std::string, std::vector<std::vector<berth_change>>> remedies;
    std::int32_t code = BERTH_STATUS_SUCCESS;
    int asked = 0;

    Rejecting(std::string name, std::map<std::string, Texts> rejected)
        : plugin{std::move(name)}, reasons(std::move(rejected)) {
        plugin.filter = [this](const std::string &node) {
            const auto at = reasons.find(node);
            return at == reasons.end() ? FilterSays{} : FilterSays{BERTH_STATUS_UNSCHEDULABLE, at->second};
        };
        plugin.remedy = [this](const berth_nodes *nodes, std::span<const std::uint32_t> slots, berth_remedy_sink *out) {
            ++asked;
            for (std::size_t i = 0; i < slots.size(); ++i)
                for (const auto &remedy : remedies[std::string(model::view(nodes->name[slots[i]]))])
                    plugin::RemedySink::of(out)->add(i, remedy.data(), remedy.size());
            return code;
        };
    }
};

Texts texts(const std::vector<model::Remedy> &remedies) {
    Texts out;
    for (const auto &r : remedies)
        out.push_back(std::to_string(r.nodes) + " " + r.plugin + ": " + report::remedy_text(r));
    return out;
}

Texts remedies(std::initializer_list<Rejecting *> plugins, int nodes, const std::string &requests = "cpu: 2") {
    FakePlugin bind = binder(), nothing{"Nothing"};
    FakeWorld world(
        {&(*plugins.begin())->plugin, plugins.size() > 1 ? &(*(plugins.end() - 1))->plugin : &nothing, &bind});
    world.add_nodes(nodes);
    const auto pod =
        plain_pod("p", {}, "spec: {containers: [{name: c, image: i, resources: {requests: {" + requests + "}}}]}");
    return texts(world.scheduler.dry_runs().remedies(pod, world.scheduler.dry_runs().run(pod).decision));
}

}  // namespace

TEST_CASE("remedies: each kind of change in words, several as one sentence", "[cycle]") {
    auto text = [](std::vector<Change> changes) { return report::remedy_text({"n1", "Fit", std::move(changes)}); };
    auto resource = [](const std::string &name, std::int64_t amount) {
        return Change{Kind::Resource, name, {}, {}, amount};
    };
    CHECK(text({resource("cpu", 2000)}) == "2 more cpu on n1");
    CHECK(text({resource("cpu", 5)}) == "0.005 more cpu on n1");
    CHECK(text({resource("memory", 2LL << 30)}) == "2Gi more memory on n1");
    // Rounded up, so that it is enough.
    CHECK(text({resource("memory", 21474836481)}) == "20481Mi more memory on n1");
    CHECK(text({resource("ephemeral-storage", 2LL << 30)}) == "2Gi more ephemeral-storage on n1");
    CHECK(text({resource("cpu", 500), resource("gpu.io/x", 2)}) == "0.5 more cpu and 2 more gpu.io/x on n1");
    CHECK(text({{Kind::Pods, {}, {}, {}, 1}}) == "room for 1 more pod on n1");
    CHECK(text({{Kind::Pods, {}, {}, {}, 2}, resource("cpu", 500)}) == "room for 2 more pods and 0.5 more cpu on n1");
    const Change gpu{Kind::Toleration, "gpu", "a", "NoSchedule"}, down{Kind::Toleration, "down", {}, "NoExecute"};
    CHECK(text({gpu, down}) == "tolerate gpu=a:NoSchedule and down:NoExecute on n1");
    CHECK(text({{Kind::Uncordon}}) == "uncordon n1");
    CHECK(text({{Kind::Uncordon}, down}) == "uncordon and tolerate down:NoExecute on n1");
    CHECK(text({{Kind::Label, "disk", "ssd"}, {Kind::Label, "quiet"}, {Kind::NoLabel, "zone"}}) ==
          "label disk=ssd and quiet= and no label zone on n1");
    CHECK(text({{Kind::Other, "attach a disk"}}) == "attach a disk on n1");
}

TEST_CASE("remedies: what a plugin says is shown, of its alternatives the shortest", "[cycle]") {
    Rejecting fit("Fit", {{"n1", {"far", "too far"}}, {"n2", {"far"}}, {"n3", {}}});
    CHECK(remedies({&fit}, 4) == Texts{});  // n4 takes it
    CHECK(fit.asked == 0);
    CHECK(remedies({&fit}, 3) == Texts{});
    CHECK(fit.asked == 1);
    const auto near = change(BERTH_CHANGE_LABEL, "near", 0, "yes"), more = change(BERTH_CHANGE_RESOURCE, "cpu", 1000);
    fit.remedies["n1"] = {{near, more}, {more}, {near}};
    CHECK(remedies({&fit}, 3) == Texts{"1 Fit: 1 more cpu on n1"});
    fit.code = BERTH_STATUS_UNSUPPORTED;
    CHECK(remedies({&fit}, 1) == Texts{});
}

TEST_CASE("remedies: all plugins that reject a node have to know one, and theirs are put together", "[cycle]") {
    Rejecting cordon("Cordon", {{"n1", {"closed"}}, {"n2", {"closed"}}});
    Rejecting taints("Taints", {{"n1", {"tainted"}}, {"n2", {"tainted"}}, {"n3", {"tainted"}}});
    const auto open = change(BERTH_CHANGE_UNCORDON);
    const auto tolerate = change(BERTH_CHANGE_TOLERATION, "a", 0, {}, "NoSchedule");
    cordon.remedies = {{"n1", {{open}}}, {"n2", {{open}}}};
    taints.remedies = {{"n1", {{open}}}, {"n3", {{tolerate}}}};
    CHECK(remedies({&cordon, &taints}, 3) ==
          Texts{"1 Cordon, Taints: uncordon n1", "1 Taints: tolerate a:NoSchedule on n3"});
    taints.remedies["n2"] = {{open, tolerate}};
    CHECK(remedies({&cordon, &taints}, 3).back() == "1 Cordon, Taints: uncordon and tolerate a:NoSchedule on n2");
    // Of one resource the larger amount does for both.
    Rejecting some("Some", {{"n1", {"cpu"}}}), more("More", {{"n1", {"cpu"}}});
    some.remedies["n1"] = {{change(BERTH_CHANGE_RESOURCE, "cpu", 500)}};
    more.remedies["n1"] = {{change(BERTH_CHANGE_RESOURCE, "cpu", 1500)}};
    CHECK(remedies({&some, &more}, 1) == Texts{"1 Some, More: 1.5 more cpu on n1"});
    CHECK(remedies({&more, &some}, 1) == Texts{"1 More, Some: 1.5 more cpu on n1"});
}

TEST_CASE("remedies: the smallest first, by share of the request, each once with the nodes that lack the same",
          "[cycle]") {
    Rejecting fit("Fit", {{"n1", {"cpu"}}, {"n2", {"cpu"}}, {"n3", {"cpu"}}, {"n4", {"memory"}}});
    for (const auto &[node, amount] : {std::pair{"n1", 1000}, {"n2", 500}, {"n3", 500}})
        fit.remedies[node] = {{change(BERTH_CHANGE_RESOURCE, "cpu", amount)}};
    fit.remedies["n4"] = {{change(BERTH_CHANGE_RESOURCE, "memory", 1)}};
    CHECK(remedies({&fit}, 4, "cpu: 2, memory: 1Gi") ==
          Texts{"1 Fit: 1 more memory on n4", "3 Fit: 0.5 more cpu on n2"});
}

TEST_CASE("remedies: in order, whatever the order they were found in", "[cycle]") {
    auto cpu = [](const std::string &node, std::int64_t more, double size) {
        return model::Remedy{node, "Fit", {{Kind::Resource, "cpu", {}, {}, more}}, size};
    };
    const model::Remedy taint{"n0", "Taints", {{Kind::Toleration, "gpu", "a", "NoSchedule"}}};
    const model::Remedy two{"n0", "Fit", {{Kind::Resource, "cpu", {}, {}, 1}, {Kind::Resource, "memory", {}, {}, 1}}};
    const model::Remedy other{"n0", "Volumes", {{Kind::Other, "attach a disk", {}, {}, 0}}};
    const model::Remedy label{"n0", "Affinity", {{Kind::Label, "disk", "ssd", {}, 0}}};
    const model::Remedy cordon{"n9", "Cordon", {{Kind::Uncordon, {}, {}, {}, 0}}};
    std::vector<model::Remedy> all{
        two, other, label, cordon, taint, cpu("n3", 2000, 0.5), cpu("n2", 1000, 0.25), cpu("n1", 1000, 0.25)};
    const Texts sorted{"1 Cordon: uncordon n9",
                       "1 Taints: tolerate gpu=a:NoSchedule on n0",
                       "1 Affinity: label disk=ssd on n0",
                       "1 Volumes: attach a disk on n0",
                       "3 Fit: 1 more cpu on n1",
                       "1 Fit: 0.001 more cpu and 1 more memory on n0"};
    CHECK(texts(cycle::smallest_remedies(all, 9)) == sorted);
    std::ranges::reverse(all);
    CHECK(texts(cycle::smallest_remedies(all, 9)) == sorted);
    CHECK(texts(cycle::smallest_remedies(all, 2)) == Texts(sorted.begin(), sorted.begin() + 2));
    CHECK(cycle::smallest_remedies({}, 3).empty());
}
