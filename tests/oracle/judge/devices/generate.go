// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math/rand/v2"
	"slices"

	v1 "k8s.io/api/core/v1"
	resource "k8s.io/api/resource/v1"
	quantity "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"berth/tests/oracle/judge/release"
)

// generator makes one random case. Some subjects are left out of a case as a whole, so that not every case fails for the
// same reason.
type generator struct {
	*rand.Rand
	c                                                                    *testCase
	counters, shares, taints, conditions, duplicates, prioritized, admin bool
	// extremes: amounts that no device has; later: fields of later releases than 1.36.
	extremes, later bool
	drivers         []string
}

func (g *generator) chance(p float64) bool { return g.Float64() < p }

func pick[T any](g *generator, list ...T) T { return list[g.IntN(len(list))] }

func generate(r *rand.Rand, name string) *testCase {
	g := &generator{Rand: r, c: &testCase{Name: name}}
	g.counters, g.shares, g.taints, g.conditions = g.chance(0.4), g.chance(0.4), g.chance(0.3), g.chance(0.2)
	g.duplicates, g.prioritized, g.admin = g.chance(0.1), g.chance(0.4), g.chance(0.2)
	g.extremes, g.later = g.chance(0.1), g.chance(0.1)
	g.drivers = []string{"a.example.com", "b.example.com"}[:1+g.IntN(2)]
	for i := range 1 + g.IntN(3) {
		g.c.Nodes = append(g.c.Nodes, &v1.Node{ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("node-%d", i), Labels: map[string]string{"zone": pick(g, "x", "y")}}})
	}
	for range 1 + g.IntN(4) {
		g.pool()
	}
	g.Shuffle(len(g.c.Slices), func(i, k int) { g.c.Slices[i], g.c.Slices[k] = g.c.Slices[k], g.c.Slices[i] })
	g.classes()
	for i := range 1 + g.IntN(1+g.IntN(3)) {
		g.claim(i)
	}
	g.uses()
	return g.c
}

func (g *generator) node() string { return pick(g, g.c.Nodes...).Name }

func (g *generator) zone() *v1.NodeSelector {
	term := v1.NodeSelectorTerm{MatchExpressions: []v1.NodeSelectorRequirement{{Key: "zone", Operator: v1.NodeSelectorOpIn, Values: []string{pick(g, "x", "y")}}}}
	switch {
	case g.chance(0.2):
		term.MatchExpressions[0].Values = []string{"y", "x"}
	case g.chance(0.2):
		term.MatchExpressions = append(term.MatchExpressions, v1.NodeSelectorRequirement{Key: "zone", Operator: v1.NodeSelectorOpExists})
	case g.chance(0.1):
		term = v1.NodeSelectorTerm{MatchFields: []v1.NodeSelectorRequirement{{Key: "metadata.name", Operator: v1.NodeSelectorOpIn, Values: []string{g.node()}}}}
	}
	return &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{term}}
}

func (g *generator) pool() {
	driver, pool := pick(g, g.drivers...), pick(g, "p", "q", "r/s")
	kind := pick(g, "node", "node", "node", "all", "zone", "device", "mixed", "unknown")
	where, generation := g.node(), int64(1+g.IntN(2))
	count := 1 + g.IntN(3)
	wanted := count
	if g.counters {
		wanted++
	}
	if g.chance(0.1) {
		wanted += g.IntN(3) - 1
	}
	slice := func() *resource.ResourceSlice {
		s := &resource.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("slice-%d-%d", g.IntN(100), len(g.c.Slices))}}
		s.Spec.Driver = driver
		s.Spec.Pool = resource.ResourcePool{Name: pool, Generation: generation, ResourceSliceCount: int64(wanted)}
		if g.chance(0.03) {
			s.Spec.Pool.Generation++
		}
		switch kind {
		case "node":
			s.Spec.NodeName = &where
		case "all":
			s.Spec.AllNodes = ptr.To(true)
		case "zone":
			s.Spec.NodeSelector = g.zone()
			if terms := s.Spec.NodeSelector.NodeSelectorTerms; terms[0].MatchExpressions != nil && g.chance(0.02) {
				terms[0].MatchExpressions[0].Operator = "Between"
			}
		case "device":
			s.Spec.PerDeviceNodeSelection = ptr.To(true)
		case "mixed":
			s.Spec.NodeName = ptr.To(g.node())
		}
		g.c.Slices = append(g.c.Slices, s)
		return s
	}
	first := 0
	for range count {
		s := slice()
		for range 1 + g.IntN(4) {
			s.Spec.Devices = append(s.Spec.Devices, g.device(first, kind == "device"))
			first++
		}
	}
	if g.counters {
		s := slice()
		if g.chance(0.3) { // another place than that of the devices
			s.Spec.NodeName, s.Spec.AllNodes, s.Spec.NodeSelector, s.Spec.PerDeviceNodeSelection = nil, nil, nil, nil
			if g.chance(0.7) {
				s.Spec.NodeName = ptr.To(g.node())
			} else {
				s.Spec.NodeSelector = g.zone()
			}
		}
		for i := range 1 + g.IntN(2) {
			s.Spec.SharedCounters = append(s.Spec.SharedCounters, resource.CounterSet{Name: fmt.Sprintf("set-%d", i), Counters: map[string]resource.Counter{
				"memory": {Value: quantity.MustParse(pick(g, "40Gi", "20Gi", "100"))}, "slots": {Value: *quantity.NewQuantity(int64(1+g.IntN(6)), quantity.DecimalSI)}}})
		}
	}
}

