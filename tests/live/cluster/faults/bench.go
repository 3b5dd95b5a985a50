// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// bench is one run.
type bench struct {
	options
	api        api
	history    *history
	plan       *plan
	load       *load
	schedulers []*scheduler
	notes      io.Writer
	mutex      sync.Mutex
	wrong      []string
	borne      longest // silence of a watch, by the client
}

const (
	ourScheduler = "default-scheduler"
	// A silent watch is given up after 150 s; the process may have been stopped meanwhile, or have had much else to do.
	silenceLimit = 240 * time.Second
)

// longest is the longest of some times.
type longest struct {
	mutex sync.Mutex
	time  time.Duration
}

func (l *longest) add(t time.Duration) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.time = max(l.time, t)
}

func (l *longest) longest() time.Duration {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.time
}

func (b *bench) run() (pods int, wrong []string, err error) {
	fmt.Printf("seed %d: %d nodes of %d pods each, %.0f pods created and %.0f deleted a second, for %g minutes\n", b.seed, b.nodes,
		b.units, b.creations, b.deletions, b.minutes)
	if err := b.makeNodes(); err != nil {
		return 0, nil, err
	}
	if b.devices {
		if err := b.makeDevices(); err != nil {
			return 0, nil, err
		}
	}
	// With a little more than fits some pods always wait, and every deletion lets another one in.
	b.load.fill(b.nodes * b.units * b.options.fill / 100)
	for _, one := range b.schedulers {
		if err := one.start(); err != nil {
			return 0, nil, err
		}
	}
	begin := time.Now()
	until := begin.Add(time.Duration(b.minutes * float64(time.Minute)))
	came, left := b.history.passed()
	var disturbances sync.WaitGroup
	disturbances.Go(func() { b.repeat("kill", b.kill, until, b.killOne) })
	disturbances.Go(func() { b.repeat("API server", b.apiServer, until, b.restartServer) })
	disturbances.Go(func() { b.repeat("pause", b.pause, until, b.pauseOne) })
	if b.devices {
		disturbances.Go(func() { b.repeat("slice", b.slice, until, b.replaceSlice) })
	}
	disturbances.Go(func() { b.tellOfProgress(until) })
	err = b.load.churn(b.creations, b.deletions, until)
	counts := b.plan.counted()
	nowCame, nowLeft := b.history.passed()
	seconds := time.Since(begin).Seconds()
	disturbances.Wait()
	b.load.work.Wait()
	if err != nil {
		return 0, nil, fmt.Errorf("the API server refuses the bench's own pods: %w", err)
	}
	b.plan.cease()
	b.note("the faults cease")
	counts[created], counts[deleted] = float64(nowCame-came)/seconds, float64(nowLeft-left)/seconds
	text, missing := report(counts, b.demanded)
	fmt.Print("injected\n", text)
	for _, one := range missing {
		b.blame("too little was injected: " + one)
	}
	begin = time.Now()
	if err := b.settle(); err != nil {
		b.blame(err.Error())
	} else {
		fmt.Printf("at rest after %.1f s\n", time.Since(begin).Seconds())
		if err := b.fillUp(); err != nil {
			b.blame("when the cluster is filled: " + err.Error())
		}
		b.compareCaches()
		if longest := b.borne.longest(); longest > silenceLimit {
			b.blame(fmt.Sprintf("a silent watch was borne for %.0f s", longest.Seconds()))
		} else if longest > 0 {
			fmt.Printf("silent watches were given up after %.0f s at the latest\n", longest.Seconds())
		}
	}
	for _, one := range b.schedulers {
		if err := one.finish(); err != nil {
			b.blame(fmt.Sprintf("a scheduler does not end well: %v", err))
		}
		b.wrong = append(b.wrong, one.faults()...)
	}
	changes, bounds, broken := b.history.copy()
	known, claims, devices := map[string]bool{}, map[string]bool{}, 0
	for _, c := range changes {
		if c.pod != nil {
			known[c.pod.uid] = true
		}
		if c.claim != nil && len(c.claim.devices) > 0 && !claims[c.claim.uid] {
			claims[c.claim.uid] = true
			devices += len(c.claim.devices)
		}
	}
	if b.devices {
		fmt.Printf("%d claims got %d devices\n", len(claims), devices)
	}
	wrong = append(b.wrong, check(changes, bounds, ourScheduler)...)
	return len(known), append(wrong, broken...), nil
}

