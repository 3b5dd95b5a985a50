// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// found are the options that bench.sh --test passes on; without it there is nothing to test with.
func found(t *testing.T) options {
	o := options{
		worldName: "live", schedulers: "kube-scheduler,berth,ceiling", runs: 1, settings: tried[0],
		upstream: os.Getenv("BENCH_UPSTREAM"), cluster: os.Getenv("BENCH_CLUSTER"), berth: os.Getenv("BENCH_BERTH"),
		dir: t.TempDir(),
	}
	if o.upstream == "" || o.cluster == "" || o.berth == "" {
		t.Fatal("run tests/bench/schedulers/bench.sh --test, which says where everything is")
	}
	return o
}

// TestMain lets the test be a part of the bench, too: the bench starts itself once more for that.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && parts[os.Args[1]] != nil {
		main()
		return
	}
	os.Exit(m.Run())
}

// expect fails unless the text has just these lines, by regular expressions.
func expect(t *testing.T, text string, patterns ...string) {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) != len(patterns) {
		t.Fatalf("expected %d lines:\n%s", len(patterns), text)
	}
	for i, pattern := range patterns {
		if !regexp.MustCompile(pattern).MatchString(lines[i]) {
			t.Errorf("line %d does not match %s:\n%s", i+1, pattern, lines[i])
		}
	}
}

func TestSchedulersThatStartLate(t *testing.T) {
	if testing.Short() {
		t.Skip("a control plane is not for short tests")
	}
	o := found(t)
	o.bound = 7
	var out bytes.Buffer
	if err := bench(t.Context(), o, "SchedulingBasic/5Nodes", &out); err != nil {
		t.Fatal(err)
	}
	expect(t, out.String(),
		`^kube-scheduler first binding after +[0-9]+ ms   CPU +[0-9.]+ s   memory +[0-9.]+ MiB$`,
		`^berth +first binding after +[0-9]+ ms   CPU +[0-9.]+ s   memory +[0-9.]+ MiB$`,
		`^SchedulingBasic/5Nodes beside 7 bound pods: first binding [0-9.]+× CPU [0-9.]+× memory [0-9.]+×$`)
}

func TestTheSmallestWorkloadIsPlayedLive(t *testing.T) {
	if testing.Short() {
		t.Skip("a control plane is not for short tests")
	}
	o := found(t)
	o.runs = 2
	var out bytes.Buffer
	if err := bench(t.Context(), o, "SchedulingBasic/5Nodes", &out); err != nil {
		t.Fatal(err)
	}
	run := ` +10 pods +[0-9.]+ pods/s   created to bound p50 +[0-9.]+ ms p99 +[0-9.]+ ms   CPU/pod .* memory +[0-9.]+ MiB$`
	spread := ` +2 runs +[0-9.]+ pods/s \([0-9.]+ to [0-9.]+\)`
	share := `   ceiling [0-9]+% \([0-9]+% to [0-9]+%\)$`
	expect(t, out.String(),
		`^run 1: kube-scheduler`+run, `^run 1: berth`+run, `^run 1: ceiling`+run, `^run 2: ceiling`+run, `^run 2: berth`+run, `^run 2: kube-scheduler`+run,
		`^kube-scheduler`+spread+share, `^berth`+spread+share, `^ceiling`+spread+`$`,
		`^SchedulingBasic/5Nodes: pods/s [0-9.]+× CPU/pod [0-9.]+× memory [0-9.]+× p99 [0-9.]+× ceiling [0-9]+%$`)
	left, err := os.ReadDir(filepath.Join(o.dir, "plane"))
	for _, file := range left {
		if file.Name() != "log" && file.Name() != "lock" {
			t.Errorf("%s is left behind", file.Name())
		}
	}
	if err != nil {
		t.Error(err)
	}
}

// largeEnough that a run differs from one without its measured pods, on a busy machine, too.
const largeEnough = "SchedulingBasic/5000Nodes_10000Pods"

