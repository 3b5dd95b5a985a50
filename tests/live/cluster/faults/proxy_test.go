// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// stage is a proxy of which every request of a class meets one kind of fault, before a server that is made up.
type stage struct {
	*proxy
	url     string
	mutex   sync.Mutex
	carried int           // requests that the server has seen
	bounds  []string      // what was told of Bindings
	events  chan string   // what the server says on a watch
	left    chan struct{} // closed when the server is rid of its watch
	speaks  string        // the Content-Type of its answers
}

func (s *stage) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mutex.Lock()
	s.carried++
	s.mutex.Unlock()
	answer := &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {s.speaks}}}
	switch classOf(r) {
	case binding:
		answer.StatusCode = http.StatusCreated
		answer.Body = io.NopCloser(strings.NewReader(`{"kind":"Status","status":"Success"}`))
	case watching:
		out, in := io.Pipe()
		answer.Body = out
		go func() {
			defer close(s.left)
			defer in.Close()
			for {
				select {
				case event, open := <-s.events:
					if !open {
						return
					}
					io.WriteString(in, s.sent(event))
				case <-r.Context().Done():
					return
				}
			}
		}()
	default:
		answer.Body = io.NopCloser(strings.NewReader(`{"kind":"PodList"}`))
	}
	return answer, nil
}

