// SPDX-License-Identifier: Apache-2.0

// Protobuf knows how Kubernetes writes its objects in protobuf and in JSON. `protobuf schema` writes the tables by which
// Berth reads the one as the other; `protobuf objects` makes random objects in both for the test of them.
package main

import (
	"flag"
	"fmt"
	"os"
	"reflect"

	apps "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	dra "k8s.io/api/resource/v1"
	scheduling "k8s.io/api/scheduling/v1"
	storage "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

type kind struct {
	version schema.GroupVersion
	object  runtime.Object
}

func (k kind) kind() string { return reflect.TypeOf(k.object).Elem().Name() }

// kinds are those that a scheduler watches. A server speaks JSON about any other.
var kinds = []kind{
	{v1.SchemeGroupVersion, &v1.Pod{}},
	{v1.SchemeGroupVersion, &v1.Node{}},
	{v1.SchemeGroupVersion, &v1.Namespace{}},
	{v1.SchemeGroupVersion, &v1.Service{}},
	{v1.SchemeGroupVersion, &v1.ReplicationController{}},
	{v1.SchemeGroupVersion, &v1.PersistentVolume{}},
	{v1.SchemeGroupVersion, &v1.PersistentVolumeClaim{}},
	{apps.SchemeGroupVersion, &apps.ReplicaSet{}},
	{apps.SchemeGroupVersion, &apps.StatefulSet{}},
	{policy.SchemeGroupVersion, &policy.PodDisruptionBudget{}},
	{scheduling.SchemeGroupVersion, &scheduling.PriorityClass{}},
	{storage.SchemeGroupVersion, &storage.StorageClass{}},
	{storage.SchemeGroupVersion, &storage.CSINode{}},
	{storage.SchemeGroupVersion, &storage.CSIDriver{}},
	{storage.SchemeGroupVersion, &storage.CSIStorageCapacity{}},
	{storage.SchemeGroupVersion, &storage.VolumeAttachment{}},
	{dra.SchemeGroupVersion, &dra.ResourceClaim{}},
	{dra.SchemeGroupVersion, &dra.ResourceSlice{}},
	{dra.SchemeGroupVersion, &dra.DeviceClass{}},
}

func main() {
	n := flag.Int("n", 1000, "number of random objects of each kind")
	seed := flag.Int64("seed", 1, "their seed")
	flag.Parse()
	var err error
	switch flag.Arg(0) {
	case "schema":
		err = writeSchema(os.Stdout)
	case "objects":
		err = writeObjects(os.Stdout, *n, *seed)
	default:
		err = fmt.Errorf("usage: protobuf [-n N] [-seed N] schema|objects")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "protobuf:", err)
		os.Exit(2)
	}
}
