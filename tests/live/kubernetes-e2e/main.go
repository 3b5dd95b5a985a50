// SPDX-License-Identifier: Apache-2.0

// Command kubernetes-e2e is Kubernetes' own e2e.test with no other specs than those of test/e2e/dra. It takes the same
// flags, and -results FILE: one line for each spec that was run or skipped, `STATE<TAB>NAME<TAB>REASON`.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	"github.com/onsi/gomega"
	_ "k8s.io/component-base/logs/testinit" // the flags of klog
	"k8s.io/klog/v2"
	_ "k8s.io/kubernetes/test/e2e/dra" // the specs
	"k8s.io/kubernetes/test/e2e/framework"
	"k8s.io/kubernetes/test/e2e/framework/config"
	_ "k8s.io/kubernetes/test/e2e/framework/debug/init" // a failed spec shows the events of its namespace
	"k8s.io/kubernetes/test/e2e/framework/testfiles"
	manifests "k8s.io/kubernetes/test/e2e/testing-manifests"
	_ "k8s.io/kubernetes/test/utils/format" // failure messages show objects as YAML
)

// suite stands for the testing.T that ginkgo wants.
type suite struct{}

func (suite) Fail() {}

func main() {
	results := flag.String("results", "", "write the state of each spec to this file")
	config.CopyFlags(config.Flags, flag.CommandLine)
	framework.RegisterCommonFlags(flag.CommandLine)
	framework.RegisterClusterFlags(flag.CommandLine)
	flag.Parse()
	if flag.NArg() > 0 || *results == "" {
		fmt.Fprintln(os.Stderr, "kubernetes-e2e: expected -results FILE and flags of e2e.test")
		os.Exit(2)
	}
	testfiles.AddFileSource(manifests.GetE2ETestingManifestsFS())
	framework.AfterReadingAllFlags(&framework.TestContext)
	ginkgo.ReportAfterSuite("the results", func(report ginkgo.Report) {
		framework.ExpectNoError(os.WriteFile(*results, []byte(lines(report)), 0o644))
	})

	klog.EnableContextualLogging(true)
	gomega.RegisterFailHandler(framework.Fail)
	suiteConfig, reporterConfig := framework.CreateGinkgoConfig()
	if !ginkgo.RunSpecs(suite{}, "Kubernetes e2e suite", suiteConfig, reporterConfig) {
		os.Exit(1)
	}
}

// lines leaves out what the flags did not select: those specs are skipped too, but without a reason.
func lines(report ginkgo.Report) string {
	var all []string
	for _, spec := range report.SpecReports {
		reason := strings.Join(strings.Fields(spec.Failure.Message), " ")
		if spec.LeafNodeType != types.NodeTypeIt || spec.State == types.SpecStateSkipped && reason == "" {
			continue
		}
		all = append(all, fmt.Sprintf("%s\t%s\t%s\n", spec.State, spec.FullText(), reason))
	}
	slices.Sort(all)
	return strings.Join(all, "")
}
