// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"berth/tests/live/cluster/kubectl"
)

// cluster is the one that scenarios are played on.
type cluster struct{ kubectl.Cluster }

// apply creates the objects, or changes them. It tries again: admission learns of a new PriorityClass, and the server of a
// new kind, a moment after they were made.
func (c cluster) apply(objects []object) error {
	if len(objects) == 0 {
		return nil
	}
	spaces := map[string]bool{}
	for _, o := range objects {
		if space := o.namespace(); space != "" && space != "default" && !spaces[space] {
			spaces[space] = true
			objects = append([]object{{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": space}}}, objects...)
		}
	}
	return kubectl.Within(30*time.Second, func() error {
		_, err := c.Run(list(objects), "apply", "-f", "-")
		return err
	})
}

func list(objects []object) object {
	return object{"apiVersion": "v1", "kind": "List", "items": objects}
}

// pod is what expectations look at.
type pod struct{ node, message, phase string }

func (p pod) String() string {
	switch {
	case p.node != "":
		return "is on node " + p.node
	case p.message != "":
		return fmt.Sprintf("is pending because %q", p.message)
	}
	return "is pending, without a reason in its condition"
}

func (c cluster) pods() (map[string]pod, error) {
	text, err := c.Run(nil, "get", "pods", "-A", "-o", "json")
	if err != nil {
		return nil, err
	}
	var found struct {
		Items []struct {
			Metadata struct{ Namespace, Name string }
			Spec     struct{ NodeName string }
			Status   struct {
				Phase      string
				Conditions []struct{ Type, Status, Message string }
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		return nil, err
	}
	pods := map[string]pod{}
	for _, one := range found.Items {
		p := pod{node: one.Spec.NodeName, phase: one.Status.Phase}
		for _, condition := range one.Status.Conditions {
			if condition.Type == "PodScheduled" && condition.Status == "False" {
				p.message = condition.Message
			}
		}
		pods[one.Metadata.Namespace+"/"+one.Metadata.Name] = p
	}
	return pods, nil
}

// settled returns when the controllers have done with what was created: new nodes are ready, pods that were created on a
// node run, and nothing else changes any more.
func (c cluster) settled() error {
	const still = 1500 * time.Millisecond
	before, since := "", time.Now()
	return kubectl.Within(time.Minute, func() error {
		taints, err := c.Run(nil, "get", "nodes", "-o", "jsonpath={.items[*].spec.taints[*].key}")
		if err != nil {
			return err
		}
		if strings.Contains(taints, "node.kubernetes.io/not-ready") {
			return errors.New("a node does not become ready")
		}
		pods, err := c.pods()
		if err != nil {
			return err
		}
		for key, p := range pods {
			if p.node != "" && p.phase == "Pending" {
				return fmt.Errorf("pod %s does not start on node %s", key, p.node)
			}
		}
		now, err := c.Run(nil, "get", "pods,replicasets,poddisruptionbudgets,persistentvolumes,persistentvolumeclaims", "-A", "-o",
			"jsonpath={.items[*].metadata.resourceVersion}")
		if err != nil {
			return err
		}
		if now != before {
			before, since = now, time.Now()
		}
		if time.Since(since) < still {
			return errors.New("objects change again and again")
		}
		return nil
	})
}

// clean leaves nothing of a scenario.
func (c cluster) clean(created []object) error {
	wrong := c.Do("delete", "deployments,replicasets,statefulsets,daemonsets,jobs", "--all", "-A", "--wait=false")
	wrong = errors.Join(wrong, c.Do("delete", "pods", "--all", "-A", "--force", "--grace-period=0"),
		c.Do("delete", "persistentvolumeclaims,poddisruptionbudgets", "--all", "-A"), c.Do("delete", "nodes,persistentvolumes", "--all"))
	if len(created) > 0 {
		// Objects of a kind whose definition goes first are gone with it.
		_, err := c.Run(list(created), "delete", "-f", "-", "--ignore-not-found")
		if err != nil && !strings.Contains(err.Error(), "no matches for kind") {
			wrong = errors.Join(wrong, err)
		}
	}
	return wrong
}
