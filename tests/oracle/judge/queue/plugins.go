// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

// scripted is a plugin that says what the script says.
type scripted struct {
	plugin
	world *upstream
}

var _ fwk.EnqueueExtensions = scripted{}
var _ fwk.PreEnqueuePlugin = scripted{}

func (p scripted) Name() string { return p.plugin.Name }

func (p scripted) PreEnqueue(_ context.Context, pod *v1.Pod) *fwk.Status {
	gate := p.world.gates[keyOf(pod)]
	if gate.plugin != p.Name() {
		return nil
	}
	return fwk.NewStatus(fwk.Code(gate.code), "held back")
}

func (p scripted) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	var events []fwk.ClusterEventWithHint
	for _, interest := range p.Events {
		event := fwk.ClusterEventWithHint{Event: fwk.ClusterEvent{Resource: fwk.EventResource(interest.Resource), ActionType: fwk.ActionType(interest.Actions)}}
		if interest.Hint {
			event.QueueingHintFn = p.hint
		}
		events = append(events, event)
	}
	return events, nil
}

func (p scripted) hint(_ klog.Logger, pod *v1.Pod, oldObj, newObj any) (fwk.QueueingHint, error) {
	switch p.world.answers[answer{Plugin: p.Name(), Pod: keyOf(pod)}] {
	case "Skip":
		return fwk.QueueSkip, nil
	case "Error":
		return fwk.QueueSkip, errors.New("cannot tell")
	case "Odd":
		if !odd(newObj, oldObj) {
			return fwk.QueueSkip, nil
		}
	}
	return fwk.Queue, nil
}

// odd looks at the first of the objects that there is.
func odd(objects ...any) bool {
	for _, each := range objects {
		if each == nil {
			continue
		}
		if object, ok := each.(metav1.Object); ok {
			name := object.GetName()
			return (name[len(name)-1]-'0')%2 == 1
		}
	}
	return false
}
