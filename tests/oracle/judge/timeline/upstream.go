// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing/synctest"
	"time"
	"unsafe"

	"berth/tests/oracle/judge/release"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	internalqueue "k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"
	"k8s.io/kubernetes/pkg/scheduler/metrics"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
)

// tick is how long an attempt takes: no two end at the same moment, so that QueueSort tells the pods apart.
const tick = time.Microsecond

// gates are the feature gates that are on although that is not their default, as --feature-gates takes them.
var gates string

// WithPodGroups has the timelines of this process know pod groups. To be called before anything else.
func WithPodGroups() error {
	if !release.PodGroups {
		return fmt.Errorf("Kubernetes %s has no pod groups", release.Minor)
	}
	gates = "GenericWorkload=true"
	return utilfeature.DefaultMutableFeatureGate.Set(gates)
}

// prepare makes this process one in which upstream's schedulers may run in bubbles of time of their own.
var prepare = sync.OnceFunc(func() {
	klog.SetLogger(klog.Logger{}) // Upstream's own chatter goes nowhere.
	metrics.Register()
	// It reuses the scores of a pod for the next one for half a second of real time.
	if err := utilfeature.DefaultMutableFeatureGate.Set("OpportunisticBatching=false"); err != nil {
		panic(err)
	}
	utilruntime.ErrorHandlers = nil // One of them sleeps.
	listenOnce()
})

// upstream is kube-scheduler's whole scheduler, with its own queue, cache, plugins and client, in a bubble of virtual time. The
// bubble's first goroutine is its loop; what it does in the background waits for its turn at the API server.
type upstream struct {
	ctx       context.Context
	cancel    context.CancelFunc
	server    *server
	sched     *scheduler.Scheduler
	queue     *internalqueue.PriorityQueue
	informers map[*kind]*informer
	loop      uint64 // its goroutine
	open      string // what was decided in this step that upstream leaves open
	wake      chan struct{}
	sink      *sink
	newsFirst bool // Script.NewsFirst

	mu      sync.Mutex // of these
	waiting []*waitingRequest
	lines   []string
	binding map[string]preBind // the pods in it

	attempt    *attempt            // the one that is made
	popped     []string            // the pods that were taken from the queue last: one, or those of a group
	attempts   map[string]*attempt // theirs, by pod
	chosen     map[string]*choice  // by pod and number of the attempt: what Berth made of it
	registered []string            // whose hints are asked about what: "plugin resource/Add"
	hints      []hint
	entries    map[string]string // the state of each pod that waits, as last written down
}

// choice is what Berth chose where upstream leaves it open.
type choice struct {
	node               string // where it placed the pod
	nominated, message string // what it said when it did not
}

// attempt is one of upstream's.
type attempt struct {
	pod                 string
	number              int
	node                string
	evaluated, feasible int
	failure             string
	rejected            map[string]string           // the plugin by node
	totals              map[string]int64            // by node
	scores              map[string]map[string]int64 // by node and plugin
}

// hint is what a plugin answered when asked whether an event may help a pod.
type hint struct {
	pod, object, plugin, answer string
	change                      string // what became of it: resource/Add, …
}

