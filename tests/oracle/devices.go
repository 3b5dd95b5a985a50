// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"

	"berth/tests/oracle/timeline"

	v1 "k8s.io/api/core/v1"
	resource "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/dynamic-resource-allocation/deviceclass/extendedresourcecache"
	resourceslicetracker "k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	"k8s.io/kubernetes/pkg/scheduler/util/assumecache"
)

// withoutExtended is the real DynamicResources, with Berth's words.
type withoutExtended struct {
	*dynamicresources.DynamicResources
	classes fwk.DeviceClassResolver
}

func (w withoutExtended) Filter(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	return timeline.InBerthsWords(w.DynamicResources.Filter(ctx, state, pod, node), w.classes, pod, node)
}

// devices is what the real plugins know of claims and classes: caches of their own behind the informers.
type devices struct {
	manager *dynamicresources.DefaultDRAManager
	caches  []cache.ResourceEventHandlerRegistration
}

func newDevices(ctx context.Context, client *fake.Clientset, factory informers.SharedInformerFactory) *devices {
	// What PostFilter writes to a claim comes back as an event of the log, if Berth writes the same.
	client.PrependReactor("update", "resourceclaims", func(action clienttesting.Action) (bool, runtime.Object, error) {
		return true, action.(clienttesting.UpdateAction).GetObject(), nil
	})
	claims := assumecache.NewAssumeCache(klog.FromContext(ctx), factory.Resource().V1().ResourceClaims().Informer(), "ResourceClaim", "", nil)
	slices, err := resourceslicetracker.StartTracker(ctx, resourceslicetracker.Options{
		SliceInformer: factory.Resource().V1().ResourceSlices(),
		KubeClient:    client,
	})
	if err != nil {
		panic(err)
	}
	d := &devices{manager: dynamicresources.NewDRAManager(ctx, claims, slices, factory)}
	classes := d.manager.DeviceClassResolver().(*extendedresourcecache.ExtendedResourceCache)
	registration, err := factory.Resource().V1().DeviceClasses().Informer().AddEventHandler(classes)
	if err != nil {
		panic(err)
	}
	d.caches = append(d.caches, registration, claims.AddEventHandler(cache.ResourceEventHandlerFuncs{}))
	return d
}

// synced tells whether the caches hold what the informers do.
func (d *devices) synced() bool {
	for _, c := range d.caches {
		if !c.HasSynced() {
			return false
		}
	}
	return true
}

// givesUpDevices tells whether an event takes the devices of a claim away, as PostFilter does.
func (w *world) givesUpDevices(e *event) bool {
	if e.Kind != "ResourceClaim" || e.Type != "Modified" {
		return false
	}
	before, err := w.devices.manager.ResourceClaims().Get(e.Namespace, e.Name)
	if err != nil || before.Status.Allocation == nil {
		return false
	}
	var after resource.ResourceClaim
	return json.Unmarshal(e.Object, &after) == nil && after.Status.Allocation == nil
}

// see tells whether the caches hold an object in this version, if they hold objects of its kind.
func (d *devices) see(object runtime.Object) bool {
	claim, ok := object.(*resource.ResourceClaim)
	if !ok {
		return true
	}
	seen, err := d.manager.ResourceClaims().Get(claim.Namespace, claim.Name)
	return err == nil && sameVersion(seen, claim)
}
