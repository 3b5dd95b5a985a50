// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// params are a workload's, by name.
type params map[string]any

// read adds NAME=VALUE,… of the flag -params. A value that is neither a number nor true or false is a text, as 10s is.
func (p *params) read(text string) error {
	if *p == nil {
		*p = params{}
	}
	for _, one := range strings.Split(text, ",") {
		name, value, said := strings.Cut(one, "=")
		if !said || name == "" || value == "" {
			return fmt.Errorf("%q: expected NAME=VALUE", one)
		}
		var parsed any
		if json.Unmarshal([]byte(value), &parsed) != nil {
			parsed = value
		}
		(*p)[name] = parsed
	}
	return nil
}

// with are these, and others in their place. What is not there cannot be replaced.
func (p params) with(others params) (params, error) {
	all := maps.Clone(p)
	for _, name := range slices.Sorted(maps.Keys(others)) {
		if _, there := p[name]; !there {
			return nil, fmt.Errorf("-params: the workload has no %s; it has %s", name, strings.Join(slices.Sorted(maps.Keys(p)), ", "))
		}
		all[name] = others[name]
	}
	return all, nil
}

// flag is what read reads.
func (p params) flag() string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(p)) {
		all = append(all, fmt.Sprintf("%s=%v", name, p[name]))
	}
	return strings.Join(all, ",")
}
