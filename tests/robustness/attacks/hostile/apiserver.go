// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A cluster in memory, of nodes and pods, as much of one as a scheduler needs: lists, watches and bindings. Pods are
// created at a steady rate and deleted some time after they are bound. It answers whether somebody may do something, but
// never who somebody is: a TokenReview waits until its client goes away.
type world struct {
	mu      sync.Mutex
	version int
	nodes   []map[string]any
	pods    map[string]map[string]any
	created map[string]time.Time
	watches map[chan []byte]bool
	slowest time.Duration
	bound   int
	reviews int
}

func object(kind, namespace, name string, version int, more map[string]any) map[string]any {
	metadata := map[string]any{"name": name, "uid": kind + "-" + name, "resourceVersion": strconv.Itoa(version),
		"creationTimestamp": time.Now().UTC().Format(time.RFC3339)}
	if namespace != "" {
		metadata["namespace"] = namespace
	}
	out := map[string]any{"apiVersion": "v1", "kind": kind, "metadata": metadata}
	for key, value := range more {
		out[key] = value
	}
	return out
}

func newWorld(nodes int) *world {
	w := &world{pods: map[string]map[string]any{}, created: map[string]time.Time{}, watches: map[chan []byte]bool{}}
	for i := 0; i < nodes; i++ {
		w.version++
		room := map[string]any{"cpu": "64", "memory": "256Gi", "pods": "500"}
		w.nodes = append(w.nodes, object("Node", "", fmt.Sprintf("node-%d", i), w.version,
			map[string]any{"status": map[string]any{"capacity": room, "allocatable": room,
				"conditions": []any{map[string]any{"type": "Ready", "status": "True"}}}}))
	}
	return w
}

// tell sends an event of a pod to those who watch pods; one that does not read misses it.
func (w *world) tell(kind string, pod map[string]any) {
	event, _ := json.Marshal(map[string]any{"type": kind, "object": pod})
	for to := range w.watches {
		select {
		case to <- append(event, '\n'):
		default:
		}
	}
}

func (w *world) change(name, kind string, edit func(pod map[string]any)) {
	pod := map[string]any{}
	for key, value := range w.pods[name] {
		pod[key] = value
	}
	edit(pod)
	w.version++
	metadata := map[string]any{}
	for key, value := range pod["metadata"].(map[string]any) {
		metadata[key] = value
	}
	metadata["resourceVersion"] = strconv.Itoa(w.version)
	pod["metadata"] = metadata
	w.pods[name] = pod
	w.tell(kind, pod)
}

func (w *world) create(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.version++
	asks := map[string]any{"requests": map[string]any{"cpu": "100m", "memory": "64Mi"}}
	pod := object("Pod", "default", name, w.version, map[string]any{
		"spec": map[string]any{"schedulerName": "default-scheduler",
			"containers": []any{map[string]any{"name": "one", "image": "one", "resources": asks}}},
		"status": map[string]any{"phase": "Pending"}})
	w.pods[name] = pod
	w.created[name] = time.Now()
	w.tell("ADDED", pod)
}

func (w *world) bind(name, node string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pods[name] == nil || w.created[name].IsZero() {
		return false
	}
	if took := time.Since(w.created[name]); took > w.slowest {
		w.slowest = took
	}
	delete(w.created, name)
	w.bound++
	w.change(name, "MODIFIED", func(pod map[string]any) {
		spec := map[string]any{"nodeName": node}
		for key, value := range pod["spec"].(map[string]any) {
			spec[key] = value
		}
		pod["spec"] = spec
	})
	time.AfterFunc(5*time.Second, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.change(name, "DELETED", func(map[string]any) {})
		delete(w.pods, name)
	})
	return true
}

