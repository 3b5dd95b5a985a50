#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every scenario (kind: Scenario) comes out as it says itself. The clusters that are made from other files are what their
# scripts give, and come out as their READMEs say. Needs `make build`.
set -uo pipefail
. "$(dirname "$0")/../../check.sh"
openb=tests/simulation/scenarios/openb

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
  out/bin/berth simulate --config configs/maxpods.yaml tests/simulation/scenarios/maxpods.yaml >"$work/table" || return 1
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
  played_with 1 '5 expectations hold, 1 does not' 's/{first: quay}$/{first: mole}/' tests/simulation/scenarios/host-ports.yaml &&
    grep -qF 'changed.yaml:31:21: expect[0].placed.first: at 1s: expected pod default/first to be on node mole, but it is on node quay' \
      "$work/table"
}

what_is_not_simulated_is_refused() {
  played_with 2 'a simulation does not evict the pods of a node that gets a NoExecute taint' \
    's/{spec: {taints: null}}/{spec: {taints: [{key: fire, effect: NoExecute}]}}/' tests/simulation/scenarios/taints.yaml &&
    played_with 2 'timeline[1].patch[0]: spec.priority: cannot be changed' \
      's/spec: {schedulingGates: \[\]}/spec: {schedulingGates: [], priority: 1}/' tests/simulation/scenarios/gates.yaml
}

# A scenario names the release and the gates that decide; the command line wins.
release_and_gates_of_a_scenario() {
  local file=tests/simulation/scenarios/taint-rules.yaml
  played_with 1 'cannot allocate all claims' '/^featureGates/d' $file &&
    played_with 0 '1 expectation holds' '/^featureGates/d; s/"1.37"/"1.36"/' $file &&
    played_with 2 'changed.yaml:8:20: kubernetesVersion: expected 1.36 or 1.37 in quotes, got "1.35"' 's/"1.37"/"1.35"/' $file &&
    played_with 2 'changed.yaml:8:20: kubernetesVersion: expected a string, got a number' 's/"1.37"/1.37/' $file &&
    played_with 2 'changed.yaml:9:15: featureGates: unrecognized feature gate: Nothing' 's/DRADeviceTaintRules/Nothing/' $file &&
    played_with 2 'changed.yaml:9:37: featureGates.DRADeviceTaintRules: expected true or false, got a string' 's/Rules: false/Rules: "false"/' $file &&
    played_with 2 'changed.yaml:9:16: featureGates: expected the name of a feature gate, of letters and digits, got "kube:Rules"' \
      's/DRADeviceTaintRules/"kube:Rules"/' $file || return 1
  out/bin/berth simulate $file --feature-gates DRADeviceTaintRules=true >"$work/table"
  [ $? = 1 ] && grep -qF 'cannot allocate all claims' "$work/table" || { cat "$work/table"; return 1; }
  out/bin/berth simulate $file --feature-gates kube:DRADeviceTaintRules=true >"$work/table"
  [ $? = 1 ] && out/bin/berth simulate $file --feature-gates AllAlpha=false >"$work/table" || { cat "$work/table"; return 1; }
  # What is wrong with its gates is said once, before a configuration is read.
  sed 's/DRADeviceTaintRules: false/DRADeviceTaintRules: false, DRADeviceTaints: false/' $file >"$work/changed.yaml"
  out/bin/berth simulate "$work/changed.yaml" --config "$work/none.yaml" --config "$work/none.yaml" >"$work/table" 2>&1
  [ $? = 2 ] && [ "$(cat "$work/table")" = "berth: $work/changed.yaml:9:15: featureGates: DRADeviceTaints=false is not supported: \
taints of devices always count; leave it out" ] || { cat "$work/table"; return 1; }
  sed 's/DRADeviceTaintRules: false/DRADeviceTaintRules: false, OpportunisticBatching: false/' $file >"$work/changed.yaml"
  out/bin/berth simulate "$work/changed.yaml" 2>&1 >/dev/null |
    grep -xF "warning: $work/changed.yaml:9:15: featureGates: OpportunisticBatching changes nothing: every pod is decided anew" || return 1
  out/bin/berth simulate $file -o json | grep -F '"kubernetesVersion": "1.37"' &&
    out/bin/berth simulate $file --kubernetes-version 1.36 --feature-gates DRADeviceTaintRules=false -o json | grep -F '"kubernetesVersion": "1.36"'
}

# column N: that of the table of several configurations, a line for each row, without the points of thousands.
column() { awk -v back="$1" 'NR > 1 { gsub(/,/, ""); print $(NF - back) }' "$work/both"; }

