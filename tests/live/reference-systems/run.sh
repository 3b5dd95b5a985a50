#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The schedulers that people wrote by recompiling kube-scheduler, each as its plugins and its own configuration
# (configs/*/), simulated. Needs `make build`, or BERTH for another program.
set -uo pipefail
. "$(dirname "$0")/../../check.sh"
. tests/live/reference-systems/folders.sh
berth=${BERTH:-$top/out/bin/berth}
plugins=${BERTH_PLUGIN_DIR:-$top/out/lib/berth/plugins}

# log SYSTEM ARGUMENT...: its example pod simulated; the log without its headers.
log() {
  local system=$1
  shift
  "$berth" simulate -v 3 --plugin-dir "$plugins" --config configs/$system/scheduler.yaml "$@" configs/$system/example \
    2>"$work/err" >"$work/table" || { cat "$work/err" "$work/table"; return 1; }
  sed -n 's/^[IWE][0-9]\{4\} [0-9:.]* *[0-9]* [^]]*\] //p' "$work/err"
}

wyq_is_traced() {
  log wyq --plugin defalut="$plugins/trace.so" --plugin filteringNode="$plugins/filter-node.so" \
    --plugin filteringPod="$plugins/prefilter-pod.so" --plugin randScore="$plugins/score-random.so" >"$work/lines" &&
    diff tests/live/reference-systems/wyq.log "$work/lines"
}

# The first line of a call stands where the plugin's name tells it from the host's.
the_plugin_is_named() {
  grep -qE '^I[0-9]{4} [0-9:.]{15} +[0-9]+ defalut\] PreFilter: test$' "$work/err" &&
    grep -qE '^I[0-9]{4} [0-9:.]{15} +[0-9]+ scheduling_cycle\.cpp:[0-9]+\] "Attempting to schedule pod" pod="default/test"$' "$work/err"
}

sample_says_its_arguments_and_calls() {
  log sample >"$work/lines" && diff tests/live/reference-systems/sample.log "$work/lines"
}

# refuses SYSTEM SED-SCRIPT TEXT...: its configuration, changed, is refused with each of these texts.
refuses() {
  local system=$1 script=$2 text
  shift 2
  sed "$script" "configs/$system/scheduler.yaml" >"$work/scheduler.yaml"
  "$berth" simulate --plugin-dir "$plugins" --config "$work/scheduler.yaml" "configs/$system/example" >"$work/out" 2>&1
  [ $? = 2 ] || return 1
  cat "$work/out"
  for text in "$@"; do grep -qF "$text" "$work/out" || return 1; done
}

# By FNV-1a modulo 101 the master has 25 points, node01 100 and node02 88.
namescore_goes_where_its_hash_says() {
  "$berth" simulate --plugin-dir "$plugins" -o json --config configs/namescore/scheduler.yaml configs/namescore/example \
    >"$work/json" 2>"$work/err" || { cat "$work/err"; return 1; }
  grep -q '"node": *"k8s-node01"' "$work/json"
}

# Rights and ConfigMaps of deploy/ are those of the configurations.
manifests_are_up_to_date() {
  tests/live/reference-systems/manifests.sh "$work" || return 1
  local file
  for file in configs/*/deploy/{rights,configmap}.yaml; do diff "$file" "$work/${file#configs/}" || return 1; done
}

# By chance alone the pod would miss the node in half of the cases.
wyq_goes_to_the_image() {
  local seed
  for seed in $(seq 20); do
    "$berth" simulate --plugin-dir "$plugins" --plugin ImageLocality=score-imagelocality.so#RunningImageLocality \
      --plugin randScore=score-random.so#RandomScore --config configs/wyq/scheduler-images.yaml -o json --seed "$seed" \
      configs/wyq/example/nodes.yaml configs/wyq/example-images >"$work/json" 2>"$work/err" || { cat "$work/err"; return 1; }
    grep -q '"node": *"yigou-dev-102-45"' "$work/json" || { cat "$work/json"; return 1; }
  done
}

check 'plugins/: short sources, nothing but the SDK, arguments as a table, an example, a test' plugin_folders
check 'deploy/: rights and ConfigMaps are those of the configurations' manifests_are_up_to_date
check 'wyq: every call is in the log, in order' wyq_is_traced
check 'wyq: a line says which plugin it is from' the_plugin_is_named
check 'wyq: by its second configuration a pod goes where its image is in use' wyq_goes_to_the_image
check 'sample: its arguments and each call are in the log' sample_says_its_arguments_and_calls
check 'sample: wrong arguments are named' refuses sample 's/"#326CE5"/blue/; s/favorite_number: 7/favourite_number: 7/' \
  'favorite_color: expected a color such as #326CE5' \
  'favourite_number: unknown field; the arguments are favorite_color, favorite_number, thanks_to'
check 'namescore: the pod goes where its hash says' namescore_goes_where_its_hash_says
check 'namescore: a wrong rule is named' refuses namescore 's/- hash: ""/- {regex: "(", scor: 7}/' \
  'rules[0].regex: not a regular expression: ' \
  'rules[0].scor: unknown field; expected exact, prefix, regex or hash, and score'

finish
