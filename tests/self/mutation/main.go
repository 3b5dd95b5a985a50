// SPDX-License-Identifier: Apache-2.0

// Mutation spoils the default plugins, one small change at a time, and asks the tests whether they notice.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// judgeTime is how long a mutant may keep one judge busy before it counts as hung.
const judgeTime = 3 * time.Minute

// settings are where everything is.
type settings struct {
	plugins string // the folder of the sources
	sdk     string // the folder of the headers
	scripts string // the folder of the linker's version script
	built   string // the folder of the libraries that the tree has built
	judges  []string
	work    string
	all     []plugin
	nothing []*equivalent // known to change nothing
}

// What becomes of a mutant that no judge catches.
const (
	survived    = "survived"
	notCompiled = "does not compile"
)

func main() {
	var s settings
	flag.StringVar(&s.plugins, "plugins", "plugins/kubernetes", "folder of the sources to spoil")
	flag.StringVar(&s.sdk, "sdk", "out/include", "folder of the headers")
	flag.StringVar(&s.built, "built", "build/release/lib/berth/plugins", "folder of the libraries that the tree has built")
	flag.StringVar(&s.scripts, "map", "sdk/cmake/berth-plugin.map", "the linker's version script")
	each := flag.Int("each", 5, "mutants per source")
	seed := flag.Uint64("seed", 1, "which of the possible ones")
	only := flag.String("only", "", "only sources whose name this regular expression matches")
	known := flag.String("equivalent", "", "file of changes that are known to change nothing")
	list := flag.Bool("list", false, "print what would be changed, and do nothing")
	tries := flag.Int("sample", 0, "try only so many of those mutants, and one that is known to change nothing")
	pick := flag.Uint64("pick", 1, "which of them")
	entries := flag.Bool("known", false, "also try every change that is known to change nothing")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: mutation [OPTIONS] JUDGE...\n\n"+
			"A JUDGE is a command that is run with BERTH_PLUGIN_DIR set to the folder of the spoiled libraries, BERTH_SOURCES\n"+
			"to that of the sources, and BERTH_SPOILED to the name of the spoiled one; it fails when it notices. They are asked\n"+
			"in order until one does.")
		flag.PrintDefaults()
	}
	flag.Parse()
	s.judges = flag.Args()
	var err error
	if *known != "" {
		s.nothing, err = equivalents(*known)
	}
	good := false
	if err == nil && *tries > 0 {
		good, err = sample(s, *each, *seed, *tries, *pick)
	} else if err == nil {
		good, err = run(s, *each, *seed, *only, *list, *entries)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutation:", err)
		os.Exit(2)
	}
	if !good {
		os.Exit(1)
	}
}

// run prints the table; it tells whether every mutant was caught or is known to change nothing.
func run(s settings, each int, seed uint64, only string, list, entries bool) (bool, error) {
	wanted, err := regexp.Compile(only)
	if err != nil {
		return false, fmt.Errorf("-only: %w", err)
	}
	sources, err := filepath.Glob(filepath.Join(s.plugins, "*.h"))
	if err != nil {
		return false, err
	}
	if s.work, err = os.MkdirTemp("", "berth-mutation-"); err != nil {
		return false, err
	}
	defer os.RemoveAll(s.work)
	if !list {
		if err := s.prepare(); err != nil {
			return false, err
		}
	}
	var all tally
	for _, path := range sources {
		name := filepath.Base(path)
		if !wanted.MatchString(name) {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return false, err
		}
		if !list {
			// Judges may ask otherwise for each source: what they say of it counts only if they had nothing to say before.
			if verdict := s.judge(name, filepath.Join(s.work, "unspoiled"), s.plugins); verdict != survived {
				return false, fmt.Errorf("%s: the unspoiled plugins do not pass: %s", name, verdict)
			}
		}
		done, before := 0, all.caught
		possible := mutants(string(text))
		look(s.nothing, name, possible)
		// Some changes do not compile; others take their places.
		tried := map[*equivalent]bool{}
		for _, m := range drawn(name, possible, each, seed) {
			if done == each {
				break
			}
			tried[find(s.nothing, name, m)] = true
			verdict := ""
			if !list {
				if verdict = s.try(name, []byte(m.apply(string(text)))); verdict == notCompiled {
					continue
				}
			}
			done++
			if !list {
				verdict = all.count(verdict, find(s.nothing, name, m))
			}
			fmt.Printf("| %s | %s | %s |\n", name, m, verdict)
		}
		for _, m := range possible {
			if e := find(s.nothing, name, m); entries && !list && e != nil && !tried[e] {
				tried[e] = true
				fmt.Printf("| %s | %s | %s |\n", name, m, all.count(s.try(name, []byte(m.apply(string(text)))), e))
			}
		}
		if !list {
			fmt.Printf("| **%s** | %d mutants | %d caught |\n", name, done, all.caught-before)
		}
		if done < each {
			fmt.Printf("| %s | only %d changes possible | |\n", name, done)
		}
	}
	if list {
		return true, nil
	}
	faults := stale(s.nothing, wanted.MatchString)
	for _, fault := range faults {
		fmt.Println(fault)
	}
	fmt.Println(all)
	return len(faults) == 0 && all.survived == 0, nil
}

