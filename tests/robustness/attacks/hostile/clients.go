// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/tls"
	"flag"
	"fmt"
	"io"
	"math/rand"
	"net"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// What one kind of client did.
type tally struct{ opened, refused, answered, closed atomic.Int64 }

// A client that is about to misbehave: raw is the TCP connection, deadline the end of the attack.
type attacker struct {
	raw      net.Conn
	deadline time.Time
	tally    *tally
}

func (a *attacker) handshake() (*tls.Conn, error) {
	conn := tls.Client(a.raw, &tls.Config{InsecureSkipVerify: true})
	return conn, conn.Handshake()
}

// drip sends some text slowly, for as long as it is taken.
func (a *attacker) drip(conn net.Conn, text string) {
	for i := 0; time.Now().Before(a.deadline); i++ {
		if _, err := conn.Write([]byte{text[i%len(text)]}); err != nil {
			return
		}
		time.Sleep(500 * time.Millisecond)
	}
}

// drain counts answers until the server closes.
func (a *attacker) drain(conn net.Conn) {
	piece := make([]byte, 16<<10)
	for {
		n, err := conn.Read(piece)
		a.tally.answered.Add(int64(strings.Count(string(piece[:n]), "HTTP/1.1 ")))
		if err != nil {
			return
		}
	}
}

const probeRequest = "GET /livez?verbose HTTP/1.1\r\nHost: berth\r\n\r\n"

// kinds of clients. Each returns when its connection is of no more use.
var kinds = map[string]func(a *attacker){
	"slow-head": func(a *attacker) {
		if conn, err := a.handshake(); err == nil {
			go a.drain(conn)
			_, _ = io.WriteString(conn, "GET /livez HTTP/1.1\r\nHost: berth\r\nX-Slow: ")
			a.drip(conn, "abcdefgh")
		}
	},
	"slow-body": func(a *attacker) {
		if conn, err := a.handshake(); err == nil {
			go a.drain(conn)
			_, _ = io.WriteString(conn, "POST /livez HTTP/1.1\r\nHost: berth\r\nContent-Length: 3000000\r\n\r\n")
			a.drip(conn, "{}\n ")
		}
	},
	// Reads nothing of answers that are as long as it can make them.
	"no-reads": func(a *attacker) {
		if conn, err := a.handshake(); err == nil {
			long := "GET /livez?verbose&exclude=" + strings.Repeat("x", 30<<10) + " HTTP/1.1\r\nHost: berth\r\n\r\n"
			_ = conn.SetWriteDeadline(a.deadline)
			for err == nil {
				_, err = io.WriteString(conn, long)
			}
		}
	},
	// Reads nothing of many short ones.
	"pipeline": func(a *attacker) {
		if conn, err := a.handshake(); err == nil {
			_ = conn.SetWriteDeadline(a.deadline)
			for many := strings.Repeat(probeRequest, 100); err == nil; {
				_, err = io.WriteString(conn, many)
			}
		}
	},
	// Half of them say nothing, a quarter say a ClientHello a byte at a time, a quarter announce a record and stop.
	"endless-tls": func(a *attacker) {
		switch rand.Intn(4) {
		case 0:
			a.drip(a.raw, "\x16\x03\x01\x40\x00\x01\x00\x3f\xfc\x03\x03")
		case 1:
			_, _ = a.raw.Write([]byte("\x16\x03\x01\x40\x00"))
		}
		_ = a.raw.SetReadDeadline(a.deadline)
		_, _ = io.Copy(io.Discard, a.raw)
	},
	"random-token": func(a *attacker) {
		if conn, err := a.handshake(); err == nil {
			_, _ = fmt.Fprintf(conn, "GET /metrics HTTP/1.1\r\nHost: berth\r\nAuthorization: Bearer %x\r\n\r\n", rand.Int63())
			_ = conn.SetReadDeadline(a.deadline)
			a.drain(conn)
		}
	},
}

// smallWindow has the kernel take next to nothing of what nobody reads.
func smallWindow(_, _ string, raw syscall.RawConn) error {
	return raw.Control(func(fd uintptr) { _ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 2048) })
}

// attack opens connections of one kind, one after the other, until the time is over.
func attack(target, kind string, from net.IP, deadline time.Time, pause time.Duration, t *tally) {
	time.Sleep(time.Duration(rand.Int63n(int64(pause))))
	for time.Now().Before(deadline) {
		dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: from}, Timeout: 5 * time.Second}
		if kind == "no-reads" || kind == "pipeline" {
			dialer.Control = smallWindow
		}
		if raw, err := dialer.Dial("tcp", target); err != nil {
			t.refused.Add(1)
		} else {
			t.opened.Add(1)
			timer := time.AfterFunc(time.Until(deadline), func() { _ = raw.Close() })
			kinds[kind](&attacker{raw, deadline, t})
			timer.Stop()
			_ = raw.Close()
			t.closed.Add(1)
		}
		time.Sleep(pause/2 + time.Duration(rand.Int63n(int64(pause))))
	}
}

func clients(arguments []string) error {
	flags := flag.NewFlagSet("clients", flag.ExitOnError)
	target := flags.String("target", "", "HOST:PORT of Berth, on 127.0.0.0/8")
	count := flags.Int("count", 1000, "connections")
	only := flags.String("kinds", "", "which kinds, commas between; empty: all")
	addresses := flags.Int("addresses", 1, "from how many addresses: 127.0.0.1, where probes come from, then 127.0.1.1 on")
	seconds := flags.Int("seconds", 15, "how long")
	pause := flags.Duration("pause", time.Second, "between a connection that was closed and the next")
	_ = flags.Parse(arguments)
	host, _, err := net.SplitHostPort(*target)
	if err != nil || !net.ParseIP(host).IsLoopback() || *count > 5000 {
		return fmt.Errorf("-target %q -count %d: expected a loopback address and at most 5000", *target, *count)
	}
	var names []string
	for name := range kinds {
		if *only == "" || strings.Contains(","+*only+",", ","+name+",") {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	tallies := map[string]*tally{}
	for _, name := range names {
		tallies[name] = &tally{}
	}
	deadline := time.Now().Add(time.Duration(*seconds) * time.Second)
	var all sync.WaitGroup
	for i := 0; i < *count; i++ {
		name, from := names[i%len(names)], net.IPv4(127, 0, 0, 1)
		if other := i % *addresses; other > 0 {
			from = net.IPv4(127, 0, 1+byte(other/250), 1+byte(other%250))
		}
		all.Add(1)
		go func() {
			defer all.Done()
			attack(*target, name, from, deadline, *pause, tallies[name])
		}()
	}
	all.Wait()
	for _, name := range names {
		t := tallies[name]
		fmt.Printf("%s: opened=%d refused=%d closed=%d answers=%d\n", name, t.opened.Load(), t.refused.Load(), t.closed.Load(),
			t.answered.Load())
	}
	return nil
}
