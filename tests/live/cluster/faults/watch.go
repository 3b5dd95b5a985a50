// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// watch passes the events of a watch on, one by one, until something happens to it.
func (p *proxy) watch(w http.ResponseWriter, r *http.Request, answer *http.Response) {
	head(w, answer, -1)
	flush := http.NewResponseController(w).Flush
	flush()
	speech := messagesOf(answer)
	events := make(chan []byte)
	go read(r.Context(), answer.Body, speech, events)
	for {
		f := p.plan.draw(watching)
		if p.hasten != nil {
			f = p.hasten(f)
		}
		event, open := p.well(w, r, events, f)
		if !open {
			return
		}
		if !p.plan.happened(f.kind) {
			// The faults have ceased; this watch is well from now on.
			w.Write(event)
			flush()
			p.well(w, r, events, fault{})
			return
		}
		p.note(fmt.Sprintf("%s: %s", f.kind, r.URL.RequestURI()))
		switch f.kind {
		case watchPause:
			sleep(r.Context(), f.after/8)
			w.Write(event)
			flush()
			continue
		case watchStall:
			// The server goes on and is not heard.
			if p.borne != nil {
				began := time.Now()
				defer func() { p.borne(time.Since(began)) }()
			}
			for quiet := time.After(p.patience); ; {
				select {
				case _, open := <-events:
					if !open {
						events = nil
					}
				case <-quiet:
					panic(http.ErrAbortHandler)
				case <-r.Context().Done():
					return
				}
			}
		case watchCut:
			if event == nil {
				event = speech.gone
			}
			w.Write(event[:int(f.part*float64(len(event)))])
			flush()
			panic(http.ErrAbortHandler)
		case watchGone:
			w.Write(speech.gone)
			return
		case watchEnd:
			return
		}
	}
}

// read cuts a watch into its events.
func read(ctx context.Context, from io.Reader, speech messages, events chan<- []byte) {
	defer close(events)
	for reader := bufio.NewReader(from); ; {
		event, err := speech.next(reader)
		if len(event) > 0 {
			select {
			case events <- event:
			case <-ctx.Done():
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// well passes events on until the fault is due, and returns the event that had come just then, if one had. False: the
// watch is over, by the server's will or the client's.
func (p *proxy) well(w http.ResponseWriter, r *http.Request, events <-chan []byte, f fault) (event []byte, open bool) {
	var due <-chan time.Time
	if f.kind != none {
		timer := time.NewTimer(f.after)
		defer timer.Stop()
		due = timer.C
	}
	ripe := false
	// A fault that is about an event waits for one, but not for ever.
	for {
		select {
		case event, open = <-events:
			if !open {
				return nil, false
			}
			if ripe {
				return event, true
			}
			if _, err := w.Write(event); err != nil {
				return nil, false
			}
			http.NewResponseController(w).Flush()
		case <-due:
			if ripe || (f.kind != watchCut && f.kind != watchPause) {
				return nil, true
			}
			ripe = true
			due = time.After(5 * time.Second)
		case <-r.Context().Done():
			return nil, false
		}
	}
}
