# SPDX-License-Identifier: Apache-2.0
# kube-scheduler's feature gates. Sourced by run.sh.

# bound FLAG...: the pods that have a node in the end, in the order in which they got it.
bound() { "$berth" simulate $here/early.yaml --decisions - "$@" | sed -n 's/.*"name":"\(first\|rival\)".*"result":"Scheduled".*/\1/p' | tr '\n' ' '; }

# By default the first pod is taken early; else the rival has the room.
an_honoured_gate_decides() {
  local all
  all="$(bound)/$(bound --feature-gates SchedulerPopFromBackoffQ=true)/$(bound --feature-gates SchedulerPopFromBackoffQ=false)"
  [ "$all" = 'first /first /rival ' ] || { echo "$all"; return 1; }
}

# A recording is replayed with the gates that it was made with.
a_recording_has_its_gates() {
  rm -rf "$work/recorded"
  bound --feature-gates SchedulerPopFromBackoffQ=false --record "$work/recorded" >/dev/null && "$berth" replay "$work/recorded" || return 1
  # A configuration in place of the recorded one gets the recorded gates.
  rm -rf "$work/recorded"
  bound --feature-gates DRASchedulerFilterTimeout=false --record "$work/recorded" >/dev/null || return 1
  printf '%s\n' 'apiVersion: kubescheduler.config.k8s.io/v1' 'kind: KubeSchedulerConfiguration' 'profiles:' \
    '- schedulerName: default-scheduler' '  pluginConfig:' '  - {name: DynamicResources, args: {filterTimeout: 7s}}' >"$work/timeout.yaml"
  "$berth" replay --config "$work/timeout.yaml" "$work/recorded" >"$work/out" 2>&1
  grep -q 'DRASchedulingFilterTimeout feature gate is disabled' "$work/out"
}

# refused TEXT ARGUMENT...
refused() {
  "$berth" "${@:2}" >"$work/out" 2>&1
  [ $? = 2 ] && grep -qxF -- "berth: $1" "$work/out" || { cat "$work/out"; return 1; }
}
gates_are_refused() {
  local fixed='--feature-gates: DRADeviceTaints=false is not supported: taints of devices always count; leave it out' command
  for command in "simulate $here/early.yaml" "run --write-config-to $work/out" "--write-config-to $work/out"; do
    # shellcheck disable=SC2086  # a command and its arguments
    refused "$fixed" $command --feature-gates DRADeviceTaints=false &&
      refused '--feature-gates: cannot set feature gate SidecarContainers to false, feature is locked to true' $command \
        --feature-gates=SidecarContainers=false || return 1
  done
  "$berth" simulate $here/early.yaml --feature-gates OpportunisticBatching=false 2>&1 >/dev/null |
    grep -qxF 'warning: --feature-gates: OpportunisticBatching changes nothing: every pod is decided anew'
}

versions_need_the_list() {
  "$berth" version --emulated-version=1.35 >"$work/out" 2>&1
  [ $? = 2 ] && grep -q -- --feature-gates "$work/out"
}

gates_are_written() {
  "$berth" run --feature-gates DRASchedulerFilterTimeout=false --write-config-to "$work/written" && grep -qx ' *filterTimeout: 0s' "$work/written"
}

# A shadow has the gates of the scheduler beside which it runs: it differs in nothing.
a_shadow_has_the_gates() {
  "$berth" config view >"$work/same.yaml" &&
    "$berth" simulate $here/early.yaml --shadow "$work/same.yaml" --feature-gates DRASchedulerFilterTimeout=false >"$work/out" 2>&1 && return 1
  grep -q 'same.yaml:.*filterTimeout: Forbidden' "$work/out" || { cat "$work/out"; return 1; }
}

# listed LINE ARGUMENT...: `berth version` with these arguments has a line of that form.
listed() {
  "$berth" version "${@:2}" >"$work/out" && grep -qE "$1" "$work/out" || { echo "no line $1"; cat "$work/out"; return 1; }
}
lists_gates() {
  listed '^DRADeviceTaints +true +true +BETA +fixed +taints of devices always count$' --feature-gates &&
    listed '^SchedulerPopFromBackoffQ +true +true +BETA +honoured *$' --feature-gates &&
    listed '^SidecarContainers +true +true +GA +locked *$' --feature-gates &&
    listed '^SchedulerPopFromBackoffQ +false +true ' --feature-gates=SchedulerPopFromBackoffQ=false &&
    listed '^NodeDeclaredFeatures +false +false +ALPHA +refused ' --feature-gates --emulated-version=1.35 &&
    listed '^berth [0-9.]+'
}

check_gates() {
  check 'an honoured gate changes a decision' an_honoured_gate_decides
  check 'a recording is replayed with its gates' a_recording_has_its_gates
  check 'a gate that is locked, or that Berth cannot honour, is refused' gates_are_refused
  check 'a gate changes the arguments of a plugin' gates_are_written
  check 'a shadow has the same gates' a_shadow_has_the_gates
  check 'berth version lists the gates' lists_gates
  check 'berth version lists no gates unasked' versions_need_the_list
}
