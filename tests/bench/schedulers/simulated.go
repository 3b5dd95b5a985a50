// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
)

// simulated is a world that collects the objects in files, for `berth simulate` and for kube-scheduler in one process.
type simulated struct {
	file   *os.File
	path   string // of all objects
	setUp  string // of those from before the measurement
	config string // kube-scheduler's; berth's beside it

	objects  int   // all with names
	created  int   // of them pods
	priority int32 // of all pods
	pods     int   // that are to be placed: without scheduling gates
	measured int   // of them those created while measured
	from     int   // pods created before
	before   int64

	devices inventory
	held    []*resourcev1.ResourceClaim // not yet written, because something may still allocate them
}

const defaults = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"

var errNoTime = errors.New("has no meaning in the simulated world, where no time passes")

const withShadow = "berth with a shadow"

// benchSimulated has no part for the ceiling client. The order of the others alternates, and what is reported are medians.
func benchSimulated(ctx context.Context, o options, w workload, out io.Writer) error {
	s, err := collect(ctx, w, o)
	if err != nil {
		return err
	}
	var names []string
	for _, name := range strings.Split(o.schedulers, ",") {
		switch name {
		case "kube-scheduler", "berth":
			if name == "kube-scheduler" && len(s.devices.slices) > 0 {
				return errors.New("kube-scheduler has no devices in the simulated world; take SCHEDULERS=berth")
			}
			names = append(names, name)
		case "ceiling":
		default:
			return fmt.Errorf("SCHEDULERS: %s is none; there are kube-scheduler and berth in the simulated world", name)
		}
	}
	if o.shadow {
		names = append(names, withShadow)
	}
	all := results{}
	for _, order := range turns(names, o.runs) {
		for _, name := range order {
			m, err := s.play(ctx, o, name, w.gates)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			all[name] = append(all[name], m)
			if err := o.record(w.name, name, m.cells()); err != nil {
				return err
			}
		}
	}
	for _, name := range names {
		if name != withShadow {
			reportSimulated(out, w.name, name, typical(all[name]))
		}
	}
	if len(all["berth"]) > 0 && o.shadow {
		reportShadow(out, w.name, typical(all["berth"]), typical(all[withShadow]))
	}
	if len(all["berth"]) > 0 && len(all["kube-scheduler"]) > 0 {
		reportOneProcess(out, w.name, all)
	}
	return nil
}

// collect writes the workload's objects. Time that passes in the live world, between operations, does not exist in this one: all
// pods are there from the start.
func collect(ctx context.Context, w workload, o options) (*simulated, error) {
	s := &simulated{path: filepath.Join(o.dir, "cluster.json"), setUp: filepath.Join(o.dir, "before.json"), config: filepath.Join(o.dir, "config.yaml")}
	var err error
	if s.file, err = os.Create(s.path); err != nil {
		return nil, err
	}
	if err := errors.Join(play(ctx, w, s), s.file.Close()); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(s.path)
	if err != nil {
		return nil, err
	}
	configuration := defaults
	if o.allNodes {
		configuration += "percentageOfNodesToScore: 100\n"
	}
	return s, errors.Join(os.WriteFile(s.setUp, text[:s.before], 0o600), os.WriteFile(s.config, []byte(configuration), 0o600),
		os.WriteFile(s.config+".berth", []byte(configuration+w.gates.ofBerth()), 0o600))
}

// play measures one scheduler.
func (s *simulated) play(ctx context.Context, o options, name string, gates gates) (measurement, error) {
	command := []string{o.berth, "simulate", "-o", "json", "--config", s.config + ".berth"}
	switch name {
	case "kube-scheduler":
		return s.measureInProcess(ctx, gates)
	case withShadow:
		command = append(command, "--shadow", s.config+".berth")
	}
	return s.measure(ctx, command)
}

// measure simulates what there is before the measurement, then all of it; the difference is what is reported.
func (s *simulated) measure(ctx context.Context, command []string) (measurement, error) {
	first, err := simulate(ctx, append(command, s.setUp), s.from)
	if err != nil {
		return measurement{}, err
	}
	all, err := simulate(ctx, append(command, s.path), s.pods)
	if err != nil {
		return measurement{}, err
	}
	if all.length <= first.length {
		return measurement{}, errors.New("void: too small to be measured; take a larger workload")
	}
	return measurement{times: times{pods: s.measured, length: all.length - first.length}, cpu: all.cpu - first.cpu, peak: all.peak}, nil
}

