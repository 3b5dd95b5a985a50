// SPDX-License-Identifier: Apache-2.0

// What VolumeZone, VolumeRestrictions, NodeVolumeLimits and VolumeBinding say of pods with volumes, in upstream's
// words.

#include "storage_world.h"

using namespace storage_world;

namespace {

const std::string csi = "csi: {driver: a.csi.example.com, volumeHandle: h},";
std::string csi_with(const std::string &handle) {
    return "csi: {driver: a.csi.example.com, volumeHandle: " + handle + "},";
}
sim::InputObject csi_node(const std::string &name, const std::string &count, const std::string &meta = "") {
    return object("{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {" + meta + " name: " + name +
                  "}, spec: {drivers: [{name: a.csi.example.com, nodeID: n, allocatable: {count: " + count + "}}]}}");
}

}  // namespace

TEST_CASE("VolumeZone: the volume's zone labels and the node's agree", "[sim]") {
    auto run = [](const std::string &labels, const std::string &of_volume) {
        return Storage({labelled("n", labels)}, {with_volumes("p", of_claim("c"))},
                       {bound_claim("c", "v"), volume("v", csi, "labels: {" + of_volume + "},")});
    };
    const std::string zone = "topology.kubernetes.io/zone: ", old = "failure-domain.beta.kubernetes.io/zone: ";
    CHECK(run("", zone + "a").at() == "n");  // a node without any such label takes all
    CHECK(run(zone + "a", zone + "a").at() == "n");
    CHECK(run(zone + "a", zone + "b").why() == "1 node(s) had no available volume zone.");
    CHECK(run(zone + "b", zone + "a__b").at() == "n");
    CHECK(run(zone + "a", old + "a").at() == "n");  // the old name of the volume's label meets the node's new one
    CHECK(run(old + "a", zone + "a").why() == "1 node(s) had no available volume zone.");
    CHECK(run(zone + "c", zone + "a____b").at() == "n");  // a label that is none does not count
    CHECK(run("topology.kubernetes.io/region: r", zone + "a").why() == "1 node(s) had no available volume zone.");
}

TEST_CASE("VolumeZone: a pod is tried again when a volume comes, or one's zone changes", "[sim]") {
    const auto in = [](const std::string &zone) {
        return volume("v", csi, "labels: {topology.kubernetes.io/zone: " + zone + "},");
    };
    const auto b = in("b"), c = in("c"), a = in("a");
    Storage s({labelled("n", "topology.kubernetes.io/zone: a")}, {with_volumes("p", of_claim("c"))},
              {bound_claim("c", "v"), b});
    CHECK_FALSE(s.woken_by(b, &b));
    CHECK(s.woken_by(volume("w", csi)));
    CHECK(s.woken_by(c, &b));
    CHECK(s.at().empty());
    CHECK(s.woken_by(a, &c));
    CHECK(s.at() == "n");
}

TEST_CASE("VolumeRestrictions: disks for one pod, and claims of ReadWriteOncePod", "[sim]") {
    auto run = [](const std::string &there, const std::string &mine) {
        return Storage({node("n")}, {with_volumes("q", there, "nodeName: n,"), with_volumes("p", mine)}, {}).why();
    };
    const std::string taken = "1 node(s) had no available disk.",
                      gce = "{name: a, gcePersistentDisk: {pdName: d, readOnly: ";
    CHECK(run(gce + "false}}", gce + "true}}") == taken);
    CHECK(run(gce + "true}}", gce + "true}}").empty());
    const std::string ebs = "{name: a, awsElasticBlockStore: {volumeID: v, readOnly: true}}";
    CHECK(run(ebs, ebs) == taken);
    auto rbd = [](const std::string &monitors, const std::string &more) {
        return "{name: a, rbd: {monitors: [" + monitors + "], image: i" + more + "}}";
    };
    CHECK(run(rbd("m1, m2", ""), rbd("m2, m3", ", pool: rbd")) == taken);
    CHECK(run(rbd("m1, m2", ""), rbd("m3", "")).empty());
    CHECK(run(rbd("m1", ""), rbd("m1", ", pool: p")).empty());
    const std::string iscsi = "{name: a, iscsi: {iqn: q, targetPortal: t, lun: 0, readOnly: ";
    CHECK(run(iscsi + "true}}", iscsi + "false}}") == taken);
    CHECK(run(iscsi + "true}}", iscsi + "true}}").empty());

    auto claims = {bound_claim("c", "v", "accessModes: [ReadWriteOncePod],"), volume("v", csi)};
    CHECK(Storage({node("n"), node("m")},
                  {with_volumes("q", of_claim("c"), "nodeName: n,"), with_volumes("p", of_claim("c"))}, claims)
              .why() ==
          "2 node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already "
          "in-use by another pod.");
    CHECK(Storage({node("n")}, {with_volumes("p", of_claim("c"))}, claims).at() == "n");
}

