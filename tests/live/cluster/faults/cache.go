// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"slices"
	"sort"
	"strings"
	"syscall"
	"time"
)

// dump is what a scheduler says of its cache when it gets SIGUSR2: pods by their uid.
type dump struct {
	placed map[string][]string // by node
	queued []string
}

const (
	nodesBegin = `"Dump of cached NodeInfo"`
	queueBegin = `"Dump of scheduling queue"`
)

var (
	nodeLine = regexp.MustCompile(`Node name: ([^\s"]+)`)
	podLine  = regexp.MustCompile(`name: [^,]*, namespace: [^,]*, uid: ([^,]+), phase: `)
)

// readDump reads the first dump of a log, by Berth, which writes it in one line, or by kube-scheduler.
func readDump(log string) (*dump, error) {
	_, rest, found := strings.Cut(log, nodesBegin)
	nodes, queue, whole := strings.Cut(rest, queueBegin)
	if !found || !whole || !strings.Contains(queue, "\n") {
		return nil, errors.New("it does not say what it has in its cache")
	}
	d := &dump{placed: map[string][]string{}}
	node, placed := "", false
	for _, line := range strings.Split(strings.ReplaceAll(nodes, `\n`, "\n"), "\n") {
		switch name, pod := nodeLine.FindStringSubmatch(line), podLine.FindStringSubmatch(line); {
		case name != nil:
			node = name[1]
			d.placed[node] = []string{}
		case strings.Contains(line, "Scheduled Pods(number: "):
			placed = true
		case strings.Contains(line, "Nominated Pods(number: "):
			placed = false
		case pod != nil && placed:
			d.placed[node] = append(d.placed[node], pod[1])
		}
	}
	for _, pod := range podLine.FindAllStringSubmatch(queue, -1) {
		d.queued = append(d.queued, pod[1])
	}
	return d, nil
}

// differs are the nodes and pods that are in the API and not in the cache, or the other way round.
func (d *dump) differs(w *world, scheduler string) (wrong []string) {
	placed, waiting := map[string][]string{}, []string{}
	for name := range w.nodes {
		placed[name] = []string{}
	}
	for uid, p := range w.pods {
		if p.holds() {
			placed[p.node] = append(placed[p.node], uid)
		} else if p.node == "" && !p.finished && !p.leaving && p.scheduler == scheduler {
			waiting = append(waiting, uid)
		}
	}
	for name, pods := range placed {
		cached, known := d.placed[name]
		if !known {
			wrong = append(wrong, "node "+name+" is not in the cache")
			continue
		}
		wrong = append(wrong, difference("node "+name, pods, cached)...)
	}
	for name := range d.placed {
		if _, known := placed[name]; !known {
			wrong = append(wrong, "node "+name+" is in the cache and not in the API")
		}
	}
	// One that is on its way out may still wait.
	queued := slices.DeleteFunc(slices.Clone(d.queued), func(uid string) bool { return w.pods[uid] != nil && w.pods[uid].leaving })
	wrong = append(wrong, difference("the queue", waiting, queued)...)
	sort.Strings(wrong)
	return wrong
}

func difference(where string, actual, cached []string) (wrong []string) {
	for _, uid := range actual {
		if !slices.Contains(cached, uid) {
			wrong = append(wrong, fmt.Sprintf("%s lacks pod %s in the cache", where, uid))
		}
	}
	for _, uid := range cached {
		if !slices.Contains(actual, uid) {
			wrong = append(wrong, fmt.Sprintf("%s has pod %s only in the cache", where, uid))
		}
	}
	return wrong
}

// cacheOf asks a scheduler for its cache.
func (s *scheduler) cacheOf() (*dump, error) {
	log, err := os.Open(s.log.Name())
	if err != nil {
		return nil, err
	}
	defer log.Close()
	before, err := log.Stat()
	if err != nil {
		return nil, err
	}
	if err := s.signal(syscall.SIGUSR2); err != nil {
		return nil, err
	}
	var d *dump
	err = within(20*time.Second, func() error {
		text, err := io.ReadAll(io.NewSectionReader(log, before.Size(), math.MaxInt64-before.Size()))
		if err != nil {
			return err
		}
		d, err = readDump(string(text))
		return err
	})
	return d, err
}

// compareCaches blames a scheduler, leading or not, whose cache is not what the API has: by then the watches that had gone
// silent must have been taken up again.
func (b *bench) compareCaches() {
	for i, one := range b.schedulers {
		err := within(b.limit, func() error {
			d, err := one.cacheOf()
			if err != nil {
				return err
			}
			if wrong := d.differs(b.now(), ourScheduler); len(wrong) > 0 {
				return fmt.Errorf("%d differences, such as: %s", len(wrong), wrong[0])
			}
			return nil
		})
		if err != nil {
			b.blame(fmt.Sprintf("the cache of scheduler %d does not equal the API: %v", i, err))
		}
	}
}
