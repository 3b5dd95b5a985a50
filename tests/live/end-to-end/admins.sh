# SPDX-License-Identifier: Apache-2.0
# What an admin of each system changes in its ConfigMap changes where pods go, while the process runs on. Sourced by
# all.sh.

# scoring SYSTEM ENABLED DISABLED: its configuration with these plugins at score, in flow style.
scoring() {
  local score="score: {enabled: [$2], disabled: [$3]}"
  case $1 in
    # In v1alpha1 a plugin that is enabled by default has to be disabled before it is enabled with another weight.
    sample) score="score: {enabled: [$2], disabled: [{name: NodeAffinity}, {name: TaintToleration}]}"
      sed "s/^plugins:\$/&\\n  $score/" configs/sample/scheduler.yaml ;; # It has none of its own there.
    *) awk -v score="    $score" '/^    score:/ { print score; skip = 1; next } skip && /^     / { next } { skip = 0; print }' "configs/$1/scheduler.yaml" ;;
  esac
}

# a_pod_goes_to NODE SCHEDULER: one that would like to be on the left, and tolerates nothing.
a_pod_goes_to() {
  local name=choice-$RANDOM$RANDOM
  pod "$name" 10 "schedulerName: $2, affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 100,
    preference: {matchExpressions: [{key: side, operator: In, values: [left]}]}}]}}" | k apply -n default -f - >/dev/null
  within 20 is_bound default "$name" || return 1
  expect "the node of a pod of $2" "$1" "$(node_of default "$name")" && k delete pod "$name" --force --grace-period=0 >/dev/null 2>&1
}

# an_admin_changes SYSTEM DEPLOYMENT SCHEDULER: weighs, disables and enables; each within a minute.
an_admin_changes() {
  local pid affinity='{name: NodeAffinity, weight: ' taints='{name: TaintToleration, weight: '
  new_world "admin-$1" && k delete pods,nodes --all -n default --force --grace-period=0 >/dev/null 2>&1
  { node left 64000 | sed 's/labels: {/&side: left, /'; node right 64000; } | k apply -f - >/dev/null && within 60 ready_nodes || return 1
  k taint node left avoid=me:PreferNoSchedule >/dev/null
  pod uses-it 10 'nodeName: right' | k apply -n default -f - >/dev/null
  deploy "configs/$1/deploy" "$2" || return 1
  pid=$(pgrep -x -P "$berth" berth)
  changed() {
    scoring "$system" "$1" "$2" >"$work/scheduler.yaml" && reconfigure "$deployment" "$work/scheduler.yaml" && a_pod_goes_to "$3" "$scheduler"
  }
  local system=$1 deployment=$2 scheduler=$3
  changed "${affinity}100}, ${taints}1}" '' left && changed "${affinity}1}, ${taints}100}" '' right ||
    { echo "$1: other weights do not count"; return 1; }
  changed "${affinity}10}" '{name: TaintToleration}' left || { echo "$1: what is disabled counts"; return 1; }
  changed "${affinity}10}, {name: RunningImageLocality, weight: 100}" '{name: TaintToleration}' right || { echo "$1: what is enabled does not count"; return 1; }
  expect "$1's process" "$pid" "$(pgrep -x -P "$berth" berth)" && stop_berth
}

admins_change() {
  an_admin_changes wyq test-scheduling wyq && an_admin_changes sample sample-scheduler sample-scheduler &&
    an_admin_changes maxnum test-pod-maxnum-scheduler test-pod-maxnum-scheduler &&
    an_admin_changes namescore namescore-scheduler namescore-scheduler || return 1
  echo 'wyq, sample, maxnum and namescore: other weights, a plugin less and a plugin more change where pods go; the process is the same'
}
