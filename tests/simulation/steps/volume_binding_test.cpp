// SPDX-License-Identifier: Apache-2.0

// VolumeBinding from Reserve on: what it takes for granted while its writes are on their way, and what it writes.

#include "storage_world.h"

using namespace storage_world;

namespace {

const std::string csi = "csi: {driver: a.csi.example.com, volumeHandle: h}, storageClassName: k,";
const std::string of_k = "accessModes: [ReadWriteOnce], storageClassName: k,";

sim::InputObject class_with(const std::string &provisioner) {
    return storage_class("k", "WaitForFirstConsumer", provisioner);
}
const std::string none = "kubernetes.io/no-provisioner";

/// Two nodes and storage; pods come later, and are tried before the API server has answered for the one before.
struct Quick : Storage {
    explicit Quick(std::vector<sim::InputObject> objects)
        : Storage({labelled("n", "disk: ssd"), labelled("m", "disk: hdd")}, {}, std::move(objects)) {}

    void schedule(const std::vector<model::PodPtr> &pods) {
        for (const auto &p : pods) CHECK(world->world().store().put(sim::pod_kind, *p->tree));
        world->clock().run();  // the watch tells of them
        for (std::size_t i = 0; i < pods.size(); ++i) CHECK(world->scheduler.schedule_one());
        world->run();
    }
    model::TreePtr stored(const std::string &resource, const std::string &key) const {
        return world->world().store().find(model::kind_of("", "v1", resource), key);
    }
    /// What the volume says of its claim: "name uid", and " yes" if the volume controller may take it back.
    std::string claim_of(const std::string &volume) const {
        auto tree = stored("persistentvolumes", volume);
        auto ref = tree->value()["spec"]["claimRef"];
        auto mark = tree->value()["metadata"]["annotations"]["pv.kubernetes.io/bound-by-controller"].string();
        return std::string(ref["name"].string()) + " " + std::string(ref["uid"].string()) + (mark.empty() ? "" : " ") +
               std::string(mark);
    }
    int attempts(const std::string &pod) const {
        return static_cast<int>(world->sink.last.at("default/" + pod).attempt);
    }
};

model::PodPtr on_disk(const std::string &name, const std::string &claim, const std::string &disk) {
    return with_volumes(name, of_claim(claim), "nodeSelector: {disk: " + disk + "},");
}

}  // namespace

TEST_CASE("VolumeBinding: Reserve alone knows nothing of a pod's volumes", "[sim]") {
    Storage s(
        {node("n")}, {with_volumes("p", of_claim("c"))}, {class_with(none), claim("c", of_k)},
        ", plugins: {multiPoint: {disabled: [{name: VolumeBinding}]}, reserve: {enabled: [{name: VolumeBinding}]}}");
    s.begin();
    CHECK(s.world->sink.last.at("default/p").message == "running Reserve plugin \"VolumeBinding\": not found");
}

TEST_CASE("VolumeBinding: a volume that is promised to one claim is nobody else's", "[sim]") {
    Quick q({class_with(none), claim("c", of_k), claim("d", of_k), volume("v", csi), volume("w", csi)});
    q.schedule({with_volumes("p", of_claim("c")), with_volumes("q", of_claim("d"))});
    CHECK(q.attempts("p") == 1);
    CHECK(q.attempts("q") == 1);
    std::vector<std::string> claims{q.claim_of("v"), q.claim_of("w")};
    std::ranges::sort(claims);
    CHECK(claims == std::vector<std::string>{"c u-c yes", "d u-d yes"});
}

TEST_CASE("VolumeBinding: pods of one claim share what the first was promised", "[sim]") {
    Quick q({class_with(none), claim("c", of_k), volume("v", csi), volume("w", csi)});
    q.schedule({on_disk("p", "c", "ssd"), on_disk("q", "c", "hdd")});
    CHECK(q.at("p") == "n");
    CHECK(q.at("q") == "m");
    CHECK(q.attempts("q") == 1);
    std::vector<std::string> claims{q.claim_of("v"), q.claim_of("w")};
    std::ranges::sort(claims);
    CHECK(claims == std::vector<std::string>{" ", "c u-c yes"});
}

TEST_CASE("VolumeBinding: a claim whose volume is to be made for a node keeps the next pod there", "[sim]") {
    // The volume is of no use; but where there is none the world has no such kind, and no volume controller.
    Quick q({class_with("a.csi.example.com"), claim("c", of_k), volume("v", "")});
    q.schedule({on_disk("p", "c", "ssd"), on_disk("q", "c", "hdd")});
    CHECK(q.at("p") == "n");
    auto claim = q.stored("persistentvolumeclaims", "default/c");
    CHECK(claim->value()["metadata"]["annotations"]["volume.kubernetes.io/selected-node"].string() == "n");
    // While the write was on its way the other one could not have it elsewhere.
    CHECK(q.attempts("q") > 1);
}

TEST_CASE("VolumeBinding: a volume that its owner meant for the claim is told the claim's UID", "[sim]") {
    auto meant = [](const std::string &uid) {
        Quick q({class_with(none), claim("c", of_k), volume("w", csi),
                 volume("v", csi + "claimRef: {namespace: default, name: c" + uid + "},")});
        q.schedule({with_volumes("p", of_claim("c"))});
        CHECK(q.attempts("p") == 1);
        CHECK(q.claim_of("w") == " ");
        // The owner's choice is not the volume controller's to take back.
        return q.claim_of("v");
    };
    CHECK(meant("") == "c u-c");
    CHECK(meant(", uid: u-c") == "c u-c");
}
