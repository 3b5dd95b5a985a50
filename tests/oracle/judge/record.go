// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// objectRef names a pod in the decision log.
type objectRef struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid,omitempty"`
}

func (r objectRef) key() string { return r.Namespace + "/" + r.Name }

// pluginStatus is what one PreFilter plugin said.
type pluginStatus struct {
	Plugin  string   `json:"plugin"`
	Status  string   `json:"status"`
	Reasons []string `json:"reasons,omitempty"`
	Nodes   []string `json:"nodes,omitempty"`
}

// verdict is the rejection of one node by the first plugin that failed.
type verdict struct {
	Plugin  string   `json:"plugin"`
	Status  string   `json:"status"`
	Reasons []string `json:"reasons,omitempty"`
}

// pluginScore is one plugin's score of one node.
type pluginScore struct {
	Plugin     string `json:"plugin"`
	Raw        int64  `json:"raw"`
	Normalized int64  `json:"normalized"`
	Weighted   int64  `json:"weighted"`
}

// nodeOutcome is what happened to one evaluated node.
type nodeOutcome struct {
	Name    string        `json:"name"`
	Verdict *verdict      `json:"verdict,omitempty"`
	Scores  []pluginScore `json:"scores,omitempty"`
	Total   *int64        `json:"total,omitempty"`
}

// decision is one scheduling attempt.
type decision struct {
	Seq            int64          `json:"seq"`
	Pod            objectRef      `json:"pod"`
	Profile        string         `json:"profile"`
	Attempt        int            `json:"attempt"`
	Cycle          int64          `json:"cycle"`
	Time           string         `json:"time"`
	Result         string         `json:"result"`
	Phase          string         `json:"phase,omitempty"`
	Node           string         `json:"node"`
	Reason         string         `json:"reason,omitempty"`
	Message        string         `json:"message,omitempty"`
	RejectedBy     []string       `json:"rejectedBy,omitempty"`
	NominatedNode  string         `json:"nominatedNode,omitempty"`
	EvaluatedNodes int            `json:"evaluatedNodes"`
	FeasibleNodes  int            `json:"feasibleNodes"`
	StartIndex     int            `json:"startIndex"`
	PreFilter      []pluginStatus `json:"preFilter,omitempty"`
	Nodes          []nodeOutcome  `json:"nodes,omitempty"`
}

// event is a change of the world between two decisions.
type event struct {
	Type      string          `json:"type"`
	Kind      string          `json:"kind"`
	Namespace string          `json:"namespace,omitempty"`
	Name      string          `json:"name"`
	Object    json.RawMessage `json:"object,omitempty"` // of a modified one
}

// logLine is one line of the log: exactly one of the two pointers is set.
type logLine struct {
	Seq      int64
	Event    *event
	Decision *decision
}

// readLog reads a decision log written with --detail events.
func readLog(r io.Reader) ([]logLine, error) {
	reader := bufio.NewReaderSize(r, 1<<20)
	var lines []logLine
	for number := 1; ; number++ {
		text, err := reader.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if text = bytes.TrimSpace(text); len(text) > 0 {
			line, parseErr := parseLine(text)
			if parseErr != nil {
				return nil, fmt.Errorf("line %d of the decision log: %w", number, parseErr)
			}
			lines = append(lines, line)
		}
		if err != nil {
			return lines, nil
		}
	}
}

func parseLine(text []byte) (logLine, error) {
	var head struct {
		Seq   int64  `json:"seq"`
		Event *event `json:"event"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return logLine{}, err
	}
	if head.Event != nil {
		return logLine{Seq: head.Seq, Event: head.Event}, nil
	}
	d := &decision{}
	if err := json.Unmarshal(text, d); err != nil {
		return logLine{}, err
	}
	if d.Pod.Name == "" || d.Result == "" {
		return logLine{}, errors.New("neither an event nor a decision: pod.name or result is missing")
	}
	return logLine{Seq: head.Seq, Decision: d}, nil
}