func (b *bench) blame(what string) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.wrong = append(b.wrong, what)
}

// makeNodes returns when their taints are gone.
func (b *bench) makeNodes() error {
	for i := range b.nodes {
		if err := b.api.do(http.MethodPost, "/api/v1/nodes", nodeObject(nodeName(i), b.units), nil); err != nil {
			return err
		}
	}
	// The controller manager takes some twenty taints away a second.
	return within(time.Minute+time.Duration(b.nodes)*time.Second/5, func() error {
		w := b.now()
		for _, n := range w.nodes {
			if !n.open {
				return fmt.Errorf("node %s does not become ready", n.name)
			}
		}
		if len(w.nodes) != b.nodes {
			return errors.New("a node is missing")
		}
		return nil
	})
}

func (b *bench) now() *world { return b.history.now() }

// tellOfProgress notes each minute how many pods there are and how many of them wait.
func (b *bench) tellOfProgress(until time.Time) {
	for time.Now().Before(until) {
		w, waiting := b.now(), 0
		for _, p := range w.pods {
			if p.node == "" && !p.leaving {
				waiting++
			}
		}
		came, left := b.history.passed()
		b.note(fmt.Sprintf("%d pods have come and %d gone; %d wait", came, left, waiting))
		time.Sleep(min(time.Minute, time.Until(until)))
	}
}

// repeat does something again and again until the time is over; the moments are by the seed.
func (b *bench) repeat(what string, every time.Duration, until time.Time, do func(turn int, part float64) error) {
	if every == 0 {
		return
	}
	chance := rand.New(rand.NewPCG(b.seed, uint64(every)))
	for turn := 0; ; turn++ {
		wait := time.Duration((0.5 + chance.Float64()) * float64(every))
		part := chance.Float64()
		time.Sleep(min(wait, time.Until(until)))
		if time.Now().After(until) {
			return
		}
		if err := do(turn, part); err != nil {
			b.blame(fmt.Sprintf("%s: %v", what, err))
			return
		}
	}
}

// restartServer kills the API server and leaves it dead for a moment.
func (b *bench) restartServer(_ int, part float64) error {
	b.did(serverKilled)
	if err := b.cluster("kill"); err != nil {
		return err
	}
	time.Sleep(time.Duration(part * float64(8*time.Second)))
	return b.cluster("start")
}

func (b *bench) cluster(command string) error {
	said, err := exec.Command(b.control, "--dir", b.dir, command, "kube-apiserver").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, said)
	}
	return nil
}

// settle returns when no pod waits for which there is room, for a second.
func (b *bench) settle() error {
	still := time.Now()
	return within(b.limit, func() error {
		w := b.now()
		if waiting := w.forgotten(ourScheduler); len(waiting) > 0 {
			still = time.Now()
			return fmt.Errorf("%d pods are not bound %v after the faults ceased, such as: %s", len(waiting), b.limit, waiting[0])
		}
		if stuck := w.stuck(); len(stuck) > 0 {
			still = time.Now()
			return fmt.Errorf("%d claims are not given back %v after the faults ceased, such as: %s", len(stuck), b.limit, stuck[0])
		}
		if time.Since(still) < time.Second {
			return errors.New("the cluster does not come to rest")
		}
		return nil
	})
}

// fillUp asks for all the room that is left, one unit a pod, and for one pod more. Room that the scheduler keeps for a pod
// that is gone stays empty then, and room that it has forgotten is given away twice.
func (b *bench) fillUp() error {
	// Those that wait for more room than any node has would take it in pieces.
	for _, p := range b.now().pods {
		if p.node == "" {
			if err := b.api.do(http.MethodDelete, namespace+"/"+p.name[strings.Index(p.name, "/")+1:]+"?gracePeriodSeconds=0", nil, nil); err != nil {
				return err
			}
		}
	}
	room := b.now().room(amount{unit, 16 << 20, 1})
	for range room + 1 {
		b.load.create(1)
	}
	b.load.work.Wait()
	if b.load.failed != nil {
		return b.load.failed
	}
	return b.settle()
}
