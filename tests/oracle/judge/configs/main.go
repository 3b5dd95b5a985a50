// SPDX-License-Identifier: Apache-2.0

// Configs judges how Berth reads configurations: it makes random KubeSchedulerConfigurations of v1, has kube-scheduler's
// own packages and `berth config` read each of them, and compares what they print and what they refuse.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"berth/tests/oracle/judge/release"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"
	configv1 "k8s.io/kube-scheduler/config/v1"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
	"sigs.k8s.io/yaml"
)

// verdict is what one of the two makes of a file: a tree, or what it has against it.
type verdict struct {
	tree       any
	errors     []string // of validation, each "path: text"
	unreadable string   // an error of decoding, in words of its own
	broken     string   // how the program ended otherwise than it may
}

type judge struct {
	berth  string
	dir    string
	absent []string // default plugins that Berth does not have yet
}

func main() {
	berth := flag.String("berth", "", "the program to judge")
	n := flag.Int("n", 300, "how many configurations")
	seed := flag.Int64("seed", 1, "of the first; each has the next")
	defaults := flag.String("defaults", "", "Berth's configs/defaults/…/v1.yaml")
	keep := flag.String("keep", "", "where files are kept that are read differently")
	flag.Parse()
	klog.SetLogger(logr.Discard())
	j, err := newJudge(*berth, *defaults)
	if err != nil {
		fmt.Fprintln(os.Stderr, "oracle-config:", err)
		os.Exit(2)
	}
	defer os.RemoveAll(j.dir)
	counts := map[string]int{}
	differences := 0
	for i := range int64(*n) {
		text := newGenerator(rand.New(rand.NewSource(*seed+i)), j.absent).file()
		kind, difference := j.compare(text)
		counts[kind]++
		if difference == "" {
			continue
		}
		differences++
		name := filepath.Join(*keep, fmt.Sprintf("seed-%d.yaml", *seed+i))
		if err := os.WriteFile(name, text, 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "oracle-config:", err)
		}
		fmt.Printf("%s:\n%s\n", name, difference)
	}
	fmt.Printf("%d read, %d refused by validation, %d not decoded; seeds from %d\n", counts["read"], counts["refused"], counts["undecoded"], *seed)
	fmt.Printf("%d configurations, %d differences\n", *n, differences)
	if differences > 0 {
		os.Exit(1)
	}
}

func newJudge(berth, defaults string) (*judge, error) {
	bytes, err := os.ReadFile(defaults)
	if err != nil {
		return nil, err
	}
	var file struct{ Absent struct{ Plugins []string } }
	if err := yaml.Unmarshal(bytes, &file); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "configs")
	return &judge{berth, dir, file.Absent.Plugins}, err
}

// compare says how upstream takes the file, and in what Berth differs.
func (j *judge) compare(text []byte) (kind, difference string) {
	theirs := j.upstream(text)
	ours := j.ours(text)
	switch {
	case ours.broken != "":
		return "broken", ours.broken
	case theirs.unreadable != "":
		if len(ours.errors) > 0 {
			return "undecoded", ""
		}
		return "undecoded", "upstream does not decode it: " + theirs.unreadable
	case len(theirs.errors) > 0:
		slices.Sort(theirs.errors)
		slices.Sort(ours.errors)
		if slices.Equal(theirs.errors, ours.errors) {
			return "refused", ""
		}
		return "refused", "upstream:\n  " + strings.Join(theirs.errors, "\n  ") + "\nBerth:\n  " + strings.Join(ours.errors, "\n  ")
	case !reflect.DeepEqual(theirs.tree, ours.tree):
		return "read", linesApart(theirs.tree, ours.tree) + strings.Join(ours.errors, "\n")
	}
	return "read", ""
}

// linesApart are the lines of the two trees around their first difference.
func linesApart(theirs, ours any) string {
	a, _ := yaml.Marshal(theirs)
	b, _ := yaml.Marshal(ours)
	x, y := strings.Split(string(a), "\n"), strings.Split(string(b), "\n")
	first := 0
	for first < min(len(x), len(y)) && x[first] == y[first] {
		first++
	}
	part := func(lines []string) string {
		return strings.Join(lines[max(0, first-3):min(len(lines), first+4)], "\n")
	}
	return "upstream:\n" + part(x) + "\nBerth:\n" + part(y) + "\n"
}

