// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"time"
)

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
func mebibytes(n int64) float64            { return float64(n) / (1 << 20) }

// reportLive writes one scheduler's line, or that of the ceiling, which has no share of itself.
func reportLive(out io.Writer, name string, m, top measurement) {
	fmt.Fprintf(out, "%-14s %6d pods %8.1f pods/s   created to bound p50 %8.1f ms p99 %8.1f ms", name, m.pods, m.perSecond(),
		milliseconds(m.p50), milliseconds(m.p99))
	fmt.Fprintf(out, "   CPU/pod %6.3f ms   memory %6.1f MiB", milliseconds(m.cpuPerPod()), mebibytes(m.peak))
	if name != "ceiling" && top.pods > 0 {
		fmt.Fprintf(out, "   ceiling %3.0f%%", 100*m.perSecond()/top.perSecond())
	}
	fmt.Fprintln(out)
}

// reportRatios writes a workload's last line: how many times better berth is than kube-scheduler (more pods per second, less
// CPU, less memory), and its share of the ceiling.
func reportRatios(out io.Writer, name string, results map[string]measurement) {
	kube, ours, top := results["kube-scheduler"], results["berth"], results["ceiling"]
	if kube.pods == 0 || ours.pods == 0 || top.pods == 0 {
		return
	}
	fmt.Fprintf(out, "%s: pods/s %.2f× CPU/pod %.1f× memory %.1f× p99 %.1f× ceiling %.0f%%\n", name,
		ours.perSecond()/kube.perSecond(), float64(kube.cpuPerPod())/float64(max(ours.cpuPerPod(), 1)),
		float64(kube.peak)/float64(ours.peak), float64(kube.p99)/float64(max(ours.p99, 1)), 100*ours.perSecond()/top.perSecond())
}

func reportSimulated(out io.Writer, name string, m measurement) {
	fmt.Fprintf(out, "%s: simulated: %d pods, pods/s %.0f CPU/pod %.3f ms memory %.1f MiB\n", name, m.pods, m.perSecond(),
		milliseconds(m.cpuPerPod()), mebibytes(m.peak))
}

// reportShadow writes how the run with a shadow compares with that without: less than 1 pods/s, more than 1 CPU/pod.
func reportShadow(out io.Writer, name string, plain, shadowed measurement) {
	fmt.Fprintf(out, "%s: with a shadow: pods/s %.2f× CPU/pod %.2f× memory %.2f×\n", name, shadowed.perSecond()/plain.perSecond(),
		float64(shadowed.cpuPerPod())/float64(max(plain.cpuPerPod(), 1)), float64(shadowed.peak)/float64(plain.peak))
}
