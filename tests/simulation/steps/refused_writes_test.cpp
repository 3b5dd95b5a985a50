// SPDX-License-Identifier: Apache-2.0

// The writes of VolumeBinding and DefaultBinder that fail, and what VolumeBinding finds while it waits for the volume
// controller.

#include "binding_world.h"

using namespace binding_world;

TEST_CASE("VolumeBinding: a volume that cannot be told its claim is free again", "[sim]") {
    for (const int status : {300, 403, 500}) {
        Binding s({class_of(), claim("c", of_k), claim("d", of_k), volume("v", csi, version)});
        s.api().refuse(volumes, status, "no");
        s.add(of_claim("c"));
        s.begin();
        CHECK(s.failures() == Texts{"p: no"});
        // Another pod may have it before the first one is tried again.
        s.add(of_claim("d"), "q");
        s.begin();
        CHECK(s.claim_of("v") == "d");
        CHECK_FALSE(s.at("q").empty());
    }
}

TEST_CASE("VolumeBinding: a volume that somebody has changed or taken away meanwhile", "[sim]") {
    Binding s({class_of(), claim("c", of_k), volume("v", csi, version)});
    s.api().next(volumes, {[&] { s.put(volume("v", csi, "labels: {a: b},")); }, 0, {}, {}, 0});
    s.add(of_claim("c"));
    s.world->run();
    CHECK(s.failures() == Texts{"p: Operation cannot be fulfilled on persistentvolumes \"v\": the object has been "
                                "modified; please apply your changes to the latest version and try again"});
    CHECK(s.claim_of("v") == "c");
    CHECK_FALSE(s.at().empty());

    Binding t({class_of(), claim("c", of_k), volume("v", csi, version), volume("w", csi, version)});
    t.api().next(volumes, {[&] { t.remove(volumes, "v"); }, 0, {}, {}, 0});
    t.add(of_claim("c"));
    t.world->run();
    CHECK(t.failures() == Texts{"p: persistentvolumes \"v\" not found"});
    CHECK(t.claim_of("w") == "c");
    CHECK_FALSE(t.at().empty());
}

TEST_CASE("VolumeBinding: what was written before a refusal stays, what comes after it is taken back", "[sim]") {
    Binding s({class_of(), claim("c", of_k), claim("d", of_k), volume("v", csi, version), volume("w", csi, version)});
    s.api().next(volumes, {});
    s.api().refuse(volumes, 500, "no");
    s.add(of_claim("c") + ", " + of_claim("d"));
    s.begin();
    CHECK(s.failures() == Texts{"p: no"});
    CHECK(s.claim_of("v") == "c");
    CHECK(s.claim_of("w").empty());
    s.world->run();
    CHECK(s.claim_of("w") == "d");
    CHECK(s.api().count(volumes) == 3);
    CHECK_FALSE(s.at().empty());
}

TEST_CASE("VolumeBinding: a claim that cannot be told its node is not bound to it", "[sim]") {
    // The volume is of no use; but where there is none the world has no volume controller.
    Binding s({made, claim("c", of_k), volume("v", "")});
    s.api().refuse(claims, 500, "no");
    s.add(of_claim("c"), "p", "nodeSelector: {disk: ssd},");
    s.begin();
    CHECK(s.failures() == Texts{"p: no"});
    s.add(of_claim("c"), "q", "nodeSelector: {disk: hdd},");
    s.begin();
    CHECK(s.at("q") == "m");
}

TEST_CASE("VolumeBinding: writing is given up when another plugin's write has failed", "[sim]") {
    auto meanwhile = [](int status) {
        Binding s(
            {class_of(), claim("c", of_k), claim("d", of_k), volume("v", csi, version), volume("w", csi, version),
             object("{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {namespace: default, name: r, "
                    "uid: u-r, resourceVersion: '7'}, spec: {}, status: {allocation: {devices: {}}}}")});
        s.api().refuse("resourceclaims/status", 500, "no");
        s.api().next(volumes, {{}, status, "late", {}, second / 2});
        s.add(of_claim("c") + ", " + of_claim("d"), "p", "resourceClaims: [{name: x, resourceClaimName: r}],");
        s.begin();
        const Texts failed{"p: running PreBind plugin \"DynamicResources\": add reservation to claim default/r: no"};
        CHECK(s.failures() == failed);
        // The answer comes after the end, and is the end of it.
        s.wait(second * 7 / 10);
        CHECK(s.api().count(volumes) == 1);
        s.world->run();
        CHECK(s.failures() == failed);
        CHECK_FALSE(s.at().empty());
        CHECK(s.claim_of("v") == "c");
        CHECK(s.claim_of("w") == "d");
    };
    meanwhile(0);
    meanwhile(500);
}

