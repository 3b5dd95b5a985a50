// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sort"
	"strings"
	"syscall"
	"time"
)

// up starts a new control plane. What an earlier one left when it or its machine crashed is cleared away first.
func (c *cluster) up(ctx context.Context, bare bool, flags []string) error {
	for _, flag := range flags {
		if !strings.HasPrefix(flag, "--") {
			return misuse{"up takes --bare and flags of kube-apiserver, not " + flag}
		}
	}
	pids, err := c.processes()
	if err != nil {
		return err
	}
	complete := c.exists()
	for _, name := range planned(c.state.Bare) {
		complete = complete && pids[name] != 0
	}
	if complete {
		if c.state.Bare != bare || !slices.Equal(c.state.APIServerFlags, flags) {
			return errors.New("one with other flags is up in " + c.dir + "; take it down first")
		}
		fmt.Println("already up; " + c.whereabouts())
		return nil
	}
	if err := c.down(); err != nil {
		return err
	}
	begun := time.Now()
	if err := c.startAll(ctx, bare, flags); err != nil {
		// What has started is of no use. The logs stay, and they and the first error say why.
		return errors.Join(err, c.down())
	}
	fmt.Printf("up in %.1f s; %s\n", time.Since(begun).Seconds(), c.whereabouts())
	return nil
}

func (c *cluster) whereabouts() string { return "KUBECONFIG=" + c.kubeconfig("admin") }

func (c *cluster) startAll(ctx context.Context, bare bool, flags []string) error {
	if err := os.RemoveAll(c.path(logDir)); err != nil {
		return err
	}
	c.state = state{Bare: bare, APIServerFlags: flags, Ports: map[string]int{}, Schedulers: map[string][]string{}}
	for _, name := range planned(bare) {
		for _, port := range portNames(name) {
			number, err := c.freePort()
			if err != nil {
				return err
			}
			c.state.Ports[port] = number
		}
	}
	if err := c.writeState(); err != nil {
		return err
	}
	if err := c.makeCredentials(); err != nil {
		return err
	}
	if err := c.writeKubeconfigs(); err != nil {
		return err
	}
	if err := c.writeSchedulerConfig(anyScheduler, ""); err != nil {
		return err
	}
	for _, name := range planned(bare) {
		it, err := c.component(name)
		if err != nil {
			return err
		}
		if err := c.start(ctx, it); err != nil {
			return err
		}
	}
	if bare {
		return nil
	}
	return c.awaitServiceAccount(ctx)
}

// awaitServiceAccount returns when pods can be created: the API server refuses them until the controller manager has
// made the service account that they run as.
func (c *cluster) awaitServiceAccount(ctx context.Context) error {
	limit, cancel := context.WithTimeout(ctx, readyLimit)
	defer cancel()
	url := "https://" + address(c.state.Ports["kube-apiserver"]) + "/api/v1/namespaces/default/serviceaccounts/default"
	for {
		answer := c.ask(limit, url)
		if answer == nil {
			return nil
		}
		select {
		case <-limit.Done():
			return fmt.Errorf("no service account in the namespace default: %w", answer)
		case <-time.After(pause):
		}
	}
}

// down stops all that runs, those first that would complain of the others' absence, and deletes all but the logs.
func (c *cluster) down() error {
	pids, err := c.processes()
	if err != nil {
		return err
	}
	for _, last := range [][]string{{"kube-apiserver", "etcd"}, {"etcd"}, nil} {
		var now []int
		for name, pid := range pids {
			if !slices.Contains(last, name) {
				now = append(now, pid)
				delete(pids, name)
			}
		}
		if err := stop(now, syscall.SIGTERM); err != nil {
			return err
		}
	}
	var ports []string
	for name := range c.state.Ports {
		ports = append(ports, name)
	}
	if err := c.awaitPorts(ports); err != nil {
		return err
	}
	return c.wipe()
}

func (c *cluster) startByName(ctx context.Context, name string) error {
	if !c.exists() {
		return c.noCluster()
	}
	it, err := c.component(name)
	if err != nil {
		return err
	}
	pids, err := c.processes()
	if err != nil {
		return err
	}
	if pid := pids[name]; pid != 0 {
		return fmt.Errorf("%s runs already, as process %d", name, pid)
	}
	return c.start(ctx, it)
}

func (c *cluster) stopByName(name string, kill bool) error {
	if !c.exists() {
		return c.noCluster()
	}
	it, err := c.component(name)
	if err != nil {
		return err
	}
	pids, err := c.processes()
	if err != nil {
		return err
	}
	pid := pids[name]
	if pid == 0 {
		return fmt.Errorf("%s does not run", name)
	}
	how := syscall.SIGTERM
	if kill {
		how = syscall.SIGKILL
	}
	if err := stop([]int{pid}, how); err != nil {
		return err
	}
	return c.awaitPorts(it.ports)
}

// status prints every process that is planned or still runs.
func (c *cluster) status() error {
	pids, err := c.processes()
	if err != nil {
		return err
	}
	if !c.exists() && len(pids) == 0 {
		return c.noCluster()
	}
	names := []string{}
	if c.exists() {
		names = c.expected()
	}
	for name := range pids {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	missing := 0
	for _, name := range names {
		condition := "running"
		if pids[name] == 0 {
			condition = "stopped"
			missing++
		}
		fmt.Printf("%-26s %s %8d %6d %8d  %s\n", name, condition, pids[name], c.state.Ports[name], resident(pids[name]),
			c.logFile(name))
	}
	if missing > 0 {
		return fmt.Errorf("%d of %d do not run", missing, len(names))
	}
	return nil
}

// resident returns the resident memory of a process in KiB, 0 of one that is not there.
func resident(pid int) int {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	var size, pages int
	if count, _ := fmt.Sscan(string(text), &size, &pages); count != 2 {
		return 0
	}
	return pages * (os.Getpagesize() / 1024)
}
