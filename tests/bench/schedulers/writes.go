// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"k8s.io/client-go/kubernetes"
)

// writes are what a scheduler wrote, as the API server counts it.
type writes struct {
	Bindings, Events, Statuses, Deletions int
}

// failures are the events that do not belong to a binding.
func (w writes) failures() int { return max(0, w.Events-w.Bindings) }

// more is how much was written beside bindings and their events.
func (w writes) more() int {
	if w.Bindings == 0 {
		return 0
	}
	return w.failures() + w.Statuses + w.Deletions
}

// muchMore says whether a client that only binds would be no measure for such a run.
func (w writes) muchMore() bool { return w.more()*100 > w.Bindings }

func (w writes) minus(before writes) writes {
	return writes{w.Bindings - before.Bindings, w.Events - before.Events, w.Statuses - before.Statuses,
		w.Deletions - before.Deletions}
}

func (w writes) String() string {
	return fmt.Sprintf("%d bindings, %d events, %d pod statuses, %d pod deletions", w.Bindings, w.Events, w.Statuses, w.Deletions)
}

// countWrites asks the API server, which counts every request that it has answered since it started.
func countWrites(ctx context.Context, client kubernetes.Interface) (writes, error) {
	text, err := client.CoreV1().RESTClient().Get().AbsPath("/metrics").SetHeader("Accept", "text/plain").DoRaw(ctx)
	if err != nil {
		return writes{}, fmt.Errorf("the API server's metrics: %w", err)
	}
	return readWrites(text), nil
}

var metricLabel = regexp.MustCompile(`([a-z_]+)="([^"]*)"`)

// readWrites sums up the successful requests in a text of metrics.
func readWrites(text []byte) (w writes) {
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		head, value, _ := strings.Cut(lines.Text(), "} ")
		if !strings.HasPrefix(head, "apiserver_request_total{") {
			continue
		}
		labels := map[string]string{}
		for _, pair := range metricLabel.FindAllStringSubmatch(head, -1) {
			labels[pair[1]] = pair[2]
		}
		count, err := strconv.ParseFloat(value, 64)
		if err != nil || !strings.HasPrefix(labels["code"], "2") {
			continue
		}
		n := int(count)
		switch labels["verb"] + " " + strings.Trim(labels["resource"]+"/"+labels["subresource"], "/") {
		case "POST pods/binding":
			w.Bindings += n
		case "POST events", "PATCH events", "PUT events":
			w.Events += n
		case "PATCH pods/status", "PUT pods/status":
			w.Statuses += n
		case "DELETE pods":
			w.Deletions += n
		}
	}
	return w
}
