#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every scenario (kind: Scenario) comes out as it says itself. The clusters that are made from other files are what their
# scripts give, and come out as their READMEs say. Needs `make build`.
set -uo pipefail
. "$(dirname "$0")/../check.sh"
openb=tests/scenarios/openb

openb_is_what_its_script_gives() {
  mkdir "$work/openb"
  $openb/convert.sh $openb "$work/openb" || return 1
  cmp $openb/nodes.json "$work/openb/nodes.json" && cmp $openb/pods.json "$work/openb/pods.json"
}

openb_gpu_spec_becomes_affinity() {
  mkdir "$work/spec"
  head -n 2 $openb/openb_node_list_all_node.csv >"$work/spec/openb_node_list_all_node.csv"
  { head -n 1 $openb/openb_pod_list_default.csv; echo 'p,1500,2048,2,1000,T4|P100,BE,Running,86399,1,1'; } \
    >"$work/spec/openb_pod_list_default.csv"
  $openb/convert.sh "$work/spec" || return 1
  cat "$work/spec/pods.json"
  grep -qF '"key":"alibabacloud.com/gpu-card-model","operator":"In","values":["T4","P100"]' "$work/spec/pods.json" &&
    grep -qF '"requests":{"cpu":"1500m","memory":"2048Mi","nvidia.com/gpu":"2","alibabacloud.com/gpu-milli":"2000"}' \
      "$work/spec/pods.json" &&
    grep -qF '"creationTimestamp":"2023-01-01T23:59:59Z"' "$work/spec/pods.json"
}

# The limit on best effort holds back 5 to 20 % of its 3,398 pods, and every pod is accounted for.
openb_is_scheduled() {
  out/bin/berth simulate --config configs/openb.yaml --decisions "$work/decisions" $openb >"$work/table" || return 1
  head -n 5 "$work/table"
  local held placed pods
  held=$(grep '"result":"Unschedulable"' "$work/decisions" | grep 'best effort is full' |
    sed 's/.*"namespace":"be","name":"\([^"]*\)".*/\1/' | sort -u | wc -l)
  placed=$(grep -c '"result":"Scheduled"' "$work/decisions")
  pods=$(sed 's/.*"namespace":"\([^"]*\)","name":"\([^"]*\)".*/\1 \2/' "$work/decisions" | sort -u | wc -l)
  echo "held back by MaxPods: $held, placed: $placed, pods: $pods"
  [ "$held" -ge 170 ] && [ "$held" -le 679 ] && [ "$pods" = 8152 ] && [ "$placed" -gt 7000 ]
}

maxpods_places_six() {
  out/bin/berth simulate --config configs/maxpods.yaml tests/scenarios/maxpods.yaml >"$work/table" || return 1
  cat "$work/table"
  grep -q '6 placed, 4 pending' "$work/table" && grep -q 'POD数量超过，不能调度，最多只能调度6' "$work/table"
}

# The last lines say what came of a scenario.
plays() {
  out/bin/berth simulate "$1" >"$work/table" || { tail -n 20 "$work/table"; return 1; }
  grep -q '^Scenario .* holds\?$' "$work/table"
}

# played_with CODE TEXT SED-SCRIPT FILE: the file, changed, ends with that code and says that text.
played_with() {
  sed "$3" "$4" >"$work/changed.yaml"
  out/bin/berth simulate "$work/changed.yaml" >"$work/table" 2>&1
  local code=$?
  tail -n 5 "$work/table"
  [ $code = "$1" ] && grep -qF "$2" "$work/table"
}

an_expectation_that_does_not_hold() {
  played_with 1 '5 expectations hold, 1 does not' 's/{first: quay}$/{first: mole}/' tests/scenarios/host-ports.yaml &&
    grep -qF 'changed.yaml:31:21: expect[0].placed.first: at 1s: expected pod default/first to be on node mole, but it is on node quay' \
      "$work/table"
}

what_is_not_simulated_is_refused() {
  played_with 2 'a simulation does not evict the pods of a node that gets a NoExecute taint' \
    's/{spec: {taints: null}}/{spec: {taints: [{key: fire, effect: NoExecute}]}}/' tests/scenarios/taints.yaml &&
    played_with 2 'timeline[1].patch[0]: spec.priority: cannot be changed' \
      's/spec: {schedulingGates: \[\]}/spec: {schedulingGates: [], priority: 1}/' tests/scenarios/gates.yaml
}

mapfile -t stories < <(grep -l '^kind: Scenario' tests/scenarios/*.yaml)
for story in "${stories[@]}"; do
  check "$(basename "$story" .yaml): comes out as it says" plays "$story"
done
check 'an expectation that does not hold: line, what is instead, exit code 1' an_expectation_that_does_not_hold
check 'what a simulation does not do is refused, with the place' what_is_not_simulated_is_refused
check 'openb: the files are what the script gives' openb_is_what_its_script_gives
check 'openb: a gpu_spec becomes node affinity, shares and times are right' openb_gpu_spec_becomes_affinity
check 'openb: the limit on best effort holds back 5 to 20 % of its pods' openb_is_scheduled
check 'maxpods: six of ten are placed, four wait with the text' maxpods_places_six

finish
