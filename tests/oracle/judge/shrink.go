// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// shrinkTime is how long the search for a smaller case may take.
var shrinkTime = 20 * time.Second

// keepShrunk makes a failing case as small as it gets and stores it, with what differs.
func keepShrunk(r *runner, o outcome, dir string) {
	small := shrink(r, o)
	target := filepath.Join(dir, small.c.name)
	if err := writeCase(small.c, target); err != nil {
		fmt.Println("cannot keep the case:", err)
		return
	}
	var text strings.Builder
	if small.trouble != nil {
		fmt.Fprintln(&text, small.trouble)
	}
	for _, d := range small.differences {
		fmt.Fprintln(&text, d)
	}
	if err := os.WriteFile(filepath.Join(target, "differences.txt"), []byte(text.String()), 0o644); err != nil {
		fmt.Println("cannot keep the case:", err)
		return
	}
	fmt.Println("kept:", target)
}

// shrink drops items, then fields, as long as the case goes on failing in the same way.
func shrink(r *runner, o outcome) outcome {
	wanted := o.signature()
	deadline := time.Now().Add(shrinkTime)
	best := o
	try := func(items []tree, config tree) bool {
		if time.Now().After(deadline) {
			return false
		}
		c := &testCase{name: best.c.name, items: items, config: config, asYAML: best.c.asYAML}
		if c.render() != nil {
			return false
		}
		if _, err := loadConfig(c.conf); err != nil {
			return false
		}
		next := r.play(c)
		if next.signature() != wanted {
			return false
		}
		best = next
		return true
	}
	for size := len(best.c.items) / 2; size > 0; size /= 2 {
		for at := 0; at+size <= len(best.c.items); {
			if !try(slices.Delete(slices.Clone(best.c.items), at, at+size), best.c.config) {
				at += size
			}
		}
	}
	for i := range best.c.items {
		for _, path := range paths(best.c.items[i], nil) {
			if last := path[len(path)-1]; last == "apiVersion" || last == "kind" {
				continue
			}
			items := slices.Clone(best.c.items)
			items[i] = without(items[i], path)
			if admissible(items[i]) {
				try(items, best.c.config)
			}
		}
	}
	for _, path := range paths(best.c.config, nil) {
		if config := without(best.c.config, path); onlyNamedPlugins(config) {
			try(best.c.items, config)
		}
	}
	return best
}

// onlyNamedPlugins tells whether every profile still says all its plugins itself. One that falls
// back on defaults would get upstream's, which are more than Berth's.
func onlyNamedPlugins(config tree) bool {
	profiles, _ := config["profiles"].([]any)
	for _, p := range profiles {
		profile, _ := p.(tree)
		plugins, _ := profile["plugins"].(tree)
		multiPoint, _ := plugins["multiPoint"].(tree)
		disabled, _ := multiPoint["disabled"].([]any)
		if len(disabled) != 1 {
			return false
		}
		if entry, _ := disabled[0].(tree); entry["name"] != "*" {
			return false
		}
	}
	return len(profiles) > 0 && config["apiVersion"] != nil && config["kind"] != nil
}

// paths lists every field and list entry below a value, the outer ones first.
func paths(value any, prefix []any) [][]any {
	var list [][]any
	visit := func(key, child any) {
		path := append(slices.Clone(prefix), key)
		list = append(list, path)
		list = append(list, paths(child, path)...)
	}
	switch v := value.(type) {
	case tree:
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			visit(key, v[key])
		}
	case []any:
		for i := len(v) - 1; i >= 0; i-- {
			visit(i, v[i])
		}
	}
	return list
}

// without copies a tree and leaves one path out. A path that is gone already changes nothing.
func without(value tree, path []any) tree {
	text, err := json.Marshal(value)
	if err != nil {
		return value
	}
	var copied tree
	if json.Unmarshal(text, &copied) != nil {
		return value
	}
	cut, _ := remove(copied, path).(tree)
	return cut
}

func remove(value any, path []any) any {
	switch v := value.(type) {
	case tree:
		key, ok := path[0].(string)
		if !ok {
			return v
		}
		if child, found := v[key]; found {
			if len(path) == 1 {
				delete(v, key)
			} else {
				v[key] = remove(child, path[1:])
			}
		}
	case []any:
		i, ok := path[0].(int)
		if !ok || i >= len(v) {
			return v
		}
		if len(path) == 1 {
			return slices.Delete(v, i, i+1)
		}
		v[i] = remove(v[i], path[1:])
	}
	return value
}
