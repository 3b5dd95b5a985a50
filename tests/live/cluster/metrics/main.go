// SPDX-License-Identifier: Apache-2.0

// metrics compares a scrape of Berth's with one of kube-scheduler's after the same work: every metric of the scheduler's that is
// STABLE or BETA must be there, with the same help, type, labels and buckets, and what counts the work with the same values; so must
// those of leader election.
// Berth's scrape must also pass promlint.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Series that stand for what Berth has not: signing pods, and goroutines.
var notOurs = []string{`extension_point="Sign"`, `operation="Filter"`, `operation="Score"`, `operation="InterPodAffinity"`,
	`operation="PodTopologySpread"`}

// Whose values do not depend on time.
var counted = []string{"scheduler_schedule_attempts_total", "scheduler_pending_pods", "scheduler_queue_incoming_pods_total",
	"scheduler_pod_scheduling_attempts", "scheduler_pod_scheduling_sli_duration_seconds", "scheduler_preemption_attempts_total",
	"scheduler_preemption_victims", "scheduler_unschedulable_pods", "scheduler_plugin_evaluation_total",
	"scheduler_scheduling_attempt_duration_seconds", "scheduler_framework_extension_point_duration_seconds",
	"leader_election_master_status"}

func read(file string) (map[string]*dto.MetricFamily, []byte, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, err
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	return families, text, err
}

func labels(metric *dto.Metric) string {
	var out []string
	for _, label := range metric.GetLabel() {
		out = append(out, fmt.Sprintf("%s=%q", label.GetName(), label.GetValue()))
	}
	slices.Sort(out)
	return strings.Join(out, ",")
}

func bounds(metric *dto.Metric) string {
	var out []string
	for _, bucket := range metric.GetHistogram().GetBucket() {
		out = append(out, fmt.Sprintf("%.6g", bucket.GetUpperBound()))
	}
	return strings.Join(out, " ")
}

// count is a counter's or gauge's value, or how often something was observed.
func count(metric *dto.Metric) float64 {
	return metric.GetCounter().GetValue() + metric.GetGauge().GetValue() + float64(metric.GetHistogram().GetSampleCount())
}

func series(family *dto.MetricFamily) map[string]*dto.Metric {
	out := map[string]*dto.Metric{}
	for _, metric := range family.GetMetric() {
		out[labels(metric)] = metric
	}
	return out
}

func compare(theirs, ours *dto.MetricFamily) (faults []string) {
	fault := func(what string, wanted, found any) {
		if fmt.Sprint(wanted) != fmt.Sprint(found) {
			faults = append(faults, fmt.Sprintf("%s: %s: expected %v, found %v", theirs.GetName(), what, wanted, found))
		}
	}
	if ours == nil {
		return []string{theirs.GetName() + ": missing"}
	}
	fault("help", theirs.GetHelp(), ours.GetHelp())
	fault("type", theirs.GetType(), ours.GetType())
	known := series(ours)
	for name, metric := range series(theirs) {
		if slices.ContainsFunc(notOurs, func(part string) bool { return strings.Contains(name, part) }) {
			continue
		}
		same := known[name]
		delete(known, name)
		if same == nil {
			faults = append(faults, fmt.Sprintf("%s{%s}: missing", theirs.GetName(), name))
			continue
		}
		fault("buckets of {"+name+"}", bounds(metric), bounds(same))
		if slices.Contains(counted, theirs.GetName()) {
			fault("value of {"+name+"}", count(metric), count(same))
		}
	}
	for name := range known {
		faults = append(faults, fmt.Sprintf("%s{%s}: kube-scheduler has none", theirs.GetName(), name))
	}
	return faults
}

func run(theirFile, ourFile string) error {
	theirs, _, err := read(theirFile)
	if err != nil {
		return err
	}
	ours, text, err := read(ourFile)
	if err != nil {
		return err
	}
	var faults []string
	compared := 0
	for name, family := range theirs {
		help := family.GetHelp()
		stable := strings.HasPrefix(help, "[STABLE]") || strings.HasPrefix(help, "[BETA]")
		// Of the others only those of the lease, which dashboards and alerts ask for.
		if !(strings.HasPrefix(name, "scheduler_") && stable) && !strings.HasPrefix(name, "leader_election_") {
			continue
		}
		compared++
		faults = append(faults, compare(family, ours[name])...)
	}
	problems, err := promlint.New(bytes.NewReader(text)).Lint()
	if err != nil {
		return err
	}
	for _, problem := range problems {
		faults = append(faults, "promlint: "+problem.Metric+": "+problem.Text)
	}
	slices.Sort(faults)
	for _, fault := range faults {
		fmt.Println(fault)
	}
	if len(faults) > 0 || compared == 0 {
		return fmt.Errorf("%d of kube-scheduler's metrics compared, %d differences", compared, len(faults))
	}
	own := 0
	for name := range ours {
		if strings.HasPrefix(name, "berth_") {
			own++
		}
	}
	if theirs["leader_election_master_status"] == nil {
		return errors.New("neither was asked to elect a leader")
	}
	fmt.Printf("%d STABLE and BETA metrics and that of the lease are kube-scheduler's, in labels, buckets and counts; %d are Berth's own\n", compared, own)
	return nil
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: metrics KUBE-SCHEDULER'S-SCRAPE BERTH'S-SCRAPE")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "metrics:", err)
		os.Exit(1)
	}
}
