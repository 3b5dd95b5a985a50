// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"sync"

	"berth/tests/oracle/judge/release"

	resource "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/dynamic-resource-allocation/deviceclass/extendedresourcecache"
	resourceslicetracker "k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	"k8s.io/kubernetes/pkg/scheduler/util/assumecache"
)

// devices is what the real plugins know of claims and classes: caches of their own behind the informers.
type devices struct {
	manager *dynamicresources.DefaultDRAManager
	slices  *resourceslicetracker.Tracker
	caches  []cache.ResourceEventHandlerRegistration
	heard   sync.Map // namespace/name of a claim → the version that the handlers of the claims' cache have been told of
}

func newDevices(ctx context.Context, client *fake.Clientset, factory informers.SharedInformerFactory) *devices {
	// What PostFilter writes to a claim comes back as an event of the log, if Berth writes the same.
	client.PrependReactor("update", "resourceclaims", func(action clienttesting.Action) (bool, runtime.Object, error) {
		return true, action.(clienttesting.UpdateAction).GetObject(), nil
	})
	client.PrependReactor("delete", "resourceclaims", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, nil
	})
	claims := assumecache.NewAssumeCache(klog.FromContext(ctx), factory.Resource().V1().ResourceClaims().Informer(), "ResourceClaim", "", nil)
	slices, err := release.TrackSlices(ctx, client, factory)
	if err != nil {
		panic(err)
	}
	d := &devices{manager: dynamicresources.NewDRAManager(ctx, claims, slices, factory), slices: slices}
	classes := d.manager.DeviceClassResolver().(*extendedresourcecache.ExtendedResourceCache)
	registration, err := factory.Resource().V1().DeviceClasses().Informer().AddEventHandler(classes)
	if err != nil {
		panic(err)
	}
	// This handler comes after that which keeps account of the devices in use.
	hear := func(object any) {
		claim := object.(*resource.ResourceClaim)
		d.heard.Store(keyOf(claim.Namespace, claim.Name), claim.ResourceVersion)
	}
	d.caches = append(d.caches, registration, claims.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    hear,
		UpdateFunc: func(_, after any) { hear(after) },
		DeleteFunc: func(object any) {
			claim := object.(*resource.ResourceClaim)
			d.heard.Delete(keyOf(claim.Namespace, claim.Name))
		},
	}))
	return d
}

// synced tells whether the caches hold what the informers do.
func (d *devices) synced() bool {
	for _, c := range d.caches {
		if !c.HasSynced() {
			return false
		}
	}
	return d.slices.HasSynced()
}

// givesUpDevices tells whether an event takes the devices of a claim away or a claim of extended resources itself, as PostFilter
// does.
func (w *world) givesUpDevices(e *event) bool {
	if e.Kind != "ResourceClaim" || e.Type == "Added" {
		return false
	}
	before, err := w.devices.manager.ResourceClaims().Get(e.Namespace, e.Name)
	if err != nil {
		return false
	}
	if e.Type == "Deleted" {
		return forExtended(before)
	}
	var after resource.ResourceClaim
	if json.Unmarshal(e.Object, &after) != nil {
		return false
	}
	return before.Status.Allocation != nil && after.Status.Allocation == nil ||
		forExtended(before) && len(before.Finalizers) > 0 && len(after.Finalizers) == 0
}

// forExtended tells whether a claim was made for the extended resources of a pod.
func forExtended(claim *resource.ResourceClaim) bool {
	return claim.Annotations[resource.ExtendedResourceClaimAnnotation] == "true"
}

// see tells whether the caches know what became of an object, if they hold objects of its kind.
func (d *devices) see(e *event, version string) bool {
	if e.Kind != "ResourceClaim" {
		return true
	}
	heard, there := d.heard.Load(keyOf(e.Namespace, e.Name))
	if e.Type == "Deleted" {
		return !there
	}
	return heard == version
}
