// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	corev1 "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"sigs.k8s.io/yaml"
)

// world is the cluster as one decision sees it: the real cache, its snapshot, one real framework
// per profile, and the index at which the visit of the nodes begins.
type world struct {
	*surroundings
	logger   klog.Logger
	cancel   context.CancelFunc
	config   *config.KubeSchedulerConfiguration
	cache    internalcache.Cache
	snapshot *internalcache.Snapshot
	profiles map[string]*profile

	nodes    []*v1.Node          // every node of the cluster file, in its order
	pods     []*v1.Pod           // every pod of the cluster file, in its order
	podByKey map[string]*v1.Pod  // namespace/name → the pod of the file
	nodeBy   map[string]*v1.Node // name → the node of the file
	present  map[string]bool     // names of the nodes that are in the cache
	assumed  map[string]*v1.Pod  // namespace/name → the copy with its node that is in the cache
	queued   map[string]*framework.QueuedPodInfo

	nextStart int
}

// contents are the objects of a cluster file.
type contents struct {
	nodes  []*v1.Node
	pods   []*v1.Pod
	others []runtime.Object // of any other kind that Kubernetes defines
}

// loadCluster reads a v1 List (YAML or JSON) of objects, and fills in what the API server would and the scheduler looks
// at. Quantities of nodes and pods stay as they are written: the API server rounds them up to thousandths when an object
// is created, and a file is not created.
func loadCluster(text []byte) (*contents, error) {
	var list struct {
		Items []json.RawMessage `json:"items"`
	}
	if err := yaml.Unmarshal(text, &list); err != nil {
		return nil, err
	}
	c := &contents{}
	for i, item := range list.Items {
		kind, err := kindOf(item)
		switch {
		case err != nil:
		case kind.Kind == "Node":
			node := &v1.Node{}
			err = json.Unmarshal(item, node)
			corev1.SetDefaults_NodeStatus(&node.Status)
			c.nodes = append(c.nodes, node)
		case kind.Kind == "Pod":
			pod := &v1.Pod{}
			err = json.Unmarshal(item, pod)
			canonicalize(pod)
			corev1.SetDefaults_Pod(pod)
			fillIdentity(pod)
			c.pods = append(c.pods, pod)
		default:
			var object runtime.Object
			if object, err = loadObject(item); object != nil {
				c.others = append(c.others, object)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("items[%d]: %w", i, err)
		}
	}
	return c, nil
}

// canonicalize writes the quantities of a pod as the API server would hand them on. Without it a quantity like 0.1Gi
// keeps an inner form that upstream's sums share with the pod and change in place, which no scheduler ever sees.
func canonicalize(pod *v1.Pod) {
	lists := []v1.ResourceList{pod.Spec.Overhead, pod.Status.AllocatedResources}
	both := func(r *v1.ResourceRequirements) {
		if r != nil {
			lists = append(lists, r.Requests, r.Limits)
		}
	}
	both(pod.Spec.Resources)
	both(pod.Status.Resources)
	for _, containers := range [][]v1.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
		for i := range containers {
			both(&containers[i].Resources)
		}
	}
	for _, statuses := range [][]v1.ContainerStatus{pod.Status.ContainerStatuses, pod.Status.InitContainerStatuses} {
		for i := range statuses {
			both(statuses[i].Resources)
			lists = append(lists, statuses[i].AllocatedResources)
		}
	}
	for _, list := range lists {
		for name, amount := range list {
			list[name] = resource.MustParse(amount.String())
		}
	}
}

// fillIdentity gives a hand-written pod the three fields without which upstream cannot hold it.
func fillIdentity(pod *v1.Pod) {
	if pod.Namespace == "" {
		pod.Namespace = v1.NamespaceDefault
	}
	if pod.UID == "" {
		pod.UID = types.UID("oracle:" + podKey(pod))
	}
	if pod.Spec.SchedulerName == "" {
		pod.Spec.SchedulerName = v1.DefaultSchedulerName
	}
}

func podKey(pod *v1.Pod) string { return pod.Namespace + "/" + pod.Name }

func finished(pod *v1.Pod) bool {
	return pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed
}