TEST_CASE("NodeVolumeLimits: unique volumes of pods, of attachments and of the pod itself", "[sim]") {
    auto run = [](const std::string &count, const std::string &mine, std::vector<sim::InputObject> more = {}) {
        std::vector<sim::InputObject> objects{csi_node("n", count), bound_claim("c1", "v1"),
                                              volume("v1", csi_with("h1")), bound_claim("c2", "v2"),
                                              volume("v2", csi_with("h2"))};
        objects.insert(objects.end(), more.begin(), more.end());
        return Storage({node("n")}, {with_volumes("q", of_claim("c1"), "nodeName: n,"), with_volumes("p", mine)},
                       objects)
            .why();
    };
    const std::string full = "1 node(s) exceed max volume count.";
    CHECK(run("1", of_claim("c2")) == full);
    CHECK(run("2", of_claim("c2")).empty());
    CHECK(run("1", of_claim("c1")).empty());  // it is attached already
    auto attachment = [](const std::string &name, const std::string &of) {
        return object("{apiVersion: storage.k8s.io/v1, kind: VolumeAttachment, metadata: {name: " + name +
                      "}, spec: {attacher: a.csi.example.com, nodeName: n, source: {persistentVolumeName: " + of +
                      "}}}");
    };
    CHECK(run("2", of_claim("c2"), {attachment("a", "v1")}).empty());
    CHECK(run("2", of_claim("c2"), {attachment("a", "v3"), volume("v3", csi_with("h3"))}) == full);
    // Upstream counts the pod's own volume a second time while it is attached and nobody uses it.
    CHECK(run("2", of_claim("c2"), {attachment("a", "v2")}) == full);
}

TEST_CASE("NodeVolumeLimits: a pod is tried again when a limit grows, or a driver comes with one", "[sim]") {
    const auto limits = [](const std::string &drivers) {
        return object("{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: n}, spec: {drivers: [" +
                      drivers + "]}}");
    };
    const std::string one = "{name: a.csi.example.com, nodeID: n, allocatable: {count: 1}}",
                      two = "{name: a.csi.example.com, nodeID: n, allocatable: {count: 2}}",
                      other = "{name: b.csi.example.com, nodeID: n, allocatable: {count: 1}}";
    const auto now = limits(one), more = limits(two), beside = limits(one + ", " + other);
    Storage s({node("n")}, {with_volumes("q", of_claim("c1"), "nodeName: n,"), with_volumes("p", of_claim("c2"))},
              {now, bound_claim("c1", "v1"), volume("v1", csi_with("h1")), bound_claim("c2", "v2"),
               volume("v2", csi_with("h2"))});
    CHECK_FALSE(s.woken_by(now, &now));
    CHECK_FALSE(s.woken_by(now, &beside));
    CHECK(s.woken_by(beside, &now));
    CHECK(s.at().empty());
    CHECK(s.woken_by(more, &now));
    CHECK(s.at() == "n");
}

TEST_CASE("NodeVolumeLimits: a pod is tried again when a volume is detached that may be of its driver", "[sim]") {
    const auto detached = object(
        "{apiVersion: storage.k8s.io/v1, kind: VolumeAttachment, metadata: {name: a}, spec: "
        "{attacher: ebs.csi.aws.com, nodeName: n, source: {persistentVolumeName: v}}}");
    auto woken = [&](const std::string &volume_id) {
        // The claim of the first volume is not there.
        Storage s(
            {node("n")},
            {with_volumes("p", "{name: a, ephemeral: {volumeClaimTemplate: {spec: {}}}}, {name: b, " + volume_id)},
            {csi_node("n", "2")}, ", plugins: {multiPoint: {disabled: [{name: VolumeBinding}]}}");
        return s.woken_by({detached.kind, nullptr}, &detached);
    };
    CHECK(woken("awsElasticBlockStore: {volumeID: vol-1}}"));
    CHECK_FALSE(woken("cinder: {volumeID: vol-1}}"));
    CHECK(woken("awsElasticBlockStore: {volumeID: 'aws://z1/odd'}}"));  // which is an error there
    CHECK_FALSE(woken("emptyDir: {}}"));
}

