// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// simulated is a world that collects the objects in files, for `berth simulate`.
type simulated struct {
	file     *os.File
	pods     int
	measured int // pods created while measured
	from     int // pods created before
	before   int64
	over     bool
}

const (
	defaults = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
	scoreAll = defaults + "percentageOfNodesToScore: 100\n"
)

// playSimulated reports without a shadow and, if that is asked for, also with one of the same configuration. Time that passes
// in the live world, between operations, does not exist in this one: all pods are there from the start.
func playSimulated(ctx context.Context, w workload, o options) (plain, shadowed measurement, err error) {
	path := filepath.Join(o.dir, "cluster.json")
	file, err := os.Create(path)
	if err != nil {
		return plain, shadowed, err
	}
	s := &simulated{file: file}
	if err := errors.Join(play(ctx, w, s), file.Close()); err != nil {
		return plain, shadowed, err
	}
	setUp, config := filepath.Join(o.dir, "before.json"), filepath.Join(o.dir, "config.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		return plain, shadowed, err
	}
	configuration := defaults
	if o.allNodes {
		configuration = scoreAll
	}
	if err := errors.Join(os.WriteFile(setUp, text[:s.before], 0o600), os.WriteFile(config, []byte(configuration), 0o600)); err != nil {
		return plain, shadowed, err
	}
	command := []string{o.berth, "simulate", "-o", "json", "--config", config}
	plain, err = s.measure(ctx, command, setUp, path)
	if err == nil && o.shadow {
		shadowed, err = s.measure(ctx, append(command, "--shadow", config), setUp, path)
	}
	return plain, shadowed, err
}

// measure simulates what there is before the measurement, then all of it; the difference is what is reported.
func (s *simulated) measure(ctx context.Context, command []string, setUp, path string) (measurement, error) {
	first, err := simulate(ctx, append(command, setUp), s.from)
	if err != nil {
		return measurement{}, err
	}
	all, err := simulate(ctx, append(command, path), s.pods)
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
	if err := cmd.Run(); err != nil {
		return measurement{}, fmt.Errorf("berth simulate: %w\n%s", err, complaints.String())
	}
	length := time.Since(begin)
	var result struct{ Summary struct{ Scheduled int } }
	if err := json.Unmarshal(said.Bytes(), &result); err != nil {
		return measurement{}, fmt.Errorf("berth simulate wrote no JSON: %w", err)
	}
	if result.Summary.Scheduled != pods {
		return measurement{}, fmt.Errorf("void: %d of %d pods were placed", result.Summary.Scheduled, pods)
	}
	state := cmd.ProcessState
	usage := state.SysUsage().(*syscall.Rusage)
	return measurement{times: times{pods: pods, length: length}, cpu: state.UserTime() + state.SystemTime(), peak: usage.Maxrss << 10}, nil
}

func (s *simulated) write(kind string, object runtime.Object) error {
	object.GetObjectKind().SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind(kind))
	text, err := json.Marshal(object)
	if err != nil {
		return err
	}
	_, err = s.file.Write(append(text, '\n'))
	return err
}

func (s *simulated) addNodes(_ context.Context, nodes []*corev1.Node) error {
	for _, node := range nodes {
		if err := s.write("Node", node); err != nil {
			return err
		}
	}
	return nil
}

func (s *simulated) addNamespace(_ context.Context, namespace *corev1.Namespace) error {
	return s.write("Namespace", namespace)
}

// addPods does what the API server does: a name, an identity, a time of creation.
func (s *simulated) addPods(_ context.Context, pods []*corev1.Pod) error {
	for _, pod := range pods {
		s.pods++
		if pod.Name == "" {
			pod.Name = fmt.Sprintf("%s%05d", pod.GenerateName, s.pods)
		}
		pod.CreationTimestamp = metav1.Unix(int64(1_000_000_000+s.pods), 0)
		if err := s.write("Pod", pod); err != nil {
			return err
		}
	}
	return nil
}

func (s *simulated) awaitBound(context.Context, string, int) error { return nil }
func (s *simulated) pause(context.Context, time.Duration) error    { return nil }

func (s *simulated) churn(context.Context, churn) error {
	return errors.New("churn has no meaning in the simulated world, where no time passes")
}
func (s *simulated) deletePods(context.Context, deletePods) error {
	return errors.New("deletePods has no meaning in the simulated world, where no time passes")
}

func (s *simulated) startMeasuring(context.Context, []string) (err error) {
	s.from = s.pods
	s.before, err = s.file.Seek(0, 1)
	return err
}

func (s *simulated) stopMeasuring(context.Context) error {
	s.measured = s.pods - s.from
	return nil
}
