// SPDX-License-Identifier: Apache-2.0

// The rule of tests/bench/call-overhead as a plugin of the real kube-scheduler and as an extender over HTTP: nanoseconds per node, the
// least of many rounds.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultbinder"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/queuesort"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

const count = 5000

type room struct{}

func (room) Name() string { return "Room" }

func fits(pod *v1.Pod, node fwk.NodeInfo) bool {
	cpu := pod.Spec.Containers[0].Resources.Requests.Cpu().MilliValue()
	return len(node.GetPods()) < node.GetAllocatable().GetAllowedPodNumber() &&
		node.GetRequested().GetMilliCPU()+cpu <= node.GetAllocatable().GetMilliCPU()
}

func (room) Filter(_ context.Context, _ fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	if fits(pod, node) {
		return nil
	}
	return fwk.NewStatus(fwk.Unschedulable, "node(s) had no room")
}

func podOf(cpu string) *v1.Pod {
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "default"},
		Spec: v1.PodSpec{Containers: []v1.Container{{Name: "c", Resources: v1.ResourceRequirements{
			Requests: v1.ResourceList{v1.ResourceCPU: resource.MustParse(cpu)}}}}},
	}
}

// nodes are as in call_overhead.cpp: one in ten has no room.
func nodes() []fwk.NodeInfo {
	var all []fwk.NodeInfo
	for i := range count {
		node := framework.NewNodeInfo()
		if i%10 == 0 {
			node.AddPod(podOf("31950m"))
		}
		node.SetNode(&v1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("node-%d", i)},
			Status: v1.NodeStatus{Allocatable: v1.ResourceList{
				v1.ResourceCPU: resource.MustParse("32"), v1.ResourcePods: resource.MustParse("110")}},
		})
		all = append(all, node)
	}
	return all
}

func best(name string, rounds int, run func() int) {
	least := time.Hour
	for range rounds {
		begin := time.Now()
		if n := run(); n != count*9/10 {
			log.Fatalf("%s: %d of %d nodes have room", name, n, count)
		}
		least = min(least, time.Since(begin))
	}
	fmt.Printf("%s %.2f\n", name, float64(least.Nanoseconds())/count)
}

func main() {
	klog.SetOutput(os.Stderr)
	metrics.Register()
	ctx := context.Background()
	all, pod := nodes(), podOf("100m")
	of := func(p fwk.Plugin) frameworkruntime.PluginFactory {
		return func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) { return p, nil }
	}
	enabled := func(name string) config.PluginSet {
		return config.PluginSet{Enabled: []config.Plugin{{Name: name}}}
	}
	registry := frameworkruntime.Registry{
		"Room":             of(room{}),
		"PrioritySort":     of(&queuesort.PrioritySort{}),
		defaultbinder.Name: of(&defaultbinder.DefaultBinder{}),
	}
	profile := &config.KubeSchedulerProfile{SchedulerName: "default-scheduler", Plugins: &config.Plugins{
		QueueSort: enabled("PrioritySort"), Filter: enabled("Room"), Bind: enabled(defaultbinder.Name)}}
	fw, err := frameworkruntime.NewFramework(ctx, registry, profile)
	if err != nil {
		log.Fatal(err)
	}
	state := framework.NewCycleState()
	best("in-tree", 200, func() (n int) {
		for _, node := range all {
			if fw.RunFilterPlugins(ctx, state, pod, node).IsSuccess() {
				n++
			}
		}
		return n
	})

	known := map[string]fwk.NodeInfo{}
	for _, node := range all {
		known[node.Node().Name] = node
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var args extenderv1.ExtenderArgs
		if err := json.NewDecoder(r.Body).Decode(&args); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		names, failed := []string{}, extenderv1.FailedNodesMap{}
		for _, name := range *args.NodeNames {
			if fits(args.Pod, known[name]) {
				names = append(names, name)
			} else {
				failed[name] = "node(s) had no room"
			}
		}
		_ = json.NewEncoder(w).Encode(extenderv1.ExtenderFilterResult{NodeNames: &names, FailedNodes: failed})
	}))
	defer server.Close()
	extender, err := scheduler.NewHTTPExtender(&config.Extender{
		URLPrefix: server.URL, FilterVerb: "filter", NodeCacheCapable: true})
	if err != nil {
		log.Fatal(err)
	}
	best("extender", 40, func() int {
		left, _, _, err := extender.Filter(pod, all)
		if err != nil {
			log.Fatal(err)
		}
		return len(left)
	})
}
