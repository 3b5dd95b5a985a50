#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# `berth upgrade`: the decisions that would differ, and the change that is named as the cause. Needs `make build`.
set -uo pipefail
. "$(dirname "$0")/../../check.sh"
berth=out/bin/berth
world=tests/commands/upgrade/world.yaml

# upgrade STATUS ARGUMENT...: its exit code; what it prints is in $work/out and $work/err.
upgrade() {
  local status
  "$berth" upgrade "${@:2}" >"$work/out" 2>"$work/err"
  status=$?
  [ $status = "$1" ] || { cat "$work/out" "$work/err"; echo "exit code $status; expected $1"; return 1; }
}
# prints LINE...: each is a line of the output, whatever the number of spaces.
prints() {
  local line
  tr -s ' ' <"$work/out" >"$work/lines"
  for line; do grep -qxF -- "$line" "$work/lines" || { cat "$work/out"; echo "no line: $line"; return 1; }; done
}
refuses() { upgrade 2 "${@:2}" && grep -qF -- "$1" "$work/err" || { cat "$work/err"; echo "expected: $1"; return 1; }; }
# config FILE PROFILE: a configuration with that profile.
config() {
  printf '%s\n' 'apiVersion: kubescheduler.config.k8s.io/v1' 'kind: KubeSchedulerConfiguration' "profiles: [$2]" >"$work/$1"
}

# Each of two decisions has another cause, a third decision is the same.
a_release_and_a_gate() {
  upgrade 1 $world && prints '3 decisions, of which 2 would differ' ' 2 another node' ' 1 decides as Kubernetes 1.36 → 1.37 ImageLocality' \
    ' 1 feature gate StorageCapacityScoring: off → on VolumeBinding' ' default/web 1 images roomy ImageLocality' \
    ' default/database 1 little much VolumeBinding (StorageCapacityScoring)' 'pods placed 3 3' '2 pods end elsewhere; a pod that goes to another node also changes what the pods after it find'
}
# What is named as a cause is one: without that change the decision is as today.
without_the_gate() {
  upgrade 1 --to 1.37 --to-feature-gates StorageCapacityScoring=false $world && prints '3 decisions, of which 1 would differ' ' default/web 1 images roomy ImageLocality'
}
without_image_volumes() {
  sed '/volumes: \[{name: model/d; s/\(use: web}, containers: .*100Mi}}}\]\),$/\1}}/' $world >"$work/plain.yaml"
  upgrade 1 "$work/plain.yaml" && prints '3 decisions, of which 1 would differ' ' default/database 1 little much VolumeBinding (StorageCapacityScoring)'
}
# The other way round, too.
backwards() {
  upgrade 1 --from 1.37 --to 1.36 $world && prints ' default/web 1 roomy images ImageLocality' ' 1 feature gate StorageCapacityScoring: on → off VolumeBinding'
}
# What berth simulate says of each release.
as_simulations() {
  local release
  upgrade 1 $world -o json || return 1
  for release in 1.36 1.37; do
    "$berth" simulate --kubernetes-version $release $world --decisions - 2>/dev/null | sed -n 's/.*"name":"\([a-z]*\)".*"node":"\([a-z]*\)".*/\1 \2/p' | sort >"$work/$release"
  done
  [ "$(join "$work/1.36" "$work/1.37" | awk '$2 != $3' | paste -sd ,)" = 'database little much,web images roomy' ] || { cat "$work/1.36" "$work/1.37"; return 1; }
}

# A recording of the same decisions.
of_a_recording() {
  "$berth" simulate --record "$work/recorded" $world >/dev/null 2>&1 && upgrade 1 "$work/recorded" &&
    prints '3 decisions, of which 2 would differ' ' default/web 1 images roomy ImageLocality' ' default/database 1 little much VolumeBinding (StorageCapacityScoring)' &&
    ! grep -q 'WHOLE SIMULATION' "$work/out" && upgrade 1 "$work/recorded/000001.tape" || return 1
  refuses 'is a recording, which says itself what decided; --from is for other input' --from 1.36 "$work/recorded" &&
    refuses 'is a recording; give it alone' "$work/recorded" $world &&
    "$berth" simulate --kubernetes-version 1.37 --record "$work/newer" $world >/dev/null 2>&1 &&
    refuses 'was decided as Kubernetes 1.37, too' "$work/newer" && upgrade 1 --to 1.36 "$work/newer" || return 1
  cp -r "$work/recorded" "$work/both" && "$berth" simulate --kubernetes-version 1.37 --record "$work/both" $world >/dev/null 2>&1 &&
    refuses 'has recordings of Kubernetes 1.36 and 1.37' "$work/both"
}

