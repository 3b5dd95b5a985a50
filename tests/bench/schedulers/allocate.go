// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
)

// inventory is what upstream's allocator decides by.
type inventory struct {
	nodes   []*corev1.Node
	slices  []*resourcev1.ResourceSlice
	classes deviceClasses
}

// deviceClasses are by name.
type deviceClasses map[string]*resourcev1.DeviceClass

func (d deviceClasses) List() (all []*resourcev1.DeviceClass, err error) {
	for _, class := range d {
		all = append(all, class)
	}
	return all, nil
}

func (d deviceClasses) Get(name string) (*resourcev1.DeviceClass, error) {
	if class := d[name]; class != nil {
		return class, nil
	}
	return nil, fmt.Errorf("there is no DeviceClass %s", name)
}

// onByDefault are kube-scheduler's own.
var onByDefault = structured.Features{AdminAccess: true, PrioritizedList: true, PartitionableDevices: true, DeviceTaints: true, ConsumableCapacity: true}

// allocate lets upstream's allocator choose devices for each claim that has none, on nodes in a random order, which is the same in
// each run of the bench. It returns the claims that have devices now.
func (in inventory) allocate(ctx context.Context, claims []*resourcev1.ResourceClaim) (allocated []*resourcev1.ResourceClaim, err error) {
	taken := structured.AllocatedState{AllocatedDevices: sets.New[structured.DeviceID](),
		AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](), AggregatedCapacity: structured.NewConsumedCapacityCollection()}
	for _, claim := range claims {
		take(&taken, claim.Status.Allocation)
	}
	compiled := cel.NewCache(10, cel.Features{EnableConsumableCapacity: true})
	random := rand.New(rand.NewPCG(1, 1))
	for _, claim := range claims {
		if claim.Status.Allocation != nil {
			continue
		}
		allocator, err := structured.NewAllocator(ctx, onByDefault, taken, in.classes, in.slices, compiled)
		if err != nil {
			return nil, err
		}
		random.Shuffle(len(in.nodes), func(i, j int) { in.nodes[i], in.nodes[j] = in.nodes[j], in.nodes[i] })
		if claim.Status.Allocation, err = in.firstFit(ctx, allocator, claim); err != nil {
			return nil, fmt.Errorf("claim %s/%s: %w", claim.Namespace, claim.Name, err)
		}
		take(&taken, claim.Status.Allocation)
		allocated = append(allocated, claim)
	}
	return allocated, nil
}

func (in inventory) firstFit(ctx context.Context, allocator structured.Allocator, claim *resourcev1.ResourceClaim) (*resourcev1.AllocationResult, error) {
	for _, node := range in.nodes {
		found, err := allocator.Allocate(ctx, node, []*resourcev1.ResourceClaim{claim})
		if err != nil {
			return nil, err
		}
		if len(found) > 0 {
			return &found[0], nil
		}
	}
	return nil, fmt.Errorf("none of %d nodes has devices for it", len(in.nodes))
}

// take marks devices as used.
func take(taken *structured.AllocatedState, allocation *resourcev1.AllocationResult) {
	if allocation == nil {
		return
	}
	for _, one := range allocation.Devices.Results {
		id := structured.MakeDeviceID(one.Driver, one.Pool, one.Device)
		taken.AllocatedDevices.Insert(id)
		if one.ShareID == nil {
			continue
		}
		taken.AllocatedSharedDeviceIDs.Insert(structured.MakeSharedDeviceID(id, one.ShareID))
		if one.ConsumedCapacity != nil {
			taken.AggregatedCapacity.Insert(structured.NewDeviceConsumedCapacity(id, one.ConsumedCapacity))
		}
	}
}
