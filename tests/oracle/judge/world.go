// SPDX-License-Identifier: Apache-2.0

package main

import (
	"berth/tests/oracle/judge/release"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	corev1 "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/utils/ptr"
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
	reserved map[string]*attempt // namespace/name → the attempt that reserved for it
	queued   map[string]*framework.QueuedPodInfo
	uids     map[string]types.UID // namespace/name → the UID by which the log calls the pod

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
			complete(pod)
			c.pods = append(c.pods, pod)
		default:
			var object runtime.Object
			if object, err = loadObject(item); object != nil {
				withController(object)
				c.others = append(c.others, object)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("items[%d]: %w", i, err)
		}
	}
	return c, nil
}

// completeNamespaces adds what is in every cluster: a Namespace for each object, those of the system, and their names as labels.
func (c *contents) completeNamespaces() {
	missing := map[string]bool{"default": true, "kube-node-lease": true, "kube-public": true, "kube-system": true}
	for _, pod := range c.pods {
		missing[cmp.Or(pod.Namespace, "default")] = true
	}
	for _, other := range c.others {
		if o, err := meta.Accessor(other); err == nil && o.GetNamespace() != "" {
			missing[o.GetNamespace()] = true
		}
	}
	name := func(n *v1.Namespace) {
		if n.Labels == nil {
			n.Labels = map[string]string{}
		}
		n.Labels[v1.LabelMetadataName] = n.Name
	}
	for _, other := range c.others {
		if n, ok := other.(*v1.Namespace); ok {
			delete(missing, n.Name)
			name(n)
		}
	}
	for _, absent := range slices.Sorted(maps.Keys(missing)) {
		n := &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: absent}}
		name(n)
		c.others = append(c.others, n)
	}
}

// withController lets each owner of a claim say whether it is the controller. Upstream panics where a claim for extended
// resources does not; a case that is being shrunk may have such.
func withController(object runtime.Object) {
	if claim, ok := object.(*resourceapi.ResourceClaim); ok {
		for i := range claim.OwnerReferences {
			claim.OwnerReferences[i].Controller = ptr.To(ptr.Deref(claim.OwnerReferences[i].Controller, false))
		}
	}
}

// complete fills in what the API server would and the scheduler looks at.
func complete(pod *v1.Pod) {
	canonicalize(pod)
	corev1.SetDefaults_Pod(pod)
	release.CompletePodLevel(pod)
	fillIdentity(pod)
	if pod.Status.StartTime == nil {
		pod.Status.StartTime = &release.NotStarted
	}
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

// ownUID is how the UIDs begin that the oracle gives.
const ownUID = "oracle:"

// fillIdentity gives a hand-written pod the three fields without which upstream cannot hold it.
func fillIdentity(pod *v1.Pod) {
	if pod.Namespace == "" {
		pod.Namespace = v1.NamespaceDefault
	}
	if pod.UID == "" {
		pod.UID = types.UID(ownUID + podKey(pod))
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
// (those that the log adds by an event) are not in it yet. Pods of the file without a UID have one of `uids`, which are by
// namespace/name, or one of the oracle's.
func newWorld(clusterText, configText []byte, later map[string]bool, uids map[string]types.UID) (*world, error) {
	cfg, err := loadConfig(configText)
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	cluster, err := loadCluster(clusterText)
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	cluster.completeNamespaces()
	ctx, cancel := context.WithCancel(process().ctx)
	w := &world{
		logger: klog.FromContext(ctx), cancel: cancel, config: cfg, surroundings: newSurroundings(ctx, cluster.others),
		cache: release.NewCache(ctx), snapshot: internalcache.NewEmptySnapshot(),
		profiles: map[string]*profile{}, nodes: cluster.nodes, pods: cluster.pods,
		podByKey: map[string]*v1.Pod{}, nodeBy: map[string]*v1.Node{}, present: map[string]bool{},
		assumed: map[string]*v1.Pod{}, reserved: map[string]*attempt{}, queued: map[string]*framework.QueuedPodInfo{},
		uids: uids,
	}
	if w.extenders, err = newExtenders(cfg); err != nil {
		cancel()
		return nil, fmt.Errorf("extenders: %w", err)
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
		w.identify(pod)
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

// identify gives a pod without a UID the one that the log knows.
func (w *world) identify(pod *v1.Pod) {
	if uid := w.uids[podKey(pod)]; uid != "" && strings.HasPrefix(string(pod.UID), ownUID) {
		pod.UID = uid
	}
}

func (w *world) close() { w.cancel() }

func (w *world) addNode(node *v1.Node) {
	if !w.present[node.Name] {
		w.present[node.Name] = true
		w.cache.AddNode(w.logger, node)
		_ = w.nodeStore().Add(node)
	}
}

// updateNode takes over what a node has become.
func (w *world) updateNode(text json.RawMessage) error {
	after := &v1.Node{}
	if err := json.Unmarshal(text, after); err != nil {
		return err
	}
	corev1.SetDefaults_NodeStatus(&after.Status)
	before := w.nodeBy[after.Name]
	if before == nil {
		return fmt.Errorf("the log changes node %s, which is not there", after.Name)
	}
	w.nodeBy[after.Name] = after
	w.cache.UpdateNode(w.logger, before, after)
	return w.nodeStore().Update(after)
}

// nodeStore is where plugins look nodes up that want them apart from the snapshot.
func (w *world) nodeStore() cache.Store { return w.informers.Core().V1().Nodes().Informer().GetStore() }