TEST_CASE("NodeVolumeLimits: in-tree volumes count for their driver where there is a CSINode", "[sim]") {
    auto run = [](const std::string &source, bool csi_node_there) {
        std::vector<sim::InputObject> objects;
        if (csi_node_there)
            objects.push_back(
                object("{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: n}, spec: {drivers: "
                       "[{name: ebs.csi.aws.com, nodeID: n, allocatable: {count: 0}}, {name: "
                       "pd.csi.storage.gke.io, nodeID: n, allocatable: {count: 0}}]}}"));
        return Storage({node("n")}, {with_volumes("p", "{name: a, " + source + "}")}, objects).why();
    };
    const std::string full = "1 node(s) exceed max volume count.", ebs = "awsElasticBlockStore: {volumeID: ";
    CHECK(run(ebs + "vol-1}", true) == full);
    CHECK(run(ebs + "vol-1}", false).empty());
    CHECK(run("gcePersistentDisk: {pdName: d}", true) == full);
    CHECK(run("azureFile: {shareName: s, secretName: s}", true).empty());
    CHECK(run(ebs + "'aws:///vol-1'}", true) == full);  // in no zone
    CHECK(run(ebs + "'aws://z/odd'}", true) ==
          "converting volume(a) from inline to csi: failed to translate Kubernetes ID to EBS Volume ID Invalid format "
          "for "
          "AWS volume (aws://z/odd)");
    CHECK(run(ebs + "'aws://z/odd'}", false).empty());  // nobody asks for its handle
}

TEST_CASE("VolumeBinding: claims that the pod must wait for", "[sim]") {
    auto run = [](const std::string &volumes, std::vector<sim::InputObject> objects) {
        return Storage({node("n")}, {with_volumes("p", volumes)}, std::move(objects)).why();
    };
    CHECK(run("{name: d, ephemeral: {volumeClaimTemplate: {spec: {}}}}", {}) ==
          "waiting for ephemeral volume controller to create the persistentvolumeclaim \"p-d\".");
    CHECK(run("{name: d, ephemeral: {volumeClaimTemplate: {spec: {}}}}", {claim("p-d", "")}) ==
          "PVC default/p-d was not created for pod default/p (pod is not owner).");
    CHECK(run(of_claim("c"), {claim("c", "volumeName: v,", "", "phase: Lost")}) ==
          "persistentvolumeclaim \"c\" bound to non-existent persistentvolume \"v\".");
    CHECK(run(of_claim("c"), {claim("c", "", "deletionTimestamp: '2026-01-01T00:00:00Z',")}) ==
          "persistentvolumeclaim \"c\" is being deleted.");
    CHECK(run(of_claim("c"), {claim("c", "storageClassName: now,"), storage_class("now", "Immediate")}) ==
          "pod has unbound immediate PersistentVolumeClaims.");
    // Prebound by the user, and not bound yet.
    CHECK(run(of_claim("c"), {claim("c", "storageClassName: later, volumeName: v,"),
                              storage_class("later", "WaitForFirstConsumer"), volume("v", csi)}) ==
          "pod has unbound immediate PersistentVolumeClaims.");
}

TEST_CASE("VolumeBinding: bound volumes are reached from the node, and exist", "[sim]") {
    auto run = [](const std::string &spec) {
        return Storage({labelled("n", "disk: ssd")}, {with_volumes("p", of_claim("c"))},
                       {bound_claim("c", "v"), volume("v", csi + spec)});
    };
    auto affinity = [](const std::string &term) {
        return "nodeAffinity: {required: {nodeSelectorTerms: [{" + term + "}]}},";
    };
    CHECK(run(affinity("matchExpressions: [{key: disk, operator: In, values: [ssd]}]")).at() == "n");
    CHECK(run(affinity("matchExpressions: [{key: disk, operator: In, values: [hdd]}]")).why() ==
          "1 node(s) didn't match PersistentVolume's node affinity.");
    // Upstream asks about a node that has labels and nothing else, so that fields never count.
    CHECK(run(affinity("matchFields: [{key: metadata.name, operator: In, values: [m]}]")).at() == "n");
    CHECK(Storage({node("n")}, {with_volumes("p", of_claim("c"))}, {bound_claim("c", "gone")}).why() ==
          "persistentvolume \"gone\" not found.");  // VolumeZone's words, at PreFilter
}

