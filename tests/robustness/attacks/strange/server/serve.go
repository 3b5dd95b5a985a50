// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
)

// hostile is an API server of one node with room for two pods of half its CPU, and of many objects that nobody can read. PUT
// /unstreamed makes it refuse lists as streams; PUT /event/RESOURCE sends the body to those who watch.
type hostile struct {
	sync.Mutex
	streams  bool
	version  int
	watchers map[string][]chan string
	bound    map[string]string
}

const (
	node = `{"metadata":{"name":"quay","uid":"quay","resourceVersion":"2"},"status":{"allocatable":{"cpu":"1","memory":"4Gi","pods":"110"}}}`
	many = 50
)

func pod(name string, version int, more string) string {
	return fmt.Sprintf(`{"metadata":{"name":"%s","namespace":"strange","uid":"%s","resourceVersion":"%d"},"spec":{%s"containers":`+
		`[{"name":"c","image":"i","resources":{"requests":{"cpu":"500m"}}}]}}`, name, name, version, more)
}

// unreadable are values that no reader takes, where an object of a kind has something that it needs.
var unreadable = []string{`"priority":99999999999,`, `"priority":1e3,`, `"nodeName":7,`, `"tolerations":{},`, `"containers":7,"x":`, `"x":tru,`, `"x":1e,`,
	"\"x\":\"\x01\",", `"x":[1,],`, `"x":` + nested(10_001, "") + `,`, `"x":{"a" 1},`, `"x":"\x",`}

func items(resource string) []string {
	var out []string
	switch resource {
	case "nodes":
		out = append(out, node, `{"metadata":{"name":"sunk","resourceVersion":"3"},"status":{"allocatable":7}}`)
	case "pods":
		out = append(out, pod("placed", 3, `"nodeName":"quay",`), pod("waits", 4, ""))
		for i := 0; i < many; i++ {
			out = append(out, pod(fmt.Sprint("odd-", i), 10+i, unreadable[i%len(unreadable)]))
		}
	case "resourceclaims", "oddities":
		for i := 0; i < many; i++ {
			bad := []string{nested(10_000, ""), "tru", "[1,]", `{"a":1 "b":2}`, "01", `"` + strings.Repeat("x", 2_000_000) + "\x01\""}[i%6]
			out = append(out, fmt.Sprintf(`{"spec":%s,"metadata":{"name":"odd-%d","namespace":"strange","resourceVersion":"%d"}}`, bad, i, 100+i))
			out = append(out, fmt.Sprintf(`{"metadata":{"name":"good-%d","namespace":"strange","resourceVersion":"%d"},"spec":{"n":1e999}}`, i, 300+i))
		}
		out = append(out, `{"metadata":{"name":7,"resourceVersion":"400"}}`, `[1]`, `"x"`)
	}
	return out
}

func event(kind, object string) string { return `{"type":"` + kind + `","object":` + object + "}\n" }

func (h *hostile) watch(w http.ResponseWriter, r *http.Request, resource string) {
	events := make(chan string, 100)
	h.Lock()
	h.watchers[resource] = append(h.watchers[resource], events)
	streams := h.streams
	h.Unlock()
	if r.URL.Query().Get("sendInitialEvents") == "true" {
		if !streams {
			w.WriteHeader(http.StatusUnprocessableEntity)
			fmt.Fprint(w, `{"kind":"Status","message":"sendInitialEvents is forbidden"}`)
			return
		}
		for _, item := range items(resource) {
			fmt.Fprint(w, event("ADDED", item))
		}
		fmt.Fprint(w, event("BOOKMARK", `{"metadata":{"resourceVersion":"500","annotations":{"k8s.io/initial-events-end":"true"}}}`))
	}
	w.(http.Flusher).Flush()
	for {
		select {
		case <-r.Context().Done():
			return
		case text := <-events:
			fmt.Fprint(w, text)
			w.(http.Flusher).Flush()
		}
	}
}

func (h *hostile) bind(w http.ResponseWriter, r *http.Request, name string) {
	var binding struct{ Target struct{ Name string } }
	if err := json.NewDecoder(r.Body).Decode(&binding); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	h.Lock()
	h.bound[name] = binding.Target.Name
	h.Unlock()
	w.WriteHeader(http.StatusCreated)
	fmt.Fprint(w, `{"kind":"Status"}`)
	h.send("pods", event("MODIFIED", pod(name, h.next(), `"nodeName":"`+binding.Target.Name+`",`)))
}

func (h *hostile) next() int {
	h.Lock()
	defer h.Unlock()
	h.version++
	return h.version
}

func (h *hostile) send(resource, text string) {
	h.Lock()
	defer h.Unlock()
	for _, watcher := range h.watchers[resource] {
		select {
		case watcher <- text:
		default: // gone
		}
	}
}

func (h *hostile) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	last := parts[len(parts)-1]
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.URL.Path == "/bound":
		h.Lock()
		defer h.Unlock()
		json.NewEncoder(w).Encode(h.bound)
	case r.URL.Path == "/unstreamed":
		h.streams = false
	case parts[0] == "event":
		// KIND NAME MORE: a pod as it is now.
		q := r.URL.Query()
		h.send("pods", event(q.Get("type"), pod(q.Get("name"), h.next(), q.Get("more"))))
	case r.Method == http.MethodPost && last == "binding":
		h.bind(w, r, parts[len(parts)-2])
	case r.Method == http.MethodPost && last == "selfsubjectaccessreviews":
		w.WriteHeader(http.StatusCreated)
		fmt.Fprint(w, `{"kind":"SelfSubjectAccessReview","status":{"allowed":true}}`)
	case r.Method != http.MethodGet:
		fmt.Fprint(w, `{"kind":"Status"}`)
	case r.URL.Query().Get("watch") == "true":
		h.watch(w, r, last)
	default:
		all := items(last)
		// In pages, the last of which is short.
		first, next := 0, ""
		fmt.Sscan(r.URL.Query().Get("continue"), &first)
		if len(all)-first > 40 {
			all, next = all[:first+40], fmt.Sprint(first+40)
		}
		fmt.Fprintf(w, `{"metadata":{"resourceVersion":"500","continue":"%s"},"items":[%s]}`, next, strings.Join(all[first:], ","))
	}
}

func serve(portFile string) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	port := fmt.Sprint(listener.Addr().(*net.TCPAddr).Port)
	if err := os.WriteFile(portFile, []byte(port), 0o644); err != nil {
		return err
	}
	h := &hostile{streams: true, version: 500, watchers: map[string][]chan string{}, bound: map[string]string{}}
	return http.Serve(listener, h)
}
