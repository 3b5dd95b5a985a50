// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"berth/tests/oracle/judge/release"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/kubernetes/pkg/api/legacyscheme"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
)

// change is what a watch tells: before is nil for a new object, after for one that is gone.
type change struct {
	kind          *kind
	before, after object
	text          string // of after, or of before when it is gone
}

// ref is where an object is stored, or what is to be read.
type ref struct {
	kind *kind
	key  string
}

// server is the API server of one scheduler: the objects, and what becomes of requests. There are two of them in a timeline, to
// which the same things happen; what they hold must stay the same.
type server struct {
	now      func() time.Time
	objects  map[*kind]map[string]object
	texts    map[ref]string // the same in JSON, but for their versions, which depend on the order in which objects changed
	touched  map[ref]bool   // since the two worlds were compared
	changes  []change       // that no watch has told of yet
	version  int64
	named    map[string]bool // the keys of what was created by requests
	read     readings        // shared by both
	faults   []*fault
	refusals []string // for people
	served   []string // the same, of all requests
}

// fault makes requests fail for a while.
type fault struct {
	Verb     string `json:"verb"`     // POST, PUT, PATCH, DELETE
	Resource string `json:"resource"` // pods/binding, persistentvolumeclaims, …
	Name     string `json:"name,omitempty"`
	Code     int    `json:"code"`
	Times    int    `json:"times"`
}

func newServer(now func() time.Time) *server {
	s := &server{now: now, objects: map[*kind]map[string]object{}, texts: map[ref]string{}, touched: map[ref]bool{}, read: readings{}, named: map[string]bool{}}
	for _, k := range kinds {
		s.objects[k] = map[string]object{}
	}
	return s
}

func (s *server) get(k *kind, key string) object { return s.objects[k][key] }

// list gives the objects of a kind in the order of their keys.
func (s *server) list(k *kind) []object {
	var out []object
	for _, key := range slices.Sorted(maps.Keys(s.objects[k])) {
		out = append(out, s.objects[k][key])
	}
	return out
}

func finished(o object) bool {
	pod, ok := o.(*v1.Pod)
	return ok && (pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed)
}

// put stores an object, which nobody else has, and has the watch tell of it, if it is another than before. Pods that have finished
// are not watched.
func (s *server) put(k *kind, o object) object {
	at := ref{k, keyOf(o)}
	before := s.objects[k][at.key]
	o.SetResourceVersion("")
	o.GetObjectKind().SetGroupVersionKind(k.gvk())
	text, was := textOf(o), s.texts[at]
	if text == was {
		return before
	}
	s.version++
	o.SetResourceVersion(fmt.Sprint(s.version))
	s.objects[k][at.key], s.texts[at], s.touched[at] = o, text, true
	switch {
	case before == nil || finished(before):
		if !finished(o) {
			s.changes = append(s.changes, change{k, nil, o, k.versioned(text, o)})
		}
	case finished(o):
		s.changes = append(s.changes, change{k, before, nil, k.versioned(was, before)})
	default:
		s.changes = append(s.changes, change{k, before, o, k.versioned(text, o)})
	}
	return o
}

