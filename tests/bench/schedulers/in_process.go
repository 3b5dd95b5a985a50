// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/core/install" // the defaults that the API server sets
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	configscheme "k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

// inProcess is what a run of kube-scheduler in one process showed.
type inProcess struct {
	Pods        int
	Length, CPU time.Duration
	Peak        int64
}

// measureInProcess plays the objects on kube-scheduler's whole scheduler, in a process of its own.
func (s *simulated) measureInProcess(ctx context.Context, gates gates) (measurement, error) {
	self, err := os.Executable()
	if err != nil {
		return measurement{}, err
	}
	cmd := exec.CommandContext(ctx, self, append([]string{"in-process", s.path, s.config, strconv.FormatInt(s.before, 10)}, gates.ofKubeScheduler()...)...)
	var said, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &complaints
	if err := cmd.Run(); err != nil {
		return measurement{}, fmt.Errorf("%w\n%s", err, complaints.String())
	}
	var seen inProcess
	if err := json.Unmarshal(said.Bytes(), &seen); err != nil {
		return measurement{}, err
	}
	if seen.Pods != s.measured {
		return measurement{}, fmt.Errorf("void: %d pods were measured, expected %d", seen.Pods, s.measured)
	}
	return measurement{times: times{pods: seen.Pods, length: seen.Length}, cpu: seen.CPU, peak: seen.Peak}, nil
}

// beInProcess is that process: CLUSTER CONFIG BEFORE [--feature-gates=…]. It places the pods among the first BEFORE bytes, then
// measures how long it takes with the others, from the moment in which the API hands them over.
func beInProcess(ctx context.Context, arguments []string) error {
	if len(arguments) < 3 || len(arguments) > 4 {
		return errors.New("bench in-process: expected CLUSTER CONFIG BEFORE and perhaps --feature-gates")
	}
	before, err := strconv.ParseInt(arguments[2], 10, 64)
	if err != nil {
		return err
	}
	if len(arguments) == 4 {
		if err := utilfeature.DefaultMutableFeatureGate.Set(strings.TrimPrefix(arguments[3], "--feature-gates=")); err != nil {
			return err
		}
	}
	cluster, err := readCluster(arguments[0], before)
	if err != nil {
		return err
	}
	seen, err := cluster.schedule(ctx, arguments[1])
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(seen)
}

// clusterInMemory is a file's.
type clusterInMemory struct {
	objects         []runtime.Object // all but the pods
	setUp, measured []*corev1.Pod
}

// readCluster reads a JSON object per line, with the defaults that an API server gives.
func readCluster(path string, before int64) (*clusterInMemory, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	c, at := &clusterInMemory{}, int64(0)
	for in := bufio.NewReader(file); ; {
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			return c, nil
		}
		if err != nil {
			return nil, err
		}
		object, err := runtime.Decode(scheme.Codecs.UniversalDeserializer(), line)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		legacyscheme.Scheme.Default(object)
		if pod, is := object.(*corev1.Pod); !is {
			c.objects = append(c.objects, object)
		} else {
			pod.UID = types.UID(pod.Namespace + "/" + pod.Name)
			if at < before {
				c.setUp = append(c.setUp, pod)
			} else {
				c.measured = append(c.measured, pod)
			}
		}
		at += int64(len(line))
	}
}

func ungated(pods []*corev1.Pod) (count int) {
	for _, pod := range pods {
		if len(pod.Spec.SchedulingGates) == 0 {
			count++
		}
	}
	return count
}

// schedule runs kube-scheduler as its own main does, with the API in memory and no events.
func (c *clusterInMemory) schedule(ctx context.Context, configFile string) (seen inProcess, err error) {
	const patience = time.Minute
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	configuration, err := loadConfig(configFile)
	if err != nil {
		return seen, err
	}
	metrics.Register()
	api := newMemoryAPI(c.objects)
	factory := informers.NewSharedInformerFactory(api, 0)
	factory.InformerFor(&corev1.Pod{}, api.informer)
	sched, err := kubescheduler.New(ctx, api, factory, nil, func(string) events.EventRecorderLogger { return noEvents{} },
		kubescheduler.WithProfiles(configuration.Profiles...),
		kubescheduler.WithPercentageOfNodesToScore(configuration.PercentageOfNodesToScore),
		kubescheduler.WithPodInitialBackoffSeconds(configuration.PodInitialBackoffSeconds),
		kubescheduler.WithPodMaxBackoffSeconds(configuration.PodMaxBackoffSeconds),
		kubescheduler.WithParallelism(configuration.Parallelism))
	if err != nil {
		return seen, err
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	if err := sched.WaitForHandlersSync(ctx); err != nil {
		return seen, err
	}
	go sched.Run(ctx)

	api.add(c.setUp)
	already := ungated(c.setUp)
	if err := api.await(ctx, already, patience); err != nil {
		return seen, err
	}
	cpu, begin := ownCPU(), time.Now()
	api.add(c.measured)
	seen.Pods = ungated(c.measured)
	if err := api.await(ctx, already+seen.Pods, patience); err != nil {
		return seen, err
	}
	seen.Length, seen.CPU = time.Since(begin), ownCPU()-cpu
	_, seen.Peak, err = processUsage(os.Getpid())
	return seen, err
}

func loadConfig(path string) (*config.KubeSchedulerConfiguration, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	object, err := runtime.Decode(configscheme.Codecs.UniversalDecoder(), text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	configuration, is := object.(*config.KubeSchedulerConfiguration)
	if !is {
		return nil, fmt.Errorf("%s: expected a KubeSchedulerConfiguration, found a %T", path, object)
	}
	return configuration, nil
}

// ownCPU is what this process has used.
func ownCPU() time.Duration {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used) // which cannot fail for oneself
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// noEvents records none.
type noEvents struct{}

func (noEvents) Eventf(runtime.Object, runtime.Object, string, string, string, string, ...any) {}
func (n noEvents) WithLogger(klog.Logger) events.EventRecorderLogger                           { return n }
