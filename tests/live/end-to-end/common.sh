# SPDX-License-Identifier: Apache-2.0
# Tests of Berth on a real control plane (tests/live/cluster): etcd, kube-apiserver and kube-controller-manager, with kwok as
# the kubelets. Sourced after tests/shows.sh; `control_plane_up` comes first. Each test prints what it saw, and its last line sums
# it up. Needs out/bin/berth (make build).
dir=$work/cluster
cluster() { tests/live/cluster/cluster.sh --dir "$dir" "$@"; }
k() { .cache/cluster/bin/kubectl --kubeconfig "$dir/kubeconfig/admin" "$@"; }
trap '[ ! -d "$dir" ] || cluster down >/dev/null 2>&1; rm -rf "$work"' EXIT

control_plane_up() {
  tests/live/cluster/cluster.sh build || return 1
  cluster up >"$work/up.log" 2>&1 || { cat "$work/up.log"; return 1; }
}

# start_berth ARGUMENT...: as a scheduler with just a scheduler's rights; its log is $work/berth.log. It serves nothing unless
# $secure_port says where: several may run at a time.
start_berth() {
  # The process opens its log when it comes to it, and an earlier one's log says that scheduling begins too.
  rm -f "$work/berth.log"
  out/bin/berth run --kubeconfig "$dir/kubeconfig/scheduler" --secure-port "${secure_port:-0}" -v 2 --leader-elect=false \
    "$@" >"$work/berth.log" 2>&1 &
  berth=$!
  trap stop_berth EXIT
  within 20 grep -qs 'scheduling begins' "$work/berth.log" || { cat "$work/berth.log"; return 1; }
}
stop_berth() {
  [ -n "${berth:-}" ] || return 0
  kill -TERM "$berth" 2>/dev/null
  wait "$berth"
  local code=$?
  berth=
  [ $code = 0 ] || { echo "berth ended with $code"; tail -n 5 "$work/berth.log"; return 1; }
}

# within SECONDS COMMAND...: until it succeeds; says so and returns 1 if it never does.
within() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    [ $SECONDS -lt $end ] || { echo "waited in vain for: $*"; return 1; }
    sleep 0.3
  done
}

# pods NAMESPACE: "name phase node" of each; a pod that is being deleted is Terminating, one without a node is on "-".
pods() {
  k get pods -n "$1" --no-headers -o custom-columns=N:.metadata.name,P:.status.phase,D:.metadata.deletionTimestamp,H:.spec.nodeName |
    awk '{ print $1, ($3 == "<none>" ? $2 : "Terminating"), ($4 == "<none>" ? "-" : $4) }'
}
in_phase() { pods "$1" | awk -v phase="$2" '$2 == phase' | wc -l; }
are() { [ "$(in_phase "$1" Running) $(in_phase "$1" Pending) $(in_phase "$1" Terminating)" = "$2 $3 0" ]; }
node_of() { pods "$1" | awk -v name="$2" '$1 == name { print $3 }'; }
is_bound() { [[ "$(node_of "$1" "$2")" = [!-]* ]]; }
# ready_nodes: every node that was made is ready; other taints may stay.
ready_nodes() {
  local taints
  taints=$(k get nodes -o jsonpath='{.items[*].spec.taints[*].key}') && [[ $taints != *not-ready* ]]
}
apply() { k apply -n "$1" -f "$2" >/dev/null 2>&1; }
namespace_ready() { k get serviceaccount default -n "$1" >/dev/null 2>&1; }

# new_world NAMESPACE: a namespace and no nodes or pods but those to come.
new_world() {
  k delete deployments,pods --all -A --wait=false --grace-period=0 --force >/dev/null 2>&1
  k delete nodes --all --wait=true >/dev/null 2>&1
  k create namespace "$1" >/dev/null || return 1
  within 30 namespace_ready "$1"
}

# node NAME CPU-MILLI [LABELS]: one as YAML.
node() {
  cat <<END
---
{apiVersion: v1, kind: Node, metadata: {name: $1, labels: {kubernetes.io/hostname: $1}},
 status: {capacity: &r {cpu: ${2}m, memory: 64Gi, pods: "110"}, allocatable: *r}}
END
}
# pod NAME CPU-MILLI [FIELDS]: FIELDS go into its spec.
pod() {
  cat <<END
---
{apiVersion: v1, kind: Pod, metadata: {name: $1},
 spec: {${3:+$3, }containers: [{name: main, image: "example/main:1", resources: {requests: {cpu: ${2}m, memory: 64Mi}}}]}}
END
}