func textOf(o object) string {
	text, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// versioned puts the version of an object into its text, which has none.
func (k *kind) versioned(text string, o object) string {
	begin := fmt.Sprintf(`{"kind":%q,"apiVersion":%q,"metadata":{`, k.name, k.apiVersion())
	rest, ok := strings.CutPrefix(text, begin)
	if !ok {
		panic("an object that begins in another way: " + text)
	}
	return begin + `"resourceVersion":"` + o.GetResourceVersion() + `",` + rest
}

func (s *server) remove(k *kind, key string) {
	before, at := s.objects[k][key], ref{k, key}
	if before == nil {
		return
	}
	if !finished(before) {
		s.changes = append(s.changes, change{k, before, nil, k.versioned(s.texts[at], before)})
	}
	delete(s.objects[k], key)
	delete(s.texts, at)
	s.touched[at] = true
}

// readings are objects that one of the two servers has read, and that the other one is about to read.
type readings map[ref]object

// decode reads an object, or copies what the other server has read.
func (s *server) decode(k *kind, text []byte) (object, error) {
	at := ref{k, string(text)}
	if o := s.read[at]; o != nil {
		delete(s.read, at)
		return o, nil
	}
	o, err := decode(k, text)
	if err != nil {
		return nil, err
	}
	const enough = 100 // Some are read by one only.
	if len(s.read) > enough {
		clear(s.read)
	}
	s.read[at] = o.DeepCopyObject().(object)
	return o, nil
}

// decode reads an object as the API server does: as it was written first, and then as it was stored, each time with its defaults.
func decode(k *kind, text []byte) (object, error) {
	written, err := withDefaults(k, text)
	if err != nil {
		return nil, err
	}
	if text, err = json.Marshal(written); err != nil {
		return nil, err
	}
	return withDefaults(k, text)
}

func withDefaults(k *kind, text []byte) (object, error) {
	o := k.make()
	if err := json.Unmarshal(text, o); err != nil {
		return nil, err
	}
	legacyscheme.Scheme.Default(o)
	if pod, ok := o.(*v1.Pod); ok {
		release.CompletePodLevel(pod)
	}
	return o, nil
}

// create adds an object that somebody has written.
func (s *server) create(k *kind, text []byte) error {
	o, err := s.decode(k, text)
	if err != nil {
		return err
	}
	if k.namespaced && o.GetNamespace() == "" {
		o.SetNamespace(metav1.NamespaceDefault)
	}
	if s.get(k, keyOf(o)) != nil {
		return fmt.Errorf("%s %s is there already", k.name, keyOf(o))
	}
	if o.GetUID() == "" {
		o.SetUID(types.UID(fmt.Sprintf("%s-%s", k.resource, keyOf(o))))
	}
	if created := o.GetCreationTimestamp(); created.IsZero() {
		o.SetCreationTimestamp(metav1.NewTime(s.now()).Rfc3339Copy())
	}
	s.put(k, o)
	return nil
}

// merge changes an object by a merge patch, status and all; nothing happens to one that is not there.
func (s *server) merge(k *kind, key string, patch []byte) error {
	before, there := s.texts[ref{k, key}]
	if !there {
		return nil
	}
	text, err := jsonpatch.MergePatch([]byte(before), patch)
	if err != nil {
		return err
	}
	o, err := s.decode(k, text)
	if err != nil {
		return err
	}
	s.put(k, o)
	return nil
}

// delete is what DELETE does: a pod on a node gets its grace, and its node removes it later.
func (s *server) delete(k *kind, key string, grace *int64) {
	o := s.get(k, key)
	if o == nil {
		return
	}
	pod, isPod := o.(*v1.Pod)
	if isPod && pod.Spec.NodeName != "" && !finished(pod) && (grace == nil || *grace > 0) {
		if pod.DeletionTimestamp != nil {
			return
		}
		pod = pod.DeepCopy()
		seconds := int64(30)
		if pod.Spec.TerminationGracePeriodSeconds != nil {
			seconds = *pod.Spec.TerminationGracePeriodSeconds
		}
		if grace != nil {
			seconds = *grace
		}
		if seconds > 0 {
			when := metav1.NewTime(s.now().Add(time.Duration(seconds) * time.Second)).Rfc3339Copy()
			pod.DeletionTimestamp, pod.DeletionGracePeriodSeconds = &when, &seconds
			s.put(k, pod)
			return
		}
	}
	if len(o.GetFinalizers()) > 0 && !isPod {
		if o.GetDeletionTimestamp() == nil {
			o = o.DeepCopyObject().(object)
			when := metav1.NewTime(s.now()).Rfc3339Copy()
			o.SetDeletionTimestamp(&when)
			s.put(k, o)
		}
		return
	}
	s.remove(k, key)
}

// answer is what a request gets.
type answer struct {
	code int
	body []byte
}

func failure(code int, reason metav1.StatusReason, format string, args ...any) answer {
	body, _ := json.Marshal(metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status: metav1.StatusFailure, Message: fmt.Sprintf(format, args...), Reason: reason, Code: int32(code)})
	return answer{code, body}
}

// success answers with an object as it is stored, or as it was last.
func success(code int, o object) answer { return answer{code, []byte(textOf(o))} }

// request is one of a scheduler.
type request struct {
	verb, path, contentType string
	body                    []byte
}

// serve carries out a request.
func (s *server) serve(r request) answer {
	a := s.carryOut(r)
	s.served = append(s.served, fmt.Sprintf("%s %s: %d %s", r.verb, r.path, a.code, r.body))
	if a.code >= http.StatusBadRequest {
		s.refusals = append(s.refusals, fmt.Sprintf("%s %s: %d %s", r.verb, r.path, a.code, a.body))
	}
	return a
}

