#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What devices (ResourceClaims) promised. LONG=1 asks the oracles for more, for ten minutes of
# faults, and runs Kubernetes' own specs with kube-scheduler too.
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
show DV-6 faults_of_devices
show DV-7 a_gpu_cluster
table DV-7
finish
