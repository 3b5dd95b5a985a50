// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/csv"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

func rowsOf(t *testing.T, path string) [][]string {
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll() // which wants the same number of cells in each
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestEveryMeasurementIsARow(t *testing.T) {
	o := options{worldName: "live", rate: 3, bound: 7, csv: filepath.Join(t.TempDir(), "measured.csv")}
	if err := o.record("W", "kube-scheduler", lateStart{1500 * time.Millisecond, 20 * time.Millisecond, 3 << 20}.cells()); err != nil {
		t.Fatal(err)
	}
	live := measurement{times{10, 4 * time.Second, time.Second, 2 * time.Second}, 20 * time.Millisecond, 1 << 19, writes{}}
	o.rate, o.bound, o.allNodes = 0, 0, true
	if err := o.record("W", "berth", live.cells()); err != nil {
		t.Fatal(err)
	}
	rows := rowsOf(t, o.csv)
	if len(rows) != 3 || !slices.Equal(rows[0], columns) {
		t.Fatal(rows)
	}
	for i, expected := range []string{
		"W,live,-rate 3 -bound 7,kube-scheduler,,,20.000,,3.000,,,1500.000",
		"W,live,-all-nodes,berth,10,2.500,20.000,2.000,0.500,1000.000,2000.000,",
	} {
		if found := strings.Join(rows[i+1][1:], ","); !strings.HasPrefix(found, expected) {
			t.Errorf("expected %s\nfound    %s", expected, found)
		}
	}
}

func TestAFileOfOtherColumnsIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "other.csv")
	for text, wrong := range map[string]bool{"": false, "a,b\n1,2\n": true, strings.Join(columns, ",") + "\n": false} {
		write(t, path, text)
		if err := (options{csv: path}).checkCSV(); (err != nil) != wrong || wrong && !strings.Contains(err.Error(), `"a,b"`) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if err := (options{csv: path + ".new"}).checkCSV(); err != nil {
		t.Error(err)
	}
	if err := (options{csv: t.TempDir()}).checkCSV(); err == nil {
		t.Error("a directory is no file")
	}
}

// The bench has much memory, and what it starts has little.
func TestThePeakIsThatOfTheProcessAlone(t *testing.T) {
	most := make([]byte, 300<<20)
	for i := 0; i < len(most); i += 4096 {
		most[i] = 1
	}
	child := exec.Command("sleep", "0.2")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	peak := watchPeak(child.Process.Pid)
	if err := child.Wait(); err != nil {
		t.Fatal(err)
	}
	if seen := peak(); seen == 0 || seen > 100<<20 {
		t.Errorf("sleep had %d bytes", seen)
	}
	runtime.KeepAlive(most)
}