// drawn are the mutants of a source that are tried, with more than each of them in case that some do not compile.
func drawn(name string, possible []mutant, each int, seed uint64) []mutant {
	return choose(possible, 3*each, rand.New(rand.NewPCG(seed, uint64(len(name)))))
}

// sample tries a few of the mutants that run would, and one entry of those that change nothing, picked by a seed; and it looks
// whether the sources still have every entry. That the judges have nothing to say about the unspoiled plugins is not asked: they
// are tests themselves.
func sample(s settings, each int, seed uint64, tries int, pick uint64) (bool, error) {
	sources, err := filepath.Glob(filepath.Join(s.plugins, "*.h"))
	if err != nil {
		return false, err
	}
	type trial struct {
		name, text string
		m          mutant
	}
	var trials, known []trial
	for _, path := range sources {
		text, err := os.ReadFile(path)
		if err != nil {
			return false, err
		}
		name := filepath.Base(path)
		possible := mutants(string(text))
		look(s.nothing, name, possible)
		for i, m := range drawn(name, possible, each, seed) {
			if i < each {
				trials = append(trials, trial{name, string(text), m})
			}
		}
		for _, m := range possible {
			if find(s.nothing, name, m) != nil {
				known = append(known, trial{name, string(text), m})
			}
		}
	}
	if s.work, err = os.MkdirTemp("", "berth-mutation-"); err != nil {
		return false, err
	}
	defer os.RemoveAll(s.work)
	if err := s.prepare(); err != nil {
		return false, err
	}
	random := rand.New(rand.NewPCG(pick, 0))
	var all tally
	// try gives false when the mutant does not compile.
	try := func(t trial) bool {
		verdict := s.try(t.name, []byte(t.m.apply(t.text)))
		if verdict != notCompiled {
			fmt.Printf("| %s | %s | %s |\n", t.name, t.m, all.count(verdict, find(s.nothing, t.name, t.m)))
		}
		return verdict != notCompiled
	}
	for _, i := range random.Perm(len(trials)) {
		if all.all() == tries {
			break
		}
		try(trials[i])
	}
	for _, i := range random.Perm(len(known)) {
		if try(known[i]) {
			break
		}
	}
	faults := stale(s.nothing, func(string) bool { return true })
	for _, fault := range faults {
		fmt.Println("FAIL ", fault)
	}
	fmt.Println(all)
	return len(faults) == 0 && all.survived == 0, nil
}

// tally is what has become of the mutants.
type tally struct{ caught, nothing, survived int }

// count adds a verdict; `known` is what is known of the change, or nil. It gives the verdict as the table has it.
func (t *tally) count(verdict string, known *equivalent) string {
	switch {
	case verdict != survived:
		t.caught++
		if known != nil {
			known.contradicted = true
		}
	case known != nil:
		t.nothing++
		return "changes nothing: " + known.why
	default:
		t.survived++
	}
	return verdict
}

func (t tally) all() int { return t.caught + t.nothing + t.survived }

func (t tally) String() string {
	return fmt.Sprintf("%d mutants, %d caught, %d change nothing, %d survived", t.all(), t.caught, t.nothing, t.survived)
}

// try builds the plugins with one source replaced and asks the judges.
func (s settings) try(name string, text []byte) string {
	dir, err := s.spoil(name, text)
	if err != nil {
		return notCompiled
	}
	return s.judge(name, dir, s.spoiled())
}

func (s settings) judge(name, dir, sources string) string {
	for _, judge := range s.judges {
		ctx, cancel := context.WithTimeout(context.Background(), judgeTime)
		command := exec.CommandContext(ctx, "bash", "-c", judge)
		command.Env = append(os.Environ(), "BERTH_PLUGIN_DIR="+dir, "BERTH_SOURCES="+sources, "BERTH_SPOILED="+name)
		var said bytes.Buffer
		command.Stdout, command.Stderr = &said, &said
		command.WaitDelay = time.Second // What it has started may hold the pipe.
		err := command.Run()
		cancel()
		if err != nil {
			return "caught by " + strings.Fields(judge)[0] + ": " + firstWords(said.String())
		}
	}
	return survived
}

// firstWords is the first line of a text that says something, short enough for a table.
func firstWords(text string) string {
	for _, line := range strings.Split(text, "\n") {
		line = strings.ReplaceAll(strings.TrimSpace(line), "|", "/")
		if line == "" {
			continue
		}
		if len(line) > 120 {
			line = line[:120] + " …"
		}
		return line
	}
	return "without a word"
}