func (s *server) carryOut(r request) answer {
	p, ok := parsePath(r.path)
	if !ok {
		return failure(http.StatusNotFound, metav1.StatusReasonNotFound, "the server could not find the requested resource %s", r.path)
	}
	if code := s.faulty(r, p); code != 0 {
		return failure(code, reasons[code], "the server has its day: %s", http.StatusText(code))
	}
	at := key(p.namespace, p.name)
	before := s.get(p.kind, at)
	if r.verb == http.MethodPost && p.subresource == "" {
		return s.post(p, r.body)
	}
	if before == nil {
		return failure(http.StatusNotFound, metav1.StatusReasonNotFound, "%s %q not found", p.kind.plural(), p.name)
	}
	switch r.verb {
	case http.MethodGet:
		return success(http.StatusOK, before)
	case http.MethodPost:
		if p.kind == pods && p.subresource == "binding" {
			return s.bind(before.(*v1.Pod), r.body)
		}
	case http.MethodDelete:
		var options metav1.DeleteOptions
		if len(r.body) > 0 {
			if err := json.Unmarshal(r.body, &options); err != nil {
				return failure(http.StatusBadRequest, metav1.StatusReasonBadRequest, "%v", err)
			}
		}
		if c := options.Preconditions; c != nil && c.UID != nil && *c.UID != before.GetUID() {
			return conflict(p, "Precondition failed: UID in precondition: %v, UID in object meta: %v", *c.UID, before.GetUID())
		}
		s.delete(p.kind, at, options.GracePeriodSeconds)
		if left := s.get(p.kind, at); left != nil { // with the time that it has left
			before = left
		}
		return success(http.StatusOK, before)
	case http.MethodPatch:
		return s.patch(p, before, r)
	case http.MethodPut:
		after, err := s.decode(p.kind, r.body)
		if err != nil {
			return failure(http.StatusBadRequest, metav1.StatusReasonBadRequest, "%v", err)
		}
		return s.replace(p, before, after)
	}
	return failure(http.StatusMethodNotAllowed, metav1.StatusReasonMethodNotAllowed, "%s of %s is not served here", r.verb, r.path)
}

var reasons = map[int]metav1.StatusReason{
	http.StatusConflict: metav1.StatusReasonConflict, http.StatusInternalServerError: metav1.StatusReasonInternalError,
	http.StatusForbidden: metav1.StatusReasonForbidden, http.StatusNotFound: metav1.StatusReasonNotFound,
}

func (k *kind) plural() string {
	if k.group == "" {
		return k.resource
	}
	return k.resource + "." + k.group
}

func (s *server) faulty(r request, p path) int {
	what := p.kind.resource
	if p.subresource != "" {
		what += "/" + p.subresource
	}
	for _, f := range s.faults {
		if f.Times > 0 && f.Verb == r.verb && f.Resource == what && (f.Name == "" || f.Name == p.name) {
			f.Times--
			return f.Code
		}
	}
	return 0
}

func conflict(p path, format string, args ...any) answer {
	return failure(http.StatusConflict, metav1.StatusReasonConflict, "Operation cannot be fulfilled on %s %q: %s", p.kind.plural(), p.name,
		fmt.Sprintf(format, args...))
}

func (s *server) post(p path, body []byte) answer {
	o := p.kind.make()
	if err := json.Unmarshal(body, o); err != nil {
		return failure(http.StatusBadRequest, metav1.StatusReasonBadRequest, "%v", err)
	}
	o.SetNamespace(p.namespace)
	for i := 1; o.GetName() == "" || s.named[keyOf(o)]; i++ {
		if o.GetGenerateName() == "" {
			break
		}
		o.SetName(fmt.Sprintf("%s%d", o.GetGenerateName(), i)) // the same name in both worlds
	}
	s.named[keyOf(o)] = true
	text, _ := json.Marshal(o)
	if err := s.create(p.kind, text); err != nil {
		return failure(http.StatusConflict, metav1.StatusReasonAlreadyExists, "%v", err)
	}
	return success(http.StatusCreated, s.get(p.kind, keyOf(o)))
}

