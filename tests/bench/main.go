// SPDX-License-Identifier: Apache-2.0

// Command bench plays workloads of upstream's scheduler_perf against kube-scheduler and berth. bench.sh builds it and says
// where everything is.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/go-logr/logr"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
)

// options are the flags.
type options struct {
	workloads, worldName, schedulers string
	upstream                         string // the directory of upstream's workload files
	cluster                          string // tests/cluster/cluster.sh
	berth                            string
	dir                              string // for the control plane, files and logs
	allNodes                         bool   // the simulated berth scores all nodes
	shadow                           bool   // the simulated berth plays once more, with a shadow
	rate                             int    // pods that are created per second in the live world; 0: as fast as it goes
	bound                            int    // pods that are there before the scheduler starts; 0: it starts first
	csv                              string // a file that gets a row for each measurement; empty: none
}

func main() {
	// client-go logs what it also returns, and every watch that ends.
	klog.SetLogger(logr.Discard())
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer cancel()
	if len(os.Args) == 4 && os.Args[1] == "ceiling" {
		if err := beCeiling(ctx, os.Args[2], os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	var o options
	flag.StringVar(&o.workloads, "w", "SchedulingBasic/500Nodes", "the workloads, with commas between")
	flag.StringVar(&o.worldName, "world", "live", "live or simulated")
	flag.StringVar(&o.schedulers, "schedulers", "ceiling,kube-scheduler,berth", "who plays in the live world")
	flag.StringVar(&o.upstream, "upstream", "", "test/integration/scheduler_perf of k8s.io/kubernetes")
	flag.StringVar(&o.cluster, "cluster", "", "tests/cluster/cluster.sh")
	flag.StringVar(&o.berth, "berth", "", "the program berth")
	flag.StringVar(&o.dir, "dir", "", "an empty directory")
	flag.BoolVar(&o.allNodes, "all-nodes", false, "simulated: score all nodes (percentageOfNodesToScore: 100)")
	flag.BoolVar(&o.shadow, "shadow", false, "simulated: once more with a shadow of the same configuration (berth simulate --shadow)")
	flag.IntVar(&o.rate, "rate", 0, "live: create the measured pods at so many per second")
	flag.IntVar(&o.bound, "bound", 0, "live: start the schedulers when the nodes and so many bound pods are there, and time the first binding")
	flag.StringVar(&o.csv, "csv", "", "add a row for each measurement to this file")
	flag.Parse()
	if flag.NArg() > 0 || o.rate < 0 || o.bound < 0 {
		fmt.Fprintln(os.Stderr, "bench: expected flags alone, and -rate and -bound not below 0")
		os.Exit(2)
	}
	if err := o.checkCSV(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	}
	status := 0
	for _, name := range strings.Split(o.workloads, ",") {
		if err := bench(ctx, o, name, os.Stdout); err != nil {
			fmt.Printf("%s: %v\n", name, err)
			status = 1
		}
	}
	os.Exit(status)
}

// bench plays one workload and reports.
func bench(ctx context.Context, o options, name string, out io.Writer) error {
	w, err := readWorkload(o.upstream, name)
	if err != nil {
		return err
	}
	switch o.worldName {
	case "live":
		if o.bound > 0 {
			return benchLate(ctx, o, w, out)
		}
		return benchLive(ctx, o, w, out)
	case "simulated":
		plain, shadowed, err := playSimulated(ctx, w, o)
		if err != nil {
			return err
		}
		reportSimulated(out, name, plain)
		err = o.record(name, "berth", plain.cells())
		if shadowed.pods > 0 {
			reportShadow(out, name, plain, shadowed)
			err = errors.Join(err, o.record(name, "berth with a shadow", shadowed.cells()))
		}
		return err
	}
	return fmt.Errorf("WORLD=%s: expected live or simulated", o.worldName)
}

// beCeiling is what the process of the ceiling client does.
func beCeiling(ctx context.Context, kubeconfig, repeat string) error {
	var more writes
	if err := json.Unmarshal([]byte(repeat), &more); err != nil {
		return err
	}
	config, err := fastConfig(kubeconfig)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	return runCeiling(ctx, client, more)
}

// scheduler is one of those that SCHEDULERS may name.
func (o options) scheduler(name string) (scheduler, error) {
	switch name {
	case "ceiling":
		return o.ceiling(writes{})
	case "kube-scheduler":
		return &kubeScheduler{}, nil
	case "berth":
		return &berth{program: program{path: o.berth, log: o.dir + "/berth.log"}}, nil
	}
	return nil, fmt.Errorf("SCHEDULERS: %s is none; there are ceiling, kube-scheduler and berth", name)
}

// ceiling is the client that also writes so much more.
func (o options) ceiling(repeat writes) (scheduler, error) {
	self, err := os.Executable()
	return &ceilingProcess{program{path: self, log: o.dir + "/ceiling.log"}, repeat}, err
}

func benchLive(ctx context.Context, o options, w workload, out io.Writer) error {
	results := map[string]measurement{}
	var failed error
	measure := func(s scheduler, as string) {
		m, err := playLive(ctx, w, controlPlane{o.cluster, o.dir + "/plane"}, s, o.rate)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", s.name(), err))
			return
		}
		results[s.name()] = m
		reportLive(out, s.name(), m, results["ceiling"])
		failed = errors.Join(failed, o.record(w.name, as, m.cells()))
	}
	for _, wanted := range strings.Split(o.schedulers, ",") {
		s, err := o.scheduler(wanted)
		if err != nil {
			return err
		}
		measure(s, s.name())
		if ctx.Err() != nil {
			return failed
		}
	}
	if run := results["berth"].written; results["ceiling"].pods > 0 && run.muchMore() {
		fmt.Fprintf(out, "berth wrote more than bindings and their events, so the ceiling client repeats it: %v\n", run)
		top, err := o.ceiling(run)
		if err != nil {
			return err
		}
		measure(top, "ceiling that repeats")
	}
	if failed == nil {
		reportRatios(out, w.name, results)
	}
	return failed
}

// benchLate has no part for the ceiling client, which knows of no nodes.
func benchLate(ctx context.Context, o options, w workload, out io.Writer) error {
	results := map[string]lateStart{}
	for _, wanted := range strings.Split(o.schedulers, ",") {
		s, err := o.scheduler(wanted)
		if err != nil {
			return err
		}
		if wanted == "ceiling" {
			continue
		}
		l, err := startLate(ctx, w, controlPlane{o.cluster, o.dir + "/plane"}, s, o.bound)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name(), err)
		}
		results[wanted] = l
		reportLate(out, wanted, l)
		if err := o.record(w.name, wanted, l.cells()); err != nil {
			return err
		}
	}
	reportLateRatios(out, w.name, o.bound, results)
	return nil
}
