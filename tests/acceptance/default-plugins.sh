#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What the framework and the default plugins promised. LONG=1 asks the oracles for more, spoils every
# plugin and measures live with 5,000 nodes.
set -uo pipefail
. "$(dirname "$0")/../shows.sh"
. tests/live/end-to-end/all.sh

# The last line of the log must be the oracle's own count, and find nothing.
oracle() {
  local n=$1 seed=$2
  tests/oracle/decisions/run.sh "$n" "$seed" || return 1
}

decisions() { oracle "$([ -n "$LONG" ] && echo 10000 || echo 1000)" 7; }

mutants() {
  local each=1 only=node_ports known=()
  [ -z "$LONG" ] || { each=5 only= known=(-known); }
  tests/self/mutation/mutate.sh "$each" "$only" "${known[@]}" || return 1
}

scripts() { tests/oracle/queue/run.sh "$([ -n "$LONG" ] && echo 10000 || echo 1000)" 7; }

# The library is built with nothing but what is installed, and the oracle judges that file.
out_of_tree() {
  mkdir -p "$work/tree" && cp -r plugins/kubernetes "$work/tree/kubernetes"
  printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' 'project(outside C CXX)' 'find_package(berth REQUIRED)' \
    'add_subdirectory(kubernetes)' >"$work/tree/CMakeLists.txt"
  cmake -S "$work/tree" -B "$work/outside" -DCMAKE_PREFIX_PATH="$PWD/out" -DCMAKE_BUILD_TYPE=Release &&
    cmake --build "$work/outside" || return 1
  BERTH_PLUGIN_DIR=$work/outside/kubernetes oracle "$([ -n "$LONG" ] && echo 10000 || echo 500)" 8
}

config_of_an_old_system() {
  tests/commands/config/run.sh || return 1
  echo 'a v1beta2 file is printed as the scheduler of its time dumped it, what is gone is named; every version is read'
}

# With what FW-6 and FW-7 need; at the first of them.
control_plane_ready() {
  [ -d "$dir" ] || { build_for_scenarios && control_plane_up; }
}

scenarios() { control_plane_ready && all_scenarios; }

# The examples are built with nothing but what is installed. FW-6 plays their scenarios in both worlds, too.
examples() {
  control_plane_ready || return 1
  same_in_both_worlds examples/{convoy,earliest_deadline,ballast,mooring}.yaml && others_do_not_wait build/examples || return 1
  many_wait_in_pre_bind | tee "$work/many" || return 1
  echo "Permit, QueueSort, PostFilter and a custom resource: simulated and live; simulated and live, $(tail -n 1 "$work/many")"
}

# The bench's line for both workloads, live: the short form with 500 nodes.
affinity_and_spreading() {
  local workload pods cpu lines= live=500Nodes
  [ -z "$LONG" ] || live=5000Nodes_5000Pods
  for workload in SchedulingPodAffinity/$live TopologySpreading/$live; do
    tests/bench/schedulers/bench.sh "$workload" live | tee "$work/bench" || return 1
    read -r pods cpu < <(sed -nE "s|^$workload: pods/s ([0-9.]+)× CPU/pod ([0-9.]+)× .*|\1 \2|p" "$work/bench")
    [ -n "${cpu:-}" ] || { echo "no line for $workload"; return 1; }
    holds "$workload: kube-scheduler's pods/s, times" "$pods" '>=' 1 && holds "$workload: CPU per pod, times less" "$cpu" '>=' 4 || return 1
    lines+="$(grep "^$workload: .*pods/s" "$work/bench" | tail -n 1); "
  done
  echo "${lines}load $(cut -d ' ' -f 1 /proc/loadavg)"
}

show FW-1 decisions
show FW-2 mutants
show FW-3 scripts
show FW-4 out_of_tree
show FW-5 config_of_an_old_system
show FW-6 scenarios
show FW-7 examples
cluster down >/dev/null 2>&1
show FW-8 affinity_and_spreading
finish
