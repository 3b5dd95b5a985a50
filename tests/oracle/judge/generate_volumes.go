// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"berth/tests/oracle/judge/release"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/apis/storage"
	storagevalidation "k8s.io/kubernetes/pkg/apis/storage/validation"
)

// Volumes: claims in every state, volumes with affinity and zones, classes, drivers with limits and capacity, and disks that
// pods name themselves.

func init() {
	validators["PersistentVolumeClaim"] = func(o runtime.Object) field.ErrorList {
		claim := o.(*core.PersistentVolumeClaim)
		return validation.ValidatePersistentVolumeClaim(claim, validation.ValidationOptionsForPersistentVolumeClaimCreate())
	}
	validators["PersistentVolume"] = func(o runtime.Object) field.ErrorList {
		volume := o.(*core.PersistentVolume)
		return validation.ValidatePersistentVolume(volume, validation.ValidationOptionsForPersistentVolume(volume, nil))
	}
	validators["StorageClass"] = func(o runtime.Object) field.ErrorList {
		return storagevalidation.ValidateStorageClass(o.(*storage.StorageClass))
	}
	subjects = append(subjects, newVolumes)
}

// volumes is what one case draws of storage.
type volumes struct {
	*generator
	use      float64           // how often a pod has volumes
	serial   int               // of volumes
	claims   map[string][]tree // by namespace
	own      []tree            // claims of ephemeral volumes
	late     []tree            // volumes of those
	attached []string          // volumes by name, for attachments
}

const (
	driverA = "a.csi.example.com"
	driverB = "b.csi.example.com"
)

func newVolumes(g *generator) subject {
	v := &volumes{generator: g, claims: map[string][]tree{}}
	if g.often(aboutVolumes, 0.5) {
		v.use = g.Float64()
	}
	if g.theme == aboutVolumes {
		v.use = 0.6 + 0.4*v.use
	}
	if g.theme == aboutBindings {
		v.use = 0.9
	}
	return subject{
		pod:   v.pod,
		after: v.after,
		args: func(add func(string, tree)) {
			if g.chance(0.1) {
				add("VolumeBinding", tree{"bindTimeoutSeconds": pick(g, 0, 1, 30, 600)})
			}
		},
	}
}

func (v *volumes) claimsAndVolumes() []tree {
	list := v.classes()
	for _, namespace := range []string{"default", "team-a", "team-b"} {
		for i := range v.perNamespace() {
			claim, volume := v.claim(namespace, fmt.Sprintf("data-%d", i))
			if v.theme != aboutBindings && v.chance(0.07) {
				continue
			}
			list = append(list, claim)
			v.claims[namespace] = append(v.claims[namespace], claim)
			if volume != nil {
				list = append(list, volume)
			}
		}
	}
	free := v.IntN(8)
	if v.theme == aboutBindings {
		free += 20
	}
	for range free {
		list = append(list, v.freeVolume())
	}
	return list
}

// perNamespace is how many claims a namespace has: where pods shall find theirs unbound, many.
func (v *volumes) perNamespace() int {
	if v.theme == aboutBindings {
		return 20
	}
	return 6
}

func object(kind, version, namespace, name string, rest tree) tree {
	metadata := tree{"name": name}
	if namespace != "" {
		metadata["namespace"] = namespace
	}
	rest["apiVersion"], rest["kind"], rest["metadata"] = version, kind, metadata
	return rest
}

