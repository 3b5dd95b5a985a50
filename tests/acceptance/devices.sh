#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What devices (ResourceClaims) promised. LONG=1 asks the oracles for more, for ten minutes of faults, for Kubernetes' own
# specs with kube-scheduler too, and for upstream's benchmark at 500 and 5,000 nodes, three runs of each.
set -uo pipefail
. "$(dirname "$0")/../shows.sh"
. tests/live/end-to-end/all.sh

# judged KIND COMMAND...: its last line is N KIND, 0 differences.
judged() {
  "${@:2}" >"$work/judged" 2>&1 || { tail -n 20 "$work/judged"; return 1; }
  tail -n 1 "$work/judged" | grep -E "^[1-9][0-9]* $1, 0 differences$" || { tail -n 5 "$work/judged"; return 1; }
}

# The table cases of upstream's own allocator, and nothing drawn.
table_cases() {
  local release counted=
  for release in 1.36 1.37; do
    judged cases env KUBERNETES=$release tests/oracle/devices/run.sh 0 1 || return 1
    counted+="${counted:+; }$release: $(tail -n 1 "$work/judged")"
  done
  echo "$counted"
}
random_clusters() {
  local n=2000 release counted=
  [ -z "$LONG" ] || n=50000
  for release in 1.36 1.37; do
    judged cases env KUBERNETES=$release tests/oracle/devices/run.sh $n "${SEED:-1}" || return 1
    counted+="${counted:+; }$release: $(tail -n 1 "$work/judged")"
  done
  echo "$counted"
}
expressions() {
  local n=20000
  [ -z "$LONG" ] || n=100000
  judged expressions tests/oracle/cel/run.sh $n "${SEED:-7}"
}

# at_the_ceiling WORKLOAD RUNS [FLAG...]: upstream's workload, live, on kube-scheduler, Berth and the ceiling client. Leaves
# kube-scheduler's pods/s in $kube.
at_the_ceiling() {
  local log=$work/${*//[^A-Za-z0-9]/_}.bench line cpu p99 ceiling settings=()
  [ ! -s "$work/settings" ] || settings=(-settings "$(cat "$work/settings")")
  tests/bench/schedulers/bench.sh "$1" live kube-scheduler,berth,ceiling -runs "$2" "${@:3}" "${settings[@]}" >"$log" || { cat "$log"; return 1; }
  cat "$log"
  [ -s "$work/settings" ] || sed -n 's/.*(-settings \([0-9,]*\)).*/\1/p' "$log" >"$work/settings"
  line=$(tail -n 1 "$log")
  read -r cpu p99 ceiling < <(sed -nE 's/.*: pods\/s .*× CPU\/pod (.*)× memory .*× p99 (.*)× ceiling (.*)%$/\1 \2 \3/p' <<<"$line")
  kube=$(sed -nE 's/^kube-scheduler +[0-9]+ runs +([0-9.]+) pods\/s .*/\1/p' "$log")
  said+=("$line")
  holds "$1: per cent of the ceiling" "${ceiling:-0}" '>=' 75
  local near=$?
  holds "$1: times less CPU per pod" "${cpu:-0}" '>=' 20 && [ "$near" = 0 ]
}
# simulated WORKLOAD RUNS [FLAG...]: Berth's simulated pods/s, by kube-scheduler's live ones.
simulated() {
  local log=$work/simulated.bench times
  tests/bench/schedulers/bench.sh "$1" simulated berth -runs "$2" "${@:3}" >"$log" || { cat "$log"; return 1; }
  cat "$log"
  times=$(awk -v live="${kube:-0}" 'match($0, /pods\/s [0-9]+/) && live > 0 { print substr($0, RSTART + 7, RLENGTH - 7) / live }' "$log")
  said+=("$1 simulated: ${times:-0}× kube-scheduler's live pods/s")
  holds "$1: simulated pods/s, by kube-scheduler's live" "${times:-0}" '>=' 10
}
upstreams_benchmark() {
  local template=SchedulingWithResourceClaimTemplate/5000pods_500nodes said=() failed= kube flags
  if [ -z "$LONG" ]; then
    at_the_ceiling $template 1 || failed=1
  else
    # Upstream has no larger cluster that places pods, so this is its workload with ten times the nodes.
    for flags in '' '-params nodesWithDRA=5000'; do
      # shellcheck disable=SC2086
      at_the_ceiling $template 3 $flags || failed=1
      # shellcheck disable=SC2086
      simulated $template 3 $flags || failed=1
    done
    at_the_ceiling SteadyStateClusterResourceClaimTemplate/half_500nodes 3 || failed=1
  fi
  [ -z "$failed" ] || { printf 'not all of: %s\n' "${said[@]}"; return 1; }
  (IFS=';' && echo "${said[*]}")
}

# Two instances; every pod has a claim from a template. The history of etcd says who had which device when.
faults_of_devices() {
  local minutes=2
  [ -z "$LONG" ] || minutes=10
  tests/live/cluster/faults.sh $minutes "${SEED:-1}" -devices -creations 5 -deletions 5 -at-least 'devices of a node gone and back=3' >"$work/faults" || { grep -vE '^  [a-z0-9]' "$work/faults"; return 1; }
  echo "$minutes minutes, $(sed -n 's/^\([0-9]* claims got [0-9]* devices\)$/\1/p' "$work/faults"), $(sed -n 's/^  devices of a node gone and back *\([0-9]*\).*/\1/p' "$work/faults") slices went and came back; $(tail -n 1 "$work/faults")"
}

# 64 nodes of eight GPUs, 16 of them in partitions that share counters.
a_gpu_cluster() {
  local file=tests/simulation/scenarios/gpu-cluster.yaml
  out/bin/berth simulate --all --plugin-checks strict $file >"$work/gpus" || { tail -n 5 "$work/gpus"; return 1; }
  sed -n '/^DEVICES$/,/^$/p' "$work/gpus" >"$work/DV-7.table"
  out/bin/berth simulate --explain small-001 $file >"$work/explained" || { tail -n 5 "$work/explained"; return 1; }
  sed -n '/^WHAT WOULD/,/^$/p' "$work/explained" >>"$work/DV-7.table"
  grep -q '^DEVICES$' "$work/DV-7.table" && grep -q 'free counter ' "$work/DV-7.table" || { cat "$work/DV-7.table"; return 1; }
  same_devices() {
    control_plane_up && go=$(tools/setup-go.sh) && GOTOOLCHAIN=auto GOFLAGS=-buildvcs=false "$go" build -C tests/live/cluster -o "$work/play" ./play &&
      plugins=out/lib/berth/plugins same_in_both_worlds $file
  }
  same_devices >"$work/played" 2>&1 || { tail -n 20 "$work/played"; return 1; }
  echo "simulated: $(tail -n 1 "$work/gpus"); live: $(grep '^ok ' "$work/played")"
}

show DV-1 table_cases
show DV-2 random_clusters
show DV-3 expressions
show DV-4 device_specs
show DV-5 upstreams_benchmark
show DV-6 faults_of_devices
show DV-7 a_gpu_cluster
table DV-7
finish
