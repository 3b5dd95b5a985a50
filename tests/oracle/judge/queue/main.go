// SPDX-License-Identifier: Apache-2.0

// Queue plays the same script of events on kube-scheduler's scheduling queue and on Berth's, and
// compares what happens to every pod.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	play := flag.String("play", "", "path of the program that plays scripts on Berth's queue")
	seed := flag.Uint64("seed", 1, "seed of the random scripts")
	n := flag.Int("n", 500, "number of scripts, the stored ones included")
	keep := flag.String("keep", "", "folder for failing scripts, shrunk")
	stored := flag.String("scripts", "", "folder of scripts that are played first")
	flag.Parse()
	differences, err := run(*play, *stored, *keep, *seed, *n)
	if err != nil {
		fmt.Fprintln(os.Stderr, "oracle-queue:", err)
		os.Exit(2)
	}
	if differences > 0 {
		os.Exit(1)
	}
}

// shown is how many failing scripts are shrunk and told in full.
const shown = 5

func run(play, stored, keep string, seed uint64, n int) (int, error) {
	if play == "" {
		return 0, errors.New("-play PATH is missing")
	}
	p := &player{path: play}
	defer p.stop()
	scripts, err := storedScripts(stored)
	if err != nil {
		return 0, err
	}
	played, differences := 0, 0
	seen := coverage{}
	take := func(s *script, real *upstream) error {
		played++
		seen.add(real.lines)
		difference, err := p.compare(s, real)
		if err != nil || difference == nil {
			return err
		}
		if differences++; differences > shown {
			return nil
		}
		small, difference := shrink(p, s, difference)
		fmt.Printf("%s: %s\n", s.Name, difference)
		if keep == "" {
			return nil
		}
		return store(small, keep)
	}
	for _, s := range scripts {
		real, err := playUpstream(s)
		if err == nil {
			err = take(s, real)
		}
		if err != nil {
			return 0, fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	process()
	for i := range n - len(scripts) {
		before := counted()
		s, real, err := newScript(seed, i)
		if err == nil {
			err = agree(before, real.counts)
		}
		if err != nil {
			return 0, err
		}
		if err := take(s, real); err != nil {
			return 0, fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	seen.print()
	fmt.Printf("seed %d\n%d scripts, %d differences\n", seed, played, differences)
	return differences, nil
}

// agree compares the entries into queues that were logged with those that upstream counted.
func agree(before, entries map[string]int) error {
	for what, count := range counted() {
		if count-before[what] != entries[what] {
			return fmt.Errorf("upstream counted %d entries %q and logged %d", count-before[what], what, entries[what])
		}
	}
	return nil
}

func playUpstream(s *script) (*upstream, error) {
	real, err := newUpstream(s)
	if err != nil {
		return nil, err
	}
	for _, each := range s.Steps {
		real.play(each)
	}
	return real, nil
}

func store(s *script, dir string) error {
	text, err := s.text()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	path := filepath.Join(dir, s.Name+".json")
	fmt.Println("kept:", path)
	return os.WriteFile(path, bytes.TrimLeft(text, "\n"), 0o644)
}
