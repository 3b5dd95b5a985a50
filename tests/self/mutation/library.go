// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
)

// plugin is one plugin of the library. Each is built as a library of its own, so that a change costs no more than those
// that it concerns.
type plugin struct {
	name, class, version string
	header               string          // where the class is
	includes             map[string]bool // all headers of the folder that it is made of, its own too
}

var (
	entryPattern   = regexp.MustCompile(`berth::entry<k::(\w+)>\("(\w+)", "([^"]+)"\)`)
	includePattern = regexp.MustCompile(`(?m)^#include "([^"]+)"`)
)

// pluginsOf reads library.cpp and the headers beside it.
func pluginsOf(folder string) ([]plugin, error) {
	texts := map[string]string{}
	sources, err := filepath.Glob(filepath.Join(folder, "*.h"))
	if err != nil {
		return nil, err
	}
	for _, path := range append(sources, filepath.Join(folder, "library.cpp")) {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		texts[filepath.Base(path)] = string(text)
	}
	var list []plugin
	for _, entry := range entryPattern.FindAllStringSubmatch(texts["library.cpp"], -1) {
		p := plugin{class: entry[1], name: entry[2], version: entry[3], includes: map[string]bool{}}
		definition := regexp.MustCompile(`(?m)^(class|struct) ` + p.class + ` \{`)
		for name, text := range texts {
			if definition.MatchString(text) {
				p.header = name
			}
		}
		if p.header == "" {
			return nil, fmt.Errorf("no header of %s defines %s", folder, p.class)
		}
		follow(texts, p.header, p.includes)
		list = append(list, p)
	}
	if len(list) == 0 {
		return nil, errors.New("library.cpp names no plugins")
	}
	return list, nil
}

func follow(texts map[string]string, header string, seen map[string]bool) {
	if _, here := texts[header]; !here || seen[header] {
		return
	}
	seen[header] = true
	for _, include := range includePattern.FindAllStringSubmatch(texts[header], -1) {
		follow(texts, include[1], seen)
	}
}

// build compiles one plugin into a folder of libraries.
func (s settings) build(p plugin, sources, into string) error {
	main := filepath.Join(s.work, p.name+".cpp")
	text := fmt.Sprintf("#include <berth/plugin.hpp>\n#include \"%s\"\nBERTH_PLUGINS(berth::entry<kubernetes::%s>(\"%s\", \"%s\"))\n",
		p.header, p.class, p.name, p.version)
	if err := os.WriteFile(main, []byte(text), 0o644); err != nil {
		return err
	}
	library := filepath.Join(into, p.name+".so")
	os.Remove(library) // It may be another name of the unspoiled one.
	if err := s.compile("-shared", "-include", filepath.Join(s.work, "plugin.h"), "-I", sources, "-Wl,--version-script="+s.scripts, "-Wl,-z,defs",
		"-o", library, main); err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	return nil
}

// compiler is clang if it is there, which takes a third of the time for this.
func compiler() string {
	for _, name := range []string{"clang++-19", "clang++"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return "c++"
}

func (s settings) compile(options ...string) error {
	// With the assertions, who reads past an end is noticed whatever stands there.
	all := append([]string{"-D_GLIBCXX_ASSERTIONS", "-std=c++20", "-O0", "-fPIC", "-fwrapv", "-ffp-contract=off", "-fvisibility=hidden",
		"-w", "-I", s.sdk}, options...)
	if output, err := exec.Command(compiler(), all...).CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, output)
	}
	return nil
}

// precompile reads the SDK once for all plugins.
func (s settings) precompile() error {
	header := filepath.Join(s.work, "plugin.h")
	if err := os.WriteFile(header, []byte("#include <berth/plugin.hpp>\n"), 0o644); err != nil {
		return err
	}
	return s.compile("-x", "c++-header", "-o", header+".gch", header)
}

// buildAll compiles several, two at a time.
func (s settings) buildAll(plugins []plugin, sources, into string) error {
	faults := make([]error, len(plugins))
	var group sync.WaitGroup
	turn := make(chan struct{}, 2)
	for i, p := range plugins {
		group.Go(func() {
			turn <- struct{}{}
			faults[i] = s.build(p, sources, into)
			<-turn
		})
	}
	group.Wait()
	return errors.Join(faults...)
}

// concerned are the plugins that are made of a header.
func (s settings) concerned(header string) []plugin {
	return slices.DeleteFunc(slices.Clone(s.all), func(p plugin) bool { return !p.includes[header] })
}

// prepare builds the unspoiled plugins and puts the other libraries of the tree beside them.
func (s *settings) prepare() error {
	var err error
	if s.all, err = pluginsOf(s.plugins); err != nil {
		return err
	}
	base := filepath.Join(s.work, "unspoiled")
	if err := os.MkdirAll(base, 0o755); err != nil {
		return err
	}
	others, err := filepath.Glob(filepath.Join(s.built, "*.so"))
	if err != nil {
		return err
	}
	for _, path := range others {
		if name := filepath.Base(path); name != filepath.Base(s.plugins)+".so" {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(base, name), text, 0o755); err != nil {
				return err
			}
		}
	}
	if err := s.precompile(); err != nil {
		return err
	}
	return s.buildAll(s.all, s.plugins, base)
}

// spoiled is the folder of the sources, one of them spoiled.
func (s settings) spoiled() string { return filepath.Join(s.work, "sources") }

// spoil makes the folder of libraries with one header replaced; it tells whether that compiles.
func (s settings) spoil(header string, text []byte) (string, error) {
	dir, sources := filepath.Join(s.work, "plugins"), s.spoiled()
	os.RemoveAll(dir)
	os.RemoveAll(sources)
	if err := errors.Join(os.CopyFS(sources, os.DirFS(s.plugins)), os.MkdirAll(dir, 0o755),
		os.WriteFile(filepath.Join(sources, header), text, 0o644)); err != nil {
		return "", err
	}
	unspoiled, err := filepath.Glob(filepath.Join(s.work, "unspoiled", "*.so"))
	if err != nil {
		return "", err
	}
	for _, path := range unspoiled {
		if err := os.Link(path, filepath.Join(dir, filepath.Base(path))); err != nil {
			return "", err
		}
	}
	return dir, s.buildAll(s.concerned(header), sources, dir)
}
