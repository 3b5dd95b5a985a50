// SPDX-License-Identifier: Apache-2.0

package main

// resources draws requests. Extended resources and huge pages carry their limits, as the API
// server demands; other limits are left out.
func (g *generator) resources(modest bool) tree {
	requests, limits := tree{}, tree{}
	big := g.chance(g.sizes*0.3) && !modest
	if g.chance(0.75) {
		requests["cpu"] = pick[any](g, "100m", "250m", "0.5m", "0", "1e-1", "0.25", "300m", 0.1, "1n", "33.3m")
		if big {
			requests["cpu"] = pick[any](g, "1", "1.5", 2, "3900m", "5", "12")
		}
	}
	if g.chance(0.75) {
		requests["memory"] = pick[any](g, "64Mi", "128M", "0.1Gi", "1e8", "0", "200Mi", 50000000, "100.5Mi", "123456789")
		if big {
			requests["memory"] = pick[any](g, "1Gi", "1.5Gi", "1e9", "3G", "16Gi")
		}
	}
	if g.chance(0.15) && !modest {
		requests["ephemeral-storage"] = pick(g, "1Gi", "100Mi", "1e9", "9Gi", "0")
	}
	extended := func(name string, value any) { requests[name], limits[name] = value, value }
	if g.chance(0.08) && !modest {
		extended("example.com/gpu", pick[any](g, "1", 1, "2", "4", "0"))
	}
	if g.chance(0.03) && !modest {
		extended("vendor.io/fpga", pick[any](g, "1", "2"))
	}
	if (g.chance(0.03) || g.theme == aboutBudgets && g.chance(0.3)) && len(requests) > 0 && !modest {
		extended(pick(g, "hugepages-2Mi", "hugepages-2Mi", "hugepages-1Gi"), pick(g, "2Mi", "8Mi", "1Gi"))
	}
	for _, name := range []string{"cpu", "memory"} {
		// A limit without a request is a request of the same amount.
		if amount, ok := requests[name]; ok && g.chance(g.oddities*0.3) {
			limits[name] = amount
			delete(requests, name)
		}
	}
	r := tree{}
	if len(requests) > 0 {
		r["requests"] = requests
	}
	if len(limits) > 0 {
		r["limits"] = limits
	}
	return r
}

// resize reports resources in the status, as a kubelet does around an in-place resize.
func (g *generator) resize(spec, status tree) {
	report := func(field, statusField string) {
		containers, _ := spec[field].([]any)
		var list []any
		for _, c := range containers {
			if g.chance(0.2) {
				continue
			}
			s := tree{
				"name": c.(tree)["name"], "image": c.(tree)["image"], "imageID": "", "ready": true, "restartCount": 0,
			}
			if g.chance(0.7) {
				s["resources"] = tree{"requests": g.actual()}
			}
			if g.chance(0.5) {
				s["allocatedResources"] = g.actual()
			}
			list = append(list, s)
		}
		if len(list) > 0 {
			status[statusField] = list
		}
	}
	report("containers", "containerStatuses")
	report("initContainers", "initContainerStatuses")
	if spec["resources"] != nil && g.chance(0.6) {
		status["resources"] = tree{"requests": g.actual()}
		if g.chance(0.5) {
			status["allocatedResources"] = g.actual()
		}
	}
	if g.chance(0.4) {
		status["conditions"] = []any{tree{
			"type": "PodResizePending", "status": "True", "reason": pick(g, "Infeasible", "Deferred"),
			"lastProbeTime": nil, "lastTransitionTime": "2026-01-01T00:00:00Z",
		}}
	}
}

func (g *generator) actual() tree {
	a := tree{"cpu": pick[any](g, "50m", "200m", "1", "0.5m")}
	if g.chance(0.7) {
		a["memory"] = pick(g, "32Mi", "256Mi", "1e9")
	}
	return a
}
