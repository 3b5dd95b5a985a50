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

// atOnce is how many requests of the bench's own are under way at most.
const atOnce = 64

// load makes pods and deletes them.
type load struct {
	api    api
	chance *rand.Rand
	turns  chan struct{} // one for each request under way
	claims bool          // each pod has one, for as many devices as it has units
	bare   bool          // there are no kubelets, so that what is to go after a moment goes by us
	work   sync.WaitGroup
	mutex  sync.Mutex
	living []string
	made   int
	failed error // the last of those that the server did not want
}

func newLoad(api api, seed uint64) *load {
	return &load{api: api, chance: rand.New(rand.NewPCG(seed, 1)), turns: make(chan struct{}, atOnce)}
}

// ask sends a request when it is its turn, again and again while the server is away: else pods would be left that nobody
// deletes any more, and their number would grow.
func (l *load) ask(method, path string, body any) {
	l.work.Go(func() {
		l.turns <- struct{}{}
		defer func() { <-l.turns }()
		for tries := 0; ; tries++ {
			err := l.api.do(method, path, body, nil)
			var refused refusal
			known := errors.As(err, &refused)
			if err != nil && (!known || refused.code >= http.StatusInternalServerError) && tries < 120 {
				time.Sleep(500 * time.Millisecond)
				continue
			}
			// Carried out before, without an answer.
			if !known || tries == 0 || refused.code != http.StatusConflict {
				l.note(err)
			}
			return
		}
	})
}

func nodeObject(name string, units int) object {
	has := object{"cpu": fmt.Sprintf("%dm", units*unit), "memory": "64Gi", "pods": "110"}
	return object{"apiVersion": "v1", "kind": "Node",
		"metadata": object{"name": name, "labels": object{"kubernetes.io/hostname": name}},
		"status":   object{"capacity": has, "allocatable": has}}
}

func nodeName(i int) string { return fmt.Sprintf("node-%d", i) }

func podObject(name string, units int, claims bool) object {
	spec := object{"containers": []object{{"name": "main", "image": "example/main:1",
		"resources": object{"requests": object{"cpu": fmt.Sprintf("%dm", units*unit), "memory": "16Mi"}}}}}
	if claims {
		spec["resourceClaims"] = []object{{"name": "gpus", "resourceClaimTemplateName": templateName(units)}}
	}
	return object{"apiVersion": "v1", "kind": "Pod", "metadata": object{"name": name}, "spec": spec}
}

// create asks for one more pod. Whether it came to be is for the history to say: the answer may be lost.
func (l *load) create(units int) {
	name := fmt.Sprintf("p-%d", l.made)
	l.made++
	l.mutex.Lock()
	l.living = append(l.living, name)
	l.mutex.Unlock()
	l.ask(http.MethodPost, namespace, podObject(name, units, l.claims))
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
	within := func(seconds int) {
		l.ask(http.MethodDelete, fmt.Sprintf("%s/%s?gracePeriodSeconds=%d", namespace, name, seconds), nil)
	}
	within(grace)
	if l.bare && grace > 0 {
		l.work.Go(func() {
			time.Sleep(time.Duration(grace) * time.Second)
			within(0)
		})
	}
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

// churn creates and deletes, so many a second, until the time is over. What a busy machine let slip is caught up.
func (l *load) churn(creations, deletions float64, until time.Time) error {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	created, deleted := 0, 0
	for begin := time.Now(); time.Now().Before(until); <-tick.C {
		seconds := time.Since(begin).Seconds()
		for ; float64(created) < creations*seconds; created++ {
			l.create(l.units())
		}
		for ; float64(deleted) < deletions*seconds; deleted++ {
			l.remove()
		}
	}
	return l.failed
}
