// SPDX-License-Identifier: Apache-2.0
#include "cluster/nominations.h"
#include "fake_plugin.h"

using namespace berth;
using cluster::Nominations;

namespace {

model::PodPtr pod(const std::string &name, const std::string &node = {}) {
    return plain_pod(name, {},
                     node.empty()
                         ? std::string()
                         : "spec: {containers: [{name: c, image: i}]}\nstatus: {nominatedNodeName: " + node + "}");
}

std::string on(const Nominations &nominations, const std::string &node) {
    std::string out;
    for (const auto &pod : nominations.on(node)) out += (out.empty() ? "" : " ") + std::string(pod->name());
    return out;
}

}  // namespace

TEST_CASE("nominations: a pod is promised one node, in the order of the promises", "[cluster]") {
    Nominations nominations;
    nominations.set(pod("a", "n1"));
    nominations.set(pod("b"), "n1");
    nominations.set(pod("c"));
    CHECK(on(nominations, "n1") == "a b");
    CHECK(nominations.size() == 2);
    nominations.set(pod("a", "n1"), "n2");
    CHECK(on(nominations, "n1") == "b");
    CHECK(on(nominations, "n2") == "a");
    CHECK(nominations.node_of("uid-a") == "n2");
    nominations.set(pod("a", "n1"), "");
    CHECK(nominations.node_of("uid-a").empty());
    CHECK(nominations.remove("uid-b"));
    CHECK_FALSE(nominations.remove("uid-b"));
    CHECK(nominations.empty());
}

TEST_CASE("nominations: an update that says nothing keeps what is known in memory", "[cluster]") {
    Nominations nominations;
    nominations.set(pod("a"), "n1");
    nominations.update(*pod("a"), pod("a"));
    CHECK(on(nominations, "n1") == "a");
    nominations.update(*pod("a"), pod("a", "n2"));
    CHECK(on(nominations, "n1").empty());
    CHECK(on(nominations, "n2") == "a");
    nominations.update(*pod("a", "n2"), pod("a"));
    CHECK(nominations.empty());
    nominations.update(*pod("a"), pod("a"));
    CHECK(nominations.empty());
}

TEST_CASE("nominations: victims stay as long as the node and until the pod is nominated anew", "[cluster]") {
    Nominations nominations;
    const model::Victims named{{"default/x"}, 0, "why"}, others{{"default/y"}, 2, ""};
    nominations.set(pod("a"), "n1", named);
    CHECK(nominations.victims_of("uid-a") == named);
    CHECK(nominations.victims_of("uid-b") == model::Victims{});
    nominations.update(*pod("a"), pod("a", "n1"));
    nominations.set(pod("a", "n1"));
    nominations.update(*pod("a"), pod("a"));
    CHECK(nominations.victims_of("uid-a") == named);
    nominations.set(pod("a"), "n1", others);
    CHECK(nominations.victims_of("uid-a") == others);
    // By a plugin that names nobody.
    nominations.set(pod("a"), "n1");
    CHECK(nominations.victims_of("uid-a") == model::Victims{});
    nominations.set(pod("a"), "n1", named);
    nominations.update(*pod("a", "n1"), pod("a", "n2"));
    CHECK(nominations.node_of("uid-a") == "n2");
    CHECK(nominations.victims_of("uid-a") == model::Victims{});
    nominations.set(pod("a"), "n1", named);
    nominations.set(pod("a"), "n2");
    CHECK(nominations.victims_of("uid-a") == model::Victims{});
    nominations.set(pod("a"), "n2", named);
    nominations.set(pod("a"), "");
    nominations.set(pod("a"), "n2");
    CHECK(nominations.victims_of("uid-a") == model::Victims{});
}

TEST_CASE("nominations: of a pod that no queue has only the name counts, until it is nominated anew", "[cluster]") {
    Nominations nominations;
    const auto big = plain_pod("a", {},
                               "spec: {priority: 7, schedulingGroup: {podGroupName: g}, containers: [{name: c, image: "
                               "i, resources: {requests: {cpu: 2}}}]}");
    nominations.set(pod("b"), "n1");
    nominations.set(big, "n1");
    nominations.bare("uid-a");
    nominations.bare("uid-c");
    CHECK(on(nominations, "n1") == "b a");
    const auto &bare = *nominations.on("n1").back();
    CHECK(bare.uid() == "uid-a");
    CHECK(bare.group() == "g");
    CHECK(bare.view.priority == 0);
    CHECK(bare.effective().cpu == 0);
    nominations.set(big, "n1");
    CHECK(nominations.on("n1").back() == big);
}
