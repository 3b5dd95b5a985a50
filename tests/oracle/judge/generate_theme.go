// SPDX-License-Identifier: Apache-2.0

package main

import "slices"

// A theme makes a case that has much of one thing and little that gets in its way: the plugins that come early in a profile
// hide what later ones would say. Most cases have none.
const (
	aboutNothing    = ""
	aboutVolumes    = "volumes"
	aboutClaims     = "claims"
	aboutScores     = "scores"
	aboutBudgets    = "budgets"
	aboutFewPlugins = "few plugins"
	aboutBindings   = "bindings" // volumes that are chosen and made for pods
	aboutGroups     = "groups"   // pod groups, in timelines of their own
)

// themes are given out in turn.
var themes = []string{aboutNothing, aboutVolumes, aboutNothing, aboutClaims, aboutVolumes, aboutFewPlugins, aboutNothing,
	aboutScores, aboutVolumes, aboutBudgets, aboutClaims, aboutVolumes, aboutBindings}

// onlyTheme gives every case the same one.
var onlyTheme string

// themeOf is the theme of a case of that index.
func themeOf(index int) string {
	if onlyTheme != "" {
		return onlyTheme
	}
	return themes[index%len(themes)]
}

// quieten lets little else happen than what the theme is about.
func (g *generator) quieten() {
	switch g.theme {
	case aboutNothing, aboutFewPlugins:
		return
	case aboutBudgets:
		g.roomy = 0.1
	case aboutGroups:
		g.taints, g.affinity, g.ports, g.gates = g.taints*0.2, g.affinity*0.4, g.ports*0.3, g.gates*0.3
		return
	default:
		g.roomy, g.sizes = 1, g.sizes*0.1
	}
	g.taints, g.affinity, g.ports, g.gates = g.taints*0.1, g.affinity*0.1, g.ports*0.2, 0
	if g.theme == aboutScores {
		g.taints, g.affinity, g.images = 0.7, 0.3, 1
	}
}

// often tells whether a case has something that this share of all cases has: one with a theme has it if it is about it.
func (g *generator) often(theme string, share float64) bool {
	usual := g.theme == aboutNothing || g.theme == aboutFewPlugins || g.theme == aboutGroups && theme == aboutScores
	return g.theme == theme || usual && g.chance(share)
}

var volumePlugins = []string{"VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding", "VolumeZone"}

// leaveOut takes plugins out of a profile, so that those behind them have their say.
func (g *generator) leaveOut(plugins []profilePlugin) []profilePlugin {
	kept := func(string) bool { return true }
	switch g.theme {
	case aboutVolumes:
		only := pick(g, append(volumePlugins, append(volumePlugins, "", "")...)...)
		kept = func(name string) bool {
			return !slices.Contains(volumePlugins, name) || name == only || only == "" && g.chance(0.6)
		}
	case aboutClaims:
		kept = func(name string) bool { return name != "NodeResourcesFit" || g.chance(0.6) }
	case aboutFewPlugins:
		kept = func(string) bool { return g.chance(0.4) }
	case aboutGroups:
		plugins = withoutPreemption(plugins)
		if g.chance(0.95) {
			plugins = append(plugins, profilePlugin{Name: "GangScheduling"})
		}
	}
	return slices.DeleteFunc(plugins, func(p profilePlugin) bool {
		return p.Name != "PrioritySort" && p.Name != "DefaultBinder" && !kept(p.Name)
	})
}
