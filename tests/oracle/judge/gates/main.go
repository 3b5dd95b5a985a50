// SPDX-License-Identifier: Apache-2.0

// Gates writes the table of kube-scheduler's feature gates that Berth carries, and judges how Berth reads
// --feature-gates, --emulated-version and --min-compatibility-version: it gives random flags to Kubernetes' own code
// and to `berth version --feature-gates`, and compares what they refuse, in which words, and the value of every gate.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/go-logr/logr"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	logsapi "k8s.io/component-base/logs/api/v1"
	metricsfeatures "k8s.io/component-base/metrics/features"
	"k8s.io/klog/v2"
	_ "k8s.io/kubernetes/pkg/features"
)

func main() {
	berth := flag.String("berth", "", "the program to judge")
	n := flag.Int("n", 300, "how many command lines")
	seed := flag.Int64("seed", 1, "of the first; each has the next")
	source := flag.String("source", "", "where the sources of k8s.io/kubernetes lie")
	flag.Parse()
	klog.SetLogger(logr.Discard())
	// As kube-scheduler's command does.
	if err := logsapi.AddFeatureGates(utilfeature.DefaultMutableFeatureGate); err != nil {
		fail(err)
	}
	if err := metricsfeatures.AddFeatureGates(utilfeature.DefaultMutableFeatureGate); err != nil {
		fail(err)
	}
	switch flag.Arg(0) {
	case "table":
		text, err := table(*source)
		if err != nil {
			fail(err)
		}
		fmt.Print(text)
	case "judge":
		differences := judge(*berth, *n, *seed)
		fmt.Printf("%d lines, %d differences\n", *n, differences)
		if differences > 0 {
			os.Exit(1)
		}
	default:
		fail(fmt.Errorf("expected table or judge, got %q", flag.Arg(0)))
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "oracle-gates:", err)
	os.Exit(2)
}