func on(t *testing.T, of class, what kind) *stage {
	s := &stage{events: make(chan string, 10), left: make(chan struct{}), speaks: "application/json"}
	plan := newPlan(1, 1)
	plan.suffers = map[class]weights{of: {what: 1}}
	s.proxy = &proxy{plan: plan, upstream: s, server: "server", note: func(string) {}, patience: 200 * time.Millisecond,
		bound: func(uid, node string) { s.bounds = append(s.bounds, uid+" "+node) }}
	server := httptest.NewServer(s.proxy)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

const aBinding = `{"metadata":{"uid":"u"},"target":{"kind":"Node","name":"n"}}`

// bind posts a Binding; status 0: no whole answer came.
func (s *stage) bind() (status int, body string) {
	answer, err := http.Post(s.url+"/api/v1/namespaces/default/pods/p/binding", "application/json", strings.NewReader(aBinding))
	if err != nil {
		return 0, err.Error()
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, err.Error()
	}
	return answer.StatusCode, string(text)
}

func TestRequestsMeetTheirFaults(t *testing.T) {
	for what, want := range map[kind]struct{ status, carried int }{
		late: {201, 1}, cut: {0, 0}, lost: {0, 1}, silent: {0, 1}, truncated: {0, 1},
		refuse409: {409, 0}, refuse410: {410, 0}, refuse429: {429, 0}, refuse500: {500, 0}, refuse504: {504, 0},
		after409: {409, 1}, after429: {429, 1}, after500: {500, 1}, after504: {504, 1},
	} {
		t.Run(string(what), func(t *testing.T) {
			s := on(t, binding, what)
			status, body := s.bind()
			if status != want.status || s.carried != want.carried || len(s.bounds) != want.carried {
				t.Errorf("status %d, carried out %d times, told %q: %s", status, s.carried, s.bounds, body)
			}
			if status >= 400 && !strings.Contains(body, `"kind":"Status"`) {
				t.Errorf("no Status: %s", body)
			}
			if s.carried == 1 && s.bounds[0] != "u n" {
				t.Errorf("told of %q", s.bounds)
			}
			if s.plan.counted()[what] != 1 {
				t.Errorf("counted: %v", s.plan.counted())
			}
			s.plan.cease()
			if status, body = s.bind(); status != 201 || !strings.Contains(body, "Success") {
				t.Errorf("when faults have ceased: %d %s", status, body)
			}
		})
	}
}

// watch begins a watch whose fault comes so soon, and returns a reader of what comes.
func (s *stage) begin(t *testing.T) *bufio.Reader {
	answer, err := http.Get(s.url + "/api/v1/pods?watch=true")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	return bufio.NewReader(answer.Body)
}

// sent is an event as the server writes it.
func (s *stage) sent(event string) string {
	if s.speaks == "application/json" {
		return event + "\n"
	}
	return string(framed([]byte(event)))
}

// soon makes the faults of watches come within half a second.
func soon(f fault) fault {
	f.after /= 80
	return f
}

func TestWatchesMeetTheirFaults(t *testing.T) {
	const event = `{"type":"ADDED","object":{"kind":"Pod","metadata":{"name":"one of some length"}}}`
	theyMeet(t, "application/json", event, `{"type`, `{"type":"ERROR"`)
}

func TestWatchesInProtobufMeetTheirFaults(t *testing.T) {
	const event = "\n\x05ADDED and no line:\n\n" // whose bytes mean something else in JSON
	theyMeet(t, "application/vnd.kubernetes.protobuf;stream=watch", event, "\x00\x00\x00", string(framed(goneInProtobuf())))
}

// theyMeet begins watches that speak so: `begun` is the beginning of an event that was cut off, `gone` that of the one that
// says 410.
func theyMeet(t *testing.T, speaks, event, begun, gone string) {
	for what, want := range map[kind]struct {
		rest string // what comes after the first event
		err  error
	}{
		watchEnd: {"", io.EOF}, watchCut: {begun, io.ErrUnexpectedEOF}, watchGone: {gone, io.EOF},
		watchStall: {"", io.ErrUnexpectedEOF}, watchPause: {event, io.EOF},
	} {
		t.Run(string(what), func(t *testing.T) {
			s := on(t, watching, what)
			s.speaks = speaks
			s.proxy.hasten = soon
			reader := s.begin(t)
			s.events <- event
			whole := s.sent(event)
			first := make([]byte, len(whole))
			if _, err := io.ReadFull(reader, first); err != nil || string(first) != whole {
				t.Fatalf("the first event comes as %q, %v", first, err)
			}
			time.Sleep(600 * time.Millisecond)
			s.events <- event
			close(s.events)
			rest, err := io.ReadAll(reader)
			if err == nil {
				err = io.EOF
			}
			if what == watchPause {
				want.rest = whole
			}
			if !strings.HasPrefix(string(rest), want.rest) || (want.rest == "" && len(rest) > 0) || !errors.Is(err, want.err) {
				t.Errorf("then comes %q, %v", rest, err)
			}
			if what == watchCut && len(rest) >= len(whole) {
				t.Errorf("the event is whole: %q", rest)
			}
			if s.plan.counts[what] == 0 {
				t.Error("it is not counted")
			}
		})
	}
}

func TestAWatchThatItsClientLeaves(t *testing.T) {
	s := on(t, watching, watchStall)
	s.proxy.hasten = soon
	s.proxy.patience = time.Hour
	answer, err := http.Get(s.url + "/api/v1/pods?watch=true")
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(600 * time.Millisecond)
	answer.Body.Close()
	select {
	case <-s.left:
	case <-time.After(5 * time.Second):
		t.Error("the server keeps it")
	}
}

func TestTheSameSeedGivesTheSameFaults(t *testing.T) {
	one, same, other := newPlan(7, 0.5), newPlan(7, 0.5), newPlan(8, 0.5)
	differ := 0
	for range 200 {
		a := one.draw(binding)
		if b := same.draw(binding); a != b {
			t.Fatalf("%v and %v", a, b)
		}
		same.draw(reading) // does not change what becomes of Bindings
		if other.draw(binding) != a {
			differ++
		}
	}
	if differ < 50 {
		t.Errorf("another seed differs %d times only", differ)
	}
}

func TestOneKindAlone(t *testing.T) {
	p := newPlan(1, 1)
	if p.only("nonsense") {
		t.Error("a fault that there is none of is found")
	}
	p = newPlan(1, 1)
	if !p.only(watchStall) {
		t.Fatal("a fault is not found")
	}
	for range 100 {
		if f := p.draw(binding); f.kind != none {
			t.Fatalf("a binding meets %q", f.kind)
		}
		if f := p.draw(watching); f.kind != watchStall {
			t.Fatalf("a watch meets %q", f.kind)
		}
	}
}

func TestEveryKindIsDrawn(t *testing.T) {
	p := newPlan(1, 1)
	found := map[kind]bool{}
	for of := range suffers {
		for range 2000 {
			found[p.draw(of).kind] = true
		}
	}
	for _, of := range suffers {
		for what := range of {
			if !found[what] {
				t.Errorf("never drawn: %s", what)
			}
		}
	}
}