func (g *generator) device(i int, placed bool) resource.Device {
	d := resource.Device{Name: fmt.Sprintf("dev-%d", i), Attributes: map[resource.QualifiedName]resource.DeviceAttribute{}}
	if g.duplicates && g.chance(0.1) {
		d.Name = "dev-0"
	}
	if placed {
		switch g.IntN(4) {
		case 0:
			d.NodeName = ptr.To(g.node())
		case 1:
			d.AllNodes = ptr.To(true)
		case 2:
			d.NodeSelector = g.zone()
		}
	}
	if g.chance(0.9) {
		d.Attributes["model"] = resource.DeviceAttribute{StringValue: ptr.To(pick(g, "X", "X", "Y"))}
	}
	if g.chance(0.8) {
		d.Attributes["a.example.com/numa"] = resource.DeviceAttribute{IntValue: ptr.To(int64(g.IntN(3)))}
	}
	if g.chance(0.5) {
		d.Attributes["healthy"] = resource.DeviceAttribute{BoolValue: ptr.To(g.chance(0.7))}
	}
	if g.chance(0.5) {
		d.Attributes["other.org/mixed"] = pick(g, resource.DeviceAttribute{StringValue: ptr.To("1.0.0")}, resource.DeviceAttribute{VersionValue: ptr.To("1.0.0")}, resource.DeviceAttribute{VersionValue: ptr.To("1.2.0")})
	}
	if g.chance(0.1) {
		d.BindsToNode = ptr.To(true)
	}
	if g.conditions && g.chance(0.2) {
		d.BindingConditions = []string{"Attached"}
		d.BindingFailureConditions = pick(g, nil, []string{"Broken"})
	}
	if g.taints && g.chance(0.4) {
		d.Taints = append(d.Taints, resource.DeviceTaint{Key: pick(g, "k", "l"), Value: pick(g, "", "v"),
			Effect: pick(g, resource.DeviceTaintEffectNone, resource.DeviceTaintEffectNoSchedule, resource.DeviceTaintEffectNoExecute, "Later")})
	}
	if g.counters && g.chance(0.7) {
		consumption := resource.DeviceCounterConsumption{CounterSet: "set-0", Counters: map[string]resource.Counter{"memory": {Value: quantity.MustParse(pick(g, "10Gi", "20Gi", "50", "1500m"))}}}
		if g.chance(0.5) {
			consumption.Counters["slots"] = resource.Counter{Value: *quantity.NewQuantity(int64(1+g.IntN(3)), quantity.DecimalSI)}
		}
		if g.chance(0.03) {
			consumption.CounterSet = "set-1"
		}
		if g.chance(0.01) {
			consumption.Counters["gone"] = resource.Counter{}
		}
		if g.later && g.chance(0.3) {
			release.Group(&consumption)
		}
		d.ConsumesCounters = append(d.ConsumesCounters, consumption)
	}
	if g.shares && g.chance(0.6) || g.chance(0.2) {
		g.capacity(&d)
	}
	if g.shares && g.chance(0.6) {
		d.AllowMultipleAllocations = ptr.To(g.chance(0.9))
	}
	return d
}

func amount(text string) *quantity.Quantity { q := quantity.MustParse(text); return &q }

// rangePolicy keeps the API's order: min, default, max.
func (g *generator) rangePolicy() *resource.CapacityRequestPolicy {
	bounds := &resource.CapacityRequestPolicyRange{Min: amount(pick(g, "1", "1Gi", "500m", "1k"))}
	policy := &resource.CapacityRequestPolicy{Default: amount(pick(g, "1Gi", "2", "4")), ValidRange: bounds}
	if policy.Default.Cmp(*bounds.Min) < 0 {
		policy.Default = amount(bounds.Min.String())
	}
	if most := amount(pick(g, "8", "4Gi")); g.chance(0.5) && most.Cmp(*policy.Default) >= 0 {
		bounds.Max = most
	}
	if g.chance(0.7) {
		bounds.Step = amount(pick(g, "2", "1Gi", "512Mi", "1500m", "2k", "1e3", "500"))
	}
	return policy
}

