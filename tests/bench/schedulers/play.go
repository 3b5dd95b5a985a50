// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// world is where a workload is played.
type world interface {
	addNodes(ctx context.Context, nodes []*corev1.Node) error
	addCSINodes(ctx context.Context, nodes []*storagev1.CSINode) error
	addNamespace(ctx context.Context, namespace *corev1.Namespace) error
	// volumes are none, or one for each pod, and there before it.
	addPods(ctx context.Context, pods []*corev1.Pod, volumes []boundVolume) error
	// Objects are all of one kind; those of a kind that has no namespaces are in none.
	addObjects(ctx context.Context, namespace string, objects []*unstructured.Unstructured) error
	addSlices(ctx context.Context, slices []*resourcev1.ResourceSlice) error
	// allocateClaims gives devices to the claims of a namespace, or of all.
	allocateClaims(ctx context.Context, namespace string) error
	// createSteadily creates these pods and deletes them when all are bound, over and over, until the time is over.
	createSteadily(ctx context.Context, namespace string, length time.Duration, pods []*corev1.Pod) error
	// await returns when so many pods of the namespace have come so far.
	await(ctx context.Context, namespace string, reached stage, count int) error
	// pods of these namespaces that are bound between the two calls are measured.
	startMeasuring(ctx context.Context, namespaces []string) error
	stopMeasuring(ctx context.Context) error
	pause(ctx context.Context, length time.Duration) error
	// Both return when all is done, churn at the latest when ctx ends.
	churn(ctx context.Context, op churn) error
	deletePods(ctx context.Context, op deletePods) error
}

// player keeps what one operation leaves for the next.
type player struct {
	world      world
	workload   workload
	nodes      []*corev1.Node
	namespaces map[string]bool
	waitedFor  map[string]int // how many pods of a namespace somebody is still to wait for
	created    map[string]int

	background sync.WaitGroup // what goes on beside the operations
	mutex      sync.Mutex
	failed     error // in the background
}

// play returns when the last operation, and with it the workload, is done.
func play(ctx context.Context, w workload, in world) error {
	p := &player{world: in, workload: w, namespaces: map[string]bool{}, waitedFor: map[string]int{}, created: map[string]int{}}
	ctx, cancel := context.WithCancel(ctx)
	var failed error
	for i, op := range w.operations {
		if err := p.step(ctx, i, op); err != nil {
			failed = fmt.Errorf("operation %d: %w", i, err)
			break
		}
	}
	cancel()
	p.background.Wait()
	return errors.Join(failed, p.failed)
}

// beside does something while the workload goes on. An error that only tells of the workload's end is none.
func (p *player) beside(ctx context.Context, index int, work func() error) {
	p.background.Go(func() {
		if err := work(); err != nil && (ctx.Err() == nil || errors.Is(err, errNoTime)) {
			p.mutex.Lock()
			defer p.mutex.Unlock()
			p.failed = errors.Join(p.failed, fmt.Errorf("operation %d: %w", index, err))
		}
	})
}

func (p *player) step(ctx context.Context, index int, op operation) error {
	switch op := op.(type) {
	case createNodes:
		nodes, err := makeNodes(op, p.workload.nodeFile)
		if err != nil {
			return err
		}
		p.nodes = append(p.nodes, nodes...)
		return errors.Join(p.world.addNodes(ctx, nodes), p.world.addCSINodes(ctx, makeCSINodes(op.AllocatableStrategy, nodes)))
	case createAny:
		return p.createAny(ctx, op)
	case createDriver:
		return p.world.addSlices(ctx, makeSlices(op, p.nodes))
	case allocateClaims:
		return p.world.allocateClaims(ctx, op.Namespace)
	case createNamespaces:
		for i := range op.Count {
			namespace := &corev1.Namespace{}
			if op.NamespaceTemplatePath != "" {
				if err := readTemplate(op.NamespaceTemplatePath, i, op.Count, namespace); err != nil {
					return err
				}
			}
			namespace.Name = fmt.Sprintf("%s-%d", op.Prefix, i)
			if err := p.addNamespace(ctx, namespace); err != nil {
				return err
			}
		}
		return nil
	case createPods:
		return p.createPods(ctx, index, op)
	case createPodSets:
		for i := range op.Count {
			op.pods.Namespace = fmt.Sprintf("%s-%d", op.NamespacePrefix, i)
			if err := p.createPods(ctx, index, op.pods); err != nil {
				return err
			}
		}
		return nil
	case barrier:
		return p.barrier(ctx, op)
	case sleep:
		return p.world.pause(ctx, op.length)
	case churn:
		if op.Namespace == "" {
			op.Namespace = fmt.Sprintf("namespace-%d", index)
		}
		if err := p.addNamespace(ctx, namespaceOf(op.Namespace)); err != nil {
			return err
		}
		p.beside(ctx, index, func() error { return p.world.churn(ctx, op) })
		return nil
	case deletePods:
		if op.SkipWaitToCompletion {
			p.beside(ctx, index, func() error { return p.world.deletePods(ctx, op) })
			return nil
		}
		return p.world.deletePods(ctx, op)
	case startMeasuring:
		return p.world.startMeasuring(ctx, op.Namespaces)
	case stopMeasuring:
		return p.world.stopMeasuring(ctx)
	}
	return fmt.Errorf("%T cannot be played", op)
}