// simulate runs berth once, which must place that many pods.
func simulate(ctx context.Context, command []string, pods int) (measurement, error) {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	var said, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &complaints
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return measurement{}, err
	}
	peak := watchPeak(cmd.Process.Pid)
	err := cmd.Wait()
	length, most := time.Since(begin), peak()
	if err != nil {
		return measurement{}, fmt.Errorf("berth simulate: %w\n%s", err, complaints.String())
	}
	var result struct{ Summary struct{ Scheduled int } }
	if err := json.Unmarshal(said.Bytes(), &result); err != nil {
		return measurement{}, fmt.Errorf("berth simulate wrote no JSON: %w", err)
	}
	if result.Summary.Scheduled != pods {
		return measurement{}, fmt.Errorf("void: %d of %d pods were placed", result.Summary.Scheduled, pods)
	}
	state := cmd.ProcessState
	return measurement{times: times{pods: pods, length: length}, cpu: state.UserTime() + state.SystemTime(), peak: most}, nil
}

// watchPeak looks at a process's VmHWM until it has ended; then the function says what it was. The kernel's own account of a
// process that has ended (ru_maxrss) begins with what its parent had, and the bench may have more than berth.
func watchPeak(pid int) func() int64 {
	over, seen := make(chan struct{}), make(chan int64)
	go func() {
		most := int64(0)
		for {
			if _, peak, err := processUsage(pid); err == nil {
				most = max(most, peak)
			}
			select {
			case <-over:
				seen <- most
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	return func() int64 {
		close(over)
		return <-seen
	}
}

func (s *simulated) write(object runtime.Object) error {
	if kinds, _, err := scheme.Scheme.ObjectKinds(object); err == nil {
		object.GetObjectKind().SetGroupVersionKind(kinds[0]) // An object with a type does not say its kind.
	}
	text, err := json.Marshal(object)
	if err != nil {
		return err
	}
	_, err = s.file.Write(append(text, '\n'))
	return err
}

func (s *simulated) addNodes(_ context.Context, nodes []*corev1.Node) error {
	s.devices.nodes = append(s.devices.nodes, nodes...)
	return writeAll(s, nodes)
}

func (s *simulated) addCSINodes(_ context.Context, nodes []*storagev1.CSINode) error {
	return writeAll(s, nodes)
}

func writeAll[T runtime.Object](s *simulated, objects []T) error {
	for _, object := range objects {
		if err := s.write(object); err != nil {
			return err
		}
	}
	return nil
}

func (s *simulated) addNamespace(_ context.Context, namespace *corev1.Namespace) error {
	return s.write(namespace)
}

func (s *simulated) addObjects(_ context.Context, namespace string, objects []*unstructured.Unstructured) error {
	for _, object := range objects {
		object.SetNamespace(namespace)
		s.name(object)
		if err := s.addObject(object); err != nil {
			return err
		}
	}
	return nil
}

func (s *simulated) addObject(object *unstructured.Unstructured) error {
	typed, err := deviceObject(object)
	if err != nil {
		return err
	}
	switch typed := typed.(type) {
	case nil:
		return s.write(object)
	case *resourcev1.ResourceClaim:
		s.held = append(s.held, typed)
		return nil
	case *resourcev1.ResourceSlice:
		s.devices.slices = append(s.devices.slices, typed)
	case *resourcev1.DeviceClass:
		s.devices.addClass(typed)
	}
	return s.write(typed)
}

// name does what the API server does with a generateName.
func (s *simulated) name(object metav1.Object) {
	s.objects++
	if object.GetName() == "" {
		object.SetName(fmt.Sprintf("%s%05d", object.GetGenerateName(), s.objects))
	}
}

// addPods does what the API server does: a name, a time of creation.
func (s *simulated) addPods(_ context.Context, pods []*corev1.Pod, volumes []boundVolume) error {
	if err := s.writeClaims(); err != nil {
		return err
	}
	for _, v := range volumes {
		if err := errors.Join(s.write(v.claim), s.write(v.volume)); err != nil {
			return err
		}
	}
	for _, pod := range pods {
		if s.created > 0 && priority(pod) != s.priority {
			return fmt.Errorf("a pod of another priority than those before %w: the higher one would come first", errNoTime)
		}
		s.priority = priority(pod)
		s.created++
		s.name(pod)
		if len(pod.Spec.SchedulingGates) == 0 {
			s.pods++
		}
		pod.CreationTimestamp = metav1.Unix(int64(1_000_000_000+s.objects), 0)
		if err := s.write(pod); err != nil {
			return err
		}
	}
	return nil
}

func (s *simulated) await(context.Context, string, stage, int) error { return nil }
func (s *simulated) pause(context.Context, time.Duration) error      { return nil }

func (s *simulated) churn(context.Context, churn) error {
	return fmt.Errorf("churn %w", errNoTime)
}
func (s *simulated) deletePods(context.Context, deletePods) error {
	return fmt.Errorf("deletePods %w", errNoTime)
}

func (s *simulated) startMeasuring(context.Context, []string) (err error) {
	if err := s.writeClaims(); err != nil {
		return err
	}
	s.from = s.pods
	s.before, err = s.file.Seek(0, 1)
	return err
}

func (s *simulated) stopMeasuring(context.Context) error {
	s.measured = s.pods - s.from
	return nil
}
