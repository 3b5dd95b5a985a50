// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	clienttesting "k8s.io/client-go/testing"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// write is what a PreBind plugin makes of an object.
type write struct {
	plugin    string
	resource  schema.GroupResource
	kind, key string
	object    runtime.Object // what the plugin goes on with, and may change: its version follows that of the log
	said      runtime.Object // what was written
	changes   bool           // the API server tells nobody of a write that changes nothing
	creates   bool           // the object; the API server gives it another name in the log
}

// ledger answers the writes of PreBind plugins as the API server would, and keeps them; the world does not change.
type ledger struct {
	client  clienttesting.ObjectTracker
	pod     *v1.Pod                   // that it is about
	plugin  string                    // that writes
	current map[string]runtime.Object // what has been written to, by kind and key
	writes  []*write
}

var errModified = errors.New("the object has been modified; please apply your changes to the latest version and try again")

// answer is a reactor of the fake client.
func (l *ledger) answer(action clienttesting.Action) (bool, runtime.Object, error) {
	switch action := action.(type) {
	case clienttesting.UpdateAction: // also one that creates
		if action.GetVerb() == "update" {
			return l.update(action)
		}
		return l.create(action)
	case clienttesting.PatchAction:
		return l.patch(action)
	case clienttesting.GetAction:
		object := l.current[kinds[action.GetResource().Resource]+" "+keyOf(action.GetNamespace(), action.GetName())]
		if object == nil {
			return false, nil, nil
		}
		return true, object.DeepCopyObject(), nil
	}
	return false, nil, nil
}

// create is only asked for the claim of a pod's extended resources. Its name is the judge's until the log tells of it.
func (l *ledger) create(action clienttesting.UpdateAction) (bool, runtime.Object, error) {
	object := action.GetObject().DeepCopyObject()
	made, err := meta.Accessor(object)
	if err != nil {
		return true, nil, err
	}
	made.SetName(made.GetGenerateName() + "made")
	made.SetUID(types.UID(made.GetName()))
	kind, key := kinds[action.GetResource().Resource], keyOf(made.GetNamespace(), made.GetName())
	l.current[kind+" "+key] = object.DeepCopyObject()
	l.writes = append(l.writes, &write{plugin: l.plugin, resource: action.GetResource().GroupResource(), kind: kind, key: key,
		object: object, said: object.DeepCopyObject(), changes: true, creates: true})
	return true, object, nil
}

// patch is only asked for the status of the pod, which then says which claim has its extended resources.
func (l *ledger) patch(action clienttesting.PatchAction) (bool, runtime.Object, error) {
	before, err := json.Marshal(l.pod)
	if err != nil {
		return true, nil, err
	}
	text, err := strategicpatch.StrategicMergePatch(before, action.GetPatch(), &v1.Pod{})
	if err != nil {
		return true, nil, err
	}
	after := &v1.Pod{}
	if err := json.Unmarshal(text, after); err != nil {
		return true, nil, err
	}
	after.Spec.NodeName = "" // The API server does not know it yet.
	l.writes = append(l.writes, &write{plugin: l.plugin, resource: action.GetResource().GroupResource(), kind: "Pod",
		key: keyOf(action.GetNamespace(), action.GetName()), object: after, said: after, changes: true})
	return true, after, nil
}

var kinds = map[string]string{"persistentvolumes": "PersistentVolume", "persistentvolumeclaims": "PersistentVolumeClaim",
	"resourceclaims": "ResourceClaim"}

func (l *ledger) update(action clienttesting.UpdateAction) (bool, runtime.Object, error) {
	object := action.GetObject().DeepCopyObject()
	after, err := meta.Accessor(object)
	if err != nil {
		return true, nil, err
	}
	kind := kinds[action.GetResource().Resource]
	resource := action.GetResource().GroupResource()
	w := &write{plugin: l.plugin, resource: resource, kind: kind, key: keyOf(after.GetNamespace(), after.GetName()), object: object}
	defer func() { w.said = object.DeepCopyObject() }()
	before := l.current[kind+" "+w.key]
	if before == nil {
		if before, err = l.client.Get(action.GetResource(), after.GetNamespace(), after.GetName()); err != nil {
			return true, nil, err
		}
	}
	was, err := meta.Accessor(before)
	if err != nil {
		return true, nil, err
	}
	if version := after.GetResourceVersion(); version != "" && version != was.GetResourceVersion() {
		return true, nil, conflict(resource, object)
	}
	if w.changes = !alike(before, object); w.changes {
		version, _ := strconv.Atoi(was.GetResourceVersion())
		after.SetResourceVersion(strconv.Itoa(version + 1))
	}
	l.current[kind+" "+w.key] = object.DeepCopyObject()
	l.writes = append(l.writes, w)
	return true, object, nil
}

