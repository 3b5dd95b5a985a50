// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"sync"
	"time"

	"berth/tests/oracle/judge/release"

	"sigs.k8s.io/yaml"
)

// simulateTimeout is how long one small cluster may take before it counts as hung, however much else the machine does.
const simulateTimeout = 5 * time.Minute

// runner plays cases through a berth binary.
type runner struct {
	berth string
	dir   string // scratch, one folder per case

	plugins string // a folder of plugin libraries, or ""
}

// outcome is one case, played and judged.
type outcome struct {
	c           *testCase
	judge       *judge
	coverage    coverage
	differences []difference
	trouble     error // berth or the log failed, so that there was nothing to judge
}

// play simulates a case twice and judges both logs. Trouble with berth is part of the outcome.
func (r *runner) play(c *testCase) outcome {
	out := outcome{c: c, coverage: coverage{}}
	dir, err := os.MkdirTemp(r.dir, "case-")
	if err != nil {
		out.trouble = err
		return out
	}
	defer os.RemoveAll(dir)
	conf := withAddress(c.conf)
	if out.trouble = writeCase(c, dir); out.trouble == nil {
		out.trouble = os.WriteFile(filepath.Join(dir, "config.yaml"), conf, 0o644)
	}
	if out.trouble != nil {
		return out
	}
	lines, err := r.simulate(c, dir, "--detail", "events", "--plugin-checks", "strict")
	if err == nil {
		out.judge, err = judgeLog(c.name, c.cluster, conf, lines, out.coverage)
	}
	var plain []logLine
	if err == nil {
		// As people run it, without tables of nodes and without checks: there are shortcuts that the first run has not taken.
		plain, err = r.simulate(c, dir)
	}
	if err != nil {
		out.trouble = fmt.Errorf("%s: %w", c.name, err)
		return out
	}
	out.differences = append(out.judge.differences, compareRuns(c.name, lines, plain)...)
	return out
}

// simulate plays a case and reads the log.
func (r *runner) simulate(c *testCase, dir string, options ...string) ([]logLine, error) {
	log := filepath.Join(dir, "decisions.jsonl")
	ctx, cancel := context.WithTimeout(context.Background(), simulateTimeout)
	defer cancel()
	arguments := append([]string{"simulate", "--config", filepath.Join(dir, "config.yaml"), "--seed", "1",
		"--decisions", log, "-o", "json", "--kubernetes-version", release.Minor}, options...)
	if r.plugins != "" {
		arguments = append(arguments, "--plugin-dir", r.plugins)
	}
	command := exec.CommandContext(ctx, r.berth, append(arguments, filepath.Join(dir, c.clusterFile()))...)
	var said bytes.Buffer
	command.Stderr = &said
	if err := command.Run(); err != nil {
		return nil, fmt.Errorf("berth simulate: %w\n%s", err, bytes.TrimSpace(said.Bytes()))
	}
	if bytes.Contains(said.Bytes(), []byte("broke the plugin ABI")) {
		return nil, fmt.Errorf("berth simulate: %s", bytes.TrimSpace(said.Bytes()))
	}
	file, err := os.Open(log)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readLog(file)
}

// compareRuns holds a run's log against that of another run, which has been judged: each decision of the one is that of the other,
// as far as both record it. What is found is the first difference; those behind it follow from it.
func compareRuns(name string, judged, plain []logLine) []difference {
	decisions := func(lines []logLine) (list []*decision) {
		for _, line := range lines {
			if line.Decision != nil {
				d := *line.Decision
				d.Seq, d.PreFilter, d.Nodes = 0, nil, nil
				list = append(list, &d)
			}
		}
		return list
	}
	theirs, ours := decisions(judged), decisions(plain)
	for i := range max(len(theirs), len(ours)) {
		found := difference{Case: name, Field: "run without tables and checks", Ours: "nothing", Theirs: "nothing"}
		var a, b *decision
		if i < len(theirs) {
			a, found.Theirs, found.Pod = theirs[i], textOf(theirs[i]), theirs[i].Pod.key()
		}
		if i < len(ours) {
			b, found.Ours, found.Pod = ours[i], textOf(ours[i]), ours[i].Pod.key()
		}
		if !reflect.DeepEqual(a, b) {
			return []difference{found}
		}
	}
	return nil
}

// signature says in which way a case fails, or "" when it does not.
func (o outcome) signature() string {
	var exit *exec.ExitError
	switch {
	case errors.As(o.trouble, &exit):
		return "berth: " + exit.Error()
	case o.trouble != nil:
		return "trouble"
	case len(o.differences) > 0:
		return o.differences[0].signature()
	}
	return ""
}