func (v *volumes) classes() []tree {
	class := func(name, provisioner, mode string, rest tree) tree {
		rest["provisioner"] = provisioner
		if mode != "" {
			rest["volumeBindingMode"] = mode
		}
		return object("StorageClass", "storage.k8s.io/v1", "", name, rest)
	}
	zones := func(key string, values ...any) []any {
		return []any{tree{"matchLabelExpressions": []any{tree{"key": key, "values": values}}}}
	}
	list := []tree{
		class("now", driverA, pick(v.generator, "Immediate", ""), tree{}),
		class("later", driverA, "WaitForFirstConsumer", tree{}),
		class("local", "kubernetes.io/no-provisioner", "WaitForFirstConsumer", tree{}),
		class("zoned", driverA, "WaitForFirstConsumer", tree{"allowedTopologies": zones("topology.kubernetes.io/zone", "z1", "z2")}),
		class("sized", driverB, "WaitForFirstConsumer", tree{}),
		class("disk", "kubernetes.io/gce-pd", "WaitForFirstConsumer", tree{}),
	}
	list = append(list, object("CSIDriver", "storage.k8s.io/v1", "", driverB, tree{"spec": tree{"storageCapacity": v.chance(0.8)}}))
	for i := range v.IntN(5) {
		pool := tree{"storageClassName": pick(v.generator, "sized", "sized", "later")}
		if v.chance(0.9) {
			pool["nodeTopology"] = pick(v.generator, tree{}, tree{"matchLabels": tree{"disk": "ssd"}},
				tree{"matchExpressions": []any{tree{"key": "topology.kubernetes.io/zone", "operator": "In", "values": []any{"z1", "z3"}}}},
				tree{"matchExpressions": []any{tree{"key": "tier", "operator": "Exists"}}})
		}
		if v.chance(0.8) {
			pool["capacity"] = pick(v.generator, "1Gi", "5Gi", "100Gi", "2e9")
		}
		if v.chance(0.3) {
			pool["maximumVolumeSize"] = pick(v.generator, "1Gi", "3Gi", "50Gi")
		}
		if release.CapacityScoreEnds && pool["capacity"] == nil {
			delete(pool, "maximumVolumeSize")
		}
		list = append(list, object("CSIStorageCapacity", "storage.k8s.io/v1", "kube-system", fmt.Sprintf("pool-%d", i), pool))
	}
	return list
}

// claim draws a claim, and its volume if it is bound to one that exists.
func (v *volumes) claim(namespace, name string) (tree, tree) {
	for {
		c, volume := v.drawClaim(namespace, name)
		if text, err := encode(c, false); err == nil && admissibleObject(text) {
			return c, volume
		}
	}
}

func (v *volumes) drawClaim(namespace, name string) (tree, tree) {
	spec := tree{
		"accessModes": pick(v.generator, []any{"ReadWriteOnce"}, []any{"ReadWriteOnce"}, []any{"ReadWriteOnce"}, []any{"ReadWriteOnce"}, []any{"ReadWriteMany"}, []any{"ReadWriteMany", "ReadOnlyMany"}),
		"resources":   tree{"requests": tree{"storage": pick(v.generator, "1Gi", "2Gi", "1.5Gi", "3e9", "10Gi", "1073741824.5")}},
	}
	c := object("PersistentVolumeClaim", "v1", namespace, name, tree{"spec": spec, "status": tree{"phase": "Pending"}})
	metadata := c["metadata"].(tree)
	metadata["uid"] = v.uid()
	metadata["resourceVersion"] = fmt.Sprint(1000 + v.IntN(9000))
	annotations := tree{}
	classes := []string{"now", "later", "later", "local", "local", "zoned", "sized", "disk", "gone", ""}
	if v.theme == aboutVolumes {
		classes = append(classes, "now", "gone", "", "sized", "sized")
	}
	if v.theme == aboutBindings {
		classes = []string{"later", "local", "local", "zoned", "sized", "disk", "disk"}
	}
	switch class := pick(v.generator, classes...); {
	case v.chance(0.05):
	case v.chance(0.05) && !(release.CapacityScoreEnds && class == "sized"):
		annotations["volume.beta.kubernetes.io/storage-class"] = class
	default:
		spec["storageClassName"] = class
	}
	if v.theme != aboutBindings && v.chance(0.15) {
		spec["accessModes"] = []any{"ReadWriteOncePod"}
	}
	if v.chance(0.1) {
		spec["volumeMode"] = pick(v.generator, "Block", "Filesystem")
	}
	if v.chance(0.1) {
		spec["selector"] = tree{"matchLabels": tree{"tier": pick(v.generator, "5", "6")}}
	}
	var volume tree
	switch {
	case v.chance(0.6) && (v.theme != aboutBindings || v.chance(0.1)):
		// So many that none comes twice in a cluster, which no scheduler takes.
		spec["volumeName"] = fmt.Sprintf("bound-%d", v.Int64N(1_000_000_000_000_000))
		annotations["pv.kubernetes.io/bind-completed"] = "yes"
		c["status"] = tree{"phase": "Bound"}
		if v.chance(0.1) {
			c["status"] = tree{"phase": "Lost"}
		} else if !v.chance(0.1) {
			volume = v.volume(spec["volumeName"].(string), c)
		}
	case v.chance(0.05):
		spec["volumeName"] = "not-yet"
	case v.chance(0.15):
		if len(v.nodeNames) > 0 && v.chance(0.9) {
			annotations["volume.kubernetes.io/selected-node"] = pick(v.generator, v.nodeNames...)
		}
	}
	if v.chance(0.05) {
		metadata["deletionTimestamp"], metadata["finalizers"] = "2026-01-01T02:00:00Z", []any{"kubernetes.io/pvc-protection"}
	}
	if len(annotations) > 0 {
		metadata["annotations"] = annotations
	}
	return c, volume
}