func (p *player) addNamespace(ctx context.Context, namespace *corev1.Namespace) error {
	if p.namespaces[namespace.Name] {
		return nil
	}
	p.namespaces[namespace.Name] = true
	return p.world.addNamespace(ctx, namespace)
}

func (p *player) createPods(ctx context.Context, index int, op createPods) error {
	name := op.Namespace
	if name == "" {
		name = fmt.Sprintf("namespace-%d", index)
	}
	if err := p.addNamespace(ctx, namespaceOf(name)); err != nil {
		return err
	}
	file := op.PodTemplatePath
	if file == "" {
		file = p.workload.podFile
	}
	pods, err := makePods(file, name, op.Count)
	if err != nil {
		return err
	}
	var volumes []boundVolume
	if op.ClaimTemplatePath != "" {
		if volumes, err = makeVolumes(op, name); err != nil {
			return err
		}
		mount(pods, volumes)
	}
	if op.CollectMetrics {
		if err := p.world.startMeasuring(ctx, []string{name}); err != nil {
			return err
		}
	}
	if op.SteadyState {
		err = p.world.createSteadily(ctx, name, op.length, pods)
	} else {
		err = p.createOnce(ctx, op, name, pods, volumes)
	}
	if err == nil && op.CollectMetrics {
		err = p.world.stopMeasuring(ctx)
	}
	return err
}

// createOnce waits until the pods are bound, unless a barrier does.
func (p *player) createOnce(ctx context.Context, op createPods, namespace string, pods []*corev1.Pod, volumes []boundVolume) error {
	if err := p.world.addPods(ctx, pods, volumes); err != nil {
		return err
	}
	if op.SkipWaitToCompletion {
		p.waitedFor[namespace] += op.Count
		return nil
	}
	p.created[namespace] += op.Count
	return p.world.await(ctx, namespace, scheduled, p.created[namespace])
}

func (p *player) createAny(ctx context.Context, op createAny) error {
	if op.Namespace != "" {
		if err := p.addNamespace(ctx, namespaceOf(op.Namespace)); err != nil {
			return err
		}
	}
	objects := make([]*unstructured.Unstructured, op.Count)
	for i := range objects {
		objects[i] = &unstructured.Unstructured{}
		if err := readTemplate(op.TemplatePath, i, op.Count, objects[i]); err != nil {
			return err
		}
	}
	if err := p.world.addObjects(ctx, op.Namespace, objects); err != nil {
		return fmt.Errorf("%s: %w", op.TemplatePath, err)
	}
	return nil
}

// barrier waits for pods that nobody has waited for. Those that were only attempted somebody may still wait for.
func (p *player) barrier(ctx context.Context, op barrier) error {
	namespaces := op.Namespaces
	if len(namespaces) == 0 {
		for name := range p.waitedFor {
			namespaces = append(namespaces, name)
		}
	}
	for _, name := range namespaces {
		if !p.namespaces[name] {
			return fmt.Errorf("barrier: there is no namespace %s", name)
		}
		if op.StageRequirement == attempted {
			if err := p.world.await(ctx, name, attempted, p.created[name]+p.waitedFor[name]); err != nil {
				return err
			}
			continue
		}
		p.created[name] += p.waitedFor[name]
		delete(p.waitedFor, name)
		if err := p.world.await(ctx, name, scheduled, p.created[name]); err != nil {
			return err
		}
	}
	return nil
}

func namespaceOf(name string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
}
