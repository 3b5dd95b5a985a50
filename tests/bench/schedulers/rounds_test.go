// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestTheOrderAlternatesAndTheCeilingIsFirstLast(t *testing.T) {
	if found := fmt.Sprint(turns([]string{"ceiling", "kube-scheduler", "berth"}, 3)); found !=
		"[[kube-scheduler berth ceiling] [ceiling berth kube-scheduler] [kube-scheduler berth ceiling]]" {
		t.Error(found)
	}
}

// ran are runs with these pods/s.
func ran(rates ...int) (runs []measurement) {
	for i, rate := range rates {
		runs = append(runs, measurement{times: times{pods: rate, length: time.Second, p99: time.Duration(i+1) * time.Second},
			cpu: time.Duration(rate*(i+1)) * time.Millisecond, peak: int64(i+1) << 20})
	}
	return runs
}

func TestACeilingIsOneUnlessEveryRunWasFaster(t *testing.T) {
	for _, one := range []struct {
		what string
		all  results
		none string
	}{
		{"below", results{"ceiling": ran(100, 110, 105), "berth": ran(90, 95, 99), "kube-scheduler": ran(50, 51, 52)}, ""},
		{"within the spread", results{"ceiling": ran(100, 110, 105), "berth": ran(110, 130, 120)}, ""},
		{"above", results{"ceiling": ran(100, 110, 105), "berth": ran(111, 130, 120), "kube-scheduler": ran(50, 51, 52)}, "berth"},
		{"the other above", results{"ceiling": ran(100, 110, 105), "berth": ran(1, 2, 3), "kube-scheduler": ran(111, 112, 113)}, "kube-scheduler"},
		{"too few", results{"ceiling": ran(100, 110), "berth": ran(130, 131)}, ""},
	} {
		err := one.all.underTheCeiling()
		if (err == nil) != (one.none == "") || err != nil && !strings.HasPrefix(err.Error(), one.none+" was faster") {
			t.Errorf("%s: %v", one.what, err)
		}
	}
}

func TestWhatIsReportedOfSeveralRuns(t *testing.T) {
	all := results{"ceiling": ran(200, 250, 300), "berth": ran(180, 200, 250), "kube-scheduler": ran(100, 50, 60)}
	var out bytes.Buffer
	for _, name := range []string{"kube-scheduler", "berth", "ceiling"} {
		reportSpread(&out, name, all)
	}
	// Each run has one second and as many pods as its rate, so that the typical one has the pods of the first.
	reportRatios(&out, "W", results{"ceiling": ran(200, 200, 200), "berth": ran(100, 100, 100), "kube-scheduler": ran(50, 50, 50)})
	reportOneProcess(&out, "W", results{"berth": ran(100, 100, 100), "kube-scheduler": ran(10, 20, 50)})
	expect(t, out.String(),
		`^kube-scheduler 3 runs +100\.0 pods/s \(50\.0 to 100\.0\)   ceiling 50% \(20% to 50%\)$`,
		`^berth +3 runs +180\.0 pods/s \(180\.0 to 250\.0\)   ceiling 90% \(80% to 90%\)$`,
		`^ceiling +3 runs +200\.0 pods/s \(200\.0 to 300\.0\)$`,
		`^W: pods/s 2\.00× CPU/pod 1\.0× memory 1\.0× p99 1\.0× ceiling 50%$`,
		`^W: both simulated: pods/s 10\.0× \(2\.0× to 10\.0×\) CPU/pod `)
}

func TestTheCeilingWritesAsMuchAsKubeScheduler(t *testing.T) {
	kube, ours := measurement{written: writes{Bindings: 1, Events: 2}}, measurement{written: writes{Bindings: 3, Events: 4}}
	for _, one := range []struct {
		all      results
		expected writes
	}{
		{results{"berth": {ours}, "kube-scheduler": {kube, ours}}, kube.written}, {results{"berth": {ours}}, ours.written}, {results{}, writes{}},
	} {
		if found := one.all.written(); found != one.expected {
			t.Errorf("%v, expected %v", found, one.expected)
		}
	}
}

func TestTheMedianIsTheMiddle(t *testing.T) {
	if odd, even := median([]int64{1, 5, 100}), median([]int64{1, 5, 7, 100}); odd != 5 || even != 6 {
		t.Error(odd, even)
	}
	if of := typical(ran(10, 10, 10)); of.p99 != 2*time.Second || of.cpu != 20*time.Millisecond || of.peak != 2<<20 {
		t.Errorf("%+v", of)
	}
}
