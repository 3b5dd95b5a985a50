// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	dracel "k8s.io/dynamic-resource-allocation/cel"

	"berth/tests/oracle/judge/release"
)

// outcome is what comes of an expression on a device.
type outcome struct {
	kind string // compile, value or error
	text string // the error, or the value
	cost string
}

func (o outcome) String() string { return fmt.Sprintf("%s %q, cost %s", o.kind, o.text, o.cost) }

func (o outcome) unsupported() bool {
	return o.kind != "value" && strings.Contains(o.text, "not supported: ")
}

var features = dracel.Features{EnableConsumableCapacity: true}

// evaluate asks Kubernetes' code, in the way that kube-scheduler does.
func (d *device) evaluate(text string) (result outcome) {
	// A few expressions end Kubernetes' compiler.
	defer func() {
		if err := recover(); err != nil {
			result = outcome{kind: "panic", text: fmt.Sprint(err)}
		}
	}()
	compiled := dracel.GetCompiler(features).CompileCELExpression(text, dracel.Options{DisableCostEstimation: true})
	if compiled.Error != nil {
		return outcome{kind: "compile", text: compiled.Error.Error()}
	}
	matches, details, err := compiled.DeviceMatches(context.Background(), d.upstream())
	cost := "0"
	if details != nil && details.ActualCost() != nil {
		cost = fmt.Sprint(*details.ActualCost())
	}
	if err != nil {
		return outcome{kind: "error", text: err.Error(), cost: cost}
	}
	return outcome{kind: "value", text: fmt.Sprint(matches), cost: cost}
}

// evaluator is the program with Berth's code.
type evaluator struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	device  *device
}

func startEvaluator(path string) (*evaluator, error) {
	if path == "" {
		return nil, errors.New("-evaluate PATH is missing")
	}
	e := &evaluator{command: exec.Command(path, release.Kubernetes)}
	e.command.Stderr = os.Stderr
	var err error
	if e.in, err = e.command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := e.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	e.out = bufio.NewReaderSize(out, 1<<20)
	return e, e.command.Start()
}

func (e *evaluator) stop() {
	_ = e.in.Close()
	_ = e.command.Wait()
}

// The dash makes an empty text a word.
func encoded(text string) string { return "-" + hex.EncodeToString([]byte(text)) }

func decoded(word string) (string, error) {
	text, err := hex.DecodeString(strings.TrimPrefix(word, "-"))
	return string(text), err
}

func (e *evaluator) evaluate(d *device, text string) (outcome, error) {
	line := "expression " + encoded(text) + "\n"
	if e.device != d {
		line = d.line() + line
		e.device = d
	}
	if _, err := io.WriteString(e.in, line); err != nil {
		return outcome{}, err
	}
	answer, err := e.out.ReadString('\n')
	if err != nil {
		return outcome{}, fmt.Errorf("the program with Berth's code ended: %w", err)
	}
	words := strings.Fields(answer)
	result := outcome{kind: words[0], text: words[1]}
	if result.kind != "value" {
		if result.text, err = decoded(words[1]); err != nil {
			return outcome{}, err
		}
	}
	if len(words) > 2 {
		result.cost = words[2]
	}
	return result, nil
}