TEST_CASE("VolumeBinding: an in-tree volume is looked for in the driver's labels where the driver took over", "[sim]") {
    auto run = [](const std::string &labels, const std::string &migrated) {
        return Storage(
                   {labelled("n", labels)}, {with_volumes("p", of_claim("c"))},
                   {bound_claim("c", "v"),
                    volume("v",
                           "gcePersistentDisk: {pdName: d}, nodeAffinity: {required: {nodeSelectorTerms: "
                           "[{matchExpressions: [{key: topology.kubernetes.io/zone, operator: In, values: [a]}]}]}},"),
                    csi_node("n", "5",
                             "annotations: {storage.alpha.kubernetes.io/migrated-plugins: '" + migrated + "'},")})
            .at();
    };
    CHECK(run("topology.kubernetes.io/zone: a", "") == "n");
    CHECK(run("topology.gke.io/zone: a", "").empty());
    CHECK(run("topology.gke.io/zone: a", "kubernetes.io/cinder,kubernetes.io/gce-pd") == "n");
    CHECK(run("topology.kubernetes.io/zone: a", "kubernetes.io/gce-pd").empty());
    // A region is renamed where it has values.
    auto in_region = [](const std::string &term) {
        const std::string a = "key: failure-domain.beta.kubernetes.io/zone, operator: In, values: [a]";
        return Storage({labelled("n", "topology.gke.io/zone: a, topology.kubernetes.io/region: r")},
                       {with_volumes("p", of_claim("c"))},
                       {bound_claim("c", "v"),
                        volume("v",
                               "gcePersistentDisk: {pdName: d}, nodeAffinity: {required: {nodeSelectorTerms: "
                               "[{matchExpressions: [{" +
                                   a + "}, {key: failure-domain.beta.kubernetes.io/region, " + term + "}]}]}},"),
                        csi_node("n", "5",
                                 "annotations: {storage.alpha.kubernetes.io/migrated-plugins: kubernetes.io/gce-pd},")})
            .at();
    };
    CHECK(in_region("operator: In, values: [r]") == "n");
    CHECK(in_region("operator: In, values: [s]").empty());
    CHECK(in_region("operator: Exists").empty());
    // A volume without affinity is where its label says; the old label counts if there is no new one.
    auto labelled_only = [](const std::string &labels) {
        return Storage(
                   {labelled("n", "topology.gke.io/zone: b")}, {with_volumes("p", of_claim("c"))},
                   {bound_claim("c", "v"), volume("v", "gcePersistentDisk: {pdName: d},", "labels: {" + labels + "},"),
                    csi_node("n", "5",
                             "annotations: {storage.alpha.kubernetes.io/migrated-plugins: kubernetes.io/gce-pd},")},
                   ", plugins: {multiPoint: {disabled: [{name: VolumeZone}]}}")
            .at();
    };
    const std::string zone = "topology.kubernetes.io/zone: ", old = "failure-domain.beta.kubernetes.io/zone: ";
    CHECK(labelled_only(old + "b") == "n");
    CHECK(labelled_only(old + "a").empty());
    CHECK(labelled_only(zone + "b, " + old + "a") == "n");
    CHECK(labelled_only(zone + "a, " + old + "b").empty());
    // Of a disk in several zones the driver wants the region.
    Storage s(
        {labelled("n", "")}, {with_volumes("p", of_claim("c"))},
        {bound_claim("c", "v"),
         volume("v", "gcePersistentDisk: {pdName: d},", "labels: {failure-domain.beta.kubernetes.io/zone: a__b},"),
         csi_node("n", "5", "annotations: {storage.alpha.kubernetes.io/migrated-plugins: kubernetes.io/gce-pd},")},
        ", plugins: {multiPoint: {disabled: [{name: VolumeZone}, {name: NodeVolumeLimits}]}}");
    CHECK(s.world->message("p") ==
          "running \"VolumeBinding\" filter plugin: could not translate pv: failed to get region from zones: zone in "
          "unexpected format, expected: {locale}-{region}-{zone}, got: a");
}

