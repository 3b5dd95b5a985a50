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
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
)

// options are the flags.
type options struct {
	workloads, worldName, schedulers string
	runs                             int
	settings                         settings // of the ceiling client
	upstream                         string   // the directory of upstream's workload files
	cluster                          string   // tests/live/cluster/cluster.sh
	berth                            string
	dir                              string // for the control plane, files and logs
	allNodes                         bool   // in the simulated world all nodes are scored
	shadow                           bool   // the simulated berth plays once more, with a shadow
	rate                             int    // pods that are created per second in the live world; 0: as fast as it goes
	bound                            int    // pods that are there before the scheduler starts; 0: it starts first
	params                           params // instead of the workload's own
	csv                              string // a file that gets a row for each measurement; empty: none
}

func main() {
	// client-go logs what it also returns, and every watch that ends.
	klog.SetLogger(logr.Discard())
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer cancel()
	if len(os.Args) > 1 {
		if part, is := parts[os.Args[1]]; is {
			if err := part(ctx, os.Args[2:]); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			return
		}
	}
	var o options
	flag.StringVar(&o.workloads, "w", "SchedulingBasic/500Nodes", "the workloads, with commas between")
	flag.StringVar(&o.worldName, "world", "live", "live or simulated")
	flag.StringVar(&o.schedulers, "schedulers", "kube-scheduler,berth,ceiling", "who plays; the ceiling client only in the live world")
	flag.IntVar(&o.runs, "runs", 3, "how often each of them plays; their order alternates")
	flag.Func("settings", "those of the ceiling client, CONNECTIONS,BINDINGS,EVENTS, instead of a search for the fastest", o.settings.read)
	flag.Func("params", "NAME=VALUE,… instead of the workload's own parameters", o.params.read)
	flag.StringVar(&o.upstream, "upstream", "", "test/integration/scheduler_perf of k8s.io/kubernetes")
	flag.StringVar(&o.cluster, "cluster", "", "tests/live/cluster/cluster.sh")
	flag.StringVar(&o.berth, "berth", "", "the program berth")
	flag.StringVar(&o.dir, "dir", "", "an empty directory")
	flag.BoolVar(&o.allNodes, "all-nodes", false, "simulated: all nodes are scored (percentageOfNodesToScore: 100)")
	flag.BoolVar(&o.shadow, "shadow", false, "simulated: once more with a shadow of the same configuration (berth simulate --shadow)")
	flag.IntVar(&o.rate, "rate", 0, "live: create the measured pods at so many per second")
	flag.IntVar(&o.bound, "bound", 0, "live: start the schedulers when the nodes and so many bound pods are there, and time the first binding")
	flag.StringVar(&o.csv, "csv", "", "add a row for each measurement to this file")
	flag.Parse()
	if flag.NArg() > 0 || o.rate < 0 || o.bound < 0 || o.runs < 1 {
		fmt.Fprintln(os.Stderr, "bench: expected flags alone, -rate and -bound not below 0, and -runs not below 1")
		os.Exit(2)
	}
	if err := o.checkCSV(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	}
	if err := o.settle(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
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
	w, err := readWorkload(o.upstream, name, o.params)
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
		return benchSimulated(ctx, o, w, out)
	}
	return fmt.Errorf("WORLD=%s: expected live or simulated", o.worldName)
}

// parts are what this program is as a process of its own beside the bench, by its first argument.
var parts = map[string]func(context.Context, []string) error{"ceiling": beCeiling, "in-process": beInProcess}

// beCeiling is the ceiling client: KUBECONFIG SETTINGS WRITES.
func beCeiling(ctx context.Context, arguments []string) error {
	var how settings
	var repeat writes
	if len(arguments) != 3 {
		return errors.New("bench ceiling: expected KUBECONFIG SETTINGS WRITES")
	}
	if err := errors.Join(how.read(arguments[1]), json.Unmarshal([]byte(arguments[2]), &repeat)); err != nil {
		return err
	}
	config, err := fastConfig(arguments[0])
	if err != nil {
		return err
	}
	debug.SetGCPercent(400)
	return runCeiling(ctx, config, how, repeat)
}

// scheduler is one of those that SCHEDULERS may name. The ceiling client writes as much as that run of another.
func (o options) scheduler(name string, repeat writes) (scheduler, error) {
	switch name {
	case "ceiling":
		self, err := os.Executable()
		return &ceilingProcess{program{path: self, log: o.dir + "/ceiling.log"}, o.settings, repeat}, err
	case "kube-scheduler":
		return &kubeScheduler{}, nil
	case "berth":
		return &berth{program: program{path: o.berth, log: o.dir + "/berth.log"}}, nil
	}
	return nil, fmt.Errorf("SCHEDULERS: %s is none; there are kube-scheduler, berth and ceiling", name)
}

// benchLate has no part for the ceiling client, which knows of no nodes.
func benchLate(ctx context.Context, o options, w workload, out io.Writer) error {
	results := map[string]lateStart{}
	for _, wanted := range strings.Split(o.schedulers, ",") {
		s, err := o.scheduler(wanted, writes{})
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