// alike tells whether two objects say the same, whenever it was. A claim says when it was given devices; both sides write the
// moment of asking there.
func alike(a, b runtime.Object) bool {
	plain := func(object runtime.Object) runtime.Object {
		object = object.DeepCopyObject()
		object.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
		if o, err := meta.Accessor(object); err == nil {
			o.SetResourceVersion("")
			o.SetManagedFields(nil)
		}
		if claim, ok := object.(*resourceapi.ResourceClaim); ok && claim.Status.Allocation != nil && claim.Status.Allocation.AllocationTimestamp != nil {
			claim.Status.Allocation.AllocationTimestamp = &metav1.Time{}
		}
		return object
	}
	a, b = plain(a), plain(b)
	// An object that a file has without a UID is given one by the API server.
	if x, err := meta.Accessor(a); err == nil {
		if y, err := meta.Accessor(b); err == nil && (x.GetUID() == "" || y.GetUID() == "") {
			x.SetUID("")
			y.SetUID("")
		}
	}
	return equality.Semantic.DeepEqual(a, b)
}

func keyOf(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}

// binding is what is still to come of a pod that has got its node.
type binding struct {
	decision *decision
	started  time.Time
	all      []*write
	writes   []*write // those that the log has not told of yet
	failed   string   // what PreBind said at once
	claim    string   // the key of the claim that was made for extended resources
	waits    []waiting
}

// waiting is what a PreBind plugin waits for, how long, and what it says then.
type waiting struct {
	plugin string
	ready  ready
	long   time.Duration
	text   string
}

// outcome is what comes of the waiting now: success, the text of an error, or neither yet.
func (w waiting) outcome(now time.Duration) (done bool, failed string) {
	if w.long == 0 {
		return false, w.text // Upstream does not even look.
	}
	switch ok, err := w.ready(); {
	case err != nil && w.plugin == names.VolumeBinding:
		return false, "binding volumes: " + err.Error()
	case err != nil:
		return false, err.Error()
	case !ok && now >= w.long:
		return false, w.text
	default:
		return ok, ""
	}
}

// bind runs the real PreBind plugins for a pod that has been assumed, and keeps what they write and wait for.
func (w *world) bind(a *attempt, d *decision, now time.Time) (*binding, error) {
	b := &binding{decision: d, started: now}
	placed := w.assumed[podKey(a.pod)]
	w.ledger = &ledger{client: w.client.Tracker(), pod: placed, current: map[string]runtime.Object{}}
	defer func() { w.ledger = nil }()
	// Whatever waits looks once and goes.
	ctx, cancel := context.WithCancel(w.ctx)
	cancel()
	for _, entry := range a.profile.points.PreBind.Enabled {
		if b.failed != "" {
			break // The others may have begun, or not: they run side by side.
		}
		plugin, ok := a.profile.plugins[entry.Name].(fwk.PreBindPlugin)
		if !ok {
			return nil, fmt.Errorf("%s has no PreBind", entry.Name)
		}
		_, status := plugin.PreBindPreFlight(ctx, a.state, placed, d.Node)
		if status.IsSkip() {
			continue
		}
		if status.IsSuccess() {
			w.ledger.plugin = entry.Name
			status = plugin.PreBind(ctx, a.state, placed, d.Node)
		}
		switch err := status.AsError(); {
		case errors.Is(err, context.Canceled):
			devices := plugin.(*dynamicresources.DynamicResources)
			b.waits = append(b.waits, waiting{entry.Name, devicesReady(devices, a.state), a.profile.timeouts.devices, devicesLate})
		case err != nil && strings.Contains(err.Error(), notThereYet(placed)):
			// What it has made is not in the caches before the log tells of it.
			devices := plugin.(*dynamicresources.DynamicResources)
			b.waits = append(b.waits, waiting{entry.Name, devicesReady(devices, a.state), a.profile.timeouts.devices, devicesLate})
		case err != nil && strings.Contains(err.Error(), emptyExtendedClaim):
			// What it has written before is all that there is to write, and it waits for those claims.
			devices := plugin.(*dynamicresources.DynamicResources)
			w.ledger.writes = slices.DeleteFunc(w.ledger.writes, func(w *write) bool {
				claim, ok := w.object.(*resourceapi.ResourceClaim)
				return ok && forExtended(claim)
			})
			b.waits = append(b.waits, waiting{entry.Name, w.ownClaimsReady(devices, placed), a.profile.timeouts.devices, devicesLate})
		case err != nil:
			b.failed = fmt.Sprintf("running PreBind plugin %q: %v", entry.Name, err)
		case entry.Name == names.VolumeBinding:
			b.waits = append(b.waits, waiting{entry.Name, a.profile.binder.waits, a.profile.timeouts.volumes,
				"binding volumes: context deadline exceeded"})
		}
	}
	b.all = w.ledger.writes
	for _, write := range b.all {
		if write.changes {
			b.writes = append(b.writes, write)
		}
		if claim, ok := write.object.(*resourceapi.ResourceClaim); ok {
			// The log tells what became of it.
			w.devices.manager.ResourceClaims().AssumedClaimRestore(claim.Namespace, claim.Name)
		}
	}
	return b, nil
}

