// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"berth/tests/oracle/judge/release"

	"github.com/spf13/pflag"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/version"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/compatibility"
)

// verdict is what one of the two makes of a command line.
type verdict struct {
	refusal string          // empty: accepted
	values  map[string]bool // of every gate
}

// kubeScheduler reads the flags as kube-scheduler's command does.
func kubeScheduler(arguments []string) verdict {
	binary := version.MustParse(release.Kubernetes)
	floor := binary.WithPatch(0).SubtractMinor(3)
	gates := utilfeature.DefaultMutableFeatureGate.DeepCopy()
	registry := compatibility.NewComponentGlobalsRegistry()
	effective := compatibility.NewEffectiveVersion(binary, false, floor, floor)
	if err := registry.Register("kube", effective, gates); err != nil {
		fail(err)
	}
	flags := pflag.NewFlagSet("kube-scheduler", pflag.ContinueOnError)
	registry.AddFlags(flags)
	err := flags.Parse(arguments)
	if err == nil {
		err = registry.Set()
	}
	if err == nil {
		err = utilerrors.NewAggregate(registry.Validate())
	}
	if err != nil {
		return verdict{refusal: inOrder(err)}
	}
	out := verdict{values: map[string]bool{}}
	for name := range gates.GetAllVersioned() {
		out.values[string(name)] = gates.Enabled(name)
	}
	return out
}