func (g *generator) capacity(d *resource.Device) {
	d.Capacity = map[resource.QualifiedName]resource.DeviceCapacity{}
	for _, name := range []resource.QualifiedName{"memory", "a.example.com/cores"} {
		if g.chance(0.3) {
			continue
		}
		capacity := resource.DeviceCapacity{Value: *amount(pick(g, "8Gi", "16Gi", "10", "64", "2500m"))}
		switch g.IntN(5) {
		case 0, 1:
			capacity.RequestPolicy = g.rangePolicy()
		case 2:
			capacity.RequestPolicy = &resource.CapacityRequestPolicy{Default: amount("2"), ValidValues: []quantity.Quantity{*amount("2"), *amount("4"), *amount("2Gi")}}
		case 3:
			if g.chance(0.3) {
				capacity.RequestPolicy = &resource.CapacityRequestPolicy{Default: amount("3")}
			}
		}
		// One of two capacities at most is at fault: upstream names any of those that are.
		if g.extremes && name == "memory" && g.chance(0.3) {
			capacity.Value = *amount(pick(g, "10E", "9223372036854775807", "-1"))
		}
		d.Capacity[name] = capacity
	}
}

var expressions = []string{
	`device.driver == "a.example.com"`,
	`device.attributes["a.example.com"].model == "X"`,
	`device.attributes["a.example.com"].?model.orValue("") == "X"`,
	`"model" in device.attributes[device.driver] && device.attributes[device.driver].model == "Y"`,
	`device.attributes["a.example.com"].?numa.orValue(7) < 2`,
	`device.attributes["a.example.com"].numa > 0`,
	`device.capacity[device.driver].?memory.orValue(quantity("0")).compareTo(quantity("1Gi")) >= 0`,
	`device.allowMultipleAllocations`,
	`device.attributes["other.org"].?mixed.hasValue()`,
	`true`, `true`, `true`,
}

func (g *generator) selectors() []resource.DeviceSelector {
	var out []resource.DeviceSelector
	for g.chance(0.4) && len(out) < 3 {
		// Those that fail on some devices are rare: they end the search.
		expression := expressions[g.IntN(len(expressions))]
		if expression == expressions[1] || expression == expressions[5] {
			expression = expressions[g.IntN(len(expressions))]
		}
		if g.chance(0.01) {
			expression = "device.nonsense"
		}
		out = append(out, resource.DeviceSelector{CEL: &resource.CELDeviceSelector{Expression: expression}})
	}
	if g.chance(0.003) {
		out = append(out, resource.DeviceSelector{})
	}
	return out
}

func (g *generator) opaque(text string) resource.DeviceConfiguration {
	return resource.DeviceConfiguration{Opaque: &resource.OpaqueDeviceConfiguration{Driver: pick(g, g.drivers...),
		Parameters: runtime.RawExtension{Raw: []byte(fmt.Sprintf(`{"a":%q,"n":[1,2.5,null,true]}`, text))}}}
}

func (g *generator) classes() {
	for _, name := range []string{"any", "gpus"} {
		class := &resource.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if name == "gpus" {
			class.Spec.Selectors = slices.DeleteFunc(g.selectors(), func(s resource.DeviceSelector) bool { return s.CEL == nil })
		}
		for i := range g.IntN(3) {
			if g.chance(0.4) {
				class.Spec.Config = append(class.Spec.Config, resource.DeviceClassConfiguration{DeviceConfiguration: g.opaque(fmt.Sprint(name, i))})
			}
		}
		g.c.Classes = append(g.c.Classes, class)
	}
}

func (g *generator) tolerations() []resource.DeviceToleration {
	if !g.taints || g.chance(0.4) {
		return nil
	}
	return []resource.DeviceToleration{{Key: pick(g, "k", "l", ""), Operator: pick(g, resource.DeviceTolerationOpExists, resource.DeviceTolerationOpEqual, ""),
		Value: pick(g, "", "v"), Effect: pick(g, "", resource.DeviceTaintEffectNoSchedule, resource.DeviceTaintEffectNoExecute)}}
}

func (g *generator) amounts() *resource.CapacityRequirements {
	if !g.shares || g.chance(0.5) {
		return nil
	}
	out := &resource.CapacityRequirements{Requests: map[resource.QualifiedName]quantity.Quantity{}}
	for _, name := range []resource.QualifiedName{"memory", "a.example.com/cores"} {
		if g.chance(0.6) {
			out.Requests[name] = quantity.MustParse(pick(g, "1", "2", "3", "1Gi", "1536Mi", "3Gi", "500m", "2.5", "1500", "3k"))
		}
		if g.extremes && name == "memory" && g.chance(0.5) {
			out.Requests[name] = quantity.MustParse(pick(g, "9223372036854775807", "9223372036854775808", "9223372036854775806500m", "10E", "8Ei", "-1"))
		}
	}
	if g.chance(0.02) {
		out.Requests["gone"] = quantity.MustParse("1")
	}
	return out
}

