// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// kubeconfigKinds are the ways to say who one is: each user's fields, after the fields of the cluster's CA.
var kubeconfigKinds = map[string]struct {
	inline bool // file contents instead of paths
	user   []string
}{
	"admin":       {true, []string{"client-certificate=admin.crt", "client-key=admin.key"}},
	"admin-files": {false, []string{"client-certificate=admin.crt", "client-key=admin.key"}},
	"token":       {true, []string{"token=token"}},
	"token-file":  {false, []string{"tokenFile=token"}},
	"scheduler":   {true, []string{"client-certificate=scheduler.crt", "client-key=scheduler.key"}},
}

func (c *cluster) kubeconfig(kind string) string { return c.path(kubeconfigDir, kind) }

func (c *cluster) writeKubeconfigs() error {
	if err := os.MkdirAll(c.path(kubeconfigDir), 0o700); err != nil {
		return err
	}
	for kind, content := range kubeconfigKinds {
		ca, err := c.fields(content.inline, []string{"certificate-authority=ca.crt"})
		if err != nil {
			return err
		}
		user, err := c.fields(content.inline, content.user)
		if err != nil {
			return err
		}
		text := fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: berth-test
clusters:
- name: berth-test
  cluster:
    server: https://%s
%scontexts:
- name: berth-test
  context: {cluster: berth-test, user: %s}
users:
- name: %s
  user:
%s`, address(c.state.Ports["kube-apiserver"]), ca, kind, kind, user)
		if err := os.WriteFile(c.kubeconfig(kind), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// fields writes each `field=file` as a path, or as what the file holds: a token as it is, the rest as FIELD-data.
func (c *cluster) fields(inline bool, pairs []string) (string, error) {
	var text strings.Builder
	for _, pair := range pairs {
		field, file, _ := strings.Cut(pair, "=")
		value := c.path(pkiDir, file)
		if inline {
			bytes, err := os.ReadFile(value)
			if err != nil {
				return "", err
			}
			value = string(bytes)
			if field != "token" {
				field += "-data"
				value = base64.StdEncoding.EncodeToString(bytes)
			}
		}
		fmt.Fprintf(&text, "    %s: %q\n", field, value)
	}
	return text.String(), nil
}

func (c *cluster) printKubeconfig(kind string) error {
	if _, known := kubeconfigKinds[kind]; !known {
		return misuse{"no such kubeconfig: " + kind}
	}
	if !c.exists() {
		return c.noCluster()
	}
	fmt.Println(c.kubeconfig(kind))
	return nil
}

func (c *cluster) noCluster() error {
	return errors.New("no cluster is up in " + c.dir + "; tests/live/cluster/cluster.sh up starts one")
}

// kubectl becomes kubectl.
func (c *cluster) kubectl(arguments []string) error {
	if !c.exists() {
		return c.noCluster()
	}
	program := filepath.Join(c.programs, "kubectl")
	// Ports differ from cluster to cluster, so what it caches of one is of no use to the next.
	for name, value := range map[string]string{"KUBECONFIG": c.kubeconfig("admin"), "KUBECACHEDIR": c.path(kubectlDir)} {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	return syscall.Exec(program, append([]string{"kubectl"}, arguments...), os.Environ())
}