TEST_CASE("VolumeBinding: a pod that waits for its volume gives way to a more important one", "[sim]") {
    Binding s({class_of(), claim("c", of_k, version), volume("v", csi, version)});
    s.api().next(volumes, {{}, 200, "{}", {}, 0});  // the volume controller has not heard of it
    s.add(of_claim("c"), "p", "nodeSelector: {disk: ssd}, priority: 1, overhead: {cpu: '10'},");
    s.begin();
    CHECK(s.at().empty());
    auto other = pod("q", "uid: p-q,", "nodeSelector: {disk: ssd}, priority: 2, overhead: {cpu: '10'},");
    CHECK(s.world->world().store().put(sim::pod_kind, *other->tree));
    s.begin();
    s.wait(second);
    CHECK(s.failures() == Texts{"p: preempted by DefaultPreemption"});
    CHECK(s.world->events.written ==
          Texts{"Normal Preempted Preempting Pod p: Preempted by pod p-q on node n (in kube-scheduler memory)."});
    s.world->run();
    CHECK(s.at("q") == "n");
}

TEST_CASE("VolumeBinding: what goes wrong while a volume is to be bound", "[sim]") {
    auto waiting = [](const std::function<void(Binding &)> &happens) {
        Binding s({class_of(), claim("c", of_k, version), volume("v", csi, version)});
        s.api().next(volumes, {{}, 200, "{}", {}, 0});  // the volume controller has not heard of it
        s.add(of_claim("c"), "p", "nodeSelector: {disk: ssd},");
        s.begin();
        CHECK(s.at().empty());
        CHECK(s.failures() == Texts{});
        happens(s);
        s.world->clock().run();
        return s.failures();
    };
    auto text = [](const std::string &why) { return Texts{"p: binding volumes: " + why}; };
    CHECK(waiting([](Binding &s) { s.put(volume("v", csi)); }) == text("ClaimRef got reset for pv \"v\""));
    CHECK(waiting([](Binding &s) { s.put(volume("v", csi + "claimRef: {namespace: default, name: c},")); }) ==
          text("ClaimRef got reset for pv \"v\""));
    CHECK(waiting([](Binding &s) { s.remove(volumes, "v"); }) ==
          text("failed to check binding: persistentvolumes \"v\" not found"));
    CHECK(waiting([](Binding &s) { s.remove(claims, "default/c"); }) ==
          text("failed to check binding: persistentvolumeclaims \"default/c\" not found"));
    const std::string taken = "claimRef: {namespace: default, name: c, uid: u-c},";
    CHECK(waiting([&](Binding &s) {
              s.put(volume("v", csi + taken +
                                    "nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: disk, "
                                    "operator: In, values: [hdd]}]}]}},"));
          }) == text("pv \"v\" node affinity doesn't match node \"n\": no matching NodeSelectorTerms"));
    // It is bound: all is well.
    CHECK(waiting([&](Binding &s) {
              s.put(volume("v", csi + taken + on_ssd));
              s.begin();
              CHECK(s.at() == "n");
          }) == Texts{});
}

