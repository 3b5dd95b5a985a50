#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What running in a live cluster promised.
set -uo pipefail
. "$(dirname "$0")/../shows.sh"
. tests/live/end-to-end/all.sh

leaders() { leaders_change | tee "$work/leaders" && leaders_of_two_kinds && echo "$(tail -n 1 "$work/leaders"); the same beside kube-scheduler"; }

fuzzed() {
  local seconds=15
  [ -z "$LONG" ] || seconds=600
  tools/setup.sh test && tests/robustness/fuzz/fuzz.sh $seconds && echo "$(ls tests/robustness/fuzz/*_target.cpp | wc -l) inputs from outside, $seconds s each: nothing"
}

tests/live/cluster/cluster.sh build || exit 1
show LV-1 promised_faults # before there is another control plane that takes its part of the machine
control_plane_up || exit 1
show LV-2 leaders
show LV-3 every_rule_is_needed
show LV-4 metrics_as_upstream
show LV-5 started_like_kube_scheduler
show explain explained
show LV-6 a_hundred_reloads
show LV-7 fuzzed
[ -z "$LONG" ] || show LV-7-sanitizers sanitized_faults
[ -z "$LONG" ] || show watches silent_watches
show LV-8 plugins_that_misbehave
finish