// newWorld builds the world before the first decision. Nodes and placed pods named in `later`
// (those that the log adds by an event) are not in it yet.
func newWorld(clusterText, configText []byte, later map[string]bool) (*world, error) {
	cfg, err := loadConfig(configText)
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	cluster, err := loadCluster(clusterText)
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	ctx, cancel := context.WithCancel(process().ctx)
	w := &world{
		logger: klog.FromContext(ctx), cancel: cancel, config: cfg, surroundings: newSurroundings(ctx, cluster.others),
		cache: internalcache.New(ctx, nil, false), snapshot: internalcache.NewEmptySnapshot(),
		profiles: map[string]*profile{}, nodes: cluster.nodes, pods: cluster.pods,
		podByKey: map[string]*v1.Pod{}, nodeBy: map[string]*v1.Node{}, present: map[string]bool{},
		assumed: map[string]*v1.Pod{}, queued: map[string]*framework.QueuedPodInfo{},
	}
	for i := range cfg.Profiles {
		p, err := newProfile(&cfg.Profiles[i], w.snapshot, w.surroundings)
		if err != nil {
			cancel()
			return nil, fmt.Errorf("profile %s: %w", cfg.Profiles[i].SchedulerName, err)
		}
		w.profiles[p.name] = p
	}
	w.start()
	for _, node := range w.nodes {
		w.nodeBy[node.Name] = node
		if !later["Node "+node.Name] {
			w.addNode(node)
		}
	}
	for _, pod := range w.pods {
		w.podByKey[podKey(pod)] = pod
		if !later["Pod "+podKey(pod)] {
			if err := w.addPod(pod); err != nil {
				cancel()
				return nil, err
			}
		}
	}
	return w, nil
}

func (w *world) close() { w.cancel() }

func (w *world) addNode(node *v1.Node) {
	if !w.present[node.Name] {
		w.present[node.Name] = true
		w.cache.AddNode(w.logger, node)
	}
}

// addPod puts a pod where upstream's event handlers would: a placed one in the cache, a pending
// one of a known profile in the queue, a finished one nowhere. A pod that is being deleted leaves
// the queue without an attempt, unless a PreEnqueue plugin holds it there.
func (w *world) addPod(pod *v1.Pod) error {
	if finished(pod) {
		return nil
	}
	if pod.Spec.NodeName != "" {
		return w.cache.AddPod(w.logger, pod)
	}
	if _, ok := w.profiles[pod.Spec.SchedulerName]; !ok {
		return nil
	}
	if pod.DeletionTimestamp != nil && w.preEnqueue(pod) == nil {
		return nil
	}
	info, err := framework.NewPodInfo(pod)
	if err != nil {
		return err
	}
	w.queued[podKey(pod)] = &framework.QueuedPodInfo{PodInfo: info, Timestamp: time.Unix(0, 0)}
	return nil
}

// assume places a pod on its node for the decisions that follow.
func (w *world) assume(pod *v1.Pod, node string) error {
	placed := pod.DeepCopy()
	placed.Spec.NodeName = node
	w.assumed[podKey(pod)] = placed
	delete(w.queued, podKey(pod))
	return w.cache.AssumePod(w.logger, placed)
}

// forget undoes assume.
func (w *world) forget(key string) error {
	placed := w.assumed[key]
	if placed == nil {
		return nil
	}
	delete(w.assumed, key)
	return w.cache.ForgetPod(w.logger, placed)
}

// apply brings an event line of the log into force.
func (w *world) apply(e *event) error {
	key := e.Namespace + "/" + e.Name
	switch {
	case e.Kind == "Node" && e.Type == "Added":
		node := w.nodeBy[e.Name]
		if node == nil {
			return fmt.Errorf("the log adds node %s, which is not in the cluster file", e.Name)
		}
		w.addNode(node)
	case e.Kind == "Node" && e.Type == "Deleted":
		if node := w.nodeBy[e.Name]; node != nil && w.present[e.Name] {
			delete(w.present, e.Name)
			return w.cache.RemoveNode(w.logger, node)
		}
	case e.Kind == "Pod" && e.Type == "Added":
		pod := w.podByKey[key]
		if pod == nil {
			return fmt.Errorf("the log adds pod %s, which is not in the cluster file", key)
		}
		return w.addPod(pod)
	case e.Kind == "Pod" && e.Type == "Deleted":
		delete(w.queued, key)
		if w.assumed[key] != nil {
			return w.forget(key)
		}
		if pod := w.podByKey[key]; pod != nil && pod.Spec.NodeName != "" && !finished(pod) {
			return w.cache.RemovePod(w.logger, pod)
		}
	case e.Kind == "Pod" && (e.Type == "Forgotten" || e.Type == "BindFailed"):
		return w.forget(key)
	case e.Kind != "Node" && e.Kind != "Pod", e.Type == "Assumed", e.Type == "Bound", e.Type == "Modified":
		// An Assumed or Bound pod is where its decision put it already, and a modification in
		// this world is only the scheduler's own status patch.
	default:
		return fmt.Errorf("the log has an event that the oracle does not know: %s %s", e.Type, e.Kind)
	}
	return nil
}
