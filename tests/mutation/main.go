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
	"strings"
	"time"
)

// judgeTime is how long a mutant may keep one judge busy before it counts as hung.
const judgeTime = 10 * time.Minute

// settings are where everything is.
type settings struct {
	plugins string // the folder of the sources
	sdk     string // the folder of the headers
	scripts string // the folder of the linker's version script
	judges  []string
	work    string
}

func main() {
	var s settings
	flag.StringVar(&s.plugins, "plugins", "plugins/kubernetes", "folder of the sources to spoil")
	flag.StringVar(&s.sdk, "sdk", "out/include", "folder of the headers")
	flag.StringVar(&s.scripts, "map", "sdk/cmake/berth-plugin.map", "the linker's version script")
	each := flag.Int("each", 5, "mutants per source")
	seed := flag.Uint64("seed", 1, "which of the possible ones")
	only := flag.String("only", "", "only sources whose name contains this")
	list := flag.Bool("list", false, "print what would be changed, and do nothing")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: mutation [OPTIONS] JUDGE...\n\n"+
			"A JUDGE is a command that is run with BERTH_PLUGIN_DIR set to the folder of the spoiled library;\n"+
			"it fails when it notices. They are asked in order until one does.")
		flag.PrintDefaults()
	}
	flag.Parse()
	s.judges = flag.Args()
	if err := run(s, *each, *seed, *only, *list); err != nil {
		fmt.Fprintln(os.Stderr, "mutation:", err)
		os.Exit(2)
	}
}

func run(s settings, each int, seed uint64, only string, list bool) error {
	sources, err := filepath.Glob(filepath.Join(s.plugins, "*.h"))
	if err != nil {
		return err
	}
	if s.work, err = os.MkdirTemp("", "berth-mutation-"); err != nil {
		return err
	}
	defer os.RemoveAll(s.work)
	if !list {
		if verdict := s.try("", nil); verdict != "survived" {
			return fmt.Errorf("the unspoiled library does not pass: %s", verdict)
		}
	}
	total, caught := 0, 0
	for _, path := range sources {
		name := filepath.Base(path)
		if !strings.Contains(name, only) {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		random := rand.New(rand.NewPCG(seed, uint64(len(name))))
		done := 0
		// Some changes do not compile; others take their places.
		for _, m := range choose(mutants(string(text)), 3*each, random) {
			if done == each {
				break
			}
			verdict := ""
			if !list {
				if verdict = s.try(name, []byte(m.apply(string(text)))); verdict == "does not compile" {
					continue
				}
			}
			done++
			total++
			if verdict != "survived" {
				caught++
			}
			fmt.Printf("| %s | %s | %s |\n", name, m, verdict)
		}
		if done < each {
			fmt.Printf("| %s | only %d changes possible | |\n", name, done)
		}
	}
	fmt.Printf("%d mutants, %d caught, %d survived\n", total, caught, total-caught)
	return nil
}

// try builds the library with one source replaced and asks the judges.
func (s settings) try(name string, text []byte) string {
	dir := filepath.Join(s.work, "plugins")
	sources := filepath.Join(s.work, "sources")
	os.RemoveAll(dir)
	os.RemoveAll(sources)
	if err := os.CopyFS(sources, os.DirFS(s.plugins)); err != nil {
		return err.Error()
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err.Error()
	}
	if text != nil {
		if err := os.WriteFile(filepath.Join(sources, name), text, 0o644); err != nil {
			return err.Error()
		}
	}
	build := exec.Command("c++", "-std=c++20", "-O1", "-fPIC", "-shared", "-fwrapv", "-ffp-contract=off", "-fvisibility=hidden", "-w",
		"-I", s.sdk, "-Wl,--version-script="+s.scripts, "-Wl,-z,defs", "-o", filepath.Join(dir, "kubernetes.so"),
		filepath.Join(sources, "library.cpp"))
	if output, err := build.CombinedOutput(); err != nil {
		if text == nil {
			return fmt.Sprintf("it does not compile: %s", output)
		}
		return "does not compile"
	}
	for _, judge := range s.judges {
		ctx, cancel := context.WithTimeout(context.Background(), judgeTime)
		command := exec.CommandContext(ctx, "bash", "-c", judge)
		command.Env = append(os.Environ(), "BERTH_PLUGIN_DIR="+dir)
		var said bytes.Buffer
		command.Stdout, command.Stderr = &said, &said
		err := command.Run()
		cancel()
		if err != nil {
			return "caught by " + strings.Fields(judge)[0] + ": " + firstWords(said.String())
		}
	}
	return "survived"
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
