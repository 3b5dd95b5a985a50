// SPDX-License-Identifier: Apache-2.0
#include "model/held.h"

#include "model/any_object.h"
#include "model/readers.h"
#include "unit/object_text.h"

#include <vector>

using namespace berth;
using model::held_bytes;
using model::Holder;

namespace {

std::string pod(int i) {
    return "apiVersion: v1\nkind: Pod\nmetadata: {name: p" + std::to_string(i) + ", annotations: {note: '" +
           std::string(1000, 'x') + "'}}\nspec: {containers: [{name: c, image: i}]}\nstatus: {phase: Running}\n";
}

}  // namespace

TEST_CASE("held memory: objects are counted by what they are, for as long as they live", "[model]") {
    const auto pods = held_bytes(Holder::Pods), nodes = held_bytes(Holder::Nodes), others = held_bytes(Holder::Others);
    {
        model::PodReader reader;
        std::vector<model::PodPtr> all;
        for (int i = 0; i < 100; ++i) all.push_back(reader.read(tree_of(pod(i)), no_faults));
        const auto held = held_bytes(Holder::Pods) - pods;
        CHECK(held > 100 * 1000);
        // What pods have alike is counted once.
        CHECK(held < 100 * (2 * 1000 + sizeof(model::Pod)));
        const auto copy = model::assumed_copy(all[0], "n");
        CHECK(held_bytes(Holder::Pods) - pods > held);
        CHECK(held_bytes(Holder::Pods) - pods < held + 1000);

        model::NodeReader node_reader;
        const auto node = node_reader.read(
            tree_of("apiVersion: v1\nkind: Node\nmetadata: {name: n}\nstatus: {allocatable: {cpu: '1'}}\n"), no_faults);
        CHECK(held_bytes(Holder::Nodes) - nodes > sizeof(model::Node));
        const auto other =
            model::read_object(tree_of("apiVersion: v1\nkind: Service\nmetadata: {name: s, namespace: d}\n"),
                               model::kind_of("", "v1", "services"), no_faults);
        REQUIRE(other);
        CHECK(held_bytes(Holder::Others) - others > sizeof(model::AnyObject));
        // One that cannot be read is not there.
        const auto before = held_bytes(Holder::Pods);
        const model::FaultSink ignored = [](model::Value, const std::string &, const std::string &) {};
        CHECK_FALSE(reader.read(tree_of("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: 3\n"), ignored));
        CHECK(held_bytes(Holder::Pods) == before);
    }
    CHECK(held_bytes(Holder::Pods) == pods);
    CHECK(held_bytes(Holder::Nodes) == nodes);
    CHECK(held_bytes(Holder::Others) == others);
}