// emptyExtendedClaim is how upstream's PreBind fails for a pod with ResourceClaims that also requests an extended resource of a
// DeviceClass, on a node whose device plugin has it: it makes a claim of no devices, and then misses those. Berth binds the pod
// (docs/differences.md).
const emptyExtendedClaim = "nil or empty request mappings, no update of pod"

// notThereYet is how upstream's PreBind fails that waits for the claim that it has made for a pod's extended resources.
func notThereYet(pod *v1.Pod) string {
	return fmt.Sprintf("could not find ResourceClaim %q", keyOf(pod.Namespace, pod.Name+"-extended-resources-made"))
}

// devicesLate is what DynamicResources says when it has waited in vain.
const devicesLate = "device binding timeout: context deadline exceeded"

// timeouts are how long the PreBind plugins of a profile wait.
type timeouts struct{ volumes, devices time.Duration }

func timeoutsOf(cfg *config.KubeSchedulerProfile) timeouts {
	var t timeouts
	for _, entry := range cfg.PluginConfig {
		switch args := entry.Args.(type) {
		case *config.VolumeBindingArgs:
			t.volumes = time.Duration(args.BindTimeoutSeconds) * time.Second
		case *config.DynamicResourcesArgs:
			t.devices = args.BindingTimeout.Duration
		}
	}
	return t
}

// written judges a change of an object in the log: one that a PreBind plugin writes is what the real one has written, and what
// only the scheduler writes is one of those.
func (j *judge) written(seq int64, e *event) error {
	switch {
	case e.Kind == "Pod" && e.Type == "Modified":
		return j.toldPod(e)
	case e.Kind == "ResourceClaim" && e.Type == "Added" && e.Object != nil:
		return j.made(seq, e)
	case e.Kind == "ResourceClaim" && e.Type == "Deleted":
		delete(j.unwanted, keyOf(e.Namespace, e.Name))
	}
	if resources[e.Kind].Resource == "" || e.Type != "Modified" || e.Object == nil {
		return nil
	}
	object, err := loadObject(e.Object)
	if err != nil || object == nil {
		return err
	}
	key := keyOf(e.Namespace, e.Name)
	var first *binding // whose write is the next one of this object
	for _, b := range j.bindings {
		for _, w := range b.writes {
			if w.kind == e.Kind && w.key == key && (first == nil || b.decision.Seq < first.decision.Seq) {
				first = b
			}
		}
	}
	if first == nil {
		if what := j.world.onlyTheScheduler(e, object); what != "" {
			j.current = &decision{Seq: seq, Pod: objectRef{Name: e.Kind + " " + key}}
			j.differ("", "", "write", what, "nobody writes that")
		}
		return nil
	}
	at := slices.IndexFunc(first.writes, func(w *write) bool { return w.kind == e.Kind && w.key == key })
	w := first.writes[at]
	if w.creates {
		j.current = first.decision
		j.differ("", w.plugin, "write of "+e.Kind, "a change", "it is made first")
		first.writes = slices.Delete(slices.Clone(first.writes), at, at+1)
		return nil
	}
	if !alike(w.said, object) && j.world.onlyTheScheduler(e, object) == "" {
		j.cameFirst(first, at, object)
		return nil
	}
	if !alike(w.said, object) {
		j.current = first.decision
		j.differ("", w.plugin, "write of "+e.Kind, string(e.Object), textOf(w.said))
	}
	// The plugin goes on with what the API server has answered.
	if now, err := meta.Accessor(object); err == nil {
		if held, err := meta.Accessor(w.object); err == nil {
			held.SetResourceVersion(now.GetResourceVersion())
		}
	}
	first.writes = slices.Delete(slices.Clone(first.writes), at, at+1)
	j.coverage.add("", "PreBind writes", e.Kind)
	return nil
}

// cameFirst takes into account that a controller has changed what a plugin was going to write: VolumeBinding's write fails, as
// its version is an old one, and so does the binding, but for what is written before it; DynamicResources adds its reservation to
// what is there now.
func (j *judge) cameFirst(b *binding, at int, object runtime.Object) {
	w := b.writes[at]
	j.coverage.add("", "PreBind writes", "a controller comes first")
	if claim, ok := object.(*resourceapi.ResourceClaim); ok {
		was := w.said.(*resourceapi.ResourceClaim)
		claim = claim.DeepCopy()
		claim.Finalizers = was.Finalizers
		if users := was.Status.ReservedFor; len(users) > 0 {
			claim.Status.ReservedFor = append(claim.Status.ReservedFor, users[len(users)-1])
		}
		w.said = claim
		return
	}
	b.failed = fmt.Sprintf("running PreBind plugin %q: %v", w.plugin, conflict(w.resource, w.object))
	b.writes = slices.Clone(b.writes[:at])
}

