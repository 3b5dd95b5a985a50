// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"reflect"
	"time"

	resource "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/utils/ptr"
)

// features are those that are on by default.
var features = structured.Features{
	AdminAccess:            true,
	ConsumableCapacity:     true,
	DeviceBindingAndStatus: true,
	DeviceTaints:           true,
	PartitionableDevices:   true,
	PrioritizedList:        true,
}

var celCache = cel.NewCache(100, cel.Features{EnableConsumableCapacity: true})

// patience is how long the real allocator may look; cases that take longer are left out.
const patience = 2 * time.Second

type classes []*resource.DeviceClass

func (c classes) List() ([]*resource.DeviceClass, error) { return c, nil }

func (c classes) Get(name string) (*resource.DeviceClass, error) {
	for _, class := range c {
		if class.Name == name {
			return class, nil
		}
	}
	return nil, apierrors.NewNotFound(resource.Resource("deviceclass"), name)
}

func (c *testCase) state() structured.AllocatedState {
	state := structured.AllocatedState{
		AllocatedDevices:         sets.New[structured.DeviceID](),
		AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](),
		AggregatedCapacity:       structured.NewConsumedCapacityCollection(),
	}
	for _, u := range c.Uses {
		id := structured.MakeDeviceID(u.Driver, u.Pool, u.Device)
		if u.ShareID == "" {
			state.AllocatedDevices.Insert(id)
			continue
		}
		state.AllocatedSharedDeviceIDs.Insert(structured.MakeSharedDeviceID(id, ptr.To(types.UID(u.ShareID))))
		if u.Consumed != nil {
			state.AggregatedCapacity.Insert(structured.NewDeviceConsumedCapacity(id, u.Consumed))
		}
	}
	return state
}

// upstream asks kube-scheduler's allocator; false if that takes too long.
func upstream(c *testCase) ([]answer, bool) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	allocator, err := structured.NewAllocator(ctx, features, c.state(), classes(c.Classes), c.Slices, celCache)
	if err != nil {
		panic(err)
	}
	var answers []answer
	steps := int64(0)
	for _, node := range c.Nodes {
		results, err := allocator.Allocate(ctx, node, c.Claims)
		if ctx.Err() != nil {
			return nil, false
		}
		// The count is of a type that is internal there.
		total := reflect.ValueOf(allocator).MethodByName("GetStats").Call(nil)[0].FieldByName("NumAllocateOneInvocations").Int()
		a := answer{Outcome: "none", Steps: total - steps}
		steps = total
		switch {
		case errors.Is(err, structured.ErrFailedAllocationOnNode):
			a.Text = err.Error()
		case err != nil:
			a.Outcome, a.Text = "error", err.Error()
		case results != nil || len(c.Claims) == 0:
			a.Outcome, a.Allocations = "found", asRead(results)
		}
		answers = append(answers, a)
	}
	return answers, true
}

func (c *testCase) expressions() []string {
	found := sets.New[string]()
	add := func(selectors []resource.DeviceSelector) {
		for _, selector := range selectors {
			if selector.CEL != nil {
				found.Insert(selector.CEL.Expression)
			}
		}
	}
	for _, class := range c.Classes {
		add(class.Spec.Selectors)
	}
	for _, claim := range c.Claims {
		for _, request := range claim.Spec.Devices.Requests {
			if request.Exactly != nil {
				add(request.Exactly.Selectors)
			}
			for _, alternative := range request.FirstAvailable {
				add(alternative.Selectors)
			}
		}
	}
	return sets.List(found)
}

// evaluate answers each selector for each device, for a program without CEL.
func evaluate(c *testCase) map[string][]selected {
	out := map[string][]selected{}
	for _, expression := range c.expressions() {
		compiled := celCache.GetOrCompile(expression)
		answers := []selected{}
		for _, slice := range c.Slices {
			for _, device := range slice.Spec.Devices {
				if compiled.Error != nil {
					answers = append(answers, selected{Fault: "CEL compile error: " + compiled.Error.Error()})
					continue
				}
				matches, _, err := compiled.DeviceMatches(context.Background(), cel.Device{Driver: slice.Spec.Driver,
					AllowMultipleAllocations: device.AllowMultipleAllocations, Attributes: device.Attributes, Capacity: device.Capacity})
				if err != nil {
					answers = append(answers, selected{Fault: "CEL runtime error: " + err.Error()})
					continue
				}
				answers = append(answers, selected{Matches: matches})
			}
		}
		out[expression] = answers
	}
	return out
}
