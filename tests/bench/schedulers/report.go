// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"slices"
	"time"
)

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
func mebibytes(n int64) float64            { return float64(n) / (1 << 20) }

// reportLive writes the line of one run.
func reportLive(out io.Writer, run int, name string, m measurement) {
	fmt.Fprintf(out, "run %d: %-14s %6d pods %8.1f pods/s   created to bound p50 %8.1f ms p99 %8.1f ms", run, name, m.pods, m.perSecond(),
		milliseconds(m.p50), milliseconds(m.p99))
	fmt.Fprintf(out, "   CPU/pod %6.3f ms   memory %6.1f MiB\n", milliseconds(m.cpuPerPod()), mebibytes(m.peak))
}

// reportSpread writes what several runs of one scheduler have in common: the median, the least and the most.
func reportSpread(out io.Writer, name string, all results) {
	runs := all[name]
	fmt.Fprintf(out, "%-14s %d runs %8.1f pods/s (%.1f to %.1f)", name, len(runs), typical(runs).perSecond(),
		least(runs, measurement.perSecond), most(runs, measurement.perSecond))
	if shares := all.shares(name); name != "ceiling" && len(shares) > 0 {
		fmt.Fprintf(out, "   ceiling %.0f%% (%.0f%% to %.0f%%)", 100*all.share(name), 100*slices.Min(shares), 100*slices.Max(shares))
	}
	fmt.Fprintln(out)
}

// share is a scheduler's typical pods/s by the ceiling client's.
func (r results) share(name string) float64 {
	return typical(r[name]).perSecond() / typical(r["ceiling"]).perSecond()
}

// reportRatios writes a workload's last line: how many times better berth is than kube-scheduler (more pods per second, less
// CPU, less memory), and its share of the ceiling.
func reportRatios(out io.Writer, name string, all results) {
	kube, ours, top := typical(all["kube-scheduler"]), typical(all["berth"]), typical(all["ceiling"])
	if kube.pods == 0 || ours.pods == 0 || top.pods == 0 {
		return
	}
	fmt.Fprintf(out, "%s: pods/s %.2f× CPU/pod %.1f× memory %.1f× p99 %.1f× ceiling %.0f%%\n", name,
		ours.perSecond()/kube.perSecond(), float64(kube.cpuPerPod())/float64(max(ours.cpuPerPod(), 1)),
		float64(kube.peak)/float64(ours.peak), float64(kube.p99)/float64(max(ours.p99, 1)), 100*all.share("berth"))
}

// reportSimulated writes the line of one scheduler without a network.
func reportSimulated(out io.Writer, name, scheduler string, m measurement) {
	fmt.Fprintf(out, "%s: %s: simulated: %d pods, pods/s %.0f CPU/pod %.3f ms memory %.1f MiB\n", name, scheduler, m.pods, m.perSecond(),
		milliseconds(m.cpuPerPod()), mebibytes(m.peak))
}

// reportShadow writes how the run with a shadow compares with that without: less than 1 pods/s, more than 1 CPU/pod.
func reportShadow(out io.Writer, name string, plain, shadowed measurement) {
	fmt.Fprintf(out, "%s: with a shadow: pods/s %.2f× CPU/pod %.2f× memory %.2f×\n", name, shadowed.perSecond()/plain.perSecond(),
		float64(shadowed.cpuPerPod())/float64(max(plain.cpuPerPod(), 1)), float64(shadowed.peak)/float64(plain.peak))
}

// reportOneProcess writes how many times better berth is than kube-scheduler where neither has a network, with the least and the
// most of the rounds.
func reportOneProcess(out io.Writer, name string, all results) {
	kube, ours := all["kube-scheduler"], all["berth"]
	var times []float64
	for i := range kube {
		times = append(times, ours[i].perSecond()/kube[i].perSecond())
	}
	fmt.Fprintf(out, "%s: both simulated: pods/s %.1f× (%.1f× to %.1f×) CPU/pod %.1f× memory %.1f×\n", name,
		typical(ours).perSecond()/typical(kube).perSecond(), slices.Min(times), slices.Max(times),
		float64(typical(kube).cpuPerPod())/float64(max(typical(ours).cpuPerPod(), 1)), float64(typical(kube).peak)/float64(typical(ours).peak))
}