// volume draws a volume, bound to a claim if one is given.
func (v *volumes) volume(name string, claim tree) tree {
	for {
		drawn := v.drawVolume(name, claim)
		if text, err := encode(drawn, false); err == nil && admissibleObject(text) {
			v.attached = append(v.attached, name)
			return drawn
		}
	}
}

func (v *volumes) drawVolume(name string, claim tree) tree {
	v.serial++
	spec := tree{
		"capacity":    tree{"storage": pick(v.generator, "1Gi", "2Gi", "5Gi", "20Gi")},
		"accessModes": pick(v.generator, []any{"ReadWriteOnce"}, []any{"ReadWriteOnce", "ReadWriteMany", "ReadOnlyMany"}),
	}
	labels := tree{}
	handle := fmt.Sprintf("vol-%d", v.serial)
	if v.chance(0.15) {
		handle = fmt.Sprintf("vol-%d", v.IntN(6))
	}
	switch pick(v.generator, "csi", "csi", "csi", "csi", "gce", "ebs", "ebs", "hostPath", "cinder", "azure", "portworx", "file") {
	case "gce":
		spec["gcePersistentDisk"] = tree{"pdName": handle}
	case "ebs":
		spec["awsElasticBlockStore"] = tree{"volumeID": pick(v.generator, handle, "aws://z1/"+handle, "aws:///"+handle, "aws://z1/odd", "aws://z1/odd", "aws://z1/odd")}
	case "cinder":
		spec["cinder"] = tree{"volumeID": handle}
	case "azure":
		spec["azureDisk"] = tree{"diskName": handle, "diskURI": "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/disks/" + handle, "kind": pick(v.generator, "Managed", "Managed", "Shared")}
		if spec["azureDisk"].(tree)["kind"] == "Shared" {
			spec["azureDisk"].(tree)["diskURI"] = "https://s.blob.core.windows.net/vhds/" + handle
		}
	case "portworx":
		spec["portworxVolume"] = tree{"volumeID": handle}
	case "file":
		spec["azureFile"] = tree{"secretName": "s", "shareName": handle}
	case "hostPath":
		spec["hostPath"] = tree{"path": "/data/" + handle}
	default:
		spec["csi"] = tree{"driver": pick(v.generator, driverA, driverB, "pd.csi.storage.gke.io"), "volumeHandle": handle}
	}
	zone := pick(v.generator, "topology.kubernetes.io/zone", "topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone")
	if v.chance(0.5) {
		labels[zone] = pick(v.generator, "z1", "z2", "z1__z2", "z2__ z3", "z1__", "us-east1-b__us-east1-c", "us-east1-b__us-west1-c")
	}
	if v.chance(0.1) {
		labels["topology.kubernetes.io/region"] = pick(v.generator, "r1", "r2")
	}
	if v.chance(0.3) {
		labels["tier"] = pick(v.generator, "5", "6")
	}
	for key, value := range labels {
		if value == "z2__ z3" || value == "z1__" {
			// No label value, and yet what the plugin has words for: only in files.
			if !v.chance(v.oddities) {
				labels[key] = "z1__z3"
			}
		}
	}
	if v.chance(0.5) {
		spec["nodeAffinity"] = tree{"required": tree{"nodeSelectorTerms": v.volumeTerms(zone)}}
	}
	if claim != nil {
		metadata := claim["metadata"].(tree)
		claimed := claim["spec"].(tree)
		spec["claimRef"] = tree{"kind": "PersistentVolumeClaim", "apiVersion": "v1", "namespace": metadata["namespace"], "name": metadata["name"], "uid": metadata["uid"]}
		if class, ok := claimed["storageClassName"].(string); ok && class != "" {
			spec["storageClassName"] = class
		}
		spec["accessModes"] = claimed["accessModes"]
	}
	phase := "Available"
	if claim != nil {
		phase = "Bound"
	}
	pv := object("PersistentVolume", "v1", "", name, tree{"spec": spec, "status": tree{"phase": phase}})
	if len(labels) > 0 {
		pv["metadata"].(tree)["labels"] = labels
	}
	pv["metadata"].(tree)["resourceVersion"] = fmt.Sprint(1000 + v.IntN(9000))
	return pv
}

