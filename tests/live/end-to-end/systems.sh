# SPDX-License-Identifier: Apache-2.0
# The systems of configs/ on a real control plane, each as its deploy/ states it: applied, then run as a process by
# tests/live/cluster/pod with the Deployment's command, arguments, user, ConfigMap and rights. Sourced by all.sh.

build_for_systems() {
  local go
  go=$(tools/setup-go.sh) && GOTOOLCHAIN=auto GOFLAGS=-buildvcs=false "$go" build -C tests/live/cluster -o "$work/pod" ./pod
}

# deploy MANIFESTS DEPLOYMENT: applies them and starts what the Deployment says; its log is $work/berth.log.
deploy() {
  k apply -f "$1" >/dev/null || return 1
  # Nobody but this process makes its pods.
  k scale deployment -n kube-system "$2" --replicas=0 >/dev/null
  run_deployment kube-system "$2"
}

# run_deployment NAMESPACE DEPLOYMENT [OPTION...]: one pod of it, as a process, from the image $pod_image if there is one; its log
# is $work/berth.log.
run_deployment() {
  rm -rf "$work/berth.log" "$work/pod.dir"
  "$work/pod" -kubectl .cache/cluster/bin/kubectl -admin "$dir/kubeconfig/admin" -image "${pod_image:-$PWD/out}" -dir "$work/pod.dir" \
    "${@:3}" "$1" "$2" >"$work/berth.log" 2>&1 &
  berth=$!
  trap stop_berth EXIT
  within 20 begun_or_gone && begun || { cat "$work/berth.log"; return 1; }
}
begun() { grep -qs 'scheduling begins' "$work/berth.log"; }
begun_or_gone() { begun || ! kill -0 "$berth" 2>/dev/null; }

# lines POD: what the log says from the first attempt at the pod on, without headers.
lines() { sed -n 's/^[IWE][0-9]\{4\} [0-9:.]* *[0-9]* [^]]*\] //p' "$work/berth.log" | sed -n "/\"Attempting to schedule pod\" pod=\"default\/$1\"/,\$p"; }

# in_order FILE: each of its lines is in the standard input, in that order.
in_order() {
  awk -v file="$1" 'BEGIN { while ((getline line < file) > 0) want[++n] = line; i = 1 } $0 == want[i] { ++i }
    END { if (i <= n) { print "not found, after those before it: " want[i]; exit 1 } }'
}

# nodes SYSTEM: those of its example, and only those.
nodes() {
  k delete pods,nodes --all -n default --force --grace-period=0 >/dev/null 2>&1
  k apply -f "configs/$1/example/nodes.yaml" >/dev/null && within 60 ready_nodes
}

# reconfigure NAME FILE: its ConfigMap holds that file now, and within a minute the running process goes by it.
reconfigure() {
  local before
  in_force() { grep -c 'The new configuration is in force' "$work/berth.log"; }
  before=$(in_force)
  k create configmap -n kube-system "$1" --from-file=scheduler.yaml="$2" --dry-run=client -o yaml | k apply -f - >/dev/null || return 1
  more() { [ "$(in_force)" -gt "$before" ]; }
  within 60 more || { tail -n 5 "$work/berth.log"; return 1; }
}

# shows_its_configuration ARGUMENT...: the log has what berth config view prints.
shows_its_configuration() {
  sed -n '/-Configuration File Contents Start Here-/,/-Configuration File Contents End Here-/p' "$work/berth.log" |
    sed '1d; $d' | sed '$d' >"$work/shown"
  out/bin/berth config view "$@" 2>/dev/null | diff - "$work/shown"
}