// bind gives a pod its node; its nomination is over then.
func (s *server) bind(before *v1.Pod, body []byte) answer {
	var binding v1.Binding
	if err := json.Unmarshal(body, &binding); err != nil {
		return failure(http.StatusBadRequest, metav1.StatusReasonBadRequest, "%v", err)
	}
	p := path{kind: pods, namespace: before.Namespace, name: before.Name}
	switch {
	case binding.UID != "" && binding.UID != before.UID:
		return conflict(p, "Precondition failed: UID in precondition: %v, UID in object meta: %v", binding.UID, before.UID)
	case before.DeletionTimestamp != nil:
		return conflict(p, "pod %s is being deleted, cannot be assigned to a host", before.Name)
	case before.Spec.NodeName != "":
		return conflict(p, "pod %s is already assigned to node %q", before.Name, before.Spec.NodeName)
	}
	pod := before.DeepCopy()
	pod.Spec.NodeName = binding.Target.Name
	pod.Status.NominatedNodeName = ""
	condition := v1.PodCondition{Type: v1.PodScheduled, Status: v1.ConditionTrue, LastTransitionTime: metav1.NewTime(s.now()).Rfc3339Copy()}
	pod.Status.Conditions = append(slices.DeleteFunc(pod.Status.Conditions, func(c v1.PodCondition) bool { return c.Type == v1.PodScheduled }), condition)
	s.put(pods, pod)
	return answer{http.StatusCreated, []byte(`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201}`)}
}

func (s *server) patch(p path, before object, r request) answer {
	var err error
	text := []byte(s.texts[ref{p.kind, keyOf(before)}])
	switch types.PatchType(r.contentType) {
	case types.StrategicMergePatchType:
		text, err = strategicpatch.StrategicMergePatch(text, r.body, p.kind.make())
	case types.MergePatchType:
		text, err = jsonpatch.MergePatch(text, r.body)
	default:
		return failure(http.StatusUnsupportedMediaType, metav1.StatusReasonUnsupportedMediaType, "patches of type %s", r.contentType)
	}
	if err != nil {
		return failure(http.StatusBadRequest, metav1.StatusReasonBadRequest, "%v", err)
	}
	after, err := s.decode(p.kind, text)
	if err != nil {
		return failure(http.StatusBadRequest, metav1.StatusReasonBadRequest, "%v", err)
	}
	if after.GetUID() != before.GetUID() {
		return conflict(p, "Precondition failed: UID in precondition: %v, UID in object meta: %v", after.GetUID(), before.GetUID())
	}
	return s.replace(p, before, after)
}

// replace stores what an object is to be: its status or all but that.
func (s *server) replace(p path, before, after object) answer {
	if v := after.GetResourceVersion(); v != "" && v != before.GetResourceVersion() {
		return conflict(p, "the object has been modified; please apply your changes to the latest version and try again")
	}
	if pod, ok := after.(*v1.Pod); ok && p.subresource == "status" {
		was := before.(*v1.Pod)
		if was.Spec.NodeName != "" && pod.Status.NominatedNodeName != was.Status.NominatedNodeName && pod.Status.NominatedNodeName != "" {
			return failure(http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, "Pod %q is invalid: status.nominatedNodeName: Forbidden: may not be set", p.name)
		}
	}
	merged, err := withStatusOf(p, before, after)
	if err != nil {
		return failure(http.StatusBadRequest, metav1.StatusReasonBadRequest, "%v", err)
	}
	merged.SetUID(before.GetUID())
	merged.SetCreationTimestamp(before.GetCreationTimestamp())
	merged.SetDeletionTimestamp(before.GetDeletionTimestamp())
	stored := s.put(p.kind, merged)
	if stored.GetDeletionTimestamp() != nil && len(stored.GetFinalizers()) == 0 && p.kind != pods {
		s.remove(p.kind, keyOf(stored))
	}
	return success(http.StatusOK, stored)
}

// withStatusOf is the object of `after` with the status of `before`, or the other way round for a write to the status.
func withStatusOf(p path, before, after object) (object, error) {
	var parts [2]map[string]json.RawMessage
	for i, o := range []object{before, after} {
		text, err := json.Marshal(o)
		if err == nil {
			err = json.Unmarshal(text, &parts[i])
		}
		if err != nil {
			return nil, err
		}
	}
	was, is := parts[0], parts[1]
	if p.subresource == "status" {
		was, is = is, was
	}
	if status, ok := was["status"]; ok {
		is["status"] = status
	} else {
		delete(is, "status")
	}
	text, err := json.Marshal(is)
	if err != nil {
		return nil, err
	}
	o := p.kind.make()
	return o, json.Unmarshal(text, o)
}
