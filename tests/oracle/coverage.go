// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"regexp"
	"sort"
	"strings"
)

// coverage counts what the real scheduler said: plugin, then point with status, then reason.
type coverage map[[3]string]int

func (c coverage) add(plugin, status, reason string) {
	if c != nil {
		c[[3]string{plugin, status, reason}]++
	}
}

// print writes the table, sorted.
func (c coverage) print(w io.Writer) {
	keys := make([][3]string, 0, len(c))
	for key := range c {
		keys = append(keys, key)
	}
	sort.Slice(keys, func(i, j int) bool {
		return strings.Join(keys[i][:], "\x00") < strings.Join(keys[j][:], "\x00")
	})
	for _, key := range keys {
		plugin := key[0]
		if plugin == "" {
			plugin = "(cycle)"
		}
		fmt.Fprintf(w, "%9d  %-32s %-38s %s\n", c[key], plugin, key[1], key[2])
	}
}

var gateList = regexp.MustCompile(`\[.*\]`)

// reasonClass takes the names out of a text, so that the table stays short.
func reasonClass(text string) string { return gateList.ReplaceAllString(text, "[…]") }

func reasonsClass(reasons []string, narrowed bool) string {
	if narrowed {
		return "narrowed the nodes"
	}
	return strings.Join(reasons, ", ")
}

// scoreClass is the band in which a normalized score lies.
func scoreClass(score int64) string {
	switch {
	case score <= 0:
		return "0"
	case score < 50:
		return "1–49"
	case score < 100:
		return "50–99"
	default:
		return "100"
	}
}
