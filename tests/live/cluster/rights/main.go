// SPDX-License-Identifier: Apache-2.0

// Command rights writes what the chart must know about the plugins of the image, as the program itself tells it: for each
// plugin its extension points and the rights that it declares, the default plugins of each version of the configuration, and
// the feature gates that rights hang on.
//
//	rights BERTH TREE    prints charts/berth/files/rights.yaml
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

var (
	points = []string{"multiPoint", "preEnqueue", "queueSort", "preFilter", "filter", "postFilter", "preScore", "score", "reserve",
		"permit", "preBind", "bind", "postBind"}
	releases = []string{"1.36", "1.37"} // the first is the one without a word
	// gateOf is the feature gate with which plugins want to see a resource that they do not always look at.
	gateOf = map[string]string{"csidrivers": "VolumeLimitScaling", "devicetaintrules": "DRADeviceTaintRules"}
	// ownGates are those with which the scheduler itself needs more.
	ownGates = []string{"GenericWorkload"}
	versions = []string{"v1alpha1", "v1alpha2", "v1beta1", "v1beta2", "v1beta3"}
)

type (
	rule struct {
		APIGroups []string `json:"apiGroups"`
		Resources []string `json:"resources"`
		Verbs     []string `json:"verbs"`
	}
	names  map[string][]string // by extension point
	rights struct {
		Points   []string          `json:"points"`
		Cluster  []rule            `json:"cluster"`  // of the scheduler itself
		Defaults map[string]names  `json:"defaults"` // by version
		Files    map[string]string `json:"files"`    // the plugin of each library that has one
		Plugins  map[string][]rule `json:"plugins"`  // what each needs beside the above
		Release  string            `json:"release"`  // the one without a word
		// Gates has, by release of Kubernetes, the gates that can be set and let plugins need more.
		Gates map[string]map[string]gate `json:"gates"`
	}
	gate struct {
		Default bool              `json:"default"`
		Stage   string            `json:"stage"`
		Plugins map[string][]rule `json:"plugins,omitempty"`
		Cluster []rule            `json:"cluster,omitempty"` // of the scheduler itself
	}
	set     struct{ Enabled, Disabled []struct{ Name string } }
	profile struct{ Plugins map[string]set }
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: rights BERTH TREE")
		os.Exit(2)
	}
	text, err := generate(os.Args[1], os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, "rights:", err)
		os.Exit(1)
	}
	fmt.Printf("# SPDX-License-Identifier: Apache-2.0\n# Written by tests/packaging/chart/rights.sh from what the program says.\n%s", text)
}

func generate(berth, tree string) ([]byte, error) {
	p := program{berth}
	out := rights{Points: points, Defaults: map[string]names{}, Files: map[string]string{}, Plugins: map[string][]rule{},
		Release: releases[0], Gates: map[string]map[string]gate{}}
	least, err := p.clusterRules("", "")
	if err != nil {
		return nil, err
	}
	// Every profile has a plugin that binds; whoever takes another one than DefaultBinder does not need its right.
	isBinders := func(r rule) bool { return r.Resources[0] == "pods/binding" }
	out.Cluster = slices.DeleteFunc(slices.Clone(least), isBinders)
	if out.Defaults["v1"], err = defaults(filepath.Join(tree, "configs/defaults/1.36/v1.yaml")); err != nil {
		return nil, err
	}
	for _, version := range versions {
		if out.Defaults[version], err = p.upgraded(version); err != nil {
			return nil, err
		}
		if len(out.Defaults[version]) == 0 { // The file stays as it is: it has today's.
			out.Defaults[version] = out.Defaults["v1"]
		}
	}
	all := slices.Clone(out.Defaults["v1"]["multiPoint"])
	pages, err := filepath.Glob(filepath.Join(tree, "plugins/*/README.md"))
	if err != nil {
		return nil, err
	}
	heading := regexp.MustCompile("^# ([a-z-]+): `([^`]+)`")
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			return nil, err
		}
		if found := heading.FindSubmatch(text); found != nil {
			out.Files[string(found[1])+".so"] = string(found[2])
			all = append(all, string(found[2]))
		}
	}
	hanging := map[string]map[string][]rule{} // by gate and plugin
	for _, name := range all {
		if out.Plugins[name], err = p.plugin(name, least); err != nil {
			return nil, fmt.Errorf("plugin %s: %w", name, err)
		}
		for _, release := range releases[1:] {
			more, err := p.plugin(name, slices.Concat(least, out.Plugins[name]), "--kubernetes-version="+release)
			if err != nil {
				return nil, fmt.Errorf("plugin %s as %s: %w", name, release, err)
			}
			for _, one := range more {
				gate, known := gateOf[one.Resources[0]]
				if !known {
					return nil, fmt.Errorf("plugin %s as %s: no gate is known for %v", name, release, one.Resources)
				}
				if hanging[gate] == nil {
					hanging[gate] = map[string][]rule{}
				}
				hanging[gate][name] = append(hanging[gate][name], one)
			}
		}
	}
	for _, release := range releases {
		if out.Gates[release], err = p.gates(release, hanging, least); err != nil {
			return nil, err
		}
	}
	out.Plugins["DefaultBinder"] = slices.DeleteFunc(least, func(r rule) bool { return !isBinders(r) })
	return yaml.Marshal(out)
}