func runCommand(args []string) (int, error) {
	flags := flag.NewFlagSet("run", flag.ExitOnError)
	berth := flags.String("berth", "", "path of the berth binary")
	seed := flags.Uint64("seed", 1, "seed of the random cases")
	n := flags.Int("n", 2000, "number of decisions to judge at least")
	keep := flags.String("keep", "", "folder for failing cases, shrunk")
	verbose := flags.Bool("v", false, "print every difference, not only the first ones")
	jobs := flags.Int("j", 2, "cases at a time")
	flags.StringVar(&defaultsFile, "defaults", defaultsFile, "which plugins Berth has by default")
	flags.StringVar(&onlyTheme, "theme", "", "what every case is about (generate_theme.go); as a rule they take turns")
	plugins := flags.String("plugin-dir", "", "folder of plugin libraries that come before the installed ones")
	first := flags.Bool("first", false, "stop at the first case that fails")
	stored := flags.String("cases", "", "folder of cases that are played first")
	_ = flags.Parse(args)
	if *berth == "" {
		return 0, errors.New("run needs -berth PATH")
	}
	dir, err := os.MkdirTemp("", "berth-oracle-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	r := &runner{berth: *berth, dir: dir, plugins: *plugins}
	t := &tally{coverage: coverage{}, verbose: *verbose, signatures: map[string]int{}}
	cases, err := storedCases(*stored)
	if err != nil {
		return 0, err
	}
	for _, c := range cases {
		if o := r.play(c); t.take(o) && *keep != "" {
			keepShrunk(r, o, *keep)
		}
	}
	for batch := 0; t.decisions < *n && !(*first && t.differences > 0); batch++ {
		// A whole batch is judged, in order, so that the same seed prints the same lines.
		outcomes := make([]outcome, 8**jobs)
		var group sync.WaitGroup
		next := make(chan int)
		for range *jobs {
			group.Go(func() {
				for i := range next {
					c, err := newCase(*seed, batch*len(outcomes)+i)
					if err != nil {
						outcomes[i] = outcome{c: c, trouble: err}
						continue
					}
					outcomes[i] = r.play(c)
				}
			})
		}
		for i := range outcomes {
			next <- i
		}
		close(next)
		group.Wait()
		for _, o := range outcomes {
			if fresh := t.take(o); fresh && *keep != "" && len(t.signatures) <= 20 {
				keepShrunk(r, o, *keep)
			}
		}
		if t.troubles >= 50 {
			fmt.Println("giving up after 50 cases that could not be judged")
			break
		}
	}
	t.coverage.print(os.Stdout)
	fmt.Printf("%d decisions, %d differences\n", t.decisions, t.differences)
	return t.differences, nil
}

// storedCases reads the cases that stay: one folder each, as writeCase writes them.
func storedCases(dir string) ([]*testCase, error) {
	if dir == "" {
		return nil, nil
	}
	folders, err := filepath.Glob(filepath.Join(dir, "*", "config.yaml"))
	if err != nil {
		return nil, err
	}
	var cases []*testCase
	for _, config := range folders {
		c := &testCase{name: filepath.Base(filepath.Dir(config)), asYAML: true}
		var err error
		if c.conf, err = os.ReadFile(config); err != nil {
			return nil, err
		}
		if c.cluster, err = os.ReadFile(filepath.Join(filepath.Dir(config), "cluster.yaml")); err != nil {
			return nil, err
		}
		var list struct {
			Items []tree `json:"items"`
		}
		if err := errors.Join(yaml.Unmarshal(c.cluster, &list), yaml.Unmarshal(c.conf, &c.config)); err != nil {
			return nil, fmt.Errorf("%s: %w", config, err)
		}
		c.items = list.Items
		cases = append(cases, c)
	}
	return cases, nil
}

// tally adds outcomes up.
type tally struct {
	decisions, differences, troubles, printed int
	coverage                                  coverage
	signatures                                map[string]int
	verbose                                   bool
}

// take adds one outcome and tells whether it fails in a way not seen before.
func (t *tally) take(o outcome) bool {
	for key, count := range o.coverage {
		t.coverage[key] += count
	}
	if o.judge != nil {
		t.decisions += o.judge.decisions
	}
	if o.trouble != nil {
		t.troubles++
		t.differences++
		fmt.Println(o.trouble)
	}
	for _, d := range o.differences {
		t.differences++
		if t.verbose || t.printed < 100 {
			fmt.Println(d)
			t.printed++
		}
	}
	s := o.signature()
	if s == "" {
		return false
	}
	t.signatures[s]++
	return t.signatures[s] == 1
}
