// SPDX-License-Identifier: Apache-2.0

// Package kubectl asks a cluster by the program kubectl, as a person would.
package kubectl

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// Cluster is a real one, as kubectl sees it.
type Cluster struct{ Program, Kubeconfig string }

// Run gives what kubectl prints; input, if there is any, is its standard input as JSON.
func (c Cluster) Run(input any, arguments ...string) (string, error) {
	cmd := exec.Command(c.Program, append([]string{"--kubeconfig", c.Kubeconfig}, arguments...)...)
	if input != nil {
		text, err := json.Marshal(input)
		if err != nil {
			return "", err
		}
		cmd.Stdin = bytes.NewReader(text)
	}
	var said, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &complaints
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("kubectl %s: %s", strings.Join(arguments, " "), strings.TrimSpace(complaints.String()))
	}
	return said.String(), nil
}

// Do is Run without input and answer.
func (c Cluster) Do(arguments ...string) error {
	_, err := c.Run(nil, arguments...)
	return err
}

// Within tries again until it works; the last error after the limit.
func Within(limit time.Duration, try func() error) error {
	for end := time.Now().Add(limit); ; time.Sleep(300 * time.Millisecond) {
		err := try()
		if err == nil || time.Now().After(end) {
			return err
		}
	}
}
