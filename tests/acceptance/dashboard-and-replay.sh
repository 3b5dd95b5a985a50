#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What the dashboard, the flight recorder and the shadow promised.
set -uo pipefail
. "$(dirname "$0")/../shows.sh"
. tests/live/end-to-end/all.sh
. tests/commands/record/shows.sh

recorder() { control_plane_up && flight_recorder; }

every_view() { tests/commands/web/walk.sh && control_plane_up && every_view_of_a_live_cluster; }

another_weight() { tests/commands/web/what_if.sh; }

assets_are_small() {
  [ -f build/release/web/built ] || { echo 'the dashboard is left out of build/release'; return 1; }
  local bytes
  bytes=$(sed -n 's/.* \([0-9]*\) bytes compressed/\1/p' build/release/web/built)
  [ "$bytes" -lt $((300 * 1024)) ] || { echo "$bytes bytes"; return 1; }
  echo "the dashboard is $bytes bytes, compressed"
}

# Of a live cluster SR-1 looks for the same.
nothing_is_told() {
  tests/commands/web/run.sh >"$work/kept"
  grep '^ok    secrets are kept' "$work/kept" || { cat "$work/kept"; return 1; }
}

# With and without a shadow of the same configuration, in one run, where each decision is dear: it decides as much again, so no more
# than about twice the work.
a_shadow_costs() {
  local log=$work/shadow.bench pods cpu memory
  tests/bench/schedulers/bench.sh SchedulingPreferredPodAffinity/5000Nodes_5000Pods simulated berth -shadow -all-nodes >"$log" || { cat "$log"; return 1; }
  cat "$log"
  read -r pods cpu memory < <(sed -nE 's/.*: with a shadow: pods\/s (.*)× CPU\/pod (.*)× memory (.*)×$/\1 \2 \3/p' "$log")
  awk -v pods="${pods:-0}" -v cpu="${cpu:-9}" 'BEGIN { exit !(pods >= 0.35 && cpu <= 2.3) }' || { echo "pods/s $pods×, CPU per pod $cpu×"; return 1; }
  echo "with a shadow that is asked about every pod: pods/s $pods×, CPU per pod $cpu×, memory $memory× of what it is without"
}

show SR-1 every_view
show SR-2 another_weight
show SR-3 recorder
show SR-4 recording_costs
show SR-4 a_shadow_costs
show SR-5 assets_are_small
show SR-6 nothing_is_told
finish
