// SPDX-License-Identifier: Apache-2.0

// The domains of a topology key, when codes are given to other values.

#include "catch.h"

#include "../../plugins/kubernetes/topology.h"

using kubernetes::TopologyKey;

TEST_CASE("topology: the domain of the empty value is known while a node is in it, and no longer", "[sim]") {
    TopologyKey key;
    key.domain.assign(4, TopologyKey::none);
    key.put(0, 7, true);
    key.put(1, 2, false);
    CHECK(key.empty_value == 7);
    CHECK(key.domains == 2);
    // Between two looks the code has got another meaning; the node that comes to it is read before the one that leaves.
    key.put(2, 7, false);
    CHECK(key.empty_value == TopologyKey::none);
    key.put(0, 3, false);
    CHECK(key.empty_value == TopologyKey::none);
    CHECK(key.nodes[7] == 1);
    // The other way round: it is the empty value now, and the node stays where it was.
    key.put(2, 7, true);
    CHECK(key.empty_value == 7);
    key.put(2, TopologyKey::none, false);
    CHECK(key.empty_value == TopologyKey::none);
    CHECK(key.domains == 2);
    CHECK(key.nodes_with == 2);
}
