#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What scheduling a real API server promised. LONG=1 measures with 5,000 nodes and 10,000 pods.
set -uo pipefail
. "$(dirname "$0")/../shows.sh"
. tests/live/end-to-end/all.sh

bench_line() {
  local pods cpu memory workload=SchedulingBasic/500Nodes form=' (short form: LONG=1 takes 5000Nodes_10000Pods)'
  if [ -n "$LONG" ]; then workload=SchedulingBasic/5000Nodes_10000Pods form=; fi
  tests/bench/schedulers/bench.sh "$workload" | tee "$work/bench" || return 1
  read -r pods cpu memory < <(sed -nE "s|^$workload: pods/s ([0-9.]+)× CPU/pod ([0-9.]+)× memory ([0-9.]+)× p99 [0-9.]+× ceiling [0-9]+%$|\1 \2 \3|p" "$work/bench")
  [ -n "${memory:-}" ] || { echo 'no line that compares'; return 1; }
  # What the API server takes is as much for both where there are few nodes.
  holds "kube-scheduler's pods/s, times" "$pods" '>=' 0.9 && holds 'CPU per pod, times less' "$cpu" '>=' 4 && holds 'memory, times less' "$memory" '>=' 1.5 || return 1
  echo "$(tail -n 1 "$work/bench")$form; load $(cut -d ' ' -f 1 /proc/loadavg)"
}

hostile_plugins() {
  cmake --build build/release --target berth_abi_tests >"$work/build" 2>&1 || { tail -n 30 "$work/build"; return 1; }
  build/release/tests/berth_abi_tests 'strict*' --reporter compact >"$work/strict" || { tail -n 40 "$work/strict"; return 1; }
  echo "$(grep -c '^TEST_CASE("strict: .* named' tests/abi/promise/plugin_strict_test.cpp) kinds of violation, each with hostile" \
    "plugins that strict mode names: $(grep assertions "$work/strict" | tail -n 1)"
}

control_plane_up || exit 1
live_stories
cluster down >/dev/null 2>&1
show SE-6 bench_line
show SE-7 hostile_plugins
finish
