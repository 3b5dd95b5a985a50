// SPDX-License-Identifier: Apache-2.0

// Command faults runs a scheduler against a real API server through a proxy that fails it in every way, by chance but with
// a seed, while pods come and go; then it reads what the API server did, from its first moment on, and names all that a
// scheduler must never do. run.sh builds it and says where everything is.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

type options struct {
	minutes, rate          float64
	creations, deletions   float64
	demanded               demands
	seed                   uint64
	nodes, units, fill     int
	bare, devices          bool
	instances              int
	limit                  time.Duration
	kill, pause, apiServer time.Duration
	slice                  time.Duration
	dir, out, control      string
	only                   string
	etcd                   string
	scheduler              []string
}

func main() {
	o := options{demanded: demands{}}
	flag.Float64Var(&o.minutes, "minutes", 5, "how long faults are injected")
	flag.Uint64Var(&o.seed, "seed", 1, "of the faults and of the pods")
	flag.Float64Var(&o.rate, "rate", 0.05, "the part of the requests that meets a fault")
	flag.Float64Var(&o.creations, "creations", 10, "pods created a second")
	flag.Float64Var(&o.deletions, "deletions", 10, "pods deleted a second")
	flag.Var(o.demanded, "at-least", "`KIND=COUNT`: it is a violation if this was injected less often; may be given again")
	flag.StringVar(&o.only, "only", "", "inject this kind of fault alone")
	flag.IntVar(&o.nodes, "nodes", 20, "nodes")
	flag.IntVar(&o.units, "units", 20, "what a node has, in tenths of a CPU; a pod asks for one to five of them")
	flag.IntVar(&o.fill, "fill", 105, "how much of what the nodes have is asked for, in percent; above 100 some pods always wait")
	flag.BoolVar(&o.bare, "bare", false, "the control plane has neither controllers nor kubelets: more pods a second")
	flag.BoolVar(&o.devices, "devices", false, "every node has devices, as many as units, and every pod claims as many as it asks for units")
	flag.DurationVar(&o.slice, "slice", 10*time.Second, "with devices: between moments in which a node's slice goes and comes back; 0: none")
	flag.IntVar(&o.instances, "instances", 2, "of the scheduler; one leads and the others wait")
	flag.DurationVar(&o.limit, "limit", 4*time.Minute, "until the pods that fit must be bound when the faults have ceased")
	flag.DurationVar(&o.kill, "kill", 50*time.Second, "between kills of the leader, or now and then of a standby; 0: none")
	flag.DurationVar(&o.pause, "pause", 35*time.Second, "between pauses of the leader, or now and then of a standby; 0: none")
	flag.DurationVar(&o.apiServer, "api-server", 100*time.Second, "between kills of the API server; 0: none")
	flag.StringVar(&o.dir, "dir", "", "the directory of the control plane")
	flag.StringVar(&o.etcd, "etcd", "", "where its etcd answers, as HOST:PORT")
	flag.StringVar(&o.out, "out", "", "where logs go")
	flag.StringVar(&o.control, "control", "", "cluster.sh")
	flag.Parse()
	o.scheduler = flag.Args()
	if o.bare && o.devices {
		fmt.Println("faults: -devices needs the controllers that -bare leaves out")
		os.Exit(1)
	}
	pods, wrong, err := run(o)
	if err != nil {
		fmt.Println("faults:", err)
		os.Exit(1)
	}
	const shown = 20
	for _, one := range wrong[:min(len(wrong), shown)] {
		fmt.Println("VIOLATION", one)
	}
	if len(wrong) > shown {
		fmt.Println("... and", len(wrong)-shown, "more")
	}
	fmt.Printf("%d pods, %d violations\n", pods, len(wrong))
	if len(wrong) > 0 {
		os.Exit(1)
	}
}

var serverLine = regexp.MustCompile(`server: "?https://([^"\s]+)`)

func run(o options) (pods int, wrong []string, err error) {
	// The same kubeconfig, with another address.
	kubeconfig, err := os.ReadFile(filepath.Join(o.dir, "kubeconfig", "scheduler"))
	if err != nil {
		return 0, nil, err
	}
	found := serverLine.FindSubmatch(kubeconfig)
	if found == nil {
		return 0, nil, errors.New("the kubeconfig names no server")
	}
	server := string(found[1])
	certificates := files{o.dir}
	direct, err := certificates.transport("admin")
	if err != nil {
		return 0, nil, err
	}
	through, err := certificates.transport("scheduler")
	if err != nil {
		return 0, nil, err
	}
	notes, err := os.Create(filepath.Join(o.out, "faults.log"))
	if err != nil {
		return 0, nil, err
	}
	defer notes.Close()
	b := &bench{options: o, history: &history{}, api: api{server, &http.Client{Transport: direct}}, notes: notes}
	b.load = newLoad(b.api, o.seed)
	b.load.bare, b.load.claims = o.bare, o.devices
	b.plan = newPlan(o.seed, o.rate)
	if o.only != "" && !b.plan.only(kind(o.only)) {
		return 0, nil, fmt.Errorf("-only: there is no fault %q; a run without it lists them", o.only)
	}
	p := &proxy{plan: b.plan, upstream: through, server: server, bound: b.history.addBound, note: b.note, borne: b.borne.add, patience: 10 * time.Minute}
	address, err := p.serve(certificates)
	if err != nil {
		return 0, nil, err
	}
	file := filepath.Join(o.out, "kubeconfig")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(string(kubeconfig), server, address)), 0o600); err != nil {
		return 0, nil, err
	}
	for i := range o.instances {
		log, err := os.Create(filepath.Join(o.out, fmt.Sprintf("scheduler-%d.log", i)))
		if err != nil {
			return 0, nil, err
		}
		defer log.Close()
		b.schedulers = append(b.schedulers, &scheduler{command: append(slices.Clone(o.scheduler), "--kubeconfig", file), log: log,
			lost: func() {
				b.did(leaseLost)
			}})
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if err := b.history.follow(ctx, o.etcd, nodeKind, podKind, claimKind); err != nil {
		return 0, nil, err
	}
	return b.run()
}

// note writes down when what happened.
func (b *bench) note(what string) {
	io.WriteString(b.notes, time.Now().UTC().Format("15:04:05.000000 ")+what+"\n")
}