// inOrder is the error's text, what is an aggregate's sorted: a map decides the order.
func inOrder(err error) string {
	var all utilerrors.Aggregate
	if !errors.As(err, &all) || strings.Contains(err.Error(), " is not between ") {
		return err.Error()
	}
	var texts []string
	for _, one := range all.Errors() {
		texts = append(texts, one.Error())
	}
	slices.Sort(texts)
	if texts = slices.Compact(texts); len(texts) == 1 {
		return texts[0]
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

// ours is what Berth makes of them: `berth version` lists every gate with its value, and refuses in upstream's words.
func ours(berth string, arguments []string) verdict {
	var out, complaints bytes.Buffer
	command := exec.Command(berth, append([]string{"version", "--feature-gates", "--kubernetes-version", release.Minor}, arguments...)...)
	command.Stdout, command.Stderr = &out, &complaints
	if err := command.Run(); err != nil {
		text := strings.TrimSuffix(complaints.String(), "\n")
		if command.ProcessState.ExitCode() != 2 || text == "" {
			return verdict{refusal: fmt.Sprintf("ended with %v: %s", err, text)}
		}
		for _, flag := range []string{"feature-gates", "emulated-version", "min-compatibility-version"} {
			text = strings.TrimPrefix(text, "berth: --"+flag+": ")
		}
		return verdict{refusal: text}
	}
	seen := verdict{values: map[string]bool{}}
	for _, line := range strings.Split(out.String(), "\n")[1:] {
		if fields := strings.Fields(line); len(fields) > 2 {
			seen.values[fields[0]] = fields[1] == "true"
		}
	}
	return seen
}

// alike: Berth may go on after upstream's words, after a semicolon. A map decides which of several errors
// kube-scheduler gives, so that it is asked again.
func alike(arguments []string, berth verdict) (string, bool) {
	const times = 200
	var seen []string
	for range times {
		theirs := kubeScheduler(arguments)
		if theirs.refusal == "" || berth.refusal == "" {
			if theirs.refusal != berth.refusal {
				return fmt.Sprintf("kube-scheduler: %q, Berth: %q", theirs.refusal, berth.refusal), false
			}
			for _, name := range slices.Sorted(maps.Keys(theirs.values)) {
				if value, known := berth.values[name]; !known || value != theirs.values[name] {
					return fmt.Sprintf("%s is %t, with Berth %t (listed: %t)", name, theirs.values[name], value, known), false
				}
			}
			if len(berth.values) != len(theirs.values) {
				return fmt.Sprintf("%d gates, with Berth %d", len(theirs.values), len(berth.values)), false
			}
			return "", true
		}
		if berth.refusal == theirs.refusal || strings.HasPrefix(berth.refusal, theirs.refusal+"; ") {
			return theirs.refusal, true
		}
		seen = append(seen, theirs.refusal)
	}
	slices.Sort(seen)
	return fmt.Sprintf("kube-scheduler: %q, Berth: %q", slices.Compact(seen), berth.refusal), false
}

type generator struct {
	*rand.Rand
	names []string
}

func (g *generator) of(texts ...string) string { return texts[g.Intn(len(texts))] }

func (g *generator) gate() string {
	switch g.Intn(12) {
	case 0:
		return g.of("AllAlpha", "AllBeta")
	case 1:
		return g.of("Colour", "allalpha", "", "schedulerPopFromBackoffQ", "a b", "DRADeviceTaint")
	}
	return g.names[g.Intn(len(g.names))]
}

// entry is one gate with a value, mostly right.
func (g *generator) entry() string {
	value := g.of("true", "false", "True", "1", "f", "TRUE", "0", "t", " true", "false ")
	if g.Intn(12) == 0 {
		value = g.of("", "yes", "tRUE", "true=false", "\"x\"", "2", "a\\b", "on\toff")
	}
	out := g.gate() + g.of("=", "=", "=", " = ") + value
	switch g.Intn(25) {
	case 0:
		out = g.of("", "Colour", "=true", " ", g.names[0])
	case 1:
		out = g.of("wardle:", ":", "kube:kube:") + out
	}
	return out
}

func (g *generator) gates() string {
	prefix := g.of("", "", "", "kube:", " kube :")
	var entries []string
	for range 1 + g.Intn(4) {
		entries = append(entries, prefix+g.entry())
	}
	if g.Intn(20) == 0 {
		entries = append(entries, "kube:"+g.entry())
	}
	return strings.Join(entries, g.of(",", ",", ",,"))
}

// minor finds the releases around 1.36 in a text. They are drawn around the one that is judged.
var minor = regexp.MustCompile(`1\.3[2-7]`)

// version is never empty: Berth's options take the next argument then.
func (g *generator) version() string {
	out := g.of("1.36", "1.35", "1.34", "1.33", "1.35", "1.34", "v1.36", "1.36.0", " 1.35 ")
	if g.Intn(6) == 0 {
		out = g.of("1.32", "1.37", "2.0", "1.36.3", "1", "kube=", "x", "01.36", "1.35.1.2", "1.35-alpha",
			"1.35.1-alpha.1+b", "1.x", "1.36.0-01", "1.99999999999999999999", "0.0", "1.035")
	}
	out = minor.ReplaceAllStringFunc(out, func(text string) string {
		number, _ := strconv.Atoi(text[len("1.3"):])
		return fmt.Sprintf("1.%d", 30+number+int(version.MustParse(release.Kubernetes).Minor())-36)
	})
	switch g.Intn(8) {
	case 0:
		out = "kube=" + out
	case 1:
		out = g.of("wardle=", "=", "kube = ", "kube=kube=") + out
	case 2:
		out += "," + g.of("", "kube="+release.Minor, "1.35", "wardle=1.2")
	}
	return out
}

func (g *generator) commandLine() []string {
	var out []string
	if g.Intn(3) == 0 {
		out = append(out, "--emulated-version="+g.version())
	}
	if g.Intn(4) == 0 {
		out = append(out, "--min-compatibility-version="+g.version())
	}
	for range g.Intn(3) {
		out = append(out, "--feature-gates="+g.gates())
	}
	return out
}

func judge(berth string, n int, seed int64) int {
	var names []string
	for name := range utilfeature.DefaultMutableFeatureGate.GetAllVersioned() {
		names = append(names, string(name))
	}
	slices.Sort(names)
	counts := map[string]int{}
	differences := 0
	for i := range int64(n) {
		g := &generator{rand.New(rand.NewSource(seed + i)), names}
		arguments := g.commandLine()
		text, same := alike(arguments, ours(berth, arguments))
		if !same {
			differences++
			fmt.Printf("FAIL  %q: %s\n", arguments, text)
			continue
		}
		counts[kind(text)]++
	}
	for _, text := range slices.Sorted(maps.Keys(counts)) {
		fmt.Printf("%6d  %s\n", counts[text], text)
	}
	return differences
}

// kind is a refusal without the names in it.
func kind(text string) string {
	for _, part := range []string{"unrecognized feature gate", "missing bool value", "invalid value of",
		"feature is locked", "feature is PreAlpha", "depends on features that are disabled", "component not registered", "do not mix use",
		"patch version not allowed", "duplicate version flag", "is not between", "could not parse", "illegal version string",
		"illegal zero-prefixed", "illegal non-numeric"} {
		if strings.Contains(text, part) {
			return "refused: " + part
		}
	}
	if text == "" {
		return "accepted"
	}
	return "refused: " + text
}
