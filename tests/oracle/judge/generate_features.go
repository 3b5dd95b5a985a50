// SPDX-License-Identifier: Apache-2.0

package main

// Features that nodes declare and pods need.

func init() {
	subjects = append(subjects, func(g *generator) subject {
		declared, needed := g.Float64(), g.Float64()*0.3
		return subject{
			node: func(node tree) {
				var list []any
				for _, name := range []string{"ContainerRestartRules", "ExtendWebSocketsToKubelet",
					"InPlacePodLevelResourcesVerticalScaling", "RestartAllContainersOnContainerExits",
					"UserNamespacesHostNetworkSupport", "Zulu"} {
					if g.chance(declared) {
						list = append(list, name)
					}
				}
				if g.chance(g.oddities * 0.1) {
					// The API server keeps the list sorted; a file may not.
					g.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
				}
				if len(list) > 0 {
					node["status"].(tree)["declaredFeatures"] = list
				}
			},
			pod: func(pod tree, placed bool) {
				spec := pod["spec"].(tree)
				if g.chance(needed) {
					spec["hostNetwork"] = true
				}
				if g.chance(needed) {
					spec["hostUsers"] = g.chance(0.3)
				}
				if g.chance(needed) {
					list, _ := spec[pick(g, "containers", "containers", "initContainers")].([]any)
					for _, c := range list {
						container := c.(tree)
						container["restartPolicy"] = pick(g, "Never", "OnFailure")
						container["restartPolicyRules"] = []any{tree{
							"action":    pick(g, "Restart", "RestartAllContainers"),
							"exitCodes": tree{"operator": "In", "values": []any{42}},
						}}
					}
				}
			},
		}
	})
}
