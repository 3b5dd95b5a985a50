// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

func TestUsageIsThatOfTheProcess(t *testing.T) {
	before, _, err := processUsage(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); {
		cpu, peak, err := processUsage(os.Getpid())
		if err != nil || peak < 1<<20 {
			t.Fatal(peak, err)
		}
		if cpu-before > 50*time.Millisecond {
			return
		}
	}
	t.Error("no processor time seen for a process that was busy")
}

func TestAProcessBeganWhenItWasStarted(t *testing.T) {
	before := time.Now()
	child := exec.Command("sleep", "60")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = child.Process.Kill(); _ = child.Wait() }()
	after := time.Now()
	time.Sleep(300 * time.Millisecond)
	began, err := processBegan(child.Process.Pid)
	if slack := 50 * time.Millisecond; err != nil || began.Before(before.Add(-slack)) || began.After(after.Add(slack)) {
		t.Errorf("%v (%v), expected between %v and %v", began, err, before, after)
	}
}