type program struct{ berth string }

// run gives what `berth ARGUMENT...` prints about a configuration.
func (p program) run(configuration string, arguments ...string) ([]byte, error) {
	file, err := os.CreateTemp("", "rights-*.yaml")
	if err != nil {
		return nil, err
	}
	defer os.Remove(file.Name())
	_, err = file.WriteString(configuration)
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	cmd := exec.Command(p.berth, append(arguments, file.Name())...)
	var said, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &complaints
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w: %s%s", strings.Join(arguments, " "), err, &said, &complaints)
	}
	return said.Bytes(), nil
}

// only is a configuration with nothing but what every profile must have, and one more plugin at a point.
func only(point, name string) string {
	enabled := map[string][]string{"queueSort": {"PrioritySort"}, "bind": {"DefaultBinder"}}
	if point != "" && !slices.Contains(enabled[point], name) {
		enabled[point] = append(enabled[point], name)
	}
	text := "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nleaderElection: {leaderElect: false}\n" +
		"profiles:\n- plugins:\n    multiPoint: {disabled: [{name: '*'}]}\n"
	for _, at := range points[1:] {
		if list := enabled[at]; len(list) > 0 {
			text += fmt.Sprintf("    %s: {enabled: [{name: %s}]}\n", at, strings.Join(list, "}, {name: "))
		}
	}
	return text + "  pluginConfig: [{name: MaxPods, args: {maxPods: 1}}]\n"
}

// clusterRules are those of the ClusterRole with one plugin at a point; without one the least that a scheduler needs.
func (p program) clusterRules(name, point string, flags ...string) ([]rule, error) {
	text, err := p.run(only(point, name), append([]string{"config", "rbac", "-o", "json"}, flags...)...)
	if err != nil {
		return nil, err
	}
	var roles struct {
		Items []struct {
			Kind  string
			Rules []rule
		}
	}
	if err := yaml.Unmarshal(text, &roles); err != nil {
		return nil, err
	}
	for _, role := range roles.Items {
		if role.Kind == "ClusterRole" {
			return role.Rules, nil
		}
	}
	return nil, errors.New("berth config rbac prints no ClusterRole")
}

// plugin are the rules that it adds, at whatever point it can stand.
func (p program) plugin(name string, base []rule, flags ...string) ([]rule, error) {
	var refusals []error
	for _, point := range points[1:] {
		rules, err := p.clusterRules(name, point, flags...)
		if err != nil {
			refusals = append(refusals, err)
			continue
		}
		return slices.DeleteFunc(rules, func(r rule) bool {
			return slices.ContainsFunc(base, func(b rule) bool { return fmt.Sprint(b) == fmt.Sprint(r) })
		}), nil
	}
	return nil, errors.Join(refusals...)
}

// gates are those of a release that can be set, of the ones that rights hang on.
func (p program) gates(release string, hanging map[string]map[string][]rule, least []rule) (map[string]gate, error) {
	text, err := exec.Command(p.berth, "version", "--feature-gates", "--kubernetes-version="+release).Output()
	if err != nil {
		return nil, fmt.Errorf("the feature gates of %s: %w", release, err)
	}
	out := map[string]gate{}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line) // the name, the value, the default, the stage, what Berth does with it
		if len(words) < 5 || words[4] != "honoured" {
			continue
		}
		found := gate{Default: words[2] == "true", Stage: words[3], Plugins: hanging[words[0]]}
		if slices.Contains(ownGates, words[0]) {
			if found.Cluster, err = p.own(least, "--kubernetes-version="+release, "--feature-gates="+words[0]+"=true"); err != nil {
				return nil, err
			}
		}
		if found.Plugins != nil || found.Cluster != nil {
			out[words[0]] = found
		}
	}
	return out, nil
}

// own are the rights that the scheduler itself needs with these flags, beside the least.
func (p program) own(least []rule, flags ...string) ([]rule, error) {
	all, err := p.clusterRules("", "", flags...)
	return slices.DeleteFunc(all, func(r rule) bool {
		return slices.ContainsFunc(least, func(known rule) bool { return slices.Equal(known.Resources, r.Resources) })
	}), err
}

func defaults(file string) (names, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var read struct{ MultiPoint set }
	if err := yaml.Unmarshal(text, &read); err != nil {
		return nil, err
	}
	out := names{}
	for _, one := range read.MultiPoint.Enabled {
		out["multiPoint"] = append(out["multiPoint"], one.Name)
	}
	return out, nil
}

// upgraded are the defaults of an older version, by the names that they have today.
func (p program) upgraded(version string) (names, error) {
	text, err := p.run("apiVersion: kubescheduler.config.k8s.io/"+version+"\nkind: KubeSchedulerConfiguration\n",
		"config", "convert", "-o", "json")
	if err != nil {
		return nil, err
	}
	var read struct{ Profiles []profile }
	if err := yaml.Unmarshal(text, &read); err != nil {
		return nil, err
	}
	out := names{}
	for _, one := range read.Profiles {
		for point, at := range one.Plugins {
			for _, plugin := range at.Enabled {
				out[point] = append(out[point], plugin.Name)
			}
		}
	}
	return out, nil
}
