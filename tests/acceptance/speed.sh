#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What was promised of speed, as ratios of one run beside the real kube-scheduler. LONG=1 measures the shapes of the promise
# and holds them to it. The short form takes smaller shapes, where the start of a run weighs more, and a bar that these reach;
# each line says so.
set -uo pipefail
. "$(dirname "$0")/../shows.sh"
. tests/bench/schedulers/grown.sh
export BERTH=${BERTH:-$PWD/out/bin/berth}
berth=$BERTH
short=' (short form: a smaller shape and bar)'
[ -z "$LONG" ] || short=

by() { if [ -n "$LONG" ]; then echo "$1"; else echo "$2"; fi; }

# live WORKLOAD [FLAG...]: plays it three times, once per flags, and leaves medians of what was compared in $pods, $cpu, $memory and
# $p99; in $ceiling the least share of the ceiling that a run of Berth had. The ceiling client's settings are searched for once.
live() {
  local log=$work/${*//[^A-Za-z0-9]/_}.bench line settings=()
  [ ! -s "$work/settings" ] || settings=(-settings "$(cat "$work/settings")")
  [ -s "$log" ] || tests/bench/schedulers/bench.sh "$1" live kube-scheduler,berth,ceiling "${@:2}" "${settings[@]}" >"$log" || { cat "$log"; rm "$log"; return 1; }
  cat "$log"
  [ -s "$work/settings" ] || sed -n 's/.*(-settings \([0-9,]*\)).*/\1/p' "$log" >"$work/settings"
  line=$(tail -n 1 "$log")
  read -r pods cpu memory p99 < <(sed -nE 's/.*: pods\/s (.*)× CPU\/pod (.*)× memory (.*)× p99 (.*)× ceiling .*%$/\1 \2 \3 \4/p' <<<"$line")
  ceiling=$(sed -nE 's/^berth +[3-9] runs .* ceiling [0-9]+% \(([0-9]+)% to [0-9]+%\)$/\1/p' "$log")
  [ -n "${p99:-}" ] && [ -n "$ceiling" ] || { echo "no line that compares: $line"; return 1; }
}
# reached WHO least|most WORKLOAD: its pods/s in the slowest or fastest run.
reached() {
  sed -nE "s/^$1 +[3-9] runs .* pods\/s \(([0-9.]+) to ([0-9.]+)\).*/least \1\nmost \2/p" "$work/${3//[^A-Za-z0-9]/_}.bench" | sed -n "s/^$2 //p"
}
basic=$(by SchedulingBasic/5000Nodes_10000Pods SchedulingBasic/500Nodes)

near_the_ceiling() {
  live "$basic" || return 1
  holds 'per cent of the ceiling, in the worst run' "$ceiling" '>=' 75 || return 1
  # Where even the ceiling's fastest run is less than four times kube-scheduler's slowest, there is no more to be had.
  [ -z "$LONG" ] || ! holds "the ceiling's fastest run, by kube-scheduler's slowest" \
    "$(awk "BEGIN { print $(reached ceiling most "$basic") / $(reached kube-scheduler least "$basic") }")" '>=' 4 || holds 'pods/s' "$pods" '>=' 4 || return 1
  echo "$basic: at least $ceiling% of the ceiling in each of three runs, $pods× kube-scheduler's pods/s$short"
}

cpu_and_memory() {
  live "$basic" && holds 'CPU per pod' "$cpu" '>=' "$(by 20 4)" && holds memory "$memory" '>=' "$(by 4 1.5)" || return 1
  echo "$basic: CPU per pod $cpu× less, peak memory $memory× less$short"
}

# faster TIMES WORKLOAD...: each so many times kube-scheduler's pods/s, or near the ceiling in each of three runs.
faster() {
  local times=$1 workload failed=
  for workload in "${@:2}"; do
    live "$workload" || return 1
    said+=("${workload%%/*} $pods× ($ceiling%)")
    holds "$workload: per cent of the ceiling" "$ceiling" '>=' 75 || holds "$workload: pods/s" "$pods" '>=' "$times" || failed=1
  done
  [ -z "$failed" ] || { echo "not all of: ${said[*]}"; return 1; }
}
every_kind() {
  local said=()
  if [ -n "$LONG" ]; then
    faster 10 SchedulingPodAffinity/5000Nodes_5000Pods SchedulingRequiredPodAntiAffinityWithNSSelector/5000Nodes_2000Pods \
      SchedulingPreferredPodAffinity/5000Nodes_5000Pods
    local hard=$?
    faster 4 TopologySpreading/5000Nodes_5000Pods MixedSchedulingBasePod/5000Nodes_5000Pods PreemptionAsync/5000Nodes \
      Unschedulable/5kNodes/100Init/10kPods SchedulingWithMixedChurn/5000Nodes_10000Pods && [ "$hard" = 0 ] || return 1
  else
    faster 4 SchedulingPodAffinity/500Nodes TopologySpreading/500Nodes || return 1
  fi
  echo "kube-scheduler's pods/s (share of the ceiling): ${said[*]}$short"
}

# simulated WORKLOAD TIMES: so many times the pods/s of kube-scheduler's whole scheduler in one process, neither with a network.
simulated() {
  local times
  tests/bench/schedulers/bench.sh "$1" simulated kube-scheduler,berth -all-nodes >"$work/simulated" || { cat "$work/simulated"; return 1; }
  cat "$work/simulated"
  times=$(sed -nE 's/.*: both simulated: pods\/s ([0-9.]+)× .*/\1/p' "$work/simulated")
  said+=("${1%%/*} ${times}×")
  holds "$1: times kube-scheduler's pods/s" "${times:-0}" '>=' "$2"
}
all_nodes_scored() {
  local said=() failed=
  simulated SchedulingBasic/$(by 5000Nodes_10000Pods 5000Nodes) "$(by 20 10)" || failed=1
  if [ -n "$LONG" ]; then
    simulated SchedulingPodAffinity/5000Nodes_5000Pods 20 || failed=1
  fi
  decisions_of_a_run || return 1
  [ -z "$failed" ] || { echo "not all of: ${said[*]}"; return 1; }
  echo "all nodes scored, both simulated, by kube-scheduler: ${said[*]}; $(tail -n 1 "$work/judged")$short"
}
# All nodes of each decision are compared: two megabytes of log each, and a second of kube-scheduler's own code.
decisions_of_a_run() {
  cluster_of "$(by 5000 500)" "$(by 1000 200)" >"$work/cluster.yaml"
  printf '%s\n' 'apiVersion: kubescheduler.config.k8s.io/v1' 'kind: KubeSchedulerConfiguration' 'percentageOfNodesToScore: 100' >"$work/all.yaml"
  "$berth" simulate --config "$work/all.yaml" --decisions "$work/log" --detail events "$work/cluster.yaml" >/dev/null &&
    (cd tests/oracle/judge && GOTOOLCHAIN=auto GOFLAGS=-buildvcs=false "$(../../../tools/setup-go.sh)" build -o "$work/judge" .) || return 1
  "$work/judge" judge -cluster "$work/cluster.yaml" -config "$work/all.yaml" -log "$work/log" >"$work/judged"
  local verdict=$?
  rm "$work/log"
  tail -n 3 "$work/judged"
  return $verdict
}

# How much longer a pod takes where there are more nodes: user time, without that of reading the files.
grows_slowly() {
  local nodes pods here there mib
  nodes=$(by 100000 20000) pods=$(by 1000000 50000)
  grown 1 5000 50000 && here=$per_pod && grown 1 "$nodes" "$pods" && there=$per_pod mib=$peak || return 1
  echo "$nodes nodes, $pods pods: $mib MiB, $there µs a pod, with 5,000 nodes $here"
  holds MiB "$mib" '<' "$(by 2048 512)" && holds 'times the CPU per pod of 5,000 nodes' "$(awk "BEGIN { print $there / $here }")" '<=' 4 || return 1
  awk "BEGIN { printf \"$nodes nodes, $pods pods: $mib MiB; CPU per pod %.1f× that at 5,000 nodes$short\\n\", $there / $here }"
}

started_late() {
  local shape line first
  shape=$(by SchedulingBasic/5000Nodes_10000Pods SchedulingBasic/500Nodes)
  tests/bench/schedulers/bench.sh "$shape" live kube-scheduler,berth -bound "$(by 50000 5000)" >"$work/late" || { cat "$work/late"; return 1; }
  cat "$work/late"
  line=$(tail -n 1 "$work/late")
  first=$(sed -nE 's/.*first binding (.*)× CPU.*/\1/p' <<<"$line")
  holds 'the time to the first binding, by kube-scheduler' "${first:-0}" '>=' "$(by 3 1.5)" || return 1
  echo "$line$short"
}

at_a_rate() {
  live "$basic" -rate "$(by 200 50)" && holds 'p99 from creation to bound' "$p99" '>=' "$(by 3 1.2)" || return 1
  echo "$basic at $(by 200 50) pods/s: p99 from creation to bound $p99× shorter$short"
}

judged() { tests/oracle/decisions/run.sh "$(by 10000 1000)" 10; }

tests/live/cluster/cluster.sh build || exit 1
show FA-1 near_the_ceiling
show FA-2 cpu_and_memory
show FA-3 every_kind
show FA-4 all_nodes_scored
show FA-5 grows_slowly
show FA-6 started_late
show FA-7 at_a_rate
show FA-8 judged
finish
