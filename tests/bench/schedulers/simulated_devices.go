// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// deviceObject is an object of resource.k8s.io with its type in v1, of which v1beta2 differs in nothing; nil for any other.
func deviceObject(object *unstructured.Unstructured) (runtime.Object, error) {
	kind := object.GroupVersionKind()
	if kind.Group != resourcev1.GroupName || kind.Version != "v1" && kind.Version != "v1beta2" {
		return nil, nil
	}
	var typed runtime.Object
	switch kind.Kind {
	case "DeviceClass":
		typed = &resourcev1.DeviceClass{}
	case "ResourceClaim":
		typed = &resourcev1.ResourceClaim{}
	case "ResourceClaimTemplate":
		typed = &resourcev1.ResourceClaimTemplate{}
	case "ResourceSlice":
		typed = &resourcev1.ResourceSlice{}
	default:
		return nil, nil
	}
	object.SetAPIVersion(resourcev1.SchemeGroupVersion.String())
	return typed, runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(object.Object, typed, true)
}

func (in *inventory) addClass(class *resourcev1.DeviceClass) {
	if in.classes == nil {
		in.classes = deviceClasses{}
	}
	in.classes[class.Name] = class
}

func (s *simulated) addSlices(_ context.Context, slices []*resourcev1.ResourceSlice) error {
	s.devices.slices = append(s.devices.slices, slices...)
	return writeAll(s, slices)
}

func (s *simulated) allocateClaims(ctx context.Context, namespace string) error {
	var claims []*resourcev1.ResourceClaim
	for _, claim := range s.held {
		if namespace == "" || claim.Namespace == namespace {
			setDefaults(claim)
			claims = append(claims, claim)
		}
	}
	_, err := s.devices.allocate(ctx, claims)
	return err
}

// setDefaults does what the API server does.
func setDefaults(claim *resourcev1.ResourceClaim) {
	for i := range claim.Spec.Devices.Requests {
		if exact := claim.Spec.Devices.Requests[i].Exactly; exact != nil && exact.AllocationMode == "" {
			exact.AllocationMode, exact.Count = resourcev1.DeviceAllocationModeExactCount, max(exact.Count, 1)
		}
	}
}

// writeClaims writes those that were held back: from now on a pod may use them.
func (s *simulated) writeClaims() error {
	claims := s.held
	s.held = nil
	return writeAll(s, claims)
}

func (s *simulated) createSteadily(context.Context, string, time.Duration, []*corev1.Pod) error {
	return fmt.Errorf("steadyState %w", errNoTime)
}