func newUpstream(cfg *config.KubeSchedulerConfiguration, extenders http.Handler, longest time.Duration) (*upstream, error) {
	u := &upstream{
		server: newServer(time.Now), informers: map[*kind]*informer{}, loop: goroutine(), wake: make(chan struct{}, 1),
		binding: map[string]preBind{},
		chosen:  map[string]*choice{}, entries: map[string]string{},
	}
	u.sink = &sink{of: u}
	var ctx context.Context
	ctx, u.cancel = context.WithCancel(context.Background())
	u.ctx = klog.NewContext(ctx, u.sink.logger())
	client := newClient(u)
	factory := u.stepped(client)
	var err error
	u.sched, err = scheduler.New(u.ctx, client, factory, nil, func(string) events.EventRecorderLogger { return silent{} },
		scheduler.WithProfiles(cfg.Profiles...),
		scheduler.WithPercentageOfNodesToScore(cfg.PercentageOfNodesToScore),
		scheduler.WithPodInitialBackoffSeconds(cfg.PodInitialBackoffSeconds),
		scheduler.WithPodMaxBackoffSeconds(cfg.PodMaxBackoffSeconds),
		scheduler.WithPodMaxInUnschedulablePodsDuration(longest),
		scheduler.WithExtenders(cfg.Extenders...),
		scheduler.WithParallelism(1),
	)
	if err != nil {
		u.cancel()
		return nil, err
	}
	u.queue = u.sched.SchedulingQueue.(*internalqueue.PriorityQueue)
	release.GroupsInOrder(u.sched)
	for name, fw := range u.sched.Profiles {
		fw.SetPodActivator(activator{u})
		u.watchPreemption(fw)
		deviceScores(fw)
		if volumes, ok := pluginOf(fw, "VolumeBinding").(*volumebinding.VolumeBinding); ok {
			CapacitiesInOrder(volumes)
		}
		u.sched.Profiles[name] = &watched{Framework: fw, of: u, longest: preBindTimes(cfg, name)}
	}
	for _, extender := range u.sched.Extenders {
		field(extender, "client").Interface().(*http.Client).Transport = served{extenders}
	}
	u.countNothing()
	u.watchHints()
	u.watchAttempts()
	u.queue.Run(klog.FromContext(u.ctx))
	return u, nil
}

// countNothing spares what gathers figures the search for them, a thousand times in every second that passes.
func (u *upstream) countNothing() {
	synctest.Wait() // They sleep.
	none := func(of any) { field(of, "bufferSize").SetInt(0) }
	none(field(u.queue, "metricsRecorder").Interface())
	for _, fw := range u.sched.Profiles {
		none(field(fw.(*watched).Framework, "metricsRecorder").Interface())
	}
}

// close ends everything that runs in the bubble.
func (u *upstream) close() {
	u.cancel()
	u.queue.Close()
	_ = u.sched.Profiles.Close()
	u.newsFirst = false // Nobody listens any more.
	for range 1000 {
		synctest.Wait()
		if !u.serveNext() {
			break
		}
	}
	time.Sleep(2 * time.Second) // Some look once a second whether it is over.
}

// stepped is a factory whose informers tell of what happened when they are given it.
func (u *upstream) stepped(client kubernetes.Interface) informers.SharedInformerFactory {
	factory := informers.NewSharedInformerFactory(client, 0)
	for _, k := range kinds {
		i := newInformer()
		u.informers[k] = i
		factory.InformerFor(k.make(), func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer { return i })
	}
	for _, object := range release.AlsoWatched {
		factory.InformerFor(object, func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer { return newInformer() })
	}
	return factory
}

