// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"berth/tests/oracle/judge/timeline"
)

// teller makes a timeline: the objects of a case come one by one, some of them late, and change.
type teller struct {
	*generator
	later    []tree          // objects that are still to come, in their order
	rest     []timeline.Step // of what comes in several
	left     int             // steps
	begun    bool
	at       time.Time       // when the next step happens; zero: at any time
	portless bool            // no pod has host ports
	promised map[string]bool // claims that a volume is meant for

	leastGrace int // seconds; without any a pod is gone before its deletion is answered, if news come first (docs/differences.md)

	volumes *volumes // draw what comes later
	claims  *claims
}

// newTimeline makes timeline number `index` of a seed.
func newTimeline(seed uint64, index int) (*timeline.Case, error) {
	g := newGenerator(seed, index)
	g.oneClass = true
	t := &teller{generator: g, promised: map[string]bool{}}
	g.nodeCount, g.placedCount, g.pendingCount = 1+g.IntN(8), g.IntN(10), 2+g.IntN(10)
	if g.theme == aboutGroups {
		g.placedCount, g.pendingCount = g.IntN(6), 4+g.IntN(14)
	} else if g.chance(0.03) {
		g.nodeCount, g.placedCount = 101+g.IntN(50), g.IntN(40) // Visits are cut.
	}
	g.begin()
	c := &testCase{}
	c.config = g.validConfig()
	if extenders, ok := c.config["extenders"].([]any); ok {
		if !someEnables(c.config, names.VolumeBinding) || !someEnables(c.config, names.DynamicResources) {
			delete(c.config, "extenders") // Berth watches what plugins watch, and those that are left do not watch all.
		}
		for _, e := range extenders {
			e.(tree)["nodeCacheCapable"] = true // Upstream scores whole nodes as nodes without pods.
			if managed, ok := e.(tree)["managedResources"].([]any); ok && !everyEnables(c.config, names.NodeResourcesFit) {
				managed[0].(tree)["ignoredByScheduler"] = false // Upstream demands the plugin then.
			}
		}
	}
	for _, p := range c.config["profiles"].([]any) {
		text, err := encode(p.(tree)["plugins"].(tree)["filter"], false)
		if err != nil || !enables(p, names.NodePorts) || bytes.Contains(text, []byte(names.NodePorts)) {
			t.portless = true // A port would be given away twice.
		}
	}
	for _, p := range c.config["profiles"].([]any) {
		g.tryAllOrNone(p.(tree))
	}
	g.populate(c)
	if err := c.render(); err != nil {
		return nil, err
	}
	setup, err := setupOf(c.conf)
	if err != nil {
		return nil, err
	}
	t.volumes = &volumes{generator: g, claims: map[string][]tree{}}
	t.claims = &claims{generator: g, gpus: tree{"extendedResourceName": "example.com/gpu"}}
	for _, item := range c.items {
		t.definite(item)
		switch item["kind"] {
		case "PersistentVolumeClaim":
			t.volumes.use = 1
		case "ResourceClaim":
			t.claims.use = 1
		}
	}
	t.later = t.inOrder(c.items)
	const most = 200
	t.left = min(len(t.later)/2+20+g.IntN(150), most)
	newsFirst := g.chance(0.3)
	if newsFirst {
		t.leastGrace = 1
	}
	return &timeline.Case{
		Script: &timeline.Script{
			Name: fmt.Sprintf("seed-%d-timeline-%d", seed, index), Phase: time.Duration(g.Int64N(int64(time.Second))),
			Checks: pick(g, "strict", "basic"), Detail: pick(g, "nodes", "summary"), NewsFirst: newsFirst, Config: string(c.conf),
		},
		Setup: setup, Next: t.next,
	}, nil
}

// setupOf is what both schedulers are started with.
func setupOf(text []byte) (timeline.Setup, error) {
	text = withAddress(text)
	cfg, err := loadConfig(text)
	return timeline.Setup{Text: string(text), Config: cfg, Extenders: http.HandlerFunc(answer)}, err
}

// next draws the next step.
func (t *teller) next(world timeline.View) (timeline.Step, bool) {
	if t.left == 0 {
		return timeline.Step{}, false
	}
	t.left--
	t.at = time.Time{}
	s := t.happens(world)
	switch {
	case !t.at.IsZero():
		s.After, s.Early = t.at.Sub(world.Now()), true
	case t.begun && t.chance(0.3):
		s.With = true
	default:
		s.After = t.pause(world)
	}
	t.begun = true
	return s, true
}