TEST_CASE("VolumeBinding: what goes wrong while a volume is to be made", "[sim]") {
    const std::string chosen = "annotations: {volume.kubernetes.io/selected-node: n},";
    auto waiting = [](const std::function<void(Binding &)> &happens) {
        Binding s({made, claim("c", of_k, version), volume("v", "")});
        s.api().next(claims, {{}, 200, "{}", {}, 0});  // the provisioner has not heard of it
        s.add(of_claim("c"), "p", "nodeSelector: {disk: ssd},");
        s.begin();
        CHECK(s.at().empty());
        CHECK(s.failures() == Texts{});
        happens(s);
        s.world->clock().run();
        return s.failures();
    };
    auto text = [](const std::string &why) { return Texts{"p: binding volumes: " + why}; };
    CHECK(waiting([](Binding &s) { s.put(claim("c", of_k)); }) == text("selectedNode annotation reset for PVC \"c\""));
    CHECK(waiting([](Binding &s) { s.put(claim("c", of_k, "annotations: {a: b},")); }) ==
          text("provisioning failed for PVC \"c\""));
    CHECK(waiting([](Binding &s) { s.remove(claims, "default/c"); }) ==
          text("failed to check provisioning pvc: persistentvolumeclaims \"default/c\" not found"));
    // The volume that was made cannot be reached from the node.
    CHECK(waiting([&](Binding &s) {
              s.put(volume("w", csi + "nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: disk, "
                                      "operator: In, values: [hdd]}]}]}},"));
              s.put(claim("c", of_k + "volumeName: w,", chosen));
          }) == text("pv \"w\" node affinity doesn't match node \"n\": no matching NodeSelectorTerms"));
    // It is not there yet: that is no fault; then it is, and the claim is bound to it.
    CHECK(waiting([&](Binding &s) {
              s.put(claim("c", of_k + "volumeName: w,", chosen));
              s.begin();
              CHECK(s.at().empty());
              s.put(volume("w", csi + on_ssd + "claimRef: {namespace: default, name: c, uid: u-c},"));
              s.begin();
              CHECK(s.at() == "n");
          }) == Texts{});
}

TEST_CASE("VolumeBinding: a pod waits for its volumes as long as the arguments say", "[sim]") {
    auto limited = [](int seconds) {
        return ", pluginConfig: [{name: VolumeBinding, args: {bindTimeoutSeconds: " + std::to_string(seconds) + "}}]";
    };
    auto unheard = [&](int seconds) {
        auto s = std::make_unique<Binding>(std::vector{class_of(), claim("c", of_k), volume("v", csi, version)},
                                           limited(seconds));
        s->api().next(volumes, {{}, 200, "{}", {}, 0});
        s->add(of_claim("c"));
        s->begin();
        return s;
    };
    const Texts late{"p: binding volumes: context deadline exceeded"};
    CHECK(unheard(0)->failures() == late);
    auto s = unheard(5);
    s->wait(5 * second - 1);
    CHECK(s->failures() == Texts{});
    s->wait(1);
    CHECK(s->failures() == late);
    s->world->run();
    CHECK_FALSE(s->at().empty());
}

TEST_CASE("DefaultBinder: a binding that is refused is tried again, and the words are the server's", "[sim]") {
    for (const int status : {199, 300, 409, 500}) {
        Binding s({});
        s.api().refuse("pods/binding", status, "no");
        s.add("");
        s.world->run();
        CHECK(s.failures() == Texts{"p: running Bind plugin \"DefaultBinder\": no"});
        CHECK_FALSE(s.at().empty());
    }
    // Any other answer of 2xx is a yes.
    for (const int status : {200, 201, 299}) {
        Binding s({});
        s.api().refuse("pods/binding", status, "{}");
        s.add("");
        s.begin();
        CHECK(s.failures() == Texts{});
        CHECK(s.api().count("pods/binding") == 1);
    }
}

TEST_CASE("VolumeBinding: a refusal takes back what was assumed of that version of the volume", "[sim]") {
    Binding s({class_of(), claim("c", of_k, version), claim("d", of_k, version), claim("e", of_k, version),
               volume("v", csi, version)});
    auto comes = [&](const std::string &pod, const std::string &claim) {
        s.add(of_claim(claim), pod);
        s.begin();
        return s.why(pod);
    };
    s.api().next(volumes, {{}, 500, "no", {}, second});
    CHECK(comes("p", "c").empty());
    s.put(volume("v", csi));  // somebody else writes it, so that p's binding cannot go well
    s.api().next(volumes, {{}, 0, {}, {}, 3 * second});
    CHECK(comes("q", "d").empty());
    s.wait(second);
    CHECK(s.failures() == Texts{"p: no"});
    CHECK(comes("r", "e") == "2 node(s) didn't find available persistent volumes to bind.");
    s.wait(3 * second);
    CHECK(s.claim_of("v") == "d");
    CHECK_FALSE(s.at("q").empty());
}