// runUntil lets time pass and makes the attempts that are due.
func (u *upstream) runUntil(end time.Time) {
	for {
		u.settle()
		if u.attemptOne() {
			continue
		}
		left := time.Until(end)
		if left <= 0 {
			return
		}
		timer := time.NewTimer(left)
		select {
		case <-u.wake:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// settle lets the scheduler hear of everything that has happened, and its requests be answered, one after the other.
func (u *upstream) settle() {
	for {
		synctest.Wait()
		if len(u.server.changes) > 0 {
			u.hear()
		} else if !u.serveNext() {
			return
		}
	}
}

// hear lets the scheduler hear of what has changed.
func (u *upstream) hear() {
	for len(u.server.changes) > 0 {
		c := u.server.changes[0]
		u.server.changes = u.server.changes[1:]
		u.tell(c)
		synctest.Wait()
	}
}

func (u *upstream) tell(c change) {
	var before, after any
	if c.before != nil {
		before = c.before
	}
	if c.after != nil {
		after = c.after
	}
	u.informers[c.kind].take(before, after)
}

// disturbs tells whether a step changes something that pods in PreBind look at: Berth sees that at once, upstream when it looks the
// next time. An early step comes when all of them look.
func (u *upstream) disturbs(step Step) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.binding) == 0 {
		return step.Early // What is left of a script that was shrunk.
	}
	if step.Early {
		return !u.allLook(time.Now().Add(1))
	}
	switch step.Kind {
	case "Pod":
		_, disturbed := u.binding[step.Key]
		return disturbed
	case "Node", "CSINode", "PersistentVolume", "PersistentVolumeClaim", "ResourceClaim":
		return true
	}
	return false
}

// allLook tells whether upstream looks at all pods in PreBind at a time. When the time of one of them is over, it is chance whether it
// is looked at once more.
func (u *upstream) allLook(at time.Time) bool {
	for _, p := range u.binding {
		if waited := at.Sub(p.since); waited%time.Second != 0 || slices.Contains(p.longest, waited) {
			return false
		}
	}
	return true
}

// attemptOne makes the next attempt, if a pod is ready. What its binding asks for is answered when the attempt is over: so no PreBind
// begins, and gives up whole seconds later, at a moment at which the queue looks for what is due.
func (u *upstream) attemptOne() bool {
	if !u.ready() {
		return false
	}
	u.attempts = map[string]*attempt{}
	u.sched.ScheduleOne(u.ctx)
	u.attempt = nil
	for _, pod := range u.popped {
		if a := u.attempts[pod]; a != nil {
			u.line("attempt %s", a)
		}
	}
	time.Sleep(tick)
	return true
}

func (a *attempt) String() string {
	counts := fmt.Sprintf("%d/%d", a.evaluated, a.feasible)
	if a.failure == "" {
		return fmt.Sprintf("%s %d %s on %s", a.pod, a.number, counts, a.node)
	}
	if strings.HasPrefix(a.failure, "Error") {
		counts = "-"
	}
	return fmt.Sprintf("%s %d %s %s", a.pod, a.number, counts, a.failure)
}

// attemptOf is the attempt of a pod that was taken from the queue last.
func (u *upstream) attemptOf(info *framework.QueuedPodInfo) *attempt {
	key := keyOf(info.Pod)
	if u.attempts[key] == nil {
		u.attempts[key] = &attempt{pod: key, number: info.Attempts, rejected: map[string]string{}, totals: map[string]int64{},
			scores: map[string]map[string]int64{}}
	}
	return u.attempts[key]
}

// ready: Pop would not wait. A group is not taken from the backoff queue before its time.
func (u *upstream) ready() bool {
	return len(u.queue.PodsInActiveQ()) > 0 || slices.ContainsFunc(u.queue.PodsInBackoffQ(), func(pod *v1.Pod) bool {
		info := release.Queued(u.queue, pod)
		return groupOf(pod) == "" && info.UnschedulablePlugins.Len()+info.PendingPlugins.Len() > 0
	})
}

// watchAttempts writes down what comes of each, and lets Berth decide what upstream leaves open.
func (u *upstream) watchAttempts() {
	early := false
	release.WatchNext(u.sched, func() { early = len(u.queue.PodsInActiveQ()) == 0 }, func(infos []*framework.QueuedPodInfo) {
		u.popped = nil
		for _, info := range infos {
			u.popped = append(u.popped, keyOf(info.Pod))
			if early {
				u.line("in %s active %s", keyOf(info.Pod), framework.PopFromBackoffQ)
			}
		}
	})
	schedule := u.sched.SchedulePod
	u.sched.SchedulePod = func(ctx context.Context, fw framework.Framework, state fwk.CycleState, info *framework.QueuedPodInfo) (scheduler.ScheduleResult, error) {
		a := u.attemptOf(info)
		u.attempt = a
		result, err := schedule(ctx, fw, state, info)
		if err != nil {
			fit, unfit := err.(*framework.FitError)
			if unfit {
				a.evaluated = fit.Diagnosis.NodeToStatus.Len()
			}
			if unfit || err == scheduler.ErrNoNodesAvailable {
				u.line("verdicts %s", a.verdictText())
			}
			return result, err
		}
		a.evaluated, a.feasible = result.EvaluatedNodes, result.FeasibleNodes
		u.line("verdicts %s", a.verdictText())
		if c := u.chosen[attemptKey(a.pod, a.number)]; c != nil && c.node != "" && c.node != result.SuggestedHost {
			if a.tied(c.node, result.SuggestedHost) {
				result.SuggestedHost = c.node
			}
		}
		if len(a.totals) > 0 {
			u.line("scores %s", a.scoreText())
		}
		a.node = result.SuggestedHost
		return result, nil
	}
	fail := u.sched.FailureHandler
	u.sched.FailureHandler = func(ctx context.Context, fw framework.Framework, info *framework.QueuedPodInfo, status *fwk.Status, nominating *fwk.NominatingInfo, start time.Time) {
		what := "Error"
		if status.IsRejected() {
			what = "Unschedulable"
		}
		nominated := "-"
		if nominating.Mode() == fwk.ModeOverride {
			nominated = quote(nominating.NominatedNodeName)
		}
		if fit, ok := status.AsError().(*framework.FitError); ok {
			if c := u.chosen[attemptKey(keyOf(info.Pod), info.Attempts)]; c != nil {
				inOrderOf(fit, c.message)
			}
		}
		text := fmt.Sprintf("%s nominated=%s %s", what, nominated, quote(status.Message()))
		if goroutine() == u.loop && slices.Contains(u.popped, keyOf(info.Pod)) {
			u.attemptOf(info).failure = text
		} else {
			u.line("binding %s %s", keyOf(info.Pod), text)
		}
		fail(ctx, fw, info, status, nominating, start)
	}
}

func attemptKey(pod string, number int) string { return fmt.Sprintf("%s %d", pod, number) }

// verdictText is how many nodes each plugin has rejected.
func (a *attempt) verdictText() string {
	counts := map[string]int{}
	for _, plugin := range a.rejected {
		counts[plugin]++
	}
	text := attemptKey(a.pod, a.number)
	for _, plugin := range slices.Sorted(maps.Keys(counts)) {
		text += fmt.Sprintf(" %s=%d", plugin, counts[plugin])
	}
	return text
}

// scoreText is, node by node, `name=total:plugin=score,…`.
func (a *attempt) scoreText() string {
	text := attemptKey(a.pod, a.number)
	for _, node := range slices.Sorted(maps.Keys(a.totals)) {
		text += fmt.Sprintf(" %s=%d:", node, a.totals[node])
		for _, plugin := range slices.Sorted(maps.Keys(a.scores[node])) {
			text += fmt.Sprintf("%s=%d,", plugin, a.scores[node][plugin])
		}
	}
	return text
}

// tied tells whether two nodes have the same total, the highest.
func (a *attempt) tied(one, other string) bool {
	first, scored := a.totals[one]
	second, both := a.totals[other]
	return scored && both && first == second
}

func (u *upstream) line(format string, args ...any) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.lines = append(u.lines, fmt.Sprintf(format, args...))
}