# is_described NAMESPACE POD PATTERN, condition_says NAMESPACE POD TEXT: what kubectl shows of a pod that waits.
is_described() { k describe pod -n "$1" "$2" | grep -q "$3"; }
condition_says() {
  [[ "$(k get pod -n "$1" "$2" -o jsonpath='{.status.conditions[?(@.type=="PodScheduled")].message}')" = *"$3"* ]]
}

full_deployment() {
  new_world one && k apply -f tests/live/cluster/nodes.yaml >/dev/null && within 60 ready_nodes || return 1
  start_berth --config configs/maxpods.yaml || return 1
  k create deployment -n one web --image=web --replicas=10 >/dev/null
  within 60 are one 6 4 || { pods one; return 1; }
  local pending text
  pending=$(pods one | awk '$2 == "Pending" { print $1; exit }')
  text='POD数量超过，不能调度，最多只能调度6'
  # The event and the condition follow the binding of the others when they can.
  within 20 is_described one "$pending" "FailedScheduling.*$text" || { k describe pod -n one "$pending" | tail -n 8; return 1; }
  within 20 condition_says one "$pending" "$text" || { echo 'the condition does not say so'; return 1; }
  k scale deployment -n one web --replicas=3 >/dev/null && within 60 are one 3 0 || { pods one; return 1; }
  k scale deployment -n one web --replicas=10 >/dev/null && within 60 are one 6 4 || { pods one; return 1; }
  local waiting left
  waiting=$(pods one | awk '$2 == "Pending" { print $1 }')
  left=$(pods one | awk '$2 == "Running" { print $1; exit }')
  k delete pod -n one "$left" --wait=true >/dev/null
  within 60 are one 6 4 || { pods one; return 1; }
  [ -z "$(node_of one "$left")" ] || { echo "$left is still there"; return 1; }
  pods one | grep -Fw "$waiting" | grep -q Running || echo 'the new pod was first, not one that waited'
  stop_berth || return 1
  echo '6 of 10 run and 4 wait, with the reason in describe; after 3 and 10 again 6; one deleted lets one in'
}

image_in_use() {
  new_world two && k apply -f tests/live/cluster/nodes.yaml >/dev/null && within 60 ready_nodes || return 1
  k taint node node-2 avoid=me:PreferNoSchedule >/dev/null
  { pod holder 2000 'nodeName: node-2'; } | k apply -n two -f - >/dev/null || return 1
  within 60 are two 1 0 || return 1
  local weight name
  for weight in 10 1; do
    name=job-$weight
    sed "s/weight: 10/weight: $weight/" configs/image-affinity.yaml >"$work/image.yaml"
    start_berth --config "$work/image.yaml" || return 1
    pod $name 100 | k apply -n two -f - >/dev/null
    within 30 is_bound two $name || return 1
    stop_berth || return 1
  done
  expect 'with weight 10' node-2 "$(node_of two job-10)" || return 1
  k get pods -n two -o wide
  [ "$(node_of two job-1)" != node-2 ] || { echo 'with weight 1 it is node-2 too'; return 1; }
  echo "weight 10: node-2, where the image is in use; weight 1: $(node_of two job-1)"
}

# used: "node milli-CPU" requested of each node, from the pods that are on it.
used() {
  k get pods -A --no-headers -o custom-columns=H:.spec.nodeName,C:.spec.containers[0].resources.requests.cpu |
    awk '$1 != "<none>" { c = $2; if (c ~ /m$/) sub(/m/, "", c); else c *= 1000; sum[$1] += c } END { for (n in sum) print n, sum[n] }'
}

