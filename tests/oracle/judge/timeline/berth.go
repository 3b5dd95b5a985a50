// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"berth/tests/oracle/judge/release"
)

// Player is a program that plays timelines on Berth's scheduler (tests/oracle/timeline), and the world that its scheduler
// sees. It is used by one timeline at a time.
type Player struct {
	Path, Plugins string
	// Spoil changes what Berth says that it did in a step, in order to see that it is found.
	Spoil func(lines []string) []string

	command *exec.Cmd
	in      *bufio.Writer
	pipe    io.WriteCloser
	out     *bufio.Reader
	server  *server
	setNow  func(time.Time)
	said    bytes.Buffer
}

// errDied: the program ended in the midst of a timeline.
type errDied struct{ said string }

func (e errDied) Error() string { return "berth_timeline_play ended: " + e.said }

// start starts the program, if it does not run. Not within a bubble, in which nobody may wait for the outside.
func (p *Player) start() error {
	if p.command != nil {
		return nil
	}
	p.command = exec.Command(p.Path, p.Plugins, release.Minor, gates)
	p.said.Reset()
	p.command.Stderr = &p.said
	var err error
	if p.pipe, err = p.command.StdinPipe(); err != nil {
		return err
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		return err
	}
	p.in, p.out = bufio.NewWriterSize(p.pipe, 1<<16), bufio.NewReaderSize(out, 1<<16)
	return p.command.Start()
}

// Stop ends the program.
func (p *Player) Stop() {
	if p.command == nil {
		return
	}
	_ = p.pipe.Close()
	_ = p.command.Wait()
	p.command = nil
}

// begin starts a timeline.
func (p *Player) begin(c *Case, now time.Time) error {
	clock := now
	p.server = newServer(func() time.Time { return clock })
	p.setNow = func(t time.Time) { clock = t }
	order := "answer-first"
	if c.Script.NewsFirst {
		order = "news-first"
	}
	fmt.Fprintf(p.in, "begin %d %s %s %s %d\n%s\n", now.UnixNano(), c.Script.Checks, c.Script.Detail, order, len(c.Text), c.Text)
	return p.hear(&Log{})
}

// until lets time pass, and asks for the queue; with `busy` no attempts are made, and nothing is asked.
func (p *Player) until(t time.Time, busy bool, log *Log) error {
	word := ""
	if busy {
		word = " busy"
	}
	fmt.Fprintf(p.in, "until %d%s\n", t.UnixNano(), word)
	err := p.hear(log)
	p.setNow(t)
	return err
}

// tell hands on what the server's watches have to tell. With `atOnce` the scheduler hears all of it before it does anything.
func (p *Player) tell(atOnce bool) error {
	if len(p.server.changes) == 0 {
		return nil
	}
	word := ""
	if atOnce {
		word = " at-once"
	}
	if _, err := fmt.Fprintf(p.in, "take%s\n", word); err != nil {
		return err
	}
	return p.writeNews()
}

func (p *Player) writeNews() error {
	for _, c := range p.server.changes {
		kind := "MODIFIED"
		switch {
		case c.after == nil:
			kind = "DELETED"
		case c.before == nil:
			kind = "ADDED"
		}
		fmt.Fprintf(p.in, "watch %s {\"type\":%q,\"object\":%s}\n", c.kind.plural(), kind, c.text)
	}
	p.server.changes = nil
	_, err := p.in.WriteString("go\n")
	return err
}

// end ends a timeline.
func (p *Player) end() error {
	_, _ = p.in.WriteString("stop\n")
	return p.hear(&Log{})
}

// hear reads what happens up to the line `end`, and answers requests.
func (p *Player) hear(log *Log) error {
	for {
		if err := p.in.Flush(); err != nil {
			return p.died()
		}
		line, err := p.out.ReadString('\n')
		if err != nil {
			return p.died()
		}
		line = strings.TrimSuffix(line, "\n")
		if line == "end" {
			return nil
		}
		asked, isRequest := strings.CutPrefix(line, "request ")
		if !isRequest {
			log.add(line)
			continue
		}
		words := strings.SplitN(asked, " ", 5)
		now, _ := strconv.ParseInt(words[0], 10, 64)
		p.setNow(time.Unix(0, now))
		a := p.server.serve(request{verb: words[1], path: words[2], contentType: words[3], body: []byte(words[4])})
		fmt.Fprintf(p.in, "answer %d %s\n", a.code, a.body)
		if err := p.writeNews(); err != nil {
			return err
		}
	}
}

func (p *Player) died() error {
	_ = p.pipe.Close()
	_ = p.command.Wait()
	p.command = nil
	said := strings.TrimSpace(p.said.String())
	if len(said) > 2000 {
		said = said[:2000]
	}
	return errDied{said}
}