func TestAWorkloadIsSimulated(t *testing.T) {
	o := found(t)
	o.worldName, o.schedulers, o.shadow, o.csv = "simulated", "berth", true, filepath.Join(t.TempDir(), "measured.csv")
	var out bytes.Buffer
	if err := bench(t.Context(), o, largeEnough, &out); err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^` + largeEnough + `: berth: simulated: 10000 pods, pods/s [1-9].*\n.*: with a shadow: pods/s [0-9.]+× CPU/pod [0-9.]+× memory [0-9.]+×\n$`).MatchString(out.String()) {
		t.Error(out.String())
	}
	rows := rowsOf(t, o.csv)
	for i, expected := range []string{largeEnough + ",simulated,,berth,10000,", largeEnough + ",simulated,,berth with a shadow,10000,"} {
		if len(rows) != 3 || !strings.HasPrefix(strings.Join(rows[i+1][1:], ","), expected) {
			t.Fatal(rows)
		}
	}
}

// Each pod is placed by kube-scheduler's whole scheduler, with volumes and spreading, too. The schedulers named are those that play.
func TestKubeSchedulerPlaysInOneProcess(t *testing.T) {
	o := found(t)
	o.worldName, o.schedulers, o.allNodes, o.csv = "simulated", "kube-scheduler,ceiling", true, filepath.Join(t.TempDir(), "measured.csv")
	for name, pods := range map[string]string{"SchedulingBasic/500Nodes": "1000", "SchedulingMigratedInTreePVs/5Nodes": "10", "TopologySpreading/500Nodes": "1000"} {
		var out bytes.Buffer
		if err := bench(t.Context(), o, name, &out); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		expect(t, out.String(), `^`+name+`: kube-scheduler: simulated: `+pods+` pods, pods/s [1-9][0-9]* CPU/pod [0-9.]+ ms memory [1-9][0-9.]* MiB$`)
	}
	if rows := rowsOf(t, o.csv); len(rows) != 4 || rows[1][4] != "kube-scheduler" {
		t.Error(rows)
	}
	o.schedulers = "-"
	if err := bench(t.Context(), o, "SchedulingBasic/500Nodes", io.Discard); err == nil || !strings.Contains(err.Error(), "SCHEDULERS: - is none") {
		t.Error(err)
	}
}

// The last simulation's configuration is what -all-nodes makes of it, and berth takes it.
func TestAllNodesAreScoredOnRequest(t *testing.T) {
	o := found(t)
	o.worldName, o.schedulers, o.allNodes = "simulated", "berth", true
	if err := bench(t.Context(), o, largeEnough, io.Discard); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(o.dir, "cluster.json")
	for config, wanted := range map[string]string{"": "500", filepath.Join(o.dir, "config.yaml.berth"): "5000"} {
		command := []string{"simulate", "-o", "json", path}
		if config != "" {
			command = append(command, "--config", config)
		}
		out, err := exec.Command(o.berth, command...).Output()
		if err != nil {
			t.Fatal(err)
		}
		if found := regexp.MustCompile(`"feasibleNodes": ([0-9]+)`).FindSubmatch(out); found == nil || string(found[1]) != wanted {
			t.Errorf("%q: expected %s feasible nodes, found %s", config, wanted, found)
		}
	}
}

func TestPodsAreCreatedAtARate(t *testing.T) {
	begin := time.Now()
	if after := due(begin, 300, 200).Sub(begin); after != 1500*time.Millisecond {
		t.Error(after)
	}
}

// What needs objects besides nodes and pods, gates and stages of pods: a scheduler binds each of them.
func TestEveryKindOfOperationIsPlayedLive(t *testing.T) {
	if testing.Short() {
		t.Skip("a control plane is not for short tests")
	}
	o := found(t)
	o.schedulers, o.csv = "berth", filepath.Join(t.TempDir(), "measured.csv")
	for _, name := range []string{
		"SchedulingMigratedInTreePVs/5Nodes", "DefaultTopologySpreading/5Nodes", "SchedulingWhileGated/1Node_10GatedPods",
		"SchedulingWithExtendedResource/fast",
	} {
		var out bytes.Buffer
		if err := bench(t.Context(), o, name, &out); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		expect(t, out.String(), `^run 1: berth +10 pods .* memory +[0-9.]+ MiB$`, `^berth +1 runs .* pods/s`)
	}
	if rows := rowsOf(t, o.csv); len(rows) != 5 {
		t.Error(rows)
	}
}