# as_alone FIRST THIS: the same from the tables of the configuration alone, and of the first one, for what it places elsewhere.
as_alone() {
  awk '
    function number(text) { gsub(/,/, "", text); return text + 0 }
    FNR == 1 { ++file; part = "" }
    /^[A-Z]+$/ || /^PENDING/ { part = $1; title = 1; next }
    /^$/ { part = "" }
    file == 2 && /^Result: / { placed = number($2); pending = number($4); evicted = /evicted/ ? number($(NF - 1)) : 0 }
    title { title = 0; next }
    part == "PLACEMENTS" { node[file, $1, $2] = $3; pods[$1 " " $2] }
    file == 2 && part == "NODES" && $2 > 0 { ++in_use }
    file == 2 && part == "UTILISATION" { use[$1] = $NF }
    END {
      for (pod in pods) { split(pod, name, " "); elsewhere += node[1, name[1], name[2]] != node[2, name[1], name[2]] }
      print placed; print pending; print evicted; print elsewhere + 0; print in_use + 0; print use["cpu"]; print use["memory"]
      if ("nvidia.com/gpu" in use) { print use["alibabacloud.com/gpu-milli"]; print use["nvidia.com/gpu"] }
    }' "$1" "$2"
}

# side_by_side FILE CONFIG...: each column is what that configuration alone gives, which a picture does not change; the picture
# has a line of each.
side_by_side() {
  local file=$1 config options=() n=0
  shift
  for config; do options+=(--config "$config"); done
  out/bin/berth simulate "${options[@]}" --plot "$work/plot.svg" "$file" | grep -v '^expectations' >"$work/both" || return 1
  for config; do
    out/bin/berth simulate --all --config "$config" --plot "$work/one.html" "$file" >"$work/drawn" || return 1
    out/bin/berth simulate --all --config "$config" "$file" >"$work/alone.$n" || return 1
    cmp "$work/drawn" "$work/alone.$n" || return 1
    grep -qF ">$config</text>" "$work/plot.svg" && grep -qF ">$config</text>" "$work/one.html" || { echo "no line of $config"; return 1; }
    as_alone "$work/alone.0" "$work/alone.$n" >"$work/wanted"
    [ $n != 0 ] || sed -i '4s/.*/-/' "$work/wanted"
    n=$((n + 1))
    column $(($# - n)) | diff "$work/wanted" - || { echo "$config: beside the others (>) and alone (<) differ"; return 1; }
  done
}

# refused TEXT ARGUMENTS...: exit code 2, nothing printed, and the text.
refused() {
  local text=$1
  shift
  out/bin/berth simulate "$@" tests/simulation/scenarios/maxpods.yaml >"$work/table" 2>"$work/errors"
  local code=$?
  cat "$work/table" "$work/errors"
  [ $code = 2 ] && [ ! -s "$work/table" ] && grep -qF -- "$text" "$work/errors"
}

a_shadow_that_cannot_be_is_refused() {
  sed 's/NodeResourcesBalancedAllocation/Whirlpool/; s/disabled/enabled/' configs/packing.yaml >"$work/unknown.yaml"
  refused "unknown.yaml:11:13: profiles[0].plugins.multiPoint.enabled[0]: PreFilterPlugin \"Whirlpool\" does not exist" --shadow "$work/unknown.yaml" &&
    refused '--shadow: --plugin MaxPods=absent.so: ' --shadow configs/default.yaml --shadow-plugin MaxPods=absent.so &&
    refused '--shadow: --plugin-dir absent: cannot be read' --shadow configs/default.yaml --shadow-plugin-dir absent &&
    refused '--shadow-plugin requires --shadow' --shadow-plugin MaxPods=absent.so
}

what_cannot_be_compared_is_refused() {
  local two=(--config configs/maxpods.yaml --config configs/default.yaml)
  refused 'args-no-map.yaml:6:15: profiles[0].pluginConfig[0].args' --config configs/default.yaml --config tests/robustness/invalid-input/config/args-no-map.yaml &&
    refused 'fit-args-shape.yaml:11:27: profiles[0].pluginConfig[0].args' --config configs/default.yaml --config tests/robustness/invalid-input/profile/fit-args-shape.yaml &&
    refused 'absent.yaml: cannot be read: No such file' "${two[@]}" --config absent.yaml &&
    refused '--decisions shows one simulation; give one --config' "${two[@]}" --decisions - &&
    refused '--explain shows one simulation; give one --config' "${two[@]}" --explain ship-0 &&
    refused '--shadow shows one simulation; give one --config' "${two[@]}" --shadow configs/default.yaml &&
    refused '--ui shows one simulation; give one --config' "${two[@]}" --ui &&
    refused 'which standard input cannot be; give a file' "${two[@]}" - &&
    refused '--plot a.gif: expected a name that ends in .svg, .html or .png' --plot a.gif &&
    refused 'x.svg: cannot be written: No such file or directory' --plot "$work/absent/x.svg" &&
    cp tests/simulation/scenarios/maxpods.yaml "$work/maxpods.svg" &&
    refused "maxpods.svg: is an input, too; give the picture another file" --plot "$work/maxpods.svg" "$work/maxpods.svg"
}

# A PNG of twice the drawing's 960 points; where nobody can make one, that is said before anything is simulated.
drawn_as_png() {
  out/bin/berth simulate --config configs/default.yaml --plot "$work/plot.png" tests/simulation/scenarios/maxpods.yaml >"$work/table" || return 1
  [ "$(head -c 20 "$work/plot.png" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a0000000d4948445200000780 ] || return 1
  mkdir -p "$work/empty" && PATH=$work/empty out/bin/berth simulate --plot "$work/other.png" tests/simulation/scenarios/maxpods.yaml >"$work/table" 2>"$work/errors"
  local code=$?
  cat "$work/table" "$work/errors"
  [ $code = 2 ] && [ ! -s "$work/table" ] && [ ! -e "$work/other.png" ] &&
    grep -qF 'other.png: needs the program rsvg-convert; install it (Debian: librsvg2-bin), or' "$work/errors"
}

compared_exit_codes() {
  local two=(--config configs/maxpods.yaml --config configs/maxpods.yaml)
  out/bin/berth simulate "${two[@]}" tests/simulation/scenarios/maxpods.yaml >"$work/table" || return 1
  grep -q '^CONFIGURATION .*configs/maxpods.yaml  configs/maxpods.yaml (2)$' "$work/table" &&
    grep -q '^placed elsewhere than by the first  *-  *0$' "$work/table" || { cat "$work/table"; return 1; }
  out/bin/berth simulate "${two[@]}" --fail-on-pending tests/simulation/scenarios/maxpods.yaml
  [ $? = 1 ] || return 1
  sed 's/{first: quay}$/{first: mole}/' tests/simulation/scenarios/host-ports.yaml >"$work/changed.yaml"
  out/bin/berth simulate --config configs/default.yaml --config configs/packing.yaml "$work/changed.yaml" >"$work/table"
  [ $? = 1 ] && grep -q '^expectations that hold  *4 of 6  *4 of 6$' "$work/table"
}

# A shadow changes no byte of the decisions, is alike with the same configuration, and tells both sides of a pod.
shadow_changes_nothing() {
  local plain=(--config configs/packing.yaml --seed 7 --detail nodes) one
  out/bin/berth simulate "${plain[@]}" --decisions "$work/alone" $openb >/dev/null || return 1
  for one in default packing; do
    out/bin/berth simulate "${plain[@]}" --shadow configs/$one.yaml --decisions "$work/beside" $openb >"$work/$one" || return 1
    cmp "$work/alone" "$work/beside" || return 1
    grep -A 1 '^SHADOW' "$work/$one"
  done
  grep -q ' 8,152 attempts compared, 8,152 alike; it took [0-9]*% of the time' "$work/packing" &&
    ! grep -q 8,152\ alike "$work/default" && grep -q ' another node$' "$work/default" && grep -q '^DIFFERENCES' "$work/default"
}

shadow_beside_the_real_side() {
  out/bin/berth simulate --shadow configs/packing.yaml --explain openb-pod-0007 $openb >"$work/table" || return 1
  cat "$work/table"
  grep -qx '  real    openb-node-1328' "$work/table" && grep -qx '  shadow  openb-node-1417' "$work/table" &&
    grep -qE '^  openb-node-1328 +467  \(chosen\) +305$' "$work/table" &&
    grep -qE '^  NodeResourcesBalancedAllocation +openb-node-1328 +73 +-$' "$work/table"
}

shadow_as_one_object() {
  out/bin/berth simulate --shadow configs/maxpods.yaml -o yaml tests/simulation/scenarios/maxpods.yaml | sed -n '/^shadow:/,$p' >"$work/object"
  cat "$work/object"
  grep -qx '    compared: 10' "$work/object" && grep -qx '    differing: 4' "$work/object" && grep -qx '    only_real: 4' "$work/object" &&
    [ "$(grep -c 'agreement: only_real' "$work/object")" = 4 ] && grep -q 'POD数量超过' "$work/object"
}

gpu_cluster_is_what_its_script_gives() { tests/simulation/scenarios/gpu-cluster.sh | cmp - tests/simulation/scenarios/gpu-cluster.yaml; }

# told TEXT...: each is a line of $work/table, from its beginning.
told() {
  local text
  for text in "$@"; do grep -q -- "^$text" "$work/table" || { echo "no line: $text"; cat "$work/table"; return 1; }; done
}
# Why a pod is pending at the end, as one object, too; a pod with a node is told of in its last attempt.
pods_are_explained() {
  local gpus=tests/simulation/scenarios/gpu-cluster.yaml devices=tests/simulation/scenarios/devices.yaml
  out/bin/berth simulate --explain small-001 $gpus >"$work/table" || return 1
  told 'default/small-001 is pending: DynamicResources rejected it, 1 attempt$' \
    '     64  DynamicResources  gpu-01   cannot allocate all claims$' 'WHAT WOULD MAKE IT FIT' 'WHAT WAKES IT$' \
    'Pod default/small-001: Unschedulable$' || return 1
  out/bin/berth simulate --explain infer-5 $devices >"$work/table" || return 1
  told '  free 1 device of class gpu for request gpus of claim default/infer-5 on a1 ' '  profile default-scheduler, attempt 3, ' \
    '… and 2 earlier attempts (--all shows them)$' || return 1
  out/bin/berth simulate --all --explain infer-5 $devices >"$work/table" && told '  profile default-scheduler, attempt 1, ' &&
    [ "$(grep -c '^Pod default/infer-5: Unschedulable$' "$work/table")" = 3 ] || return 1
  out/bin/berth simulate --explain train-3 $devices >"$work/table" && told 'Pod default/train-3: Scheduled on h3$' &&
    ! grep 'is on h3' "$work/table" || return 1
  out/bin/berth simulate -o json --explain infer-5 $devices >"$work/table" && told '  "kind": "Explanation"' &&
    [ "$(grep -c '"attempt": ' "$work/table")" = 4 ] && grep -q '"change": "free 1 device of class gpu ' "$work/table" || return 1
  out/bin/berth simulate -o yaml --explain infer-5 $devices | cmp <(out/bin/berth simulate -o yaml --explain infer-5 $devices) - || return 1
  # What is gone at the end was decided about, too; and a name may be that of several.
  out/bin/berth simulate --explain beside $devices >"$work/table" && told 'Pod default/beside: Scheduled on parts$' || return 1
  printf '%s\n' 'apiVersion: v1' 'kind: Pod' 'metadata: {name: web}' 'spec: {containers: [{name: c, image: "a:1"}]}' --- \
    'apiVersion: v1' 'kind: Pod' 'metadata: {name: web, namespace: other}' 'spec: {containers: [{name: c, image: "a:1"}]}' >"$work/two.yaml"
  out/bin/berth simulate --explain web "$work/two.yaml" >"$work/table" 2>/dev/null && told 'default/web is pending' 'other/web is pending' || return 1
  ! out/bin/berth simulate -o json --explain web "$work/two.yaml" >"$work/table" 2>&1 &&
    told 'berth: --explain web: several pods are called so: default/web, other/web; give namespace/name$'
}
# The first pod of each cause, with what would make it fit.
causes_have_remedies() {
  out/bin/berth simulate tests/simulation/scenarios/devices.yaml >"$work/table" &&
    told '    default/infer-5 would fit with one of:$' '      free 1 device of class gpu for request gpus of claim default/infer-5 on a1$'
}

mapfile -t scenarios < <(grep -l '^kind: Scenario' tests/simulation/scenarios/*.yaml)
for scenario in "${scenarios[@]}"; do
  check "$(basename "$scenario" .yaml): comes out as it says" plays "$scenario"
done
check 'an expectation that does not hold: line, what is instead, exit code 1' an_expectation_that_does_not_hold
check 'what a simulation does not do is refused, with the place' what_is_not_simulated_is_refused
check 'a scenario names its release and feature gates' release_and_gates_of_a_scenario
check 'several configurations side by side: openb, each as alone' side_by_side $openb configs/openb.yaml configs/packing.yaml configs/default.yaml
check 'several configurations side by side: a scenario, each as alone' side_by_side tests/simulation/scenarios/drain.yaml configs/packing.yaml configs/default.yaml
check 'a picture in points' drawn_as_png
check 'several configurations side by side: names, exit codes' compared_exit_codes
check 'several configurations side by side: what cannot be is refused' what_cannot_be_compared_is_refused
check 'a shadow changes no byte, and decides alike with the same configuration' shadow_changes_nothing
check 'a shadow: --explain shows both sides' shadow_beside_the_real_side
check 'a shadow: one object' shadow_as_one_object
check 'a shadow: what cannot be is refused' a_shadow_that_cannot_be_is_refused
check 'gpu-cluster: the file is what the script gives' gpu_cluster_is_what_its_script_gives
check '--explain: why a pod is pending at the end, or where it went; as one object' pods_are_explained
check 'each cause of pending pods has what would help' causes_have_remedies
check 'openb: the files are what the script gives' openb_is_what_its_script_gives
check 'openb: a gpu_spec becomes node affinity, shares and times are right' openb_gpu_spec_becomes_affinity
check 'openb: the limit on best effort holds back 5 to 20 % of its pods' openb_is_scheduled
check 'maxpods: six of ten are placed, four wait with the text' maxpods_places_six

finish