func conflict(resource schema.GroupResource, object runtime.Object) error {
	o, err := meta.Accessor(object)
	if err != nil {
		return err
	}
	return apierrors.NewConflict(resource, o.GetName(), errModified)
}

func textOf(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// onlyTheScheduler tells what an event changes that no controller does: the node that a claim's volume shall be made for, the
// claim of a volume that is not bound yet, who has reserved a claim.
func (w *world) onlyTheScheduler(e *event, object runtime.Object) string {
	before, err := w.client.Tracker().Get(resources[e.Kind], e.Namespace, e.Name)
	if err != nil {
		return "" // A controller has made it.
	}
	switch after := object.(type) {
	case *v1.PersistentVolumeClaim:
		const selected = "volume.kubernetes.io/selected-node"
		if node := after.Annotations[selected]; node != "" && node != before.(*v1.PersistentVolumeClaim).Annotations[selected] {
			return "selected-node " + node
		}
	case *v1.PersistentVolume:
		was, is := before.(*v1.PersistentVolume), after.Spec.ClaimRef
		if is != nil && !equality.Semantic.DeepEqual(was.Spec.ClaimRef, is) && after.Status.Phase != v1.VolumeBound {
			return "claimRef " + keyOf(is.Namespace, is.Name)
		}
	case *resourceapi.ResourceClaim:
		if len(after.Status.ReservedFor) > len(before.(*resourceapi.ResourceClaim).Status.ReservedFor) {
			return "reservedFor " + after.Status.ReservedFor[len(after.Status.ReservedFor)-1].Name
		}
		if had := before.(*resourceapi.ResourceClaim).Finalizers; slices.Contains(after.Finalizers, resourceapi.Finalizer) && !slices.Contains(had, resourceapi.Finalizer) {
			return "finalizer"
		}
	}
	return ""
}

// bound judges that a pod is bound now: all is written, and nothing is left to wait for.
func (j *judge) bound(key string) {
	b := j.bindings[key]
	if b == nil {
		return
	}
	delete(j.bindings, key)
	j.current = b.decision
	j.allWritten(b)
	if b.failed != "" {
		j.differ("", "", "binding", "bound", b.failed)
	}
	for _, w := range b.waits {
		switch done, failed := w.outcome(0); {
		case failed != "":
			j.differ("", w.plugin, "binding", "bound", failed)
		case !done:
			j.differ("", w.plugin, "binding", "bound", "it waits")
		}
	}
}

func (j *judge) allWritten(b *binding) {
	for _, w := range b.writes {
		j.differ("", w.plugin, "write of "+w.kind, "nothing", textOf(w.said))
	}
}

// bindingFailed judges the record of a binding that has failed in PreBind.
func (j *judge) bindingFailed(d *decision, key string) {
	b := j.bindings[key]
	if b == nil {
		j.differ("", "", "phase", d.Phase, "the pod has no node")
		return
	}
	delete(j.bindings, key)
	j.gaveUp(b)
	same(j, "", "", "attempt", d.Attempt, b.decision.Attempt)
	same(j, "", "", "node", d.Node, "")
	same(j, "", "", "reason", d.Reason, v1.PodReasonSchedulerError)
	var wanted []string
	if b.failed != "" {
		wanted = []string{b.failed}
	} else {
		j.allWritten(b)
		for _, w := range b.waits {
			if _, failed := w.outcome(j.now.Sub(b.started)); failed != "" {
				wanted = append(wanted, fmt.Sprintf("running PreBind plugin %q: %s", w.plugin, failed))
			}
		}
	}
	for _, text := range wanted {
		if d.Message == text {
			j.coverage.add("", "cycle Error", "PreBind")
			return
		}
	}
	j.differ("", "", "message", quote(d.Message), quote(wanted))
}

// checkBindings reports pods that have got a node and were never heard of again, although nothing is left to wait for.
func (j *judge) checkBindings() {
	for _, b := range j.bindings {
		j.current = b.decision
		if b.failed == "" {
			j.allWritten(b)
		}
		waits := false
		for _, w := range b.waits {
			done, failed := w.outcome(j.now.Sub(b.started))
			waits = waits || !done && failed == ""
		}
		if b.failed != "" || !waits {
			j.differ("", "", "binding", "neither bound nor failed", "one of the two")
		}
	}
	for _, key := range sets.List(sets.KeySet(j.unwanted)) {
		j.current = j.unwanted[key]
		j.differ("", names.DynamicResources, "claim", key+" stays", "deleted")
	}
}
