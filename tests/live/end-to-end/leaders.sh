# SPDX-License-Identifier: Apache-2.0
# Several schedulers and one lease: one schedules, another takes its place. Sourced by all.sh.
declare -A candidates

# With times that a test can wait for.
election='leaderElection: {leaderElect: true, leaseDuration: 3s, renewDeadline: 2s, retryPeriod: 500ms}'

# candidate NAME ARGUMENT...: starts a Berth that wants to lead; its log is $work/NAME.log.
candidate() {
  local name=$1
  shift
  echo "{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration, $election}" >"$work/leaders.yaml"
  out/bin/berth run --kubeconfig "$dir/kubeconfig/scheduler" --config "$work/leaders.yaml" --secure-port 0 -v 4 "$@" >"$work/$name.log" 2>&1 &
  candidates[$name]=$!
  within 20 grep -qs 'Caches are synced' "$work/$name.log" || { cat "$work/$name.log"; return 1; }
}
# ended NAME SIGNAL: its exit code is in $code.
ended() {
  kill "-$2" "${candidates[$1]}" && wait "${candidates[$1]}" 2>/dev/null
  code=$?
  unset "candidates[$1]"
}
no_candidates() {
  local name
  for name in "${!candidates[@]}"; do kill -KILL "${candidates[$name]}" 2>/dev/null; done
}
holder() { k get lease -n kube-system kube-scheduler -o jsonpath='{.spec.holderIdentity}' 2>/dev/null; }
leads() { grep -qs 'Successfully acquired lease' "$work/$1.log"; }

# bound_within SECONDS NAME POD: the candidate has bound it so many seconds (a decimal) from now; $took is how long it was.
bound_within() {
  local began=$EPOCHREALTIME log=$work/$2.log
  until grep -qs "Successfully bound pod to node\" pod=\"leaders/$3\"" "$log"; do
    awk -v now="$EPOCHREALTIME" -v began="$began" -v most="$1" 'BEGIN { exit now - began < most }' &&
      { echo "$2 did not bind $3 within $1 s"; tail -n 8 "$log"; return 1; }
    sleep 0.02
  done
  took=$(awk -v now="$EPOCHREALTIME" -v began="$began" 'BEGIN { printf "%.1f", now - began }')
}
make_pod() { pod "$1" 100 | k create -n leaders -f - >/dev/null; }

# promise(peer): Of several instances, only the holder of the lease binds pods.
leaders_change() {
  trap no_candidates EXIT
  local code took killed asked
  new_world leaders && k apply -f tests/live/cluster/nodes.yaml >/dev/null && within 60 ready_nodes || return 1
  candidate one && make_pod a && bound_within 20 one a || return 1
  candidate two || return 1
  [[ "$(holder)" = "$(hostname)_"* ]] || { echo "the holder is $(holder)"; return 1; }
  within 5 k get events -n kube-system -o custom-columns=M:.message >"$work/events"
  grep -q "^$(holder) became leader\$" "$work/events" || { echo 'no event of the leader'; cat "$work/events"; return 1; }
  make_pod b && bound_within 5 one b || return 1
  ! leads two && ! grep -q 'Successfully bound' "$work/two.log" || { echo 'two of them schedule'; return 1; }

  ended one KILL
  make_pod c & bound_within 6.2 two c || return 1 # lease duration + 4.4 × retry period + 1 s
  killed=$took

  candidate three || return 1
  k get lease -n kube-system kube-scheduler -o jsonpath='{.spec.leaseTransitions}' >"$work/before"
  kill -TERM "${candidates[two]}"
  make_pod d & bound_within 2.1 three d || return 1 # nothing to drain + 2.2 × retry period + 1 s
  asked=$took
  wait "${candidates[two]}"
  expect 'exit code of who was asked to end' 0 $? || return 1
  unset 'candidates[two]'
  expect transitions $(($(cat "$work/before") + 1)) "$(k get lease -n kube-system kube-scheduler -o jsonpath='{.spec.leaseTransitions}')" || return 1

  # Its lease is taken away: it binds nothing more and ends.
  k patch lease -n kube-system kube-scheduler --type=merge -p '{"spec":{"holderIdentity":"nobody"}}' >/dev/null
  wait "${candidates[three]}"
  expect 'exit code of who lost the lease' 1 $? || return 1
  unset 'candidates[three]'
  grep -q 'Leaderelection lost' "$work/three.log" || { tail -n 5 "$work/three.log"; return 1; }
  echo "killed: $killed s, asked to end: $asked s until the standby's first binding; who loses the lease ends with 1"
}

kube_holder() { [ "$(holder)" != "$1" ] && [ -n "$(holder)" ]; }

# The real kube-scheduler is the other one.
leaders_of_two_kinds() {
  trap no_candidates EXIT
  local code took before
  k get namespace leaders >/dev/null 2>&1 || { new_world leaders && k apply -f tests/live/cluster/nodes.yaml >/dev/null && within 60 ready_nodes; } ||
    return 1
  echo "{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration, $election}" >"$work/kube.yaml"
  cluster scheduler start kube "$work/kube.yaml" >/dev/null || return 1
  within 20 grep -q 'Successfully acquired lease\|successfully acquired lease' "$dir/log/scheduler-kube.log" ||
    { tail -n 5 "$dir/log/scheduler-kube.log"; return 1; }
  candidate four || return 1
  make_pod e && within 10 is_bound leaders e || return 1
  ! grep -q 'Successfully bound' "$work/four.log" || { echo 'two of them schedule'; return 1; }
  kill -KILL "$(pid_of kube)"
  make_pod f & bound_within 6.2 four f || return 1
  cluster scheduler stop kube >/dev/null 2>&1
  cluster scheduler start kube "$work/kube.yaml" >/dev/null || return 1
  before=$(holder)
  ended four TERM
  expect 'exit code' 0 $code || return 1
  within 4 kube_holder "$before" || return 1
  make_pod g && within 5 is_bound leaders g || return 1
  candidate five || return 1
  cluster scheduler stop kube >/dev/null || return 1
  make_pod h && bound_within 4 five h || return 1
  echo "Berth takes kube-scheduler's lease when that is killed or ends, and kube-scheduler takes Berth's"
}
