// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"
)

// columns of the file of -csv. A cell is empty where there is nothing to say.
var columns = []string{"time", "workload", "world", "flags", "scheduler", "pods", "pods_per_second", "cpu_ms", "cpu_ms_per_pod",
	"memory_mib", "p50_ms", "p99_ms", "first_binding_ms"}

// checkCSV refuses a file that has other columns, before anything is measured.
func (o options) checkCSV() error {
	text, err := os.ReadFile(o.csv)
	if o.csv == "" || errors.Is(err, fs.ErrNotExist) || err == nil && len(text) == 0 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("-csv: %w", err)
	}
	if first, _, _ := strings.Cut(string(text), "\n"); first != strings.Join(columns, ",") {
		return fmt.Errorf("-csv %s: its first line is %q, which are other columns; give another file", o.csv, first)
	}
	return nil
}

// record adds a row to the file of -csv; what was there stays, so that runs gather.
func (o options) record(workload, scheduler string, cells map[string]string) error {
	if o.csv == "" {
		return nil
	}
	cells["time"] = time.Now().UTC().Format(time.RFC3339)
	cells["workload"], cells["scheduler"], cells["world"], cells["flags"] = workload, scheduler, o.worldName, o.flags()
	row := make([]string, len(columns))
	for i, column := range columns {
		row[i] = cells[column]
	}
	file, err := os.OpenFile(o.csv, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("-csv: %w", err)
	}
	defer file.Close()
	var text bytes.Buffer
	writer := csv.NewWriter(&text)
	rows := [][]string{row}
	if at, err := file.Stat(); err == nil && at.Size() == 0 {
		rows = [][]string{columns, row}
	}
	_ = writer.WriteAll(rows) // to memory
	_, err = file.Write(text.Bytes())
	return err
}

// flags are those that change what is measured.
func (o options) flags() string {
	var given []string
	if o.allNodes {
		given = append(given, "-all-nodes")
	}
	if o.rate > 0 {
		given = append(given, fmt.Sprintf("-rate %d", o.rate))
	}
	if o.bound > 0 {
		given = append(given, fmt.Sprintf("-bound %d", o.bound))
	}
	return strings.Join(given, " ")
}

func cell(n float64) string { return strconv.FormatFloat(n, 'f', 3, 64) }

func (m measurement) cells() map[string]string {
	cells := map[string]string{"pods": strconv.Itoa(m.pods), "pods_per_second": cell(m.perSecond()), "cpu_ms": cell(milliseconds(m.cpu)),
		"cpu_ms_per_pod": cell(milliseconds(m.cpuPerPod())), "memory_mib": cell(mebibytes(m.peak))}
	if m.p99 > 0 {
		cells["p50_ms"], cells["p99_ms"] = cell(milliseconds(m.p50)), cell(milliseconds(m.p99))
	}
	return cells
}

func (l lateStart) cells() map[string]string {
	return map[string]string{"cpu_ms": cell(milliseconds(l.cpu)), "memory_mib": cell(mebibytes(l.peak)),
		"first_binding_ms": cell(milliseconds(l.first))}
}