beside_another() {
  new_world three || return 1
  local n i batch nodes=4 all=4000
  { for n in 1 2 3 4; do node n$n $all; pod filler-$n $((all * 95 / 100)) "nodeName: n$n"; done; } |
    k apply -n three -f - >/dev/null || return 1
  within 60 ready_nodes && within 60 are three 4 0 || return 1
  printf '%s\n' 'apiVersion: kubescheduler.config.k8s.io/v1' 'kind: KubeSchedulerConfiguration' 'profiles:' \
    '- schedulerName: berth' >"$work/berth.yaml"
  start_berth --config "$work/berth.yaml" || return 1
  pod theirs-0 10 | k apply -n three -f - >/dev/null
  pod ours-0 10 'schedulerName: berth' | k apply -n three -f - >/dev/null
  within 30 is_bound three ours-0 || return 1
  sleep 2
  expect "a pod of another scheduler" - "$(node_of three theirs-0)" || return 1
  expect "its events" '' "$(k get events -n three --field-selector involvedObject.name=theirs-0 -o name)" || return 1
  cluster scheduler start theirs >/dev/null || return 1
  within 60 is_bound three theirs-0 || return 1
  # 180 to 200 millicores are left on each node; each pod takes 60, so three fit on each.
  for batch in 1 2 3 4 5 6; do
    local who=ours name=berth
    if [ $((batch % 2)) = 0 ]; then who=theirs name=default-scheduler; fi
    for i in 1 2; do pod $who-$batch-$i 60 "schedulerName: $name"; done | k apply -n three -f - >/dev/null
    for i in 1 2; do within 30 is_bound three $who-$batch-$i || { pods three; return 1; }; done
  done
  pod ours-last 150 'schedulerName: berth' | k apply -n three -f - >/dev/null
  sleep 2
  cluster scheduler stop theirs >/dev/null
  expect 'one pod too many' - "$(node_of three ours-last)" || return 1
  used | awk -v all=$all '$2 > all { print "overcommitted: " $0; bad = 1 } END { exit bad }' || return 1
  stop_berth || return 1
  local by_turns="6 batches by turns, no node over its allocatable ($(used | sort | tr '\n' ' '))"
  local mixed two
  two_at_once three-mixed start_berth_at_once || return 1
  mixed=$overcommitted
  stop_berth || return 1
  two_at_once three-alike start_second || return 1
  two=$overcommitted
  cluster scheduler stop second >/dev/null
  # Each sees what the other has bound a moment later: Berth does no worse than another kube-scheduler, chance set aside. How much
  # the two of a pair see of each other depends on the machine. Two that see nothing overcommit a quarter of the nodes on average,
  # and one time in a thousand an eighth more.
  local most=$((two + crowd / 5)) blind=$((crowd * 3 / 8))
  holds 'nodes overcommitted by berth and kube-scheduler' "$mixed" '<=' $((most > blind ? most : blind)) || return 1
  echo "$by_turns; at once, of $crowd nodes berth and kube-scheduler overcommit $mixed, two kube-schedulers $two"
}

# two_at_once NAMESPACE START: nodes filled to 95 % on which one more pod fits, and pods that together need each of them, half
# for kube-scheduler and half for a second scheduler, which START starts and leaves the process number of in $second. Both stand
# still until all pods are there. Leaves in $overcommitted how many nodes are over their allocatable when nothing moves any more.
crowd=30
two_at_once() {
  local namespace=$1 start=$2 all=4000 n
  new_world "$namespace" || return 1
  { for n in $(seq $crowd); do node c$n $all; pod filler-$n $((all * 95 / 100)) "nodeName: c$n"; done; } |
    k create -n "$namespace" -f - >/dev/null || return 1
  within 90 ready_nodes && within 60 are "$namespace" $crowd 0 || return 1
  cluster scheduler start theirs >/dev/null || return 1
  $start || return 1
  local first
  first=$(pid_of theirs)
  # A pod of each shows that both are at work.
  { pod first-theirs 10; pod first-ours 10 'schedulerName: berth'; } | k create -n "$namespace" -f - >/dev/null || return 1
  within 30 is_bound "$namespace" first-theirs && within 30 is_bound "$namespace" first-ours || return 1
  kill -STOP "$first" "$second"
  { for n in $(seq $((crowd / 2))); do pod theirs-$n 110; pod ours-$n 110 'schedulerName: berth'; done; } |
    k create -n "$namespace" -f - >/dev/null
  kill -CONT "$first" "$second"
  local before=-1 now=0
  until [ "$now" = "$before" ]; do
    before=$now
    sleep 4
    now=$(pods "$namespace" | awk '$3 != "-"' | wc -l)
  done
  cluster scheduler stop theirs >/dev/null
  [ "$now" -gt $((crowd + crowd / 2)) ] || { echo 'nothing was scheduled'; pods "$namespace"; return 1; }
  overcommitted=$(used | awk -v all=$all '$2 > all' | wc -l)
}
pid_of() { cluster status | awk -v name="scheduler-$1" '$1 == name { print $3 }'; }
start_berth_at_once() {
  start_berth --config "$work/berth.yaml" || return 1
  second=$berth
}
start_second() {
  cluster scheduler start second "$work/berth.yaml" >/dev/null || return 1
  second=$(pid_of second)
}