# Weights, plugins, arguments and sampling of a configuration.
of_a_configuration() {
  config today.yaml '{}' && config weight.yaml '{plugins: {multiPoint: {enabled: [{name: ImageLocality, weight: 9}]}}}' &&
    config none.yaml '{plugins: {multiPoint: {disabled: [{name: ImageLocality}]}}}' &&
    config shape.yaml '{pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}]}}}]}' || return 1
  upgrade 0 --config "$work/today.yaml" --to-config "$work/weight.yaml" $world && prints ' - weight 1 → 9 ImageLocality' 'Every pod ends where it does today.' || return 1
  upgrade 1 --config "$work/today.yaml" --to-config "$work/none.yaml" $world &&
    prints ' 2 called at Score → nowhere ImageLocality' ' default/web 1 images roomy ImageLocality' ' default/plain 1 images roomy ImageLocality' || return 1
  upgrade 1 --config "$work/none.yaml" --to-config "$work/today.yaml" $world && prints ' 2 called at nowhere → Score ImageLocality' || return 1
  upgrade 1 --config "$work/today.yaml" --to-config "$work/shape.yaml" $world && prints ' default/database 1 little much NodeResourcesFit' &&
    grep -q ' 1  arguments scoringStrategy.type: "LeastAllocated", .*… → scoringStrategy.type: "MostAllocated", .*…  NodeResourcesFit$' "$work/out"
}
# Of two changes that it takes together, both are named.
of_two_changes() {
  config light.yaml '{plugins: {multiPoint: {enabled: [{name: ImageLocality, weight: 2}]}}}' &&
    upgrade 1 --config "$work/today.yaml" --to 1.37 --to-config "$work/light.yaml" $world && prints ' - weight 1 → 2 ImageLocality' &&
    ! grep -q 'default/web' "$work/out" &&
    upgrade 1 --from 1.37 --to 1.37 --config "$work/light.yaml" --to-config "$work/today.yaml" $world && prints ' default/web 1 images roomy ImageLocality'
}
the_same_twice() {
  refuses 'both sides decide as Kubernetes 1.36 with one configuration; give another one: --to, --to-config or --to-feature-gates' --to 1.36 $world &&
    upgrade 0 --config "$work/today.yaml" --to-config "$work/today.yaml" $world && prints '3 decisions, of which 0 would differ' 'Nothing that plugins decide by changes.'
}
# What is wrong is named.
wrong_input() {
  config unknown.yaml '{plugins: {score: {enabled: [{name: Nobody}]}}}'
  refuses 'unknown.yaml:3' --to-config "$work/unknown.yaml" $world && refuses 'unrecognized feature gate: SchedulerQueueingHints' --feature-gates SchedulerQueueingHints=true $world &&
    refuses '--to: expected 1.36 or 1.37, got 1.35' --to 1.35 $world && refuses 'standard input' - &&
    refuses 'is read several times' <(cat $world) && refuses 'none.tape' "$work/none.tape"
}
as_objects() {
  upgrade 1 -o json $world && grep -q '"kind": "UpgradePreview"' "$work/out" && grep -q '"gate": "StorageCapacityScoring"' "$work/out" &&
    grep -q '"otherNode": 2\|"other_node": 2' "$work/out" && upgrade 1 -o yaml $world && grep -q '^kind: UpgradePreview' "$work/out"
}
# A shadow that decides as another release says the same.
of_a_shadow() {
  "$berth" simulate --config "$work/today.yaml" --shadow "$work/today.yaml" --shadow-kubernetes-version 1.37 $world >"$work/out" 2>&1 &&
    prints "SHADOW $work/today.yaml, as Kubernetes 1.37" ' default/web 1 images roomy' ' default/database 1 little much'
}

check 'a release and a feature gate, each with its decision' a_release_and_a_gate
check 'without the gate its decision is as today' without_the_gate
check 'without what the release changed its decision is as today' without_image_volumes
check 'from 1.37 to 1.36' backwards
check 'the decisions are those of both simulations' as_simulations
check 'a recording has the same causes' of_a_recording
check 'the changes of a configuration' of_a_configuration
check 'a change that another one makes up for' of_two_changes
check 'nothing changes' the_same_twice
check 'wrong input is named' wrong_input
check 'JSON and YAML' as_objects
check 'a shadow as another release' of_a_shadow
finish