// pause draws how much time passes.
func (t *teller) pause(world timeline.View) time.Duration {
	switch t.IntN(10) {
	case 0, 1, 2:
		return time.Duration(1+t.Int64N(1000)) * time.Microsecond
	case 3, 4:
		return time.Duration(t.Int64N(int64(time.Second)))
	case 5, 6:
		return time.Duration(t.Int64N(int64(3 * time.Second)))
	case 7:
		// To just before, at or after a whole second: the edge of a backoff.
		edge := time.Second - time.Duration(world.Now().Nanosecond()) + time.Duration(t.IntN(12))*time.Second
		return edge + pick(t.generator, -2*time.Microsecond, -time.Microsecond, 0, 1)
	case 8:
		return time.Duration(t.Int64N(int64(40 * time.Second)))
	default:
		return time.Duration(t.Int64N(int64(400 * time.Second)))
	}
}

func step(do, kind, key string, object any) timeline.Step {
	s := timeline.Step{Do: do, Kind: kind, Key: key}
	if object != nil {
		text, err := json.Marshal(object)
		if err != nil {
			panic(err)
		}
		s.Object = text
	}
	return s
}

// enables tells whether a profile has the plugin.
func enables(profile any, plugin string) bool {
	return slices.ContainsFunc(profile.(tree)["plugins"].(tree)["multiPoint"].(tree)["enabled"].([]any),
		func(e any) bool { return e.(tree)["name"] == plugin })
}

// someEnables tells whether some profile has it.
func someEnables(config tree, plugin string) bool {
	return slices.ContainsFunc(config["profiles"].([]any), func(p any) bool { return enables(p, plugin) })
}

// tryAllOrNone makes preemption try every node, or none: of some it would matter with which it begins, which is chance.
func (g *generator) tryAllOrNone(profile tree) {
	tryAllNodes(profile)
	if list := profile["pluginConfig"].([]any); g.nodeCount < 50 && g.chance(0.03) {
		list[len(list)-1].(tree)["args"] = tree{"minCandidateNodesPercentage": 1, "minCandidateNodesAbsolute": 0}
	}
}

// everyEnables tells whether all profiles have it.
func everyEnables(config tree, plugin string) bool {
	return !slices.ContainsFunc(config["profiles"].([]any), func(p any) bool { return !enables(p, plugin) })
}

// definite takes out of a pod what upstream leaves open: which of two closed gates it asks first, and when it tries again to reserve
// a claim that it has reserved itself.
func (t *teller) definite(item tree) {
	spec, _ := item["spec"].(tree)
	switch item["kind"] {
	case "PersistentVolume":
		t.definiteVolume(item["metadata"].(tree)["name"].(string), spec)
		return
	case "Pod":
	default:
		return
	}
	if node, _ := spec["nodeName"].(string); node != "" || t.portless {
		eachContainer(spec, func(c tree) { delete(c, "ports") }) // Whose a port is that two have is a known difference.
	}
	list, _ := spec["resourceClaims"].([]any)
	once := map[any]bool{} // Of two volumes that are meant for one claim upstream takes any.
	volumes, _ := spec["volumes"].([]any)
	for i, v := range volumes {
		claim, ok := v.(tree)["persistentVolumeClaim"].(tree)
		// With both volumes and devices PreBind has two plugins at once, if upstream has more than the one thread that it has here.
		if (ok && once[claim["claimName"]]) || ((ok || v.(tree)["ephemeral"] != nil) && (list != nil || wantsDevice(spec))) {
			volumes[i] = tree{"name": v.(tree)["name"], "emptyDir": tree{}}
		}
		once[claim["claimName"]] = true
	}
	if list == nil {
		return
	}
	delete(spec, "schedulingGates")
	eachContainer(spec, func(c tree) {
		resources, _ := c["resources"].(tree)
		for _, of := range []string{"requests", "limits"} {
			if amounts, ok := resources[of].(tree); ok {
				maps.DeleteFunc(amounts, func(name string, _ any) bool { return ofDevices(name) }) // Upstream may make a claim that asks for nothing.
			}
		}
	})
	seen := map[any]bool{}
	spec["resourceClaims"] = slices.DeleteFunc(list, func(claim any) bool {
		name := claim.(tree)["resourceClaimName"]
		twice := name != nil && seen[name]
		seen[name] = true
		return twice
	})
}

// wantsDevice tells whether a container asks for what a claim may stand for.
func wantsDevice(spec tree) bool {
	wants := false
	eachContainer(spec, func(c tree) {
		resources, _ := c["resources"].(tree)
		amounts, _ := resources["limits"].(tree)
		for name := range amounts {
			wants = wants || ofDevices(name)
		}
	})
	return wants
}

