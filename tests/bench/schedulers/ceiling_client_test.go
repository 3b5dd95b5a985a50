// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

// scripted is an API server that has some nodes and pods, and counts what is written.
type scripted struct {
	t           *testing.T
	nodes, pods int
	mutex       sync.Mutex
	bindings    map[string]string         // the node by pod
	events      map[string]map[string]int // how many by reason and pod
	statuses    int
	underWay    map[string]int
	most        map[string]int // that were under way at a time
	early       []string       // events of a pod that had no node yet
}

func (s *scripted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch path := r.URL.Path; {
	case path == "/api/v1/nodes":
		w.Header().Set("Content-Type", "application/json;stream=watch")
		for i := range s.nodes {
			text, _ := json.Marshal(&corev1.Node{TypeMeta: metav1.TypeMeta{Kind: "Node", APIVersion: "v1"}, ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("node-", i)}})
			_ = json.NewEncoder(w).Encode(metav1.WatchEvent{Type: string(watch.Added), Object: runtime.RawExtension{Raw: text}})
		}
		hold(w, r)
	case path == "/api/v1/pods":
		w.Header().Set("Content-Type", runtime.ContentTypeProtobuf+";stream=watch")
		for i := range s.pods {
			_, _ = w.Write(frameOf(s.t, watch.Added, podNamed(fmt.Sprint("pod-", i), func(*corev1.Pod) {}), "Pod"))
		}
		hold(w, r)
	case r.Method == http.MethodGet: // devices and claims, of which there are none
		w.Header().Set("Content-Type", runtime.ContentTypeProtobuf+";stream=watch")
		hold(w, r)
	default:
		s.write(w, r)
	}
}

func hold(w http.ResponseWriter, r *http.Request) {
	w.(http.Flusher).Flush()
	<-r.Context().Done()
}

func (s *scripted) write(w http.ResponseWriter, r *http.Request) {
	kind := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
	s.mutex.Lock()
	s.underWay[kind]++
	s.most[kind] = max(s.most[kind], s.underWay[kind])
	s.mutex.Unlock()
	time.Sleep(time.Millisecond) // so that several are under way
	body, err := io.ReadAll(r.Body)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.underWay[kind]--
	if kind == "status" {
		s.statuses++
		return
	}
	object, _, failed := scheme.Codecs.UniversalDeserializer().Decode(body, nil, nil)
	if err != nil || failed != nil || r.Header.Get("Content-Type") != runtime.ContentTypeProtobuf {
		http.Error(w, "not an object in protobuf", http.StatusBadRequest)
		return
	}
	switch object := object.(type) {
	case *corev1.Binding:
		if r.URL.Path != "/api/v1/namespaces/n/pods/"+object.Name+"/binding" || string(object.UID) != object.Name || s.bindings[object.Name] != "" {
			http.Error(w, "a wrong binding", http.StatusConflict)
			return
		}
		s.bindings[object.Name] = object.Target.Name
	case *eventsv1.Event:
		pod := object.Regarding.Name
		if object.Reason == "Scheduled" && !strings.HasSuffix(object.Note, " to "+s.bindings[pod]) {
			s.early = append(s.early, pod)
		}
		if s.events[object.Reason] == nil {
			s.events[object.Reason] = map[string]int{}
		}
		s.events[object.Reason][pod]++
	}
	w.WriteHeader(http.StatusCreated)
}

func (s *scripted) told() int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return len(s.events["Scheduled"])
}

func TestTheCeilingBindsEachPodAndThenTells(t *testing.T) {
	const pods, nodes = 200, 7
	s := &scripted{t: t, nodes: nodes, pods: pods, bindings: map[string]string{}, events: map[string]map[string]int{}, underWay: map[string]int{}, most: map[string]int{}}
	server := httptest.NewUnstartedServer(s)
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	config := &rest.Config{Host: server.URL, QPS: -1, TLSClientConfig: rest.TLSClientConfig{CAData: authority},
		ContentConfig: rest.ContentConfig{ContentType: runtime.ContentTypeProtobuf}}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	// As much as a scheduler that failed for every other pod, and wrote a condition for each of them.
	repeat := writes{Bindings: pods, Events: pods + pods/2, Statuses: pods / 2}
	ended := make(chan error, 1)
	go func() { ended <- runCeiling(ctx, config, settings{3, 5, 2}, repeat) }()
	for end := time.Now().Add(time.Minute); s.told() < pods && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
	}
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	used, failures := map[string]int{}, 0
	for _, node := range s.bindings {
		used[strings.TrimRight(node, "0123456789")]++
	}
	for _, count := range s.events["FailedScheduling"] {
		failures += count
	}
	if len(s.bindings) != pods || used["node-"] != pods || len(s.events["Scheduled"]) != pods || len(s.early) > 0 {
		t.Errorf("%d bindings on %v, %d pods have their event, before their binding: %v", len(s.bindings), used, len(s.events["Scheduled"]), s.early)
	}
	if failures != pods/2 || s.statuses != pods/2 {
		t.Errorf("%d events of failures and %d statuses", failures, s.statuses)
	}
	// Failures' events go the way of the bindings: what a scheduler writes about a pod comes before its binding.
	if s.most["binding"] > 5 || s.most["status"] > 5 || s.most["events"] > 2+5 || s.most["binding"] < 2 {
		t.Errorf("under way at a time: %v", s.most)
	}
}

func TestTheCeilingEndsWithItsWatches(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "no", http.StatusForbidden)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	err := runCeiling(t.Context(), &rest.Config{Host: server.URL, TLSClientConfig: rest.TLSClientConfig{CAData: authority}}, settings{1, 1, 1}, writes{})
	if err == nil || !strings.Contains(err.Error(), "the ceiling client: ") {
		t.Error(err)
	}
}
