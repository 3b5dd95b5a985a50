// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// resources of the kinds that change while pods are scheduled.
var resources = map[string]schema.GroupVersionResource{
	"PersistentVolume":      {Version: "v1", Resource: "persistentvolumes"},
	"PersistentVolumeClaim": {Version: "v1", Resource: "persistentvolumeclaims"},
	"ResourceClaim":         {Group: "resource.k8s.io", Version: "v1", Resource: "resourceclaims"},
}

// applyObject brings a change of an object that is neither Node nor Pod into force, and waits until the plugins see it.
func (w *world) applyObject(e *event) error {
	resource, known := resources[e.Kind]
	if !known || e.Type == "Added" && e.Object == nil {
		return nil // The objects of the file are there from the beginning.
	}
	var object runtime.Object
	if e.Object != nil {
		var err error
		if object, err = loadObject(e.Object); err != nil || object == nil {
			return err
		}
	}
	informer, err := w.informers.ForResource(resource)
	if err != nil {
		return err
	}
	tracker := w.client.Tracker()
	switch _, err := tracker.Get(resource, e.Namespace, e.Name); {
	case e.Type == "Deleted":
		if err := tracker.Delete(resource, e.Namespace, e.Name); err != nil {
			return err
		}
	case err != nil:
		if err := tracker.Add(object); err != nil {
			return err
		}
	default:
		if err := tracker.Update(resource, object, e.Namespace); err != nil {
			return err
		}
	}
	version := ""
	if o, err := meta.Accessor(object); err == nil {
		version = o.GetResourceVersion()
	}
	for range 5000 {
		seen, there, _ := informer.Informer().GetStore().GetByKey(keyOf(e.Namespace, e.Name))
		gone := e.Type == "Deleted"
		if (gone && !there || !gone && there && object != nil && sameVersion(seen, object)) && w.devices.see(e, version) {
			return nil
		}
		time.Sleep(time.Millisecond)
	}
	return fmt.Errorf("the informer of %s does not see what became of %s", resource.Resource, keyOf(e.Namespace, e.Name))
}

func sameVersion(seen any, object runtime.Object) bool {
	a, errA := meta.Accessor(seen)
	b, errB := meta.Accessor(object)
	return errA == nil && errB == nil && a.GetResourceVersion() == b.GetResourceVersion()
}
