// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/rest"
)

// serverOf is a real HTTP/2 server, and a connection to it.
func serverOf(t *testing.T, handler http.HandlerFunc) *connection {
	server := httptest.NewUnstartedServer(handler)
	server.EnableHTTP2 = true
	server.Config.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: 5}
	server.StartTLS()
	t.Cleanup(server.Close)
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	c, err := connect(&rest.Config{Host: server.URL, TLSClientConfig: rest.TLSClientConfig{CAData: authority}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.close)
	return c
}

// More requests than the server takes at a time, and more bytes than its window has: each is answered, and all of it has arrived.
func TestEveryRequestArrivesWholeAndIsAnswered(t *testing.T) {
	const requests, size = 40, 400_000
	var arrived, underWay, mostUnderWay atomic.Int64
	c := serverOf(t, func(w http.ResponseWriter, r *http.Request) {
		now := underWay.Add(1)
		for most := mostUnderWay.Load(); now > most && !mostUnderWay.CompareAndSwap(most, now); most = mostUnderWay.Load() {
		}
		time.Sleep(2 * time.Millisecond) // Others come meanwhile, and fill the window.
		body, err := io.ReadAll(r.Body)
		if err == nil && r.Method == http.MethodPost && r.Header.Get("Content-Type") == "a/b" && len(body) == size {
			arrived.Add(1)
		}
		underWay.Add(-1)
		fmt.Fprint(w, strings.Repeat("x", size)) // of no interest
	})
	var answered sync.WaitGroup
	var wrong atomic.Int64
	for range requests {
		answered.Add(1)
		c.send(request{http.MethodPost, "/some/where", "a/b", []byte(strings.Repeat("y", size))}, func(status int, body []byte, err error) {
			if status != http.StatusOK || len(body) > 0 || err != nil {
				wrong.Add(1)
			}
			answered.Done()
		})
	}
	answered.Wait()
	if arrived.Load() != requests || wrong.Load() != 0 || mostUnderWay.Load() > 5 {
		t.Errorf("%d of %d arrived, %d answers are wrong, %d were under way at a time", arrived.Load(), requests, wrong.Load(), mostUnderWay.Load())
	}
}

func TestARefusalComesWithItsBody(t *testing.T) {
	c := serverOf(t, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no such thing", http.StatusNotFound) })
	said := make(chan string, 1)
	c.send(request{method: http.MethodDelete, path: "/gone"}, func(status int, body []byte, err error) {
		said <- fmt.Sprint(status, " ", strings.TrimSpace(string(body)), " ", err)
	})
	if found := <-said; found != "404 no such thing <nil>" {
		t.Error(found)
	}
}

// What is under way, what waits and what comes later: each request is told that the connection is over, once.
func TestTheEndOfAConnectionIsToldToEachRequest(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	begun := make(chan struct{}, 5)
	c := serverOf(t, func(http.ResponseWriter, *http.Request) {
		begun <- struct{}{}
		<-release
	})
	failed := make(chan error, 20)
	told := func(_ int, _ []byte, err error) { failed <- err }
	for range 8 {
		c.send(request{method: http.MethodGet, path: "/"}, told)
	}
	for range 5 {
		<-begun
	}
	c.fail(errors.New("cut"))
	c.send(request{method: http.MethodGet, path: "/"}, told)
	for range 9 {
		if err := <-failed; err == nil || err.Error() != "cut" {
			t.Error(err)
		}
	}
	time.Sleep(20 * time.Millisecond)
	if len(failed) > 0 {
		t.Errorf("%d requests were told twice", len(failed))
	}
}

func TestALaneHasOnlySoManyUnderWay(t *testing.T) {
	l := lane{most: 3}
	var ends []func()
	for range 10 {
		l.put(func(over func()) { ends = append(ends, over) })
	}
	for i := range 10 {
		if expected := min(i+3, 10); len(ends) != expected {
			t.Fatalf("after %d ends %d have begun, expected %d", i, len(ends), expected)
		}
		ends[i]()
	}
	l.put(func(func()) { ends = append(ends, nil) })
	if len(ends) != 11 {
		t.Error("a lane that was empty again starts nothing")
	}
}