// field reaches a field that upstream does not export.
func field(of any, name string) reflect.Value {
	value := reflect.ValueOf(of).Elem().FieldByName(name)
	return reflect.NewAt(value.Type(), unsafe.Pointer(value.UnsafeAddr())).Elem()
}

// pluginOf is a plugin of a profile; nil if it has none of that name.
func pluginOf(fw framework.Framework, name string) fwk.Plugin {
	return field(fw, "pluginsMap").Interface().(map[string]fwk.Plugin)[name]
}

// watchHints writes down what the plugins answer about events.
func (u *upstream) watchHints() {
	for _, ofProfile := range field(u.queue, "queueingHintMap").Interface().(internalqueue.QueueingHintMapPerProfile) {
		for event, functions := range ofProfile {
			for _, f := range functions {
				ask, plugin := f.QueueingHintFn, f.PluginName
				for _, change := range changesOf(event) {
					u.registered = append(u.registered, plugin+" "+change)
				}
				f.QueueingHintFn = func(logger klog.Logger, pod *v1.Pod, before, after any) (fwk.QueueingHint, error) {
					answer, err := ask(logger, pod, before, after)
					said := "Queue"
					if err != nil {
						said = "Error"
					} else if answer == fwk.QueueSkip {
						said = "Skip"
					}
					u.hints = append(u.hints, hint{keyOf(pod), about(before, after), plugin, said, changeOf(event, before, after)})
					return answer, err
				}
			}
		}
	}
}

