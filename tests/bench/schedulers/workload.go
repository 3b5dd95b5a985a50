// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"k8s.io/kubernetes/pkg/features"
	"sigs.k8s.io/yaml"
)

// workload is one line of a scheduler_perf file with its parameters filled in.
type workload struct {
	name       string // as it was asked for
	operations []operation
	gates      gates
	// The templates of nodes and pods that name none. Upstream's code has the same objects as these two files.
	nodeFile, podFile string
}

// testCase and variant are the entries of a performance-config.yaml. Fields of type any are read and have no effect here:
// they say what upstream's own harness collects, demands or selects.
type testCase struct {
	Name                           string            `json:"name"`
	FeatureGates                   map[string]bool   `json:"featureGates"`
	MetricsCollectorConfig         any               `json:"metricsCollectorConfig"`
	WorkloadTemplate               []json.RawMessage `json:"workloadTemplate"`
	Workloads                      []variant         `json:"workloads"`
	DefaultPodTemplatePath         string            `json:"defaultPodTemplatePath"`
	Labels                         any               `json:"labels"`
	DefaultThresholdMetricSelector any               `json:"defaultThresholdMetricSelector"`
}

type variant struct {
	Name                    string          `json:"name"`
	Params                  params          `json:"params"`
	FeatureGates            map[string]bool `json:"featureGates"`
	Labels                  any             `json:"labels"`
	Threshold               any             `json:"threshold"`
	ThresholdMetricSelector any             `json:"thresholdMetricSelector"`
}

const fileName = "performance-config.yaml"

// readWorkload finds [FOLDER/]CASE/WORKLOAD in the files below dir, and takes the given parameters instead of its own.
func readWorkload(dir, name string, given params) (workload, error) {
	if !strings.Contains(name, "/") {
		return workload{}, fmt.Errorf("W=%s: expected CASE/WORKLOAD, as in SchedulingBasic/500Nodes", name)
	}
	var found []workload
	var known []string
	err := eachCase(dir, func(folder, path string, one unreadCase) error {
		known = append(known, one.name)
		// A workload's name may have slashes of its own.
		wanted, named := strings.CutPrefix(strings.TrimPrefix(name, folder+"/"), one.name+"/")
		if !named {
			return nil
		}
		w, err := one.read(dir, path, wanted, given)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", path, one.name, err)
		}
		w.name = name
		if len(given) > 0 {
			w.name += " with " + given.flag()
		}
		found = append(found, w)
		return nil
	})
	if err != nil {
		return workload{}, err
	}
	if len(found) == 0 {
		sort.Strings(known)
		return workload{}, fmt.Errorf("no case of that name below %s; there are %s", dir, strings.Join(known, ", "))
	}
	if len(found) > 1 {
		return workload{}, fmt.Errorf("%d folders have such a case; say which, as in W=FOLDER/%s", len(found), name)
	}
	return found[0], nil
}

// unreadCase is a case of which only the name is known, so that one which is not understood stops nobody else.
type unreadCase struct {
	name string
	text json.RawMessage
}

// eachCase goes through the files below dir; folder is where the file is, from there.
func eachCase(dir string, see func(folder, path string, one unreadCase) error) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() != fileName {
			return err
		}
		cases, err := readCases(path)
		if err != nil {
			return err
		}
		folder, err := filepath.Rel(dir, filepath.Dir(path))
		if err != nil {
			return err
		}
		for _, one := range cases {
			if err := see(folder, path, one); err != nil {
				return err
			}
		}
		return nil
	})
}

func readCases(path string) ([]unreadCase, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var raw []json.RawMessage
	if err := yaml.Unmarshal(text, &raw); err != nil {
		return nil, fmt.Errorf("%s: expected a list of test cases: %w", path, err)
	}
	var cases []unreadCase
	for _, one := range raw {
		var head struct{ Name string }
		if err := json.Unmarshal(one, &head); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		cases = append(cases, unreadCase{head.Name, one})
	}
	return cases, nil
}

func (u unreadCase) read(dir, path, wanted string, given params) (workload, error) {
	var c testCase
	if err := strictly(u.text, &c); err != nil {
		return workload{}, err
	}
	var names []string
	for _, v := range c.Workloads {
		names = append(names, v.Name)
		if v.Name != wanted {
			continue
		}
		folder := filepath.Dir(path)
		w := workload{
			gates:    gates{},
			nodeFile: filepath.Join(dir, "templates", "node-default.yaml"),
			podFile:  filepath.Join(dir, "templates", "pod-default.yaml"),
		}
		if c.DefaultPodTemplatePath != "" {
			w.podFile = filepath.Join(folder, c.DefaultPodTemplatePath)
		}
		for _, gates := range []map[string]bool{c.FeatureGates, v.FeatureGates} {
			for gate, on := range gates {
				w.gates[gate] = on
			}
		}
		values, err := v.Params.with(given)
		if err != nil {
			return workload{}, err
		}
		for i, raw := range c.WorkloadTemplate {
			op, err := readOperation(raw, folder, values)
			if err != nil {
				return workload{}, fmt.Errorf("workloadTemplate[%d]: %w", i, err)
			}
			w.operations = append(w.operations, op)
		}
		return w, w.check()
	}
	return workload{}, fmt.Errorf("no workload %s; there are %s", wanted, strings.Join(names, ", "))
}

// check refuses what would not measure what it seems to.
func (w workload) check() error {
	if err := w.gates.check(); err != nil {
		return err
	}
	measures := 0
	for _, op := range w.operations {
		switch op := op.(type) {
		case createPods:
			if op.CollectMetrics {
				measures++
			}
		case startMeasuring:
			measures++
		}
	}
	if measures != 1 {
		return fmt.Errorf("%d operations collect metrics; expected one", measures)
	}
	return w.measuresPods()
}

// measuresPods refuses what times something within upstream's own scheduler, while no pods are placed.
func (w workload) measuresPods() error {
	begin := slices.IndexFunc(w.operations, func(op operation) bool { _, is := op.(startMeasuring); return is })
	if begin < 0 || slices.ContainsFunc(w.operations[begin:], placesPods) {
		return nil
	}
	return errors.New("no pods are created while metrics are collected")
}

// makesClaims says whether a scheduler makes claims itself, for resources that classes of devices stand for.
func (w workload) makesClaims() bool {
	return w.gates[string(features.DRAExtendedResource)] &&
		slices.ContainsFunc(w.operations, func(op operation) bool { _, is := op.(createDriver); return is })
}

func placesPods(op operation) bool {
	switch op.(type) {
	case createPods, createPodSets, barrier:
		return true
	}
	return false
}

// strictly decodes JSON and names a field that the target does not have.
func strictly(text []byte, target any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	return decoder.Decode(target)
}