func (g *generator) class() string {
	if g.chance(0.01) {
		return pick(g, "", "gone")
	}
	return pick(g, "any", "any", "gpus")
}

func (g *generator) mode() (resource.DeviceAllocationMode, int64) {
	switch {
	case g.chance(0.15):
		return resource.DeviceAllocationModeAll, 0
	case g.chance(0.02):
		return resource.DeviceAllocationModeExactCount, pick(g, int64(20), 31, 33, 1<<60)
	case g.chance(0.005):
		return "Some", 1
	}
	return resource.DeviceAllocationModeExactCount, int64(1 + g.IntN(1+g.IntN(4)))
}

func (g *generator) claim(i int) {
	claim := &resource.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("claim-%d", i), Namespace: "default"}}
	devices := &claim.Spec.Devices
	var names []string
	for k := range g.IntN(4) {
		request := resource.DeviceRequest{Name: fmt.Sprintf("r%d", k)}
		names = append(names, request.Name)
		if g.prioritized && g.chance(0.5) {
			for s := range 1 + g.IntN(3) {
				sub := resource.DeviceSubRequest{Name: fmt.Sprintf("s%d", s), DeviceClassName: g.class(), Selectors: g.selectors(), Tolerations: g.tolerations(), Capacity: g.amounts()}
				sub.AllocationMode, sub.Count = g.mode()
				if g.chance(0.2) {
					sub.Count = int64(10 + g.IntN(20))
				}
				request.FirstAvailable = append(request.FirstAvailable, sub)
				names = append(names, request.Name+"/"+sub.Name)
			}
		} else {
			request.Exactly = &resource.ExactDeviceRequest{DeviceClassName: g.class(), Selectors: g.selectors(), Tolerations: g.tolerations(), Capacity: g.amounts()}
			request.Exactly.AllocationMode, request.Exactly.Count = g.mode()
			if g.later && g.chance(0.1) {
				release.Derive(request.Exactly)
			}
			if g.admin && g.chance(0.5) {
				request.Exactly.AdminAccess = ptr.To(g.chance(0.9))
			}
		}
		devices.Requests = append(devices.Requests, request)
	}
	for g.chance(0.25) && len(devices.Constraints) < 3 {
		attribute := pick(g, resource.FullyQualifiedName("a.example.com/model"), "a.example.com/numa", "a.example.com/healthy", "other.org/mixed", "b.example.com/model")
		constraint := resource.DeviceConstraint{Requests: g.some(names)}
		switch {
		case g.chance(0.01): // of an unknown kind
		case g.chance(0.5):
			constraint.MatchAttribute = &attribute
		default:
			constraint.DistinctAttribute = &attribute
		}
		devices.Constraints = append(devices.Constraints, constraint)
	}
	for g.chance(0.4) && len(devices.Config) < 3 {
		devices.Config = append(devices.Config, resource.DeviceClaimConfiguration{Requests: g.some(names), DeviceConfiguration: g.opaque("claim")})
	}
	g.c.Claims = append(g.c.Claims, claim)
}

// some picks some of the names, often none or all of them.
func (g *generator) some(names []string) []string {
	var out []string
	switch {
	case g.chance(0.4):
		return nil
	case g.chance(0.3):
		return slices.Clone(names)
	}
	for _, name := range names {
		if g.chance(0.5) {
			out = append(out, name)
		}
	}
	return out
}

func (g *generator) uses() {
	for _, s := range g.c.Slices {
		for _, d := range s.Spec.Devices {
			if g.chance(0.8) {
				continue
			}
			u := use{Driver: s.Spec.Driver, Pool: s.Spec.Pool.Name, Device: d.Name}
			if ptr.Deref(d.AllowMultipleAllocations, false) {
				u.ShareID = fmt.Sprint("share-", len(g.c.Uses))
				bare := g.chance(0.2)
				for _, name := range []resource.QualifiedName{"memory", "a.example.com/cores"} {
					if _, found := d.Capacity[name]; !found || bare {
						continue
					}
					if u.Consumed == nil {
						u.Consumed = map[resource.QualifiedName]quantity.Quantity{}
					}
					u.Consumed[name] = quantity.MustParse(pick(g, "1", "2", "8", "1Gi", "8Gi"))
				}
			}
			g.c.Uses = append(g.c.Uses, u)
		}
	}
}
