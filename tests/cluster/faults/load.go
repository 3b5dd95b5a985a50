// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"
)

const (
	namespace = "/api/v1/namespaces/default/pods"
	unit      = 100 // thousandths of a CPU: every pod asks for some of these, every node has a whole number of them
)

// load makes pods and deletes them.
type load struct {
	api    api
	chance *rand.Rand
	work   sync.WaitGroup
	mutex  sync.Mutex
	living []string
	made   int
	failed error // the last of those that the server did not want
}

func nodeObject(name string, units int) object {
	has := object{"cpu": fmt.Sprintf("%dm", units*unit), "memory": "64Gi", "pods": "110"}
	return object{"apiVersion": "v1", "kind": "Node",
		"metadata": object{"name": name, "labels": object{"kubernetes.io/hostname": name}},
		"status":   object{"capacity": has, "allocatable": has}}
}

func podObject(name string, units int) object {
	return object{"apiVersion": "v1", "kind": "Pod", "metadata": object{"name": name}, "spec": object{
		"containers": []object{{"name": "main", "image": "example/main:1",
			"resources": object{"requests": object{"cpu": fmt.Sprintf("%dm", units*unit), "memory": "16Mi"}}}}}}
}

// create asks for one more pod. Whether it came to be is for the history to say: the answer may be lost.
func (l *load) create(units int) {
	name := fmt.Sprintf("p-%d", l.made)
	l.made++
	l.mutex.Lock()
	l.living = append(l.living, name)
	l.mutex.Unlock()
	l.work.Go(func() { l.note(l.api.do(http.MethodPost, namespace, podObject(name, units), nil)) })
}

// remove deletes any pod: one that runs, waits or is being bound. Half of them take a moment to go.
func (l *load) remove() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if len(l.living) == 0 {
		return
	}
	which := l.chance.IntN(len(l.living))
	name := l.living[which]
	l.living[which] = l.living[len(l.living)-1]
	l.living = l.living[:len(l.living)-1]
	grace := l.chance.IntN(2)
	l.work.Go(func() {
		l.note(l.api.do(http.MethodDelete, fmt.Sprintf("%s/%s?gracePeriodSeconds=%d", namespace, name, grace), nil, nil))
	})
}

// note keeps what the server refused; that it does not answer, or no longer knows the pod, is part of the run.
func (l *load) note(err error) {
	var refused refusal
	if errors.As(err, &refused) && refused.code != http.StatusNotFound && refused.code < http.StatusInternalServerError {
		l.mutex.Lock()
		l.failed = err
		l.mutex.Unlock()
	}
}

// units are what a pod asks for; small ones are frequent.
func (l *load) units() int { return []int{1, 1, 1, 2, 2, 3, 5}[l.chance.IntN(7)] }

// fill creates pods until so many units are asked for.
func (l *load) fill(units int) {
	for units > 0 {
		one := min(l.units(), units)
		l.create(one)
		units -= one
	}
	l.work.Wait()
}

// churn creates and deletes, so many a second, until the time is over.
func (l *load) churn(rate float64, until time.Time) error {
	tick := time.NewTicker(time.Duration(float64(time.Second) / rate))
	defer tick.Stop()
	for time.Now().Before(until) {
		<-tick.C
		l.create(l.units())
		l.remove()
	}
	l.work.Wait()
	return l.failed
}