// changesOf names what may become of an object for an event to be of that kind.
func changesOf(event fwk.ClusterEvent) []string {
	var out []string
	for i, action := range []fwk.ActionType{fwk.Add, fwk.Delete, fwk.Update} {
		if event.ActionType&action != 0 {
			out = append(out, string(event.Resource)+"/"+[]string{"Add", "Delete", "Update"}[i])
		}
	}
	return out
}

// changeOf names what has become of this one.
func changeOf(event fwk.ClusterEvent, before, after any) string {
	switch {
	case before == nil:
		return string(event.Resource) + "/Add"
	case after == nil:
		return string(event.Resource) + "/Delete"
	}
	return string(event.Resource) + "/Update"
}

// about names the object that an event is about.
func about(before, after any) string {
	o := after
	if o == nil {
		o = before
	}
	switch o := o.(type) {
	case cache.DeletedFinalStateUnknown:
		return about(o.Obj, nil)
	case object:
		return fmt.Sprintf("%T", o)[4:] + " " + keyOf(o)
	}
	return "nothing"
}

// report is the state of each pod that waits, and of each group of which pods wait in a queue.
func (u *upstream) report() map[string]string {
	now := map[string]string{}
	incomplete, pending := release.OutsideQueues(u.queue)
	for where, pods := range map[string][]*v1.Pod{
		"active": u.queue.PodsInActiveQ(), "backoff": u.queue.PodsInBackoffQ(), "unschedulable": u.queue.UnschedulablePods(),
		"incomplete": incomplete, "pending": pending,
	} {
		for _, pod := range pods {
			info, group := release.Queued(u.queue, pod), groupOf(pod)
			state := where + " " + describe(info)
			if group == "" {
				state += until(where, info)
			} else if of := release.QueuedGroup(u.queue, pod.Namespace, group); of != nil {
				now[groupEntity+key(pod.Namespace, group)] = where + " " + describe(of) + until(where, of)
			}
			if before, twice := now[keyOf(pod)]; twice {
				state = before + " and " + state
			}
			now[keyOf(pod)] = state
		}
	}
	return now
}

// groupEntity begins what lines call a pod group.
const groupEntity = "podgroup/"

// groupOf is the name of a pod's group; "" if it has none, or no groups count.
func groupOf(pod *v1.Pod) string {
	if group := pod.Spec.SchedulingGroup; gates != "" && group != nil && group.PodGroupName != nil {
		return *group.PodGroupName
	}
	return ""
}

// until says when a backoff ends.
func until(where string, info *framework.QueuedPodInfo) string {
	if where != "backoff" {
		return ""
	}
	return fmt.Sprint(" until=", stamp(info.BackoffExpiration))
}

func describe(info *framework.QueuedPodInfo) string {
	initial := int64(0)
	if info.InitialAttemptTimestamp != nil {
		initial = stamp(*info.InitialAttemptTimestamp)
	}
	return fmt.Sprintf("attempts=%d queued=%d initial=%d rejected=%d broke=%d by=%s waits=%s gate=%s",
		info.Attempts, stamp(info.Timestamp), initial, info.UnschedulableCount, info.ConsecutiveErrorsCount,
		names(info.UnschedulablePlugins), names(info.PendingPlugins), info.GatingPlugin)
}

func names(set sets.Set[string]) string { return strings.Join(sets.List(set), ",") }

func stamp(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// activator is the queue for plugins, which log to nowhere what they do in the background.
type activator struct{ of *upstream }

func (a activator) Activate(_ klog.Logger, pods map[string]*v1.Pod) {
	a.of.queue.Activate(klog.FromContext(a.of.ctx), pods)
}

// silent records no events.
type silent struct{}

func (silent) Eventf(runtime.Object, runtime.Object, string, string, string, string, ...any) {}
func (s silent) WithLogger(klog.Logger) events.EventRecorderLogger                           { return s }
