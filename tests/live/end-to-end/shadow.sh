# SPDX-License-Identifier: Apache-2.0
# A shadow beside a scheduler on a real control plane. Sourced after explain.sh, reload.sh and misbehaving.sh.

# leftish NAME: a pod that would like to be on the left and is not wanted there.
leftish() {
  pod "$1" 10 'affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 100, preference:
    {matchExpressions: [{key: side, operator: In, values: [left]}]}}]}}'
}
about_shadow() { out/bin/berth explain --server "https://127.0.0.1:$ours" --kubeconfig "$dir/kubeconfig/admin" -n shadow "$@"; }
asked_times() { [ "$(grep -c 'The shadow is asked from now on' "$work/berth.log")" = "$1" ]; }
shadow_metric() { as_admin "$ours" /metrics | sed -n "s/^berth_shadow_$1 //p"; }
goes_to() { leftish "$1" | k create -n shadow -f - >/dev/null && within 20 is_bound shadow "$1" && expect "where $1 is" "$2" "$(node_of shadow "$1")"; }

# What it would do otherwise is counted and shown, its file is read anew, and when it is the real one decisions are its.
a_shadow() {
  local i
  misbehaving_world shadow || return 1
  k delete node quay pier >/dev/null
  { node left 64000 | sed 's/labels: {/&side: left, /'; node right 64000; } | k apply -f - >/dev/null && within 60 ready_nodes &&
    k taint node left avoid=me:PreferNoSchedule >/dev/null || return 1
  weights 100 1 | mount && weights 1 100 >"$work/shadow.yaml" || return 1
  ours=$(free_port)
  secure_port=$ours start_berth --config "$work/mount/scheduler.yaml" --shadow "$work/shadow.yaml" --shadow-budget 1000 \
    --bind-address 127.0.0.1 --authentication-kubeconfig "$dir/kubeconfig/scheduler" \
    --authorization-kubeconfig "$dir/kubeconfig/scheduler" || return 1
  within 10 asked_times 1 || return 1
  for i in 1 2 3; do goes_to "one-$i" left || return 1; done
  about_shadow --shadow >"$work/said" || { cat "$work/said"; return 1; }
  said "$work/said" '3 attempts compared, 0 alike' '3  another node' 'shadow/one-3' || return 1
  expect 'its attempts in the metrics' 3 "$(shadow_metric 'attempts_total{result="other_node"}')" || return 1
  about_shadow --diff one-1 >"$work/said"
  expect 'the exit code of a difference' 1 $? && said "$work/said" 'the shadow decides otherwise' 'real    left' 'shadow  right' \
    'TaintToleration' || return 1
  # Promoted: the real one decides as it did.
  weights 1 100 | mount && within 10 grep -q 'in force" generation=2 ' "$work/berth.log" || return 1
  goes_to two-1 right || return 1
  about_shadow --diff two-1 >"$work/said" || { cat "$work/said"; return 1; }
  about_shadow --shadow >"$work/said"
  said "$work/said" '4 attempts compared, 1 alike' || return 1
  # Another one is counted anew; a broken one changes nothing.
  weights 100 1 >"$work/another.yaml" && mv "$work/another.yaml" "$work/shadow.yaml" && within 10 asked_times 2 || return 1
  goes_to three-1 right && about_shadow --shadow >"$work/said"
  said "$work/said" '1 attempt compared, 0 alike' || return 1
  broken 0 >"$work/another.yaml" && mv "$work/another.yaml" "$work/shadow.yaml" &&
    within 10 grep -q 'The shadow was not read anew; it stays as it was' "$work/berth.log" || return 1
  goes_to three-2 right && about_shadow --shadow >"$work/said"
  said "$work/said" '2 attempts compared, 0 alike' || return 1
  stop_berth || return 1
  a_shadow_that_misbehaves || return 1
  echo 'a shadow differed by 3 of 3, its configuration was put in force and decided so; one that failed or crashed held nobody up'
}

# One that keeps failing is put aside and one that crashed is not asked again; the pods are scheduled all the same.
a_shadow_that_misbehaves() {
  local i
  start_beside() {
    start_berth --config "$work/mount/scheduler.yaml" --shadow "$work/misbehaves.yaml" --shadow-plugin-dir "$work/misbehaves" \
      --shadow-budget 1000 --crash-record "$work/shadow-crashes"
  }
  start_beside && within 10 asked_times 1 || return 1
  for i in $(seq 12); do asks "wrong-$i" answers Score; done | k create -n shadow -f - >/dev/null
  wrong_are_bound() { [ "$(pods shadow | awk '/^wrong-/ && $3 != "-"' | wc -l)" = 12 ]; }
  within 20 wrong_are_bound || { pods shadow; return 1; }
  within 5 grep -q 'The shadow is not asked.*is in quarantine' "$work/berth.log" || { tail "$work/berth.log"; return 1; }
  expect 'how often that is said' 1 "$(grep -c 'The shadow is not asked' "$work/berth.log")" || return 1
  stop_berth || return 1
  start_beside && within 10 asked_times 1 || return 1
  asks crashing crashes Filter | k create -n shadow -f - >/dev/null
  crashed() { ! kill -0 "$berth" 2>/dev/null; }
  within 20 crashed || return 1
  wait "$berth"
  berth=
  said "$work/berth.log" 'SIGSEGV in plugin "Misbehaves" of the shadow at Filter, for pod "shadow/crashing"' || return 1
  start_beside && within 20 is_bound shadow crashing || return 1
  said "$work/berth.log" 'The shadow is not asked' 'an earlier run crashed in its plugin' || return 1
  stop_berth
}