func ofDevices(resource string) bool {
	return resource == "example.com/gpu" || strings.HasPrefix(resource, implicitPrefix)
}

func (t *teller) definiteVolume(name string, spec tree) {
	if ref, ok := spec["claimRef"].(tree); ok {
		key := fmt.Sprint(ref["namespace"], "/", ref["name"])
		if t.promised[key] {
			delete(spec, "claimRef") // Of two that are meant for one claim upstream takes any.
		}
		t.promised[key] = true
	}
	var serial int64
	if n, _ := fmt.Sscanf(name, "free-%d", &serial); n == 1 {
		// A size of its own: of equal volumes upstream takes any.
		size := resource.MustParse(spec["capacity"].(tree)["storage"].(string))
		spec["capacity"] = tree{"storage": fmt.Sprintf("%dMi", size.Value()>>20+serial)}
	}
	if strings.HasPrefix(name, "free-") || strings.HasPrefix(name, "late-") {
		// What upstream's Filter takes as it is and PreBind as the volume of a driver, a second later.
		for _, kind := range []string{"gcePersistentDisk", "awsElasticBlockStore", "cinder", "azureDisk", "portworxVolume", "azureFile"} {
			if spec[kind] != nil {
				delete(spec, kind)
				spec["csi"] = tree{"driver": driverA, "volumeHandle": name}
			}
		}
	}
}

func eachContainer(spec tree, do func(container tree)) {
	for _, key := range []string{"containers", "initContainers"} {
		list, _ := spec[key].([]any)
		for _, c := range list {
			do(c.(tree))
		}
	}
}

// inOrder decides when the objects of a case come: what pods need mostly before them.
func (t *teller) inOrder(items []tree) []tree {
	at := make([]float64, len(items))
	for i, item := range items {
		switch {
		case item["kind"] == "Pod":
			at[i] = 0.3 + 0.7*t.Float64()
		case t.chance(0.8):
			at[i] = 0.35 * t.Float64()
		default:
			at[i] = t.Float64()
		}
	}
	order := make([]int, len(items))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(at[a], at[b]) })
	var out []tree
	for _, i := range order {
		out = append(out, items[i])
	}
	return out
}

// happens draws what happens next.
func (t *teller) happens(world timeline.View) timeline.Step {
	if len(t.rest) == 0 {
		t.rest = t.draw(world)
	}
	next := t.rest[0]
	t.rest = t.rest[1:]
	return next
}

func (t *teller) draw(world timeline.View) []timeline.Step {
	if binding := world.Binding(); len(binding) > 0 && t.chance(0.4) {
		if s, ok := t.provides(world, binding); ok {
			return []timeline.Step{s}
		}
	}
	if len(t.later) > 0 && t.chance(0.65) {
		o := t.later[0]
		t.later = t.later[1:]
		return t.create(o)
	}
	for range 20 {
		if t.chance(0.2) {
			return t.newcomers()
		}
		if len(t.groups) > 0 && t.chance(0.2) {
			if steps := t.missingGroup(world); steps != nil {
				return steps
			}
		}
		if steps := t.change(world); len(steps) > 0 {
			return steps
		}
	}
	return []timeline.Step{step("wait", "", "", nil)}
}

// kindsThatChange names each kind as often as its objects change.
var kindsThatChange = []string{"Node", "Node", "Node", "Node", "Node", "Node", "Pod", "Pod", "Pod", "Pod", "Pod", "Pod", "Pod", "Pod", "Pod",
	"PersistentVolumeClaim", "PersistentVolumeClaim", "PersistentVolumeClaim", "PersistentVolume", "PersistentVolume", "StorageClass", "CSINode",
	"CSIDriver", "CSIStorageCapacity", "VolumeAttachment", "ResourceClaim", "ResourceClaim", "ResourceClaim", "DeviceClass", "ResourceSlice",
	"PodDisruptionBudget", "Namespace", "Service", "ReplicationController", "ReplicaSet", "StatefulSet"}

// change draws a change of something that is there.
func (t *teller) change(world timeline.View) []timeline.Step {
	kinds := kindsThatChange
	if t.theme == aboutGroups {
		kinds = kindsThatChangeWithGroups
	}
	kind := pick(t.generator, kinds...)
	all := world.List(kind)
	if len(all) == 0 {
		return nil
	}
	o := pick(t.generator, all...)
	if watchedInPreBind(world, kind, o) {
		return nil
	}
	return changes[kind](t, world, o)
}

// asTree reads JSON.
func asTree(text []byte) tree {
	var out tree
	if err := json.Unmarshal(text, &out); err != nil {
		panic(err)
	}
	return out
}
