// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"

	"sigs.k8s.io/yaml"
)

var schedulerName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`)

func (c *cluster) schedulerConfig(process string) string {
	return c.path(schedulerDir, process+".yaml")
}

// startScheduler runs kube-scheduler with the given configuration file and flags; several run beside each other under
// different names. A failed one leaves nothing but its log.
func (c *cluster) startScheduler(ctx context.Context, name string, rest []string) error {
	if !schedulerName.MatchString(name) {
		return misuse{"the name of a scheduler has lower-case letters, digits and hyphens, not " + name}
	}
	if !c.exists() {
		return c.noCluster()
	}
	process := schedulerPrefix + name
	if _, taken := c.state.Ports[process]; taken {
		return fmt.Errorf("there is a scheduler %s already; cluster.sh scheduler stop %s ends it", name, name)
	}
	given := ""
	if len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		given, rest = rest[0], rest[1:]
	}
	if err := c.writeSchedulerConfig(process, given); err != nil {
		return err
	}
	port, err := c.freePort()
	if err != nil {
		return err
	}
	c.state.Ports[process] = port
	if c.state.Schedulers == nil {
		c.state.Schedulers = map[string][]string{}
	}
	c.state.Schedulers[process] = rest
	if err := c.writeState(); err != nil {
		return err
	}
	if err := c.start(ctx, c.scheduler(process)); err != nil {
		_ = c.forgetScheduler(process)
		return err
	}
	return nil
}

// writeSchedulerConfig writes what kube-scheduler is given: the file as it is, but with this cluster's address and
// credentials, and without leader election when the file says nothing of it.
func (c *cluster) writeSchedulerConfig(process, given string) error {
	config := map[string]any{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
	if given != "" {
		text, err := os.ReadFile(given)
		if err != nil {
			return err
		}
		config = map[string]any{}
		if err := yaml.UnmarshalStrict(text, &config); err != nil {
			return fmt.Errorf("%s: expected a KubeSchedulerConfiguration: %w", given, err)
		}
	}
	connection, _ := config["clientConnection"].(map[string]any)
	if connection == nil {
		connection = map[string]any{}
	}
	connection["kubeconfig"] = c.kubeconfig("scheduler")
	config["clientConnection"] = connection
	if _, given := config["leaderElection"]; !given {
		config["leaderElection"] = map[string]any{"leaderElect": false}
	}
	text, err := yaml.Marshal(config)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(c.path(schedulerDir), 0o755); err != nil {
		return err
	}
	return os.WriteFile(c.schedulerConfig(process), text, 0o644)
}

func (c *cluster) stopScheduler(name string) error {
	process := schedulerPrefix + name
	if _, known := c.state.Ports[process]; !known {
		return fmt.Errorf("there is no scheduler %s in %s", name, c.dir)
	}
	pids, err := c.processes()
	if err != nil {
		return err
	}
	if pids[process] != 0 {
		if err := c.stopByName(process, false); err != nil {
			return err
		}
	}
	return c.forgetScheduler(process)
}

func (c *cluster) forgetScheduler(process string) error {
	delete(c.state.Ports, process)
	delete(c.state.Schedulers, process)
	if err := os.Remove(c.schedulerConfig(process)); err != nil {
		return err
	}
	return c.writeState()
}