// list answers a list or a watch of a collection; only nodes and pods have objects.
func (w *world) list(to http.ResponseWriter, request *http.Request) {
	w.mu.Lock()
	parts := strings.Split(request.URL.Path, "/")
	resource := parts[len(parts)-1]
	var items []any
	switch resource {
	case "nodes":
		for _, node := range w.nodes {
			items = append(items, node)
		}
	case "pods":
		for _, pod := range w.pods {
			items = append(items, pod)
		}
	}
	version := strconv.Itoa(w.version)
	query := request.URL.Query()
	if query.Get("sendInitialEvents") != "" {
		w.mu.Unlock()
		http.Error(to, `{"kind":"Status","code":400,"message":"no such option"}`, http.StatusBadRequest)
		return
	}
	if watch := query.Get("watch"); watch != "1" && watch != "true" {
		w.mu.Unlock()
		answer(to, http.StatusOK, map[string]any{"kind": "List", "apiVersion": "v1", "items": items,
			"metadata": map[string]any{"resourceVersion": version}})
		return
	}
	events := make(chan []byte, 4096)
	if resource == "pods" {
		w.watches[events] = true
		// What happened between the list and the watch: everything once more.
		for _, pod := range w.pods {
			w.tell("MODIFIED", pod)
		}
	}
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		delete(w.watches, events)
		w.mu.Unlock()
	}()
	to.Header().Set("Content-Type", "application/json")
	to.(http.Flusher).Flush()
	for {
		select {
		case event := <-events:
			if _, err := to.Write(event); err != nil {
				return
			}
			to.(http.Flusher).Flush()
		case <-request.Context().Done():
			return
		}
	}
}

func answer(to http.ResponseWriter, status int, body any) {
	to.Header().Set("Content-Type", "application/json")
	to.WriteHeader(status)
	_ = json.NewEncoder(to).Encode(body)
}

func (w *world) ServeHTTP(to http.ResponseWriter, request *http.Request) {
	path := request.URL.Path
	body, _ := io.ReadAll(request.Body)
	switch {
	case strings.HasSuffix(path, "/tokenreviews"):
		w.mu.Lock()
		w.reviews++
		w.mu.Unlock()
		<-request.Context().Done()
	case strings.HasSuffix(path, "accessreviews"):
		answer(to, http.StatusCreated, map[string]any{"status": map[string]any{"allowed": true}})
	case strings.HasSuffix(path, "/binding"):
		var binding struct{ Target struct{ Name string } }
		_ = json.Unmarshal(body, &binding)
		parts := strings.Split(path, "/")
		if !w.bind(parts[len(parts)-2], binding.Target.Name) {
			http.Error(to, `{"kind":"Status","code":409,"reason":"Conflict"}`, http.StatusConflict)
			return
		}
		answer(to, http.StatusCreated, map[string]any{"kind": "Status", "status": "Success"})
	case request.Method == http.MethodGet && strings.HasSuffix(path, "/extension-apiserver-authentication"):
		answer(to, http.StatusOK, map[string]any{"data": map[string]any{}})
	case request.Method == http.MethodGet:
		w.list(to, request)
	default:
		to.Header().Set("Content-Type", "application/json")
		to.WriteHeader(http.StatusCreated)
		_, _ = to.Write(body)
	}
}

func (w *world) say() {
	w.mu.Lock()
	defer w.mu.Unlock()
	waiting := time.Duration(0)
	for _, since := range w.created {
		if took := time.Since(since); took > waiting {
			waiting = took
		}
	}
	fmt.Printf("bound=%d unbound=%d slowest_ms=%d longest_waiting_ms=%d reviews=%d\n", w.bound, len(w.created),
		w.slowest.Milliseconds(), waiting.Milliseconds(), w.reviews)
	w.slowest = 0
}

func apiServer(arguments []string) error {
	flags := flag.NewFlagSet("apiserver", flag.ExitOnError)
	nodes := flags.Int("nodes", 100, "nodes of the cluster")
	rate := flags.Int("rate", 20, "pods created a second")
	seconds := flags.Int("seconds", 60, "how long it lives")
	kubeconfig := flags.String("kubeconfig", "", "where to write how it is reached")
	_ = flags.Parse(arguments)
	w := newWorld(*nodes)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	text := fmt.Sprintf("kind: Config\ncurrent-context: c\ncontexts: [{name: c, context: {cluster: c, user: u}}]\n"+
		"clusters: [{name: c, cluster: {server: 'http://%s'}}]\nusers: [{name: u, user: {}}]\n", listener.Addr())
	if err := os.WriteFile(*kubeconfig, []byte(text), 0o600); err != nil {
		return err
	}
	go func() { _ = http.Serve(listener, w) }()
	said := time.NewTicker(time.Second)
	births := time.NewTicker(time.Second / time.Duration(*rate))
	for end, n := time.After(time.Duration(*seconds)*time.Second), 0; ; n++ {
		select {
		case <-end:
			return nil
		case <-said.C:
			w.say()
		case <-births.C:
			w.create(fmt.Sprintf("pod-%d", n))
		}
	}
}
