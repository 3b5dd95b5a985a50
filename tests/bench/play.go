// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"text/template"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/yaml"
)

// world is where a workload is played.
type world interface {
	addNodes(ctx context.Context, nodes []*corev1.Node) error
	addNamespace(ctx context.Context, namespace *corev1.Namespace) error
	addPods(ctx context.Context, pods []*corev1.Pod) error
	// awaitBound returns when the namespace has that many bound pods.
	awaitBound(ctx context.Context, namespace string, count int) error
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
		if err := work(); err != nil && ctx.Err() == nil {
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
		return p.world.addNodes(ctx, nodes)
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
		return p.barrier(ctx, op.Namespaces)
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
	if op.CollectMetrics {
		if err := p.world.startMeasuring(ctx, []string{name}); err != nil {
			return err
		}
	}
	if err := p.world.addPods(ctx, pods); err != nil {
		return err
	}
	if op.SkipWaitToCompletion {
		p.waitedFor[name] += op.Count
		return nil
	}
	p.created[name] += op.Count
	if err := p.world.awaitBound(ctx, name, p.created[name]); err != nil {
		return err
	}
	if op.CollectMetrics {
		return p.world.stopMeasuring(ctx)
	}
	return nil
}

func (p *player) barrier(ctx context.Context, namespaces []string) error {
	if len(namespaces) == 0 {
		for name := range p.waitedFor {
			namespaces = append(namespaces, name)
		}
	}
	for _, name := range namespaces {
		if !p.namespaces[name] {
			return fmt.Errorf("barrier: there is no namespace %s", name)
		}
		p.created[name] += p.waitedFor[name]
		delete(p.waitedFor, name)
		if err := p.world.awaitBound(ctx, name, p.created[name]); err != nil {
			return err
		}
	}
	return nil
}

func namespaceOf(name string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

// makePods makes as many pods as one wants from a file of upstream's.
func makePods(file, namespace string, count int) ([]*corev1.Pod, error) {
	pods := make([]*corev1.Pod, count)
	for i := range pods {
		pods[i] = &corev1.Pod{}
		if err := readTemplate(file, i, count, pods[i]); err != nil {
			return nil, err
		}
		pods[i].Namespace = namespace
	}
	return pods, nil
}

func makeNodes(op createNodes, file string) ([]*corev1.Node, error) {
	if op.NodeTemplatePath != "" {
		file = op.NodeTemplatePath
	}
	nodes := make([]*corev1.Node, op.Count)
	for i := range nodes {
		node := &corev1.Node{}
		if err := readTemplate(file, i, op.Count, node); err != nil {
			return nil, err
		}
		if node.Name == "" {
			// With its index, because the short random names of upstream collide now and then.
			node.Name = fmt.Sprintf("%s%s-%d", node.GenerateName, rand.String(5), i)
		}
		if node.Labels == nil {
			node.Labels = map[string]string{}
		}
		node.Labels[corev1.LabelHostname] = node.Name
		if s := op.LabelStrategy; s != nil {
			node.Labels[s.LabelKey] = s.LabelValues[i%len(s.LabelValues)]
		}
		if s := op.UniqueStrategy; s != nil {
			node.Labels[s.LabelKey] = string(uuid.NewUUID())
		}
		nodes[i] = node
	}
	return nodes, nil
}

// readTemplate makes object number index of count from a file of upstream's.
func readTemplate(path string, index, count int, object any) error {
	source, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	parsed, err := template.New(filepath.Base(path)).Option("missingkey=error").Parse(string(source))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	var text bytes.Buffer
	if err := parsed.Execute(&text, map[string]any{"Index": index, "Count": count}); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := yaml.UnmarshalStrict(text.Bytes(), object); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
