// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"berth/tests/oracle/judge/release"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
)

var asked = regexp.MustCompile(`[fF]eatures\.([A-Z][A-Za-z0-9]*)`)

// askedFor are the names after "features." in kube-scheduler's own code, which has an identifier named like the gate.
func askedFor(source string) (map[string]bool, error) {
	out := map[string]bool{}
	for _, folder := range []string{"pkg/scheduler", "cmd/kube-scheduler"} {
		err := filepath.WalkDir(filepath.Join(source, folder), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, match := range asked.FindAllSubmatch(text, -1) {
				out[string(match[1])] = true
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func stage(spec featuregate.FeatureSpec) string {
	name := string(spec.PreRelease)
	if spec.PreRelease == featuregate.GA {
		name = "GA"
	}
	value := "off"
	if spec.Default {
		value = "on"
	}
	out := fmt.Sprintf("%s %s %s", spec.Version, name, value)
	if spec.LockToDefault {
		out += " locked"
	}
	if spec.MinCompatibilityVersion != nil {
		out += fmt.Sprintf(" compatible %s", spec.MinCompatibilityVersion)
	}
	return out
}

// table is configs/defaults/<release>/gates.yaml.
func table(source string) (string, error) {
	ours, err := askedFor(source)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	out.WriteString("# SPDX-License-Identifier: Apache-2.0\n")
	out.WriteString("# Made by tests/oracle/gates/run.sh --write from Kubernetes' own code; do not edit. The feature gates of\n")
	fmt.Fprintf(&out, "# kube-scheduler %s, and since which version each has which stage and default. `asked`: the\n", release.Kubernetes)
	out.WriteString("# scheduler's own code asks for the gate.\n")
	fmt.Fprintf(&out, "release: %s\ngates:\n", release.Kubernetes)
	known := utilfeature.DefaultMutableFeatureGate.GetAllVersioned()
	needs := utilfeature.DefaultMutableFeatureGate.Dependencies()
	for _, name := range slices.Sorted(maps.Keys(known)) {
		var stages, all []string
		for _, spec := range known[name] {
			stages = append(stages, stage(spec))
		}
		for _, need := range needs[name] {
			all = append(all, string(need))
		}
		fmt.Fprintf(&out, "  - {name: %s, stages: [%s]", name, strings.Join(stages, ", "))
		if len(all) > 0 {
			fmt.Fprintf(&out, ", needs: [%s]", strings.Join(all, ", "))
		}
		if ours[string(name)] {
			out.WriteString(", asked: true")
		}
		out.WriteString("}\n")
	}
	return out.String(), nil
}
