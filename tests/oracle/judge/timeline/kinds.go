// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"strings"

	apps "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	resource "k8s.io/api/resource/v1"
	storage "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// object is what every kind of the API is.
type object interface {
	runtime.Object
	metav1.Object
}

// kind is one that schedulers watch.
type kind struct {
	group, version, resource, name string
	namespaced                     bool
	make                           func() object
}

func kindOf[T any, P interface {
	*T
	object
}](gv schema.GroupVersion, resource, name string, namespaced bool) *kind {
	return &kind{gv.Group, gv.Version, resource, name, namespaced, func() object { return P(new(T)) }}
}

var (
	pods  = kindOf[v1.Pod](v1.SchemeGroupVersion, "pods", "Pod", true)
	nodes = kindOf[v1.Node](v1.SchemeGroupVersion, "nodes", "Node", false)
	// kinds are all of them.
	kinds = []*kind{
		pods, nodes,
		kindOf[v1.Namespace](v1.SchemeGroupVersion, "namespaces", "Namespace", false),
		kindOf[v1.Service](v1.SchemeGroupVersion, "services", "Service", true),
		kindOf[v1.ReplicationController](v1.SchemeGroupVersion, "replicationcontrollers", "ReplicationController", true),
		kindOf[v1.PersistentVolume](v1.SchemeGroupVersion, "persistentvolumes", "PersistentVolume", false),
		kindOf[v1.PersistentVolumeClaim](v1.SchemeGroupVersion, "persistentvolumeclaims", "PersistentVolumeClaim", true),
		kindOf[apps.ReplicaSet](apps.SchemeGroupVersion, "replicasets", "ReplicaSet", true),
		kindOf[apps.StatefulSet](apps.SchemeGroupVersion, "statefulsets", "StatefulSet", true),
		kindOf[policy.PodDisruptionBudget](policy.SchemeGroupVersion, "poddisruptionbudgets", "PodDisruptionBudget", true),
		kindOf[storage.StorageClass](storage.SchemeGroupVersion, "storageclasses", "StorageClass", false),
		kindOf[storage.CSINode](storage.SchemeGroupVersion, "csinodes", "CSINode", false),
		kindOf[storage.CSIDriver](storage.SchemeGroupVersion, "csidrivers", "CSIDriver", false),
		kindOf[storage.CSIStorageCapacity](storage.SchemeGroupVersion, "csistoragecapacities", "CSIStorageCapacity", true),
		kindOf[storage.VolumeAttachment](storage.SchemeGroupVersion, "volumeattachments", "VolumeAttachment", false),
		kindOf[resource.ResourceClaim](resource.SchemeGroupVersion, "resourceclaims", "ResourceClaim", true),
		kindOf[resource.ResourceSlice](resource.SchemeGroupVersion, "resourceslices", "ResourceSlice", false),
		kindOf[resource.DeviceClass](resource.SchemeGroupVersion, "deviceclasses", "DeviceClass", false),
	}
)

func kindByName(name string) *kind {
	for _, k := range kinds {
		if k.name == name {
			return k
		}
	}
	return nil
}

func (k *kind) apiVersion() string {
	if k.group == "" {
		return k.version
	}
	return k.group + "/" + k.version
}

// path is one of an API server: which object is meant, and what of it.
type path struct {
	kind                         *kind
	namespace, name, subresource string
}

// parsePath reads /api/v1/namespaces/NS/RESOURCE/NAME/SUB and its kin; nothing for a path of no known kind.
func parsePath(text string) (path, bool) {
	parts := strings.Split(strings.Trim(text, "/"), "/")
	var p path
	var group, version string
	switch {
	case len(parts) > 2 && parts[0] == "api":
		version, parts = parts[1], parts[2:]
	case len(parts) > 3 && parts[0] == "apis":
		group, version, parts = parts[1], parts[2], parts[3:]
	default:
		return p, false
	}
	if len(parts) > 2 && parts[0] == "namespaces" {
		p.namespace, parts = parts[1], parts[2:]
	}
	for _, k := range kinds {
		if k.group == group && k.version == version && k.resource == parts[0] {
			p.kind = k
		}
	}
	if len(parts) > 1 {
		p.name = parts[1]
	}
	if len(parts) > 2 {
		p.subresource = parts[2]
	}
	return p, p.kind != nil
}

func (k *kind) gvk() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: k.group, Version: k.version, Kind: k.name}
}

func keyOf(o metav1.Object) string { return key(o.GetNamespace(), o.GetName()) }

func key(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}
