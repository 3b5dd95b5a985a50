// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"berth/tests/oracle/judge/release"
)

// player plays scripts on Berth's queue: a program that reads a script a line and answers each
// with what happened and a line "end".
type player struct {
	path    string
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

func (p *player) start() error {
	p.command = exec.Command(p.path, release.Minor)
	p.command.Stderr = os.Stderr
	var err error
	if p.in, err = p.command.StdinPipe(); err != nil {
		return err
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		return err
	}
	p.out = bufio.NewReaderSize(out, 1<<20)
	return p.command.Start()
}

func (p *player) stop() {
	if p.command == nil {
		return
	}
	_ = p.in.Close()
	_ = p.command.Wait()
	p.command = nil
}

// errDied: the program ended in the midst of a script.
var errDied = errors.New("the program that plays Berth's queue ended")

// play returns what happened on Berth's queue.
func (p *player) play(s *script) ([]string, error) {
	if p.command == nil {
		if err := p.start(); err != nil {
			return nil, err
		}
	}
	text, err := s.line()
	if err != nil {
		return nil, err
	}
	go func(in io.Writer) { _, _ = in.Write(text) }(p.in)
	var lines []string
	for {
		line, err := p.out.ReadString('\n')
		if err != nil {
			p.stop()
			return lines, errDied
		}
		line = strings.TrimSuffix(line, "\n")
		if line == "end" {
			return lines, nil
		}
		lines = append(lines, line)
	}
}

// difference is the first line in which the queues differ.
type difference struct {
	step        string
	kube, berth string
}

func (d *difference) String() string {
	return fmt.Sprintf("%s\n    kube-scheduler: %s\n    berth:          %s", d.step, d.kube, d.berth)
}

// signature says in which way the queues differ, without the numbers of the case.
func (d *difference) signature() string {
	words := func(line string) string {
		fields := strings.Fields(line)
		if len(fields) > 2 {
			return fields[0] + strings.Join(fields[2:3], "")
		}
		return line
	}
	return strings.Fields(d.step)[2] + " " + words(d.kube) + " " + words(d.berth)
}

// compare plays a script on Berth's queue; nil if it does what the real one did.
func (p *player) compare(s *script, real *upstream) (*difference, error) {
	lines, err := p.play(s)
	if err != nil && !errors.Is(err, errDied) {
		return nil, err
	}
	return firstDifference(real.lines, lines), nil
}

func firstDifference(kube, berth []string) *difference {
	at := func(lines []string, i int) string {
		if i < len(lines) {
			return lines[i]
		}
		return "(nothing more)"
	}
	d := &difference{step: "before step 0"}
	for i := range max(len(kube), len(berth)) {
		if strings.HasPrefix(at(kube, i), "step ") {
			d.step = at(kube, i)
		}
		if at(kube, i) != at(berth, i) {
			d.kube, d.berth = strings.TrimSpace(at(kube, i)), strings.TrimSpace(at(berth, i))
			return d
		}
	}
	return nil
}