// upstream reads the file as kube-scheduler's --config and --write-config-to do. Upstream keeps of pluginConfig what the
// plugins of the profile need, sorted by name, once the profile has been built.
func (j *judge) upstream(text []byte) verdict {
	object, version, err := scheme.Codecs.UniversalDecoder().Decode(text, nil, nil)
	if err != nil {
		return verdict{unreadable: err.Error()}
	}
	c := object.(*config.KubeSchedulerConfiguration)
	c.TypeMeta.APIVersion = version.GroupVersion().String()
	if err := validation.ValidateKubeSchedulerConfiguration(c); err != nil {
		var out verdict
		for _, e := range err.Errors() {
			if e.Error() != "" && !slices.Contains(out.errors, e.Error()) {
				out.errors = append(out.errors, e.Error())
			}
		}
		return out
	}
	j.build(c)
	for i := range c.Profiles {
		p := &c.Profiles[i]
		needed := j.needed(p.Plugins)
		p.PluginConfig = slices.DeleteFunc(p.PluginConfig, func(c config.PluginConfig) bool { return !slices.Contains(needed, c.Name) })
		slices.SortFunc(p.PluginConfig, func(a, b config.PluginConfig) int { return strings.Compare(a.Name, b.Name) })
	}
	info, _ := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), runtime.ContentTypeYAML)
	var buffer bytes.Buffer
	if err := scheme.Codecs.EncoderForVersion(info.Serializer, configv1.SchemeGroupVersion).Encode(c, &buffer); err != nil {
		return verdict{unreadable: err.Error()}
	}
	var tree any
	if err := yaml.Unmarshal(buffer.Bytes(), &tree); err != nil {
		return verdict{unreadable: err.Error()}
	}
	return verdict{tree: j.without(tree)}
}

// build changes the configuration as buildExtenders does, before it is printed.
func (j *judge) build(c *config.KubeSchedulerConfiguration) {
	var ignored []string
	for i := range c.Extenders {
		if e := &c.Extenders[i]; e.HTTPTimeout.Duration == 0 {
			e.HTTPTimeout.Duration = scheduler.DefaultExtenderTimeout
		}
		for _, r := range c.Extenders[i].ManagedResources {
			if r.IgnoredByScheduler {
				ignored = append(ignored, r.Name)
			}
		}
	}
	for _, p := range c.Profiles {
		for _, entry := range p.PluginConfig {
			if args, ok := entry.Args.(*config.NodeResourcesFitArgs); ok && len(ignored) > 0 {
				args.IgnoredResources = ignored
			}
		}
	}
}

// needed are the names of all plugins that a profile enables and Berth has.
func (j *judge) needed(p *config.Plugins) []string {
	var names []string
	sets := reflect.ValueOf(p).Elem()
	for i := range sets.NumField() {
		for _, plugin := range sets.Field(i).Interface().(config.PluginSet).Enabled {
			if !slices.Contains(j.absent, plugin.Name) {
				names = append(names, plugin.Name)
			}
		}
	}
	return names
}

// without leaves out of every set the default plugins that Berth does not have.
func (j *judge) without(tree any) any {
	switch value := tree.(type) {
	case map[string]any:
		for key, member := range value {
			value[key] = j.without(member)
		}
		if enabled, ok := value["enabled"].([]any); ok && len(enabled) == 0 {
			delete(value, "enabled")
		}
	case []any:
		kept := make([]any, 0, len(value))
		for _, item := range value {
			entry, ok := item.(map[string]any)
			if name, _ := entry["name"].(string); ok && slices.Contains(j.absent, name) {
				continue
			}
			kept = append(kept, j.without(item))
		}
		return kept
	}
	return tree
}

// What upstream finds only when it builds the profile, after validation.
var building = regexp.MustCompile(`(plugin is needed|plugin required) for profile`)

var place = regexp.MustCompile(`^[^ ]*config\.yaml(:\d+){0,2}: `)

// The exit codes by which the program says that a file is wrong.
const (
	answerIsNo = 1 // of config validate
	badInput   = 2 // of config view
)

// endedOtherwise says how a command ended, unless it is with the exit code that refuses a file.
func endedOtherwise(command *exec.Cmd, err error, refused int) string {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return fmt.Sprintf("%v: exit code 0, expected %d\n", command.Args, refused)
	case !errors.As(err, &exit) || exit.ExitCode() != refused:
		return fmt.Sprintf("%v: %v, expected exit code %d\n", command.Args, err, refused)
	}
	return ""
}

func (j *judge) ours(text []byte) verdict {
	file := filepath.Join(j.dir, "config.yaml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return verdict{broken: err.Error()}
	}
	var out, said bytes.Buffer
	view := exec.Command(j.berth, "config", "view", "--kubernetes-version", release.Minor, "-o", "json", file)
	view.Stdout, view.Stderr = &out, &said
	if err := view.Run(); err == nil {
		var tree any
		if err := json.Unmarshal(out.Bytes(), &tree); err != nil {
			return verdict{broken: "berth config view prints no JSON: " + err.Error()}
		}
		return verdict{tree: tree}
	} else if how := endedOtherwise(view, err, badInput); how != "" {
		return verdict{broken: how + said.String()}
	}
	validate := exec.Command(j.berth, "config", "validate", "--kubernetes-version", release.Minor, file)
	listed, err := validate.Output()
	if how := endedOtherwise(validate, err, answerIsNo); how != "" {
		return verdict{broken: how + string(listed)}
	}
	var result verdict
	for line := range strings.Lines(string(listed)) {
		if building.MatchString(line) {
			continue
		}
		result.errors = append(result.errors, place.ReplaceAllString(strings.TrimSpace(line), ""))
	}
	if len(result.errors) == 0 {
		result.errors = []string{said.String()}
	}
	return result
}
