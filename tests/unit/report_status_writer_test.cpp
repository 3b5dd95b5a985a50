// SPDX-License-Identifier: Apache-2.0
#include "report/status_writer.h"

#include "object_text.h"
#include "sim/virtual_clock.h"

#include <vector>

using namespace berth;

namespace {

struct World : env::Api {
    struct Sent {
        env::ApiRequest request;
        std::function<void(env::ApiAnswer)> done;
    };
    std::vector<Sent> sent;
    sim::VirtualClock clock{1'767'225'600'000'000'000};
    report::StatusWriter writer{*this, clock, nullptr};

    void send(env::ApiRequest request, std::function<void(env::ApiAnswer)> done) override {
        sent.push_back({std::move(request), std::move(done)});
    }
    void answer(std::size_t which, int status = 200) { sent.at(which).done({status, "{}"}); }
    bool says(std::size_t which, const std::string &text) const {
        return sent.at(which).request.body.find(text) != std::string::npos;
    }
};

model::PodPtr pod(const std::string &name, const std::string &node = "") {
    return pod_of("metadata: {name: " + name + ", uid: u-" + name + "}\nspec: {" +
                  (node.empty() ? "" : "nodeName: " + node + ", ") + "containers: [{name: c, image: i}]}");
}

model::Decision failure(const std::string &message, std::optional<std::string> nomination = std::nullopt) {
    model::Decision d;
    d.result = model::AttemptResult::Unschedulable;
    d.reason = "Unschedulable";
    d.message = message;
    d.nomination = std::move(nomination);
    return d;
}

}  // namespace

TEST_CASE("status: one patch of a pod at a time, and then the newest", "[report]") {
    World world;
    world.writer.failed(*pod("p"), failure("first"));
    world.writer.failed(*pod("p"), failure("second"));
    world.writer.failed(*pod("p"), failure("third"));
    world.writer.failed(*pod("q"), failure("of another"));
    REQUIRE(world.sent.size() == 2);
    CHECK(world.says(0, "first"));
    CHECK(world.sent[0].request.name == "p");
    CHECK(world.sent[1].request.name == "q");
    world.answer(0);
    REQUIRE(world.sent.size() == 3);
    CHECK(world.says(2, "third"));
    world.answer(2, 404);
    world.answer(1, 0);
    CHECK(world.sent.size() == 3);
    CHECK(world.writer.pods() == 0);
}

TEST_CASE("status: a nomination is not lost to words that come later", "[report]") {
    World world;
    world.writer.failed(*pod("p"), failure("first"));
    world.writer.failed(*pod("p"), failure("makes room", "n1"));
    world.writer.failed(*pod("p"), failure("waits"));
    world.writer.failed(*pod("p"), failure("waits on"));
    world.answer(0);
    REQUIRE(world.sent.size() == 2);
    CHECK(world.says(1, R"("nominatedNodeName":"n1")"));
    world.answer(1);
    REQUIRE(world.sent.size() == 3);
    CHECK(world.says(2, "waits on"));
    // Another nomination takes the place of both.
    world.writer.failed(*pod("p"), failure("makes other room", "n2"));
    world.writer.failed(*pod("p"), failure("gives it up", ""));
    world.writer.failed(*pod("p"), failure("makes room again", "n3"));
    world.answer(2);
    REQUIRE(world.sent.size() == 4);
    CHECK(world.says(3, "n3"));
    world.answer(3);
    CHECK(world.writer.pods() == 0);
}

TEST_CASE("status: of a pod that has its node no older words are written", "[report]") {
    World world;
    world.writer.failed(*pod("p"), failure("first"));
    world.writer.failed(*pod("p"), failure("second"));
    world.writer.bound(*pod("p", "n1"));
    world.writer.bound(*pod("unheard-of", "n1"));
    world.answer(0);
    CHECK(world.sent.size() == 1);
    CHECK(world.writer.pods() == 0);
}

TEST_CASE("status: bindings do not stand behind the words of a thousand pods", "[report]") {
    World world;
    constexpr std::size_t most = report::StatusWriter::most_under_way, all = 1000;
    for (std::size_t i = 0; i < all; ++i) world.writer.failed(*pod("p" + std::to_string(i)), failure("full"));
    CHECK(world.sent.size() == most);
    for (std::size_t i = 0; i < all; ++i) world.writer.bound(*pod("p" + std::to_string(i + 1)));
    // All but the first had their node before it was their turn.
    for (std::size_t i = 0; i < most; ++i) world.answer(i);
    CHECK(world.sent.size() == most);
    CHECK(world.writer.pods() == 0);
    world.writer.nominate(*pod("p0", "n1"));
    CHECK(world.says(most, R"({"metadata":{"uid":"u-p0"},"status":{"nominatedNodeName":"n1"}})"));
    world.answer(most, 422);
    for (std::size_t i = 0; i < all; ++i) world.writer.failed(*pod("p" + std::to_string(i)), failure("full"));
    for (std::size_t i = most + 1; i < world.sent.size(); ++i) world.answer(i);
    CHECK(world.sent.size() == most + 1 + all);
    CHECK(world.sent.back().request.name == "p999");
    CHECK(world.writer.pods() == 0);
}
