// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// creators is how many pods are created at a time, as in upstream's harness.
const creators = 30

// controlPlane is a bare one of tests/live/cluster, in a directory of its own.
type controlPlane struct {
	script, dir string
}

// command is one of cluster.sh; what it says goes into an error.
func (c controlPlane) command(ctx context.Context, arguments ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, c.script, append([]string{"--dir", c.dir}, arguments...)...)
	said, err := cmd.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		err = fmt.Errorf("cluster.sh %s: %w\n%s", arguments[0], err, failed.Stderr)
	}
	return said, err
}

func (c controlPlane) down() error {
	_, err := c.command(context.Background(), "down")
	return err
}

// file is one that cluster.sh made.
func (c controlPlane) file(folder, name string) string { return filepath.Join(c.dir, folder, name) }

// fastConfig is for a client that speaks protobuf and is not slowed down.
func fastConfig(kubeconfig string) (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	config.ContentType = runtime.ContentTypeProtobuf
	return config, nil
}

// measurement is one workload on one scheduler.
type measurement struct {
	times
	cpu     time.Duration // of the scheduler, for all measured pods
	peak    int64         // of its resident memory, in bytes
	written writes
}

func (m measurement) cpuPerPod() time.Duration { return m.cpu / time.Duration(max(m.pods, 1)) }

// scheduler is what is measured.
type scheduler interface {
	name() string
	start(ctx context.Context, on *live) error
	// cpu is the time that it has used, peak the most memory that it had.
	usage() (cpu time.Duration, peak int64, err error)
	pid() int
	stop() error
}

// live is a world: an API server with a scheduler beside it.
type live struct {
	plane     controlPlane
	gates     gates
	config    *rest.Config
	client    *kubernetes.Clientset
	observer  *observer
	scheduler scheduler
	rate      int // of the measured pods, per second; 0: as fast as it goes

	measured map[string]bool
	begin    time.Time
	cpuThen  time.Duration
	before   writes
	deleted  atomic.Int64 // pods, by the workload itself
	result   measurement
}

// playLive plays a workload beside a scheduler.
func playLive(ctx context.Context, w workload, plane controlPlane, s scheduler, rate int) (result measurement, err error) {
	before := func(_ context.Context, l *live) error {
		l.rate = rate
		return nil
	}
	err = onLive(ctx, w, plane, s, before, func(ctx context.Context, l *live) error {
		err := play(ctx, w, l)
		result = l.result
		return err
	})
	return result, err
}

// onLive does two things on a new control plane: one before the scheduler starts, one while it runs. Every scheduler has a
// plane that nobody has used before.
func onLive(ctx context.Context, w workload, plane controlPlane, s scheduler, before, beside func(context.Context, *live) error) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l, err := openLive(ctx, w, plane, s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, plane.down()) }()
	if err := before(ctx, l); err != nil {
		return err
	}
	if err := s.start(ctx, l); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	return beside(ctx, l)
}

// openLive starts a control plane, which is the caller's to end if there is no error, and looks at what happens there until
// ctx ends.
func openLive(ctx context.Context, w workload, plane controlPlane, s scheduler) (l *live, err error) {
	if _, err := plane.command(ctx, append([]string{"up", "--bare"}, w.gates.ofAPIServer()...)...); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, plane.down())
		}
	}()
	l = &live{plane: plane, gates: w.gates, scheduler: s}
	if l.config, err = fastConfig(plane.file("kubeconfig", "admin")); err != nil {
		return nil, err
	}
	if l.client, err = kubernetes.NewForConfig(l.config); err != nil {
		return nil, err
	}
	if l.observer, err = observe(ctx, l.client); err != nil {
		return nil, err
	}
	if w.gates.devices() {
		return l, startClaimController(ctx, l.client)
	}
	return l, nil
}

func (l *live) addNodes(ctx context.Context, nodes []*corev1.Node) error {
	return inParallel(ctx, len(nodes), func(i int) error {
		return l.post(ctx, "nodes", "", nodes[i])
	})
}

func (l *live) addNamespace(ctx context.Context, namespace *corev1.Namespace) error {
	_, err := l.client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
	return err
}

func (l *live) addPods(ctx context.Context, pods []*corev1.Pod, volumes []boundVolume) error {
	begin := time.Now()
	return inParallel(ctx, len(pods), func(i int) error {
		if l.rate > 0 && l.measured[pods[i].Namespace] {
			time.Sleep(time.Until(due(begin, i, l.rate)))
		}
		if len(volumes) > 0 {
			if err := l.addVolume(ctx, volumes[i]); err != nil {
				return err
			}
		}
		return l.post(ctx, "pods", pods[i].Namespace, pods[i])
	})
}

// due is when pod number i is to be created, at so many a second.
func due(begin time.Time, i, rate int) time.Time {
	return begin.Add(time.Duration(i) * time.Second / time.Duration(rate))
}

// post creates an object of the core group and does not read the answer, to leave the processors to those who are measured.
func (l *live) post(ctx context.Context, resource, namespace string, object runtime.Object) error {
	return l.client.CoreV1().RESTClient().Post().NamespaceIfScoped(namespace, namespace != "").Resource(resource).
		VersionedParams(&metav1.CreateOptions{}, scheme.ParameterCodec).Body(object).Do(ctx).Error()
}

func (l *live) await(ctx context.Context, namespace string, reached stage, count int) error {
	return l.observer.await(ctx, namespace, reached, count)
}

func (l *live) pause(ctx context.Context, length time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(length):
		return nil
	}
}

// startMeasuring first lets the events of what came before arrive: they are not part of what is measured.
func (l *live) startMeasuring(ctx context.Context, namespaces []string) (err error) {
	if err := l.observer.awaitEvents(ctx, false); err != nil {
		return fmt.Errorf("before the measurement: %w", err)
	}
	l.measured = map[string]bool{}
	for _, name := range namespaces {
		l.measured[name] = true
	}
	if l.before, err = l.countWrites(ctx); err != nil {
		return err
	}
	l.cpuThen, _, err = l.scheduler.usage()
	l.begin = time.Now()
	return err
}

// stopMeasuring ends when the events are there, too; a run that lacks some is void.
func (l *live) stopMeasuring(ctx context.Context) error {
	l.observer.mark(l.begin, l.measured)
	if err := l.observer.awaitEvents(ctx, true); err != nil {
		return fmt.Errorf("void: %w", err)
	}
	cpu, peak, err := l.scheduler.usage()
	l.result = measurement{times: l.observer.times(l.begin), cpu: cpu - l.cpuThen, peak: peak}
	if err == nil && l.result.pods == 0 {
		err = errors.New("void: no pod was measured")
	}
	written, counted := l.countWrites(ctx)
	l.result.written = written.minus(l.before)
	return errors.Join(err, counted)
}

// countWrites is without what the workload itself wrote.
func (l *live) countWrites(ctx context.Context) (writes, error) {
	w, err := countWrites(ctx, l.client)
	w.Deletions -= int(l.deleted.Load())
	return w, err
}

// inParallel calls work for 0 to count-1, a few at a time, and returns the first error.
func inParallel(ctx context.Context, count int, work func(int) error) error {
	var next atomic.Int64
	var group sync.WaitGroup
	var once sync.Once
	var failed error
	for range min(creators, count) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < count && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if err := work(i); err != nil {
					once.Do(func() { failed = err })
					next.Store(int64(count))
				}
			}
		})
	}
	group.Wait()
	return errors.Join(failed, ctx.Err())
}

// tail is the end of a log, to say why a scheduler is gone.
func tail(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-2000):])
}