wyq_live() {
  new_world wyq && nodes wyq && deploy configs/wyq/deploy test-scheduling || return 1
  k apply -f configs/wyq/example/test-pod.yaml >/dev/null && within 30 is_bound default test || return 1
  local node
  node=$(node_of default test)
  within 10 grep -q "PostBind: pod: test, node: $node" "$work/berth.log" || { cat "$work/berth.log"; return 1; }
  printf '%s\n' '"Attempting to schedule pod" pod="default/test"' 'PreFilter: test' \
    "Filter : pod: test, node: yigou-dev-102-45" 'PreScore: test' 'PreScore: yigou-dev-102-45' \
    'Score: pod: test, node: yigou-dev-102-45' 'NormalizeScore: pod: test' "Reserve: pod: test, node: $node" \
    "Permit: pod: test, node: $node" "PreBind: pod: test, node: $node" \
    "\"Attempting to bind pod to node\" pod=\"default/test\" node=\"$node\"" \
    "\"Successfully bound pod to node\" pod=\"default/test\" node=\"$node\" evaluatedNodes=2 feasibleNodes=2" \
    "PostBind: pod: test, node: $node" >"$work/wanted"
  lines test | in_order "$work/wanted" || { lines test; return 1; }
  for node in 'Delete event for unscheduled pod' 'Add event for scheduled pod'; do
    within 10 grep -qF "\"$node\" pod=\"default/test\"" "$work/berth.log" || { lines test; return 1; }
  done
  within 20 are default 1 0 || return 1
  see wyq-pods kubectl get pods -o wide
  see wyq-describe kubectl describe pod test
  sed -n '/"Attempting to schedule pod" pod="default\/test"/,$p' "$work/berth.log" | keep wyq-log
  shows_its_configuration configs/wyq/scheduler.yaml --plugin defalut=trace.so --plugin filteringNode=filter-node.so \
    --plugin filteringPod=prefilter-pod.so --plugin randScore=score-random.so --plugin ImageLocality=score-imagelocality.so || return 1
  # The second configuration: not by chance, but to the image in use.
  local i
  reconfigure test-scheduling configs/wyq/scheduler-images.yaml || return 1
  for i in 1 2 3 4 5 6; do sed "s/name: build/name: build-$i/" configs/wyq/example-images/pods.yaml | k apply -f - >/dev/null; done
  for i in 1 2 3 4 5 6; do
    within 30 is_bound default build-$i || return 1
    expect "the node of build-$i" yigou-dev-102-45 "$(node_of default build-$i)" || return 1
  done
  stop_berth || return 1
  echo "the configuration and the pod's way through every extension point are in the log, in the order of the system's own"
}

# sample_schedules: its Deployment's pod runs, and the plugin says each call. $node is where.
sample_schedules() {
  k apply -f configs/sample/example/test-scheduler.yaml >/dev/null
  runs() { [ "$(pods default | awk '$1 ~ /^test-scheduler-/ && $2 == "Running"' | wc -l)" = 1 ]; }
  within 60 runs || { pods default; cat "$work/berth.log"; return 1; }
  local pod
  read -r pod _ node < <(pods default)
  printf '%s\n' "\"Attempting to schedule pod\" pod=\"default/$pod\"" "prefilter pod: $pod" "filter pod: $pod, node: node01" \
    "filter pod: $pod, node: node02" >"$work/wanted"
  lines "$pod" | in_order "$work/wanted" || { lines "$pod"; return 1; }
  [[ "$node" = node0[12] ]] || { echo "it is on $node"; return 1; }
}

sample_is_seen() {
  see sample-pods kubectl get pods
  see sample-describe kubectl describe pod -l app=test-scheduler
  { grep 'get plugin config args' "$work/berth.log" && sed -n '/"Attempting to schedule pod"/,$p' "$work/berth.log"; } | keep sample-log
}

# The pod that only the tainted node is good for is placed when an admin turns the plugin off that keeps it away.
sample_obeys_its_admin() {
  pod only-master 10 'schedulerName: sample-scheduler, affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution:
    {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [k8s-master]}]}]}}}' | k apply -f - >/dev/null
  refused_it() { k describe pod only-master | grep -q FailedScheduling; }
  within 20 refused_it || return 1
  sed 's/^  filter:$/&\n    disabled: [{name: TaintToleration}]/' configs/sample/scheduler.yaml >"$work/scheduler.yaml"
  reconfigure sample-scheduler "$work/scheduler.yaml" && within 30 is_bound default only-master
}

sample_live() {
  local node rule added=0
  new_world sample && nodes sample && deploy configs/sample/deploy sample-scheduler && sample_schedules && sample_is_seen &&
    sample_obeys_its_admin && stop_berth || return 1
  k delete deployment -n default test-scheduler >/dev/null
  k delete pod only-master --force --grace-period=0 >/dev/null 2>&1
  # By the manifests of 2020: it names the rules that are missing.
  k delete -f configs/sample/deploy >/dev/null
  cp tests/live/end-to-end/sample-2020.yaml "$work/sample.yaml"
  until deploy "$work/sample.yaml" sample-scheduler >"$work/started"; do
    ! kill -0 "$berth" 2>/dev/null || { echo 'it runs and does not begin'; return 1; }
    wait "$berth"
    expect 'exit code' 2 $? || return 1
    [ $added = 0 ] || { echo 'not all rules were named at once'; cat "$work/berth.log"; return 1; }
    sed -n '/^berth: /,$p' "$work/berth.log" | keep sample-refused
    while read -r rule; do
      added=$((added + 1))
      sed -i "/^rules:/a\\  - $rule" "$work/sample.yaml"
    done < <(sed -n "s/.*add to the scheduler's ClusterRole the rule //p" "$work/berth.log")
    [ $added -gt 0 ] || { cat "$work/berth.log"; return 1; }
  done
  sample_schedules && stop_berth || return 1
  k delete deployment -n default test-scheduler >/dev/null
  echo "an nginx Deployment runs on $node; with the manifests of 2020 too, once the $added rules are added that it names"
}