func (v *volumes) volumeTerms(zone string) []any {
	var terms []any
	for range 1 + v.IntN(2) {
		var expressions []any
		if v.chance(0.6) {
			expressions = append(expressions, tree{"key": zone, "operator": "In", "values": pick(v.generator, []any{"z1"}, []any{"z1", "z2"}, []any{"z3"})})
		}
		if v.chance(0.3) {
			expressions = append(expressions, tree{"key": "disk", "operator": pick(v.generator, "Exists", "DoesNotExist")})
		}
		if v.chance(0.2) {
			expressions = append(expressions, tree{"key": "topology.gke.io/zone", "operator": "In", "values": []any{"z1"}})
		}
		if len(v.nodeNames) > 0 && v.chance(0.3) || len(expressions) == 0 {
			name := "nowhere"
			if len(v.nodeNames) > 0 {
				name = pick(v.generator, v.nodeNames...)
			}
			expressions = append(expressions, tree{"key": "kubernetes.io/hostname", "operator": pick(v.generator, "In", "NotIn"), "values": []any{name}})
		}
		term := tree{"matchExpressions": expressions}
		if len(v.nodeNames) > 0 && v.chance(0.1) {
			// Nodes are matched by their labels alone, so this does not count.
			term["matchFields"] = []any{tree{"key": "metadata.name", "operator": "In", "values": []any{pick(v.generator, v.nodeNames...)}}}
		}
		terms = append(terms, term)
	}
	return terms
}

// freeVolume draws one that claims may be bound to.
func (v *volumes) freeVolume() tree {
	pv := v.volume(fmt.Sprintf("free-%d", v.serial), nil)
	spec := pv["spec"].(tree)
	spec["storageClassName"] = pick(v.generator, "local", "local", "later", "zoned", "disk")
	size := fmt.Sprintf("%dMi", 512*(1+v.IntN(40)))
	if v.chance(0.6) {
		size = pick(v.generator, "2Gi", "5Gi", "10Gi") // Several are equal.
	}
	spec["capacity"] = tree{"storage": size}
	switch {
	case v.chance(0.1):
		pv["status"] = tree{"phase": pick(v.generator, "Released", "Pending", "Failed")}
	case v.chance(0.1):
		spec["volumeMode"] = "Block"
	}
	if list := v.claims[pick(v.generator, "default", "team-a")]; len(list) > 0 && v.chance(0.15) {
		metadata := pick(v.generator, list...)["metadata"].(tree)
		ref := tree{"kind": "PersistentVolumeClaim", "apiVersion": "v1", "namespace": metadata["namespace"], "name": metadata["name"]}
		if v.chance(0.3) {
			ref["uid"] = pick(v.generator, metadata["uid"], any("another"))
		}
		spec["claimRef"] = ref
	}
	return pv
}

