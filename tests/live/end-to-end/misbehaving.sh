# SPDX-License-Identifier: Apache-2.0
# What an operator sees of a plugin that throws, answers nonsense, hangs or crashes, on a real control plane:
# docs/misbehaving-plugins.md has it. Sourced by all.sh.

# With two nodes, because of one alone nobody asks for a score.
misbehaving_world() {
  [ -f "$work/misbehaves/misbehaves.so" ] || {
    cmake -S tests/live/end-to-end/misbehaves -B "$work/misbehaves" -DCMAKE_PREFIX_PATH="$PWD/out" -DCMAKE_BUILD_TYPE=Release &&
      cmake --build "$work/misbehaves"
  } >"$work/build.log" 2>&1 || { tail -n 20 "$work/build.log"; return 1; }
  printf '%s\n' 'apiVersion: kubescheduler.config.k8s.io/v1' 'kind: KubeSchedulerConfiguration' 'profiles:' '- plugins:' \
    '    multiPoint: {enabled: [{name: Misbehaves}]}' '    bind: {enabled: [{name: Misbehaves}, {name: DefaultBinder}]}' \
    >"$work/misbehaves.yaml"
  new_world "$1" && { node quay 64000; node pier 64000; } | k apply -f - >/dev/null && within 60 ready_nodes
}
start_with_it() {
  start_berth --config "$work/misbehaves.yaml" --plugin-dir "$work/misbehaves" --crash-record "$work/crashes" "$@"
}
# asks NAME DEED POINT [FIELDS]: a pod that asks for it.
asks() { pod "$1" 10 "${4:-}" | sed "s/metadata: {/&labels: {$2: $3}, /"; }

points='PreEnqueue PreFilter Filter PreScore Score NormalizeScore Reserve Unreserve Permit PreBind Bind PostBind'
# promise(plugin): A plugin's exception fails one attempt and names the plugin; scheduling continues.
it_throws() {
  local point
  misbehaving_world throws || return 1
  secure_port=$(free_port)
  start_with_it || return 1
  {
    for point in $points; do asks "throws-${point,,}" throws "$point"; done
    asks throws-postfilter throws PostFilter 'nodeSelector: {no: such}'
    asks answers-filter answers Filter
    asks answers-score answers Score
  } | k create -n throws -f - >/dev/null
  # At PostBind it is too late to fail, and Unreserve fails nobody.
  within 30 are throws 1 14 || { pods throws; return 1; }
  all_told() { [ "$(k get events -n throws --field-selector reason=FailedScheduling -o name | wc -l)" -ge 13 ]; }
  within 20 all_told || { k get events -n throws; return 1; }
  # Each is tried again and again.
  awk '/throws-|answers-|Misbehaves\]/ { who = match($0, /pod="[^"]*"/) ? substr($0, RSTART, RLENGTH) : $0; sub(/^.*\] /, "", who) }
    /throws-|answers-|Misbehaves\]/ && !seen[who]++' "$work/berth.log" | keep plugin-throws-log
  {
    echo "$ kubectl get events -n throws --field-selector reason=FailedScheduling | awk '!seen[\$4]++'"
    k get events -n throws --field-selector reason=FailedScheduling | awk '!seen[$4]++'
  } | keep plugin-throws-events
  as_admin "$secure_port" /metrics | grep -E '^(berth_plugin_failures|scheduler_schedule_attempts)_total' | keep plugin-throws-metrics
  stop_berth
}

# Twelve failures where ten are too many.
it_keeps_failing() {
  local i line
  misbehaving_world keeps-failing || return 1
  secure_port=0 start_with_it --on-plugin-failure skip-plugin || return 1
  for i in $(seq 12); do asks "web-$i" answers Score; done | k create -n keeps-failing -f - >/dev/null
  within 30 are keeps-failing 12 0 || { pods keeps-failing; return 1; }
  for line in 'Error scheduling pod' 'is in quarantine' 'in force' 'Successfully bound'; do
    grep -m 1 "$line" "$work/berth.log"
  done | keep plugin-quarantine-log
  stop_berth
}

# promise(plugin): While a plugin does not return from a call, the log names it.
it_hangs() {
  misbehaving_world hangs && start_with_it || return 1
  asks web hangs PreFilter | k create -n hangs -f - >/dev/null
  within 30 grep -q 'has returned' "$work/berth.log" || return 1
  grep -E 'has not returned|has returned' "$work/berth.log" | keep plugin-hangs-log
  stop_berth
}

# promise(plugin): The message of a crash names the plugin, the extension point and the pod.
it_crashes() {
  local run
  misbehaving_world crashes || return 1
  asks web crashes Filter | k create -n crashes -f - >/dev/null
  for run in 1 2 3; do
    start_with_it || return 1
    wait "$berth"
    expect "exit code of run $run" $((128 + 11)) $? || return 1
  done
  awk '/^berth: SIG/ || /misbehaves\.so/ && !seen++' "$work/berth.log" | sed "s#$work/misbehaves#/usr/lib/berth/plugins#" |
    keep plugin-crashes-log
  start_with_it || return 1
  told() { k describe pod -n crashes web | grep -q 'FailedScheduling.*in quarantine'; }
  within 20 told || { tail -n 5 "$work/berth.log"; return 1; }
  grep -E 'An earlier run crashed|in quarantine' "$work/berth.log" | sed "s#$work#/var/lib/berth#" | head -n 5 |
    keep plugin-crashed-log
  { echo '$ kubectl describe pod -n crashes web' && k describe pod -n crashes web | sed -n '/^Events/,$p'; } |
    sed "s#$work#/var/lib/berth#" | keep plugin-crashed-events
  stop_berth
}

plugins_that_misbehave() {
  it_throws && it_keeps_failing && it_hangs && it_crashes || return 1
  pages_show plugin- 's/ [0-9]+$/ N/; s/"(quay|pier)"/NODE/; s/after [0-9]+ s/after N s/; s/web-[0-9]+/web-N/g; s/seed="[0-9]+"//; s/\+0x[0-9a-f]+/+OFFSET/'
}