# Nobody is evicted here: whom a victim's place goes to depends on the moment in which the victim is gone.
same_as_simulated() {
  new_world four || return 1
  local i
  {
    echo '{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: stays}, value: 1000}'
    for i in $(seq 24); do node n$i $((2000 + i % 5 * 1000)); done
    for i in $(seq 48); do
      pod bound-$i $((100 + i % 4 * 100)) "priorityClassName: stays, nodeName: n$((i % 24 + 1))"
    done
    for i in $(seq 200); do
      printf -- '---\n{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: p%d}, value: %d}\n' "$i" \
        $((i * 37 % 211))
      pod waits-$i $((200 + i % 7 * 150)) "priorityClassName: p$i"
    done
  } >"$work/four.yaml"
  # Admission learns of a new PriorityClass a moment after it was made.
  within 30 apply four "$work/four.yaml" || { k apply -n four -f "$work/four.yaml" | grep -v unchanged; return 1; }
  within 90 ready_nodes && within 60 are four 48 200 || { pods four | awk '{print $2}' | sort | uniq -c; return 1; }
  k get nodes,pods -A -o yaml >"$work/dump.yaml" || return 1
  out/bin/berth simulate --seed 5 --config configs/random.yaml --decisions "$work/simulated" "$work/dump.yaml" || return 1
  placements "$work/simulated" | sort >"$work/simulated.placements"
  start_berth --seed 5 --config configs/random.yaml --decisions "$work/live" || return 1
  all_there() { [ "$(pods four | awk '$1 ~ /^waits/ && $3 != "-"' | wc -l)" = "$(wc -l <"$work/simulated.placements")" ]; }
  within 60 all_there
  stop_berth || return 1
  pods four | awk '$1 ~ /^waits/ && $3 != "-" { print $1, $3 }' | sort >"$work/live.placements"
  diff "$work/simulated.placements" "$work/live.placements" >"$work/four.diff" ||
    { head -n 10 "$work/four.diff"; return 1; }
  # The pods want 130 cores, and 84 are free.
  holds placements "$(wc -l <"$work/live.placements")" '>=' 100 && holds placements "$(wc -l <"$work/live.placements")" '<' 200 || return 1
  echo "$(wc -l <"$work/live.placements") placements of 200 pods, the same as simulated"
}

all_bound() { [ "$(pods five | awk '$1 ~ /^p-/ && $3 != "-"' | wc -l)" = "$1" ]; }
bound_lines() { [ "$(grep -c 'Successfully bound' "$work/berth.log")" -ge "$1" ]; }

server_restarts() {
  new_world five || return 1
  local i part all=2000
  for i in $(seq 40); do node n$i 64000; done | k apply -f - >/dev/null || return 1
  within 90 ready_nodes || return 1
  for part in 0 1 2 3; do
    for i in $(seq $((part * 500 + 1)) $((part * 500 + 500))); do pod p-$i 100; done |
      k create -n five -f - >/dev/null &
  done
  wait
  expect 'pods' $all "$(pods five | wc -l)" || return 1
  start_berth || return 1
  within 60 bound_lines 200 || return 1
  cluster kill kube-apiserver
  expect 'all at once' 1 "$(grep -c 'Successfully bound' "$work/berth.log" | awk -v all=$all '{ print $1 < all }')" || return 1
  sleep 2
  cluster start kube-apiserver || return 1
  within 400 all_bound $all || { pods five | awk '{print $3 == "-"}' | sort | uniq -c; tail -n 5 "$work/berth.log"; return 1; }
  stop_berth || return 1
  # What the log says was bound, was bound there and only once.
  sed -n 's/.*Successfully bound pod to node" pod="five\/\([^"]*\)" node="\([^"]*\)".*/\1 \2/p' "$work/berth.log" | sort >"$work/said"
  pods five | awk '{ print $1, $3 }' | sort >"$work/are"
  expect 'bound twice' '' "$(cut -d ' ' -f 1 "$work/said" | uniq -d)" || return 1
  expect 'said and not so' '' "$(comm -23 "$work/said" "$work/are")" || return 1
  echo "$all pods bound, none twice, over a restart of the API server"
}

live_stories() {
  show SE-1 full_deployment
  show SE-2 image_in_use
  show SE-3 beside_another
  show SE-4 same_as_simulated
  show SE-5 server_restarts
}