// pod gives a pod claims, ephemeral volumes and disks of its own.
func (v *volumes) pod(pod tree, placed bool) {
	if !v.chance(v.use) {
		return
	}
	metadata := pod["metadata"].(tree)
	spec := pod["spec"].(tree)
	list, _ := spec["volumes"].([]any)
	kinds := []string{"claim", "claim", "claim", "claim", "disk", "disk", "ephemeral", "csi"}
	if v.theme == aboutBindings {
		kinds = []string{"claim", "claim", "claim", "claim", "ephemeral"}
	}
	if v.theme == aboutVolumes && v.chance(0.4) {
		kinds = []string{pick(v.generator, "disk", "ephemeral", "claim")} // nothing else that may be wrong
	}
	for i := range 1 + v.IntN(3) {
		volume := tree{"name": fmt.Sprintf("v%d", i)}
		switch pick(v.generator, kinds...) {
		case "claim":
			volume["persistentVolumeClaim"] = tree{"claimName": fmt.Sprintf("data-%d", v.IntN(v.perNamespace()+1))}
		case "disk":
			v.disk(volume)
		case "csi":
			volume["csi"] = tree{"driver": pick(v.generator, driverA, driverB)}
		default:
			volume["ephemeral"] = tree{"volumeClaimTemplate": tree{"spec": tree{
				"accessModes": []any{"ReadWriteOnce"}, "resources": tree{"requests": tree{"storage": "1Gi"}}}}}
			v.ephemeral(metadata, volume["name"].(string))
		}
		list = append(list, volume)
	}
	spec["volumes"] = list
}

func (v *volumes) disk(volume tree) {
	readOnly := v.chance(0.5)
	id := pick(v.generator, "1", "2", "3")
	if v.theme == aboutVolumes {
		id = "1"
	}
	kinds := []string{"gce", "ebs", "iscsi", "rbd", "cinder", "azure", "portworx", "vsphere", "file"}
	if v.theme == aboutVolumes && v.chance(0.5) {
		kinds, readOnly = kinds[:4], v.chance(0.2)
	}
	switch pick(v.generator, kinds...) {
	case "gce":
		volume["gcePersistentDisk"] = tree{"pdName": "disk-" + id, "readOnly": readOnly}
	case "ebs":
		volume["awsElasticBlockStore"] = tree{"volumeID": pick(v.generator, "vol-"+id, "vol-"+id, "aws://z1/vol-"+id, "aws://z1/odd"), "readOnly": readOnly}
	case "iscsi":
		volume["iscsi"] = tree{"targetPortal": "10.0.0.1", "iqn": "iqn.2026-01.com.example:" + id, "lun": 0, "readOnly": readOnly}
	case "rbd":
		volume["rbd"] = tree{"monitors": pick(v.generator, []any{"m1"}, []any{"m1", "m2"}, []any{"m2", "m3"}), "image": "i" + id, "readOnly": readOnly,
			// Always given: the API server's default is filled in here for some pods only.
			"pool": pick(v.generator, "rbd", "rbd", "other")}
	case "cinder":
		volume["cinder"] = tree{"volumeID": "vol-" + id}
	case "azure":
		volume["azureDisk"] = tree{"diskName": "d" + id, "diskURI": "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/disks/" + id, "kind": "Managed"}
	case "portworx":
		volume["portworxVolume"] = tree{"volumeID": "vol-" + id}
	case "vsphere":
		volume["vsphereVolume"] = tree{"volumePath": "[ds] " + id}
	default:
		volume["azureFile"] = tree{"secretName": "s", "shareName": id}
	}
}

