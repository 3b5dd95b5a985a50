// SPDX-License-Identifier: Apache-2.0

// Command rules takes rules out of the roles that `berth config rbac -o json` prints.
//
//	rules FILE              prints the resources of each rule, a line a rule
//	rules FILE N ACCOUNT    prints the roles without the Nth rule (-1: with all), bound to that service account of kube-system,
//	                        which it makes; what only kube-scheduler's lease may be is what ACCOUNT's may
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
)

type (
	object = map[string]any
	rule   struct {
		APIGroups     []string `json:"apiGroups"`
		Resources     []string `json:"resources"`
		ResourceNames []string `json:"resourceNames,omitempty"`
		Verbs         []string `json:"verbs"`
	}
	role struct {
		APIVersion string            `json:"apiVersion"`
		Kind       string            `json:"kind"`
		Metadata   map[string]string `json:"metadata"`
		Rules      []rule            `json:"rules"`
	}
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "rules:", err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	if len(arguments) != 1 && len(arguments) != 3 {
		return fmt.Errorf("usage: rules FILE [N ACCOUNT]")
	}
	text, err := os.ReadFile(arguments[0])
	if err != nil {
		return err
	}
	var list struct{ Items []role }
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	if len(arguments) == 1 {
		for _, role := range list.Items {
			for _, rule := range role.Rules {
				fmt.Println(strings.Join(rule.Resources, " "))
			}
		}
		return nil
	}
	left, err := strconv.Atoi(arguments[1])
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(object{"apiVersion": "v1", "kind": "List", "items": without(list.Items, left, arguments[2])})
}

// without gives the roles without the rule number `left` of all, with a binding each.
func without(roles []role, left int, account string) []any {
	const group = "rbac.authorization.k8s.io"
	meta := object{"name": account, "namespace": "kube-system"}
	items := []any{object{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": meta}}
	number := 0
	for _, role := range roles {
		var rules []rule
		for _, rule := range role.Rules {
			if len(rule.ResourceNames) == 1 && rule.ResourceNames[0] == "kube-scheduler" {
				rule.ResourceNames = []string{account}
			}
			if number != left {
				rules = append(rules, rule)
			}
			number++
		}
		role.Rules = rules
		role.Metadata["name"] = account
		items = append(items, role, object{"apiVersion": role.APIVersion, "kind": role.Kind + "Binding", "metadata": role.Metadata,
			"roleRef":  object{"apiGroup": group, "kind": role.Kind, "name": account},
			"subjects": []any{object{"kind": "ServiceAccount", "name": account, "namespace": "kube-system"}}})
	}
	return items
}
