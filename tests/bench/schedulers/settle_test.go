// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"
)

func TestSettingsAreReadAsTheyAreWritten(t *testing.T) {
	for _, one := range tried {
		var read settings
		if err := read.read(one.flag()); err != nil || read != one {
			t.Errorf("%v: %v, %v", one, read, err)
		}
	}
	for _, wrong := range []string{"", "1,2", "1,2,3,4", "0,1,1", "1,x,1"} {
		var read settings
		if err := read.read(wrong); err == nil {
			t.Errorf("%q was read as %v", wrong, read)
		}
	}
}

func TestTheFastestSettingsAreChosen(t *testing.T) {
	all := []settings{{1, 1, 1}, {2, 2, 2}, {3, 3, 3}}
	lengths := [][]time.Duration{{3, 3}, {1, 4}, {2, 4}}
	if found := fastest(all, lengths); found != all[1] {
		t.Error(found)
	}
	if order := forthAndBack(3); !slices.Equal(order, []int{0, 1, 2, 2, 1, 0}) {
		t.Error(order)
	}
}

func TestSettingsAreSearchedForOnlyIfTheCeilingPlays(t *testing.T) {
	given := settings{2, 3, 4}
	for _, o := range []options{
		{worldName: "live", schedulers: "kube-scheduler,berth"}, {worldName: "simulated", schedulers: "ceiling"},
		{worldName: "live", schedulers: "ceiling", bound: 1}, {worldName: "live", schedulers: "ceiling", settings: given},
	} {
		before := o.settings
		var out bytes.Buffer
		if err := o.settle(t.Context(), &out); err != nil || out.Len() > 0 || o.settings != before { // There is no cluster to search on.
			t.Errorf("%+v: %v %s", o, err, out.String())
		}
	}
}

func TestEverySettingIsTriedTwice(t *testing.T) {
	if testing.Short() {
		t.Skip("a control plane is not for short tests")
	}
	o := found(t)
	lengths, err := o.tryAll(t.Context(), tried[:2], 10)
	if err != nil {
		t.Fatal(err)
	}
	for i, one := range lengths {
		if len(one) != 2 || one[0] <= 0 || one[1] <= 0 {
			t.Error(fmt.Sprint(tried[i], one))
		}
	}
}
