// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"
)

// The halves of upstream's PreBind: what it writes, and what it looks at once a second. The real functions, which are not
// exported: a judge cannot wait for real seconds.

//go:linkname bindAPIUpdate k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding.(*volumeBinder).bindAPIUpdate
func bindAPIUpdate(binder unsafe.Pointer, ctx context.Context, pod *v1.Pod, bindings []*volumebinding.BindingInfo, claims []*v1.PersistentVolumeClaim) error

//go:linkname checkBindings k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding.(*volumeBinder).checkBindings
func checkBindings(binder unsafe.Pointer, logger klog.Logger, pod *v1.Pod, bindings []*volumebinding.BindingInfo, claims []*v1.PersistentVolumeClaim) (bool, error)

//go:linkname isPodReadyForBinding k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources.(*DynamicResources).isPodReadyForBinding
func isPodReadyForBinding(plugin *dynamicresources.DynamicResources, state unsafe.Pointer) (bool, error)

//go:linkname isClaimReadyForBinding k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources.(*DynamicResources).isClaimReadyForBinding
func isClaimReadyForBinding(plugin *dynamicresources.DynamicResources, claim *resourceapi.ResourceClaim) (bool, error)

//go:linkname isClaimTimeout k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources.(*DynamicResources).isClaimTimeout
func isClaimTimeout(plugin *dynamicresources.DynamicResources, claim *resourceapi.ResourceClaim) bool

// dataOf is the pointer that an interface value holds.
func dataOf[T any](value T) unsafe.Pointer { return (*[2]unsafe.Pointer)(unsafe.Pointer(&value))[1] }

// ready tells whether what a PreBind plugin waits for has come about, or why it never will.
type ready func() (bool, error)

// volumeBinder is the real one, with the two halves of BindPodVolumes apart.
type volumeBinder struct {
	volumebinding.SchedulerVolumeBinder
	waits ready // of the last BindPodVolumes
}

// GetPodVolumeClaims gives the volumes in the order of their names. Of those of one size upstream takes the first, and has them
// in the order of a Go map; Berth takes the first by name.
func (b *volumeBinder) GetPodVolumeClaims(logger klog.Logger, pod *v1.Pod) (*volumebinding.PodVolumeClaims, error) {
	claims, err := b.SchedulerVolumeBinder.GetPodVolumeClaims(logger, pod)
	if claims != nil {
		field := reflect.ValueOf(claims).Elem().FieldByName("unboundVolumesDelayBinding")
		for _, volumes := range *(*map[string][]*v1.PersistentVolume)(unsafe.Pointer(field.UnsafeAddr())) {
			slices.SortFunc(volumes, func(a, b *v1.PersistentVolume) int { return cmp.Compare(a.Name, b.Name) })
		}
	}
	return claims, err
}

// BindPodVolumes writes, and leaves the waiting to the judge.
func (b *volumeBinder) BindPodVolumes(ctx context.Context, pod *v1.Pod, volumes *volumebinding.PodVolumes) error {
	claims := make([]*v1.PersistentVolumeClaim, 0, len(volumes.DynamicProvisions))
	for _, provision := range volumes.DynamicProvisions {
		claims = append(claims, provision.PVC)
	}
	real := dataOf(b.SchedulerVolumeBinder)
	err := bindAPIUpdate(real, ctx, pod, volumes.StaticBindings, claims)
	if err == nil {
		b.waits = func() (bool, error) {
			return checkBindings(real, klog.FromContext(ctx), pod, volumes.StaticBindings, claims)
		}
	}
	return err
}

// devicesReady looks at what DynamicResources waits for.
func devicesReady(plugin *dynamicresources.DynamicResources, state fwk.CycleState) ready {
	return func() (bool, error) {
		data, err := state.Read(fwk.StateKey(plugin.Name()))
		if err != nil {
			return false, err
		}
		return isPodReadyForBinding(plugin, dataOf(data))
	}
}

// ownClaimsReady looks at the claims that the pod names, as isPodReadyForBinding does, and not at one of extended resources.
func (w *world) ownClaimsReady(plugin *dynamicresources.DynamicResources, pod *v1.Pod) ready {
	return func() (bool, error) {
		for i := range pod.Spec.ResourceClaims {
			name, _, err := resourceclaim.Name(pod, &pod.Spec.ResourceClaims[i])
			if err != nil {
				return false, err
			}
			if name == nil {
				continue
			}
			claim, err := w.devices.manager.ResourceClaims().Get(pod.Namespace, *name)
			if err != nil {
				return false, err
			}
			switch ok, err := isClaimReadyForBinding(plugin, claim); {
			case err != nil:
				return false, err
			case !ok && isClaimTimeout(plugin, claim):
				return false, fmt.Errorf("%w: claim=%s", dynamicresources.ErrDeviceBindingTimeout, claim.Name)
			case !ok:
				return false, nil
			}
		}
		return true, nil
	}
}