// ephemeral makes the claim that the controller makes for an ephemeral volume, as a rule.
func (v *volumes) ephemeral(pod tree, volume string) {
	owner := pod["uid"]
	if owner == nil || v.chance(0.15) {
		return
	}
	namespace, _ := pod["namespace"].(string)
	if namespace == "" {
		namespace = "default"
	}
	claim, bound := v.claim(namespace, fmt.Sprintf("%s-%s", pod["name"], volume))
	if v.chance(0.25) {
		owner = "somebody"
	}
	claim["metadata"].(tree)["ownerReferences"] = []any{tree{"apiVersion": "v1", "kind": "Pod", "name": pod["name"], "uid": owner, "controller": true}}
	v.own = append(v.own, claim)
	if bound != nil {
		v.late = append(v.late, bound)
	}
}

// after are all objects of storage: pods name the claims, and many of the objects name nodes.
func (v *volumes) after(items []tree) []tree {
	if v.use == 0 {
		return nil
	}
	pods := map[string]bool{}
	for _, item := range items {
		if item["kind"] == "Pod" {
			pods[item["metadata"].(tree)["name"].(string)] = true
		}
	}
	list := v.claimsAndVolumes()
	seen := map[string]bool{}
	for _, claim := range v.own {
		metadata := claim["metadata"].(tree)
		// Pods that the API server would not have admitted were drawn anew.
		owner := metadata["ownerReferences"].([]any)[0].(tree)["name"].(string)
		key := fmt.Sprint(metadata["namespace"], metadata["name"])
		if pods[owner] && !seen[key] {
			seen[key] = true
			list = append(list, claim)
		}
	}
	list = append(list, v.late...)
	for _, name := range v.nodeNames {
		if v.chance(0.7) {
			list = append(list, v.csiNode(name))
		}
		for v.chance(0.2) && len(v.attached) > 0 {
			v.serial++
			list = append(list, object("VolumeAttachment", "storage.k8s.io/v1", "", fmt.Sprintf("attachment-%d", v.serial), tree{"spec": tree{
				"attacher": pick(v.generator, driverA, driverB), "nodeName": name, "source": tree{"persistentVolumeName": pick(v.generator, v.attached...)}}}))
		}
	}
	return list
}

func (v *volumes) csiNode(name string) tree {
	var drivers []any
	for _, driver := range []string{driverA, driverB, "pd.csi.storage.gke.io", "ebs.csi.aws.com", "cinder.csi.openstack.org", "disk.csi.azure.com", "pxd.portworx.com"} {
		if !v.chance(0.5) && v.theme != aboutVolumes {
			continue
		}
		d := tree{"name": driver, "nodeID": name, "topologyKeys": nil}
		if v.chance(0.7) {
			d["allocatable"] = tree{"count": pick(v.generator, 0, 1, 1, 2, 3, 10)}
		}
		drivers = append(drivers, d)
	}
	node := object("CSINode", "storage.k8s.io/v1", "", name, tree{"spec": tree{"drivers": drivers}})
	if drivers == nil {
		node["spec"] = tree{"drivers": []any{}}
	}
	if v.chance(0.5) {
		node["metadata"].(tree)["annotations"] = tree{"storage.alpha.kubernetes.io/migrated-plugins": pick(v.generator,
			"kubernetes.io/gce-pd,kubernetes.io/aws-ebs,kubernetes.io/cinder,kubernetes.io/azure-disk,kubernetes.io/portworx-volume",
			"kubernetes.io/gce-pd", "kubernetes.io/aws-ebs,kubernetes.io/vsphere-volume", "")}
	}
	return node
}