maxnum_live() {
  new_world maxnum && nodes maxnum && deploy configs/maxnum/deploy test-pod-maxnum-scheduler || return 1
  k apply -f configs/maxnum/example/testdep.yaml >/dev/null
  within 60 are default 6 4 || { pods default; return 1; }
  local pending text='POD数量超过，不能调度，最多只能调度6'
  pending=$(pods default | awk '$2 == "Pending" { print $1; exit }')
  told() { k describe pod -n default "$pending" | grep -q "FailedScheduling.*test-pod-maxnum-scheduler.*0/1 nodes are available: $text\."; }
  within 20 told || { k describe pod -n default "$pending" | tail -n 5; return 1; }
  see maxnum-pods kubectl get pods
  see maxnum-describe kubectl describe pod "$pending"
  grep -F "$pending" "$work/berth.log" | keep maxnum-log
  sed 's/maxPods: 6/maxPods: 8/' configs/maxnum/scheduler.yaml >"$work/scheduler.yaml"
  reconfigure test-pod-maxnum-scheduler "$work/scheduler.yaml" && within 30 are default 8 2 || { pods default; return 1; }
  k delete deployment -n default testngx >/dev/null
  stop_berth || return 1
  echo "6 of 10 run; describe says: $text; 8 when the ConfigMap says 8"
}

namescore_live() {
  local wanted
  new_world namescore && nodes namescore || return 1
  k get nodes -o yaml >"$work/nodes.yaml"
  out/bin/berth simulate -o json --config configs/namescore/scheduler.yaml "$work/nodes.yaml" configs/namescore/example/busybox.yaml \
    >"$work/json" 2>/dev/null || return 1
  wanted=$(sed -n 's/.*"node": *"\([^"]*\)".*/\1/p' "$work/json" | head -n 1)
  deploy configs/namescore/deploy namescore-scheduler || return 1
  k apply -f configs/namescore/example/busybox.yaml >/dev/null && within 30 is_bound default busybox-test-scheduler || return 1
  expect 'the node computed beforehand' "$wanted" "$(node_of default busybox-test-scheduler)" || return 1
  within 20 are default 1 0 || return 1
  see namescore-simulated out/bin/berth simulate --config configs/namescore/scheduler.yaml configs/namescore/example
  see namescore-pod kubectl get pod busybox-test-scheduler -o wide
  see namescore-describe kubectl describe pod busybox-test-scheduler
  grep busybox "$work/berth.log" | keep namescore-log
  sed 's/- hash: ""/- {exact: k8s-master, score: 100}/' configs/namescore/scheduler.yaml >"$work/scheduler.yaml"
  reconfigure namescore-scheduler "$work/scheduler.yaml" || return 1
  sed 's/name: busybox-test-scheduler/name: later/' configs/namescore/example/busybox.yaml | k apply -f - >/dev/null
  within 30 is_bound default later && expect 'the node by the new rule' k8s-master "$(node_of default later)" || return 1
  stop_berth || return 1
  echo "the pod is on $wanted, which berth simulate had said; another rule in the ConfigMap, another node"
}

# Which of equal nodes a pod gets is chance.
systems_chance='s/yigou-dev-102-4[56]/NODE/g; s/\bnode0[12]/NODE/g'
systems_are_shown() {
  local system
  for system in wyq sample; do pages_show $system- "$systems_chance" || return 1; done
  for system in maxnum namescore; do pages_show $system- || return 1; done
}

# What stays the same when a pod is tried twice, as it is where the machine has much else to do.
systems_are_shown_when_busy() {
  local block
  for block in wyq-pods sample-pods sample-refused maxnum-pods namescore-simulated namescore-pod; do
    pages_show $block "$systems_chance" || return 1
  done
}

live_systems() {
  show SS-1 wyq_live
  show SS-2 sample_live
  show SS-3 maxnum_live
  show SS-4 namescore_live
}
