// SPDX-License-Identifier: Apache-2.0

// Devices makes random clusters of ResourceSlices, DeviceClasses and ResourceClaims, lets kube-scheduler's allocator and
// Berth's find devices for the claims, and compares what they answer, node by node. Its arguments are files of cases to begin with,
// one a line.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sort"

	"berth/tests/oracle/judge/release"
)

// berth is the program of tests/oracle/devices, which reads a case a line and answers each with a line.
type berth struct {
	in  io.Writer
	out *bufio.Reader
}

func startBerth(path string) (*berth, error) {
	command := exec.Command(path, release.Kubernetes)
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &berth{in: in, out: bufio.NewReaderSize(out, 1<<20)}, command.Start()
}

func (b *berth) ask(c *testCase) ([]answer, error) {
	line, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	if _, err := b.in.Write(append(line, '\n')); err != nil {
		return nil, err
	}
	line, err = b.out.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("berth's program ended: %w", err)
	}
	var answers []answer
	return answers, json.Unmarshal(line, &answers)
}

// judge tells how the answers differ; nothing if they do not, or if the real allocator takes too long.
func judge(b *berth, c *testCase, seen map[string]int) (string, error) {
	c.Selectors = evaluate(c)
	want, ok := upstream(c)
	if !ok {
		seen["takes too long"]++
		return "", nil
	}
	got, err := b.ask(c)
	if err != nil {
		return "", err
	}
	if len(got) != len(want) {
		return fmt.Sprintf("%d answers for %d nodes", len(got), len(want)), nil
	}
	for i := range want {
		seen[want[i].kind()]++
		if difference := want[i].differs(got[i]); difference != "" {
			return "node " + c.Nodes[i].Name + ": " + difference, nil
		}
	}
	return "", nil
}

// readTable reads cases, one a line.
func readTable(path string) ([]*testCase, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var cases []*testCase
	for lines := json.NewDecoder(file); ; {
		c := &testCase{}
		if err := lines.Decode(c); errors.Is(err, io.EOF) {
			return cases, nil
		} else if err != nil {
			return nil, err
		}
		if c.Name == "" {
			c.Name = fmt.Sprintf("%s, line %d", filepath.Base(path), len(cases)+1)
		}
		cases = append(cases, c)
	}
}

func run() error {
	program := flag.String("berth", "", "the program that asks Berth's allocator")
	count := flag.Int("n", 2000, "random cases")
	seed := flag.Uint64("seed", 1, "of the random cases")
	keep := flag.String("keep", "", "a directory for cases that fail")
	verbose := flag.Bool("v", false, "count the answers")
	flag.Parse()
	b, err := startBerth(*program)
	if err != nil {
		return err
	}
	var cases []*testCase
	for _, path := range flag.Args() {
		table, err := readTable(path)
		if err != nil {
			return err
		}
		cases = append(cases, table...)
	}
	passed, failed, seen := 0, 0, map[string]int{}
	for i := range len(cases) + *count {
		var c *testCase
		if i < len(cases) {
			c = cases[i]
		} else {
			c = generate(rand.New(rand.NewPCG(*seed, uint64(i-len(cases)))), fmt.Sprintf("seed %d, case %d", *seed, i-len(cases)))
		}
		difference, err := judge(b, c, seen)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		if difference == "" {
			passed++
			continue
		}
		failed++
		fmt.Printf("FAILED %s: %s\n", c.Name, difference)
		if *keep != "" {
			if text, err := json.Marshal(c); err == nil {
				_ = os.MkdirAll(*keep, 0o755)
				_ = os.WriteFile(filepath.Join(*keep, fmt.Sprintf("%d.jsonl", failed)), text, 0o644)
			}
		}
		if failed == 20 {
			break
		}
	}
	if *verbose {
		kinds := make([]string, 0, len(seen))
		for kind := range seen {
			kinds = append(kinds, kind)
		}
		sort.Slice(kinds, func(i, k int) bool { return seen[kinds[i]] > seen[kinds[k]] })
		for _, kind := range kinds {
			fmt.Printf("%8d %s\n", seen[kind], kind)
		}
	}
	fmt.Printf("seed %d\n%d cases, %d differences\n", *seed, passed+failed, failed)
	if failed > 0 {
		os.Exit(1)
	}
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "devices:", err)
		os.Exit(2)
	}
}
