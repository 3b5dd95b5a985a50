// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"bytes"
	"cmp"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// waitingRequest is one that is made in the background and waits for its turn.
type waitingRequest struct {
	request
	answered chan answer
}

// newClient is upstream's real client, whose requests the server answers in the process.
func newClient(u *upstream) kubernetes.Interface {
	client, err := kubernetes.NewForConfigAndClient(&rest.Config{
		Host: "http://timeline", QPS: -1, ContentConfig: rest.ContentConfig{ContentType: "application/json", AcceptContentTypes: "application/json"},
	}, &http.Client{Transport: transport{u}})
	if err != nil {
		panic(err)
	}
	return client
}

type transport struct{ of *upstream }

// RoundTrip answers what the loop asks at once. What is asked in the background is answered when the loop has time for it.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	asked := request{verb: r.Method, path: r.URL.Path, contentType: r.Header.Get("Content-Type")}
	if r.Body != nil {
		asked.body, _ = io.ReadAll(r.Body)
		_ = r.Body.Close()
	}
	var a answer
	if goroutine() == t.of.loop {
		t.of.open = cmp.Or(t.of.open, t.of.leftOpen(asked))
		a = t.of.server.serve(asked)
	} else {
		a = t.of.wait(asked)
	}
	return &http.Response{
		StatusCode: a.code, Status: http.StatusText(a.code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(a.body)), ContentLength: int64(len(a.body)),
	}, nil
}

// wait is what a request of the background does until it is answered.
func (u *upstream) wait(r request) answer {
	waiting := &waitingRequest{r, make(chan answer, 1)}
	u.mu.Lock()
	u.waiting = append(u.waiting, waiting)
	u.mu.Unlock()
	u.rouse()
	return <-waiting.answered
}

// waitForTurn is the same without a request. It is at once the turn of the loop.
func (u *upstream) waitForTurn(what string) {
	if goroutine() != u.loop {
		u.wait(request{path: what})
	}
}

// leftOpen names what upstream may do in another way, too: of several claims PostFilter takes the devices from any.
func (u *upstream) leftOpen(r request) string {
	p, ok := parsePath(r.path)
	if !ok || p.kind.name != "ResourceClaim" || u.attempt == nil {
		return ""
	}
	if pod, _ := u.server.get(pods, u.attempt.pod).(*v1.Pod); pod == nil || len(pod.Spec.ResourceClaims) < 2 {
		return ""
	}
	return "which claim gives up its devices"
}

// served asks a handler in the process.
type served struct{ by http.Handler }

func (s served) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := httptest.NewRecorder()
	s.by.ServeHTTP(answer, r)
	response := answer.Result()
	response.Request = r
	return response, nil
}

// serveNext answers one request that was made in the background. Of those that came at once the order is that of their paths.
func (u *upstream) serveNext() bool {
	next := u.nextWaiting()
	if next == nil {
		return false
	}
	var a answer
	if next.verb != "" {
		a = u.server.serve(next.request)
		p, ok := parsePath(next.path)
		// Upstream looks for a claim that it has made once a second, and at once; Berth goes on when its watch tells of it
		// (docs/differences.md).
		if makesClaim := next.verb == http.MethodPost && p.kind != nil && p.kind.name == "ResourceClaim"; ok && (p.kind == pods && u.newsFirst || makesClaim) {
			u.hear()
		}
	}
	next.answered <- a
	return true
}

func (u *upstream) nextWaiting() *waitingRequest {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.waiting) == 0 {
		return nil
	}
	slices.SortStableFunc(u.waiting, func(a, b *waitingRequest) int { return strings.Compare(a.path, b.path) })
	next := u.waiting[0]
	u.waiting = u.waiting[1:]
	return next
}

// rouse tells the loop that there is something to do.
func (u *upstream) rouse() {
	select {
	case u.wake <- struct{}{}:
	default:
	}
}

// goroutine is the number of the one that asks.
func goroutine() uint64 {
	var text [64]byte
	words := strings.Fields(string(text[:runtime.Stack(text[:], false)]))
	number, _ := strconv.ParseUint(words[1], 10, 64)
	return number
}

// listenOnce starts what the runtime needs to listen to signals, of which every scheduler wants one, outside of any bubble.
func listenOnce() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGUSR2)
	signal.Stop(c)
}