TEST_CASE("VolumeBinding: what finds no volume and can have none made", "[sim]") {
    auto run = [](std::vector<sim::InputObject> objects, const std::string &spec = "storageClassName: k,",
                  const std::string &meta = "") {
        objects.push_back(claim("c", "accessModes: [ReadWriteOnce], " + spec, meta));
        return Storage({labelled("n", "disk: ssd")}, {with_volumes("p", of_claim("c"))}, std::move(objects)).why();
    };
    const std::string none = "1 node(s) didn't find available persistent volumes to bind.";
    const std::string local = "kubernetes.io/no-provisioner", wait = "WaitForFirstConsumer";
    CHECK(run({storage_class("k", wait, local)}) == none);
    const std::string of_k = csi + "storageClassName: k,";
    CHECK(run({storage_class("k", wait, local), volume("v", of_k + "volumeMode: Block,")}) == none);
    CHECK(run({storage_class("k", wait, local), volume("v", csi + "storageClassName: other,")}) == none);
    CHECK(run({storage_class("k", wait, local), volume("v", of_k + "claimRef: {namespace: default, name: d},")}) ==
          none);
    CHECK(run({storage_class("k", wait, local), volume("v", of_k)},
              "storageClassName: k, selector: {matchLabels: {tier: gold}},") == none);
    CHECK(run({storage_class("k", wait, local), volume("v", of_k)},
              "storageClassName: k, volumeAttributesClassName: x,") == none);
    // A volume that names this claim is bound to it by the volume controller, reachable or not.
    CHECK(
        run({storage_class("k", wait, local), volume("w", of_k),
             volume("v", of_k + "claimRef: {namespace: default, name: c}, nodeAffinity: {required: {nodeSelectorTerms: "
                                "[{matchExpressions: [{key: disk, operator: DoesNotExist}]}]}},")}) ==
        "1 node(s) didn't match PersistentVolume's node affinity.");
    CHECK(run({storage_class("k", wait)}, "storageClassName: k,",
              "annotations: {volume.kubernetes.io/selected-node: m},") == none);
    CHECK(run({storage_class("k", wait, "a.csi.example.com",
                             "allowedTopologies: [{matchLabelExpressions: [{key: disk, values: [hdd]}]}],")}) == none);
}

TEST_CASE("VolumeBinding: the storage that a driver says is left", "[sim]") {
    auto run = [](const std::string &capacity, const std::string &opted = "true") {
        return Storage(
                   {labelled("n", "disk: ssd")}, {with_volumes("p", of_claim("c"))},
                   {claim("c", "accessModes: [ReadWriteOnce], storageClassName: k,"),
                    storage_class("k", "WaitForFirstConsumer"),
                    object(
                        "{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: a.csi.example.com}, spec: "
                        "{storageCapacity: " +
                        opted + "}}"),
                    object("{apiVersion: storage.k8s.io/v1, kind: CSIStorageCapacity, metadata: {namespace: s, name: "
                           "x}, storageClassName: k, " +
                           capacity + "}")})
            .why();
    };
    const std::string full = "1 node(s) did not have enough free storage.",
                      here = "nodeTopology: {matchLabels: {disk: ssd}}";
    CHECK(run("capacity: 1Gi, " + here) == full);
    CHECK(run("capacity: 1Gi, " + here, "false").empty());
    CHECK(run("capacity: 2Gi, " + here).empty());
    CHECK(run("capacity: 9Gi, maximumVolumeSize: 1Gi, " + here) == full);
    CHECK(run("capacity: 9Gi") == full);
    CHECK(run(here) == full);
    CHECK(run("capacity: 9Gi, nodeTopology: {}").empty());
    CHECK(run("capacity: 9Gi, nodeTopology: {matchLabels: {disk: hdd}}") == full);
    // A selector that is none is not the nodes' that it would mean.
    CHECK(run("capacity: 9Gi, nodeTopology: {matchExpressions: [{key: disk, operator: NotIn}]}") == full);
}

TEST_CASE("volumes: what wakes a pod that waits for its claim", "[sim]") {
    Storage s({node("n")}, {with_volumes("p", of_claim("c"))}, {storage_class("now", "Immediate")});
    CHECK(s.why() == "persistentvolumeclaim \"c\" not found.");
    CHECK_FALSE(s.woken_by(claim("d", "storageClassName: now,")));
    CHECK_FALSE(
        s.woken_by(object("{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {namespace: other, name: c, "
                          "uid: u-other}, spec: {storageClassName: now, resources: {requests: {storage: 2Gi}}}, "
                          "status: {phase: Pending}}")));
    auto unbound = claim("c", "storageClassName: now,");
    CHECK(s.woken_by(unbound));
    CHECK(s.why() == "pod has unbound immediate PersistentVolumeClaims.");
    CHECK(s.woken_by(volume("v", csi)));
    CHECK(s.woken_by(bound_claim("c", "v"), &unbound));
    CHECK(s.at() == "n");
}
