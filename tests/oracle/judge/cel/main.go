// SPDX-License-Identifier: Apache-2.0

// Cel gives random selectors of devices to Kubernetes' CEL and to Berth's, and compares what they
// make of them: errors of compilation, results, errors of evaluation and costs.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
)

func main() {
	evaluate := flag.String("evaluate", "", "path of the program that evaluates selectors with Berth's code")
	seed := flag.Uint64("seed", 1, "seed of the random expressions")
	n := flag.Int("n", 20000, "number of random expressions")
	cases := flag.String("cases", "", "file of expressions, one a line, that come first")
	flag.Parse()
	differences, err := run(*evaluate, *cases, *seed, *n)
	if err != nil {
		fmt.Fprintln(os.Stderr, "oracle-cel:", err)
		os.Exit(2)
	}
	if differences > 0 {
		os.Exit(1)
	}
}

// shown is how many differences are printed in full.
const shown = 10

// perDevice is how many random expressions see the same device.
const perDevice = 25

// unknownType is one that the checker does not know. Kubernetes numbers them in the order of a map.
var unknownType = regexp.MustCompile(`_var[0-9]+`)

type judge struct {
	ours        *evaluator
	counts      map[string]int
	total       int
	differences int
}

func run(path, cases string, seed uint64, n int) (int, error) {
	ours, err := startEvaluator(path)
	if err != nil {
		return 0, err
	}
	defer ours.stop()
	j := &judge{ours: ours, counts: map[string]int{}}
	stored, err := storedCases(cases)
	if err != nil {
		return 0, err
	}
	generator := newGenerator(seed)
	for _, each := range fixedDevices() {
		for _, text := range stored {
			if err := j.compare(each, text); err != nil {
				return 0, err
			}
		}
	}
	for i := 0; i < n; i += perDevice {
		each := generator.device()
		for range min(perDevice, n-i) {
			if err := j.compare(each, generator.text()); err != nil {
				return 0, err
			}
		}
	}
	for _, kind := range []string{"value", "error", "compile", "syntax", "panic", "not supported"} {
		fmt.Printf("%-14s %7d\n", kind, j.counts[kind])
	}
	// A judge that sees next to nothing of a kind is none.
	for _, kind := range []string{"value", "error", "compile"} {
		if j.counts[kind] < j.total/50 {
			return 0, fmt.Errorf("only %d of %d expressions end as %q", j.counts[kind], j.total, kind)
		}
	}
	if j.counts["not supported"] > j.total/100 {
		return 0, fmt.Errorf("%d of %d expressions are not supported", j.counts["not supported"], j.total)
	}
	fmt.Printf("seed %d\n%d expressions, %d differences\n", seed, j.total, j.differences)
	return j.differences, nil
}

func storedCases(path string) ([]string, error) {
	if path == "" {
		return nil, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var texts []string
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if line := lines.Text(); line != "" && !strings.HasPrefix(line, "#") {
			texts = append(texts, line)
		}
	}
	return texts, lines.Err()
}

func (j *judge) compare(d *device, text string) error {
	j.total++
	real := d.evaluate(text)
	ours, err := j.ours.evaluate(d, text)
	if err != nil {
		return fmt.Errorf("%w, at %s", err, text)
	}
	real.text = unknownType.ReplaceAllString(real.text, "_var")
	ours.text = unknownType.ReplaceAllString(ours.text, "_var")
	kind := real.kind
	switch {
	case kind == "panic":
	case ours.unsupported():
		kind = "not supported"
	case kind == "compile" && strings.Contains(real.text, "Syntax error"):
		// The words are ANTLR's; that it is one is what counts.
		kind = "syntax"
		if ours.kind == "compile" && strings.Contains(ours.text, "Syntax error") {
			ours = real
		}
	}
	j.counts[kind]++
	if ours == real || kind == "not supported" || kind == "panic" {
		return nil
	}
	if j.differences++; j.differences <= shown {
		fmt.Printf("%s\n  device   %s\n  upstream %s\n  berth    %s\n", text, d, real, ours)
	}
	return nil
}
