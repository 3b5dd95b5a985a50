# SPDX-License-Identifier: Apache-2.0
# What `berth config rbac` prints is enough, and one rule less is not: for every rule there is a scheduler that has all the
# others, and says in its log within seconds what it may not do. All run at once, each with a service account, a scheduler
# name and a lease of its own. Sourced after common.sh.

# scheduler_without N: started in the background; its log is $work/rule-N.log.
scheduler_without() {
  local token name=rule-$1
  "$work/rules" "$work/rbac.json" "$1" "$name" | k create -f - >/dev/null || return 1
  token=$(k create token -n kube-system "$name") || return 1
  sed -n '/^users:/q;p' "$dir/kubeconfig/token" | sed 's/user: token/user: u/' >"$work/$name.kubeconfig"
  printf 'users: [{name: u, user: {token: "%s"}}]\n' "$token" >>"$work/$name.kubeconfig"
  printf '%s\n' 'apiVersion: kubescheduler.config.k8s.io/v1' 'kind: KubeSchedulerConfiguration' \
    "leaderElection: {resourceName: $name}" "profiles: [{schedulerName: $name}]" >"$work/$name.config"
  out/bin/berth run --kubeconfig "$work/$name.kubeconfig" --config "$work/$name.config" -v 2 --bind-address 127.0.0.1 \
    --secure-port $((port + $1)) >"$work/$name.log" 2>&1 &
  schedulers+=($!)
}

# work_for N: a pod that fits and one that does not; where it matters also one with a claim whose device is chosen.
work_for() {
  local n=$1
  { pod "fits-$n" 10 "schedulerName: rule-$n" && pod "big-$n" 900000 "schedulerName: rule-$n"; } | k create -n rules -f - >/dev/null || return 1
  [ "$n" = -1 ] || [[ "$(resources "$n")" = resourceclaims/* ]] || return 0
  k create -n rules -f - >/dev/null <<END || return 1
{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: "c$n"},
 spec: {devices: {requests: [{name: r, exactly: {deviceClassName: all}}]}}}
END
  k patch resourceclaim -n rules "c$n" --subresource=status --type=merge -p '{"status": {"allocation": {
    "allocationTimestamp": "2026-01-01T00:00:00Z",
    "devices": {"results": [{"request": "r", "driver": "test.example.com", "pool": "p", "device": "d"}]}}}}' >/dev/null || return 1
  pod "claims-$n" 10 "schedulerName: rule-$n, resourceClaims: [{name: c, resourceClaimName: \"c$n\"}]" | k create -n rules -f - >/dev/null
}
# ask_it N TOKEN: whose token it is and whether they may is asked of the API server, unless they may do everything.
ask_it() { curl -sk -m 2 -H "Authorization: Bearer $2" "https://127.0.0.1:$((port + $1))/configz"; }

# may_not N: the log names a resource of the rule that is missing.
may_not() {
  ask_it "$1" "$anybody" >/dev/null
  local resource
  for resource in $(resources "$1"); do grep -qE "cannot [a-z]+ resource [\\\\]*\"$resource[\\\\]*\"" "$work/rule-$1.log" && return 0; done
  return 1
}
# resources N: what the Nth rule is about.
resources() { sed -n "$(($1 + 1))p" "$work/resources"; }

all_is_well() {
  is_bound rules fits--1 && is_bound rules claims--1 && [ "$(ask_it -1 "$(<"$dir/pki/token")" | grep -c componentconfig)" = 1 ] &&
    k get events -n rules --field-selector involvedObject.name=big--1 -o name | grep -q . &&
    [ -n "$(k get lease -n kube-system rule--1 -o jsonpath='{.spec.holderIdentity}')" ]
}

# promise(admin): Every rule of the ClusterRole is necessary: without the rule, the API server refuses a request of
# Berth, and the log names the resource.
every_rule_is_needed() {
  local n rules port=24100 silent=() anybody
  schedulers=()  # global: the trap runs after the function
  new_world rules && k apply -f tests/live/cluster/nodes.yaml >/dev/null && within 60 ready_nodes 3 || return 1
  anybody=$(k create token -n rules default) || return 1
  out/bin/berth config rbac -o json >"$work/rbac.json" || return 1
  GOTOOLCHAIN=auto GOFLAGS=-buildvcs=false "$(tools/setup-go.sh)" build -C tests/live/cluster -o "$work/rules" ./rules || return 1
  "$work/rules" "$work/rbac.json" >"$work/resources" || return 1
  rules=$(wc -l <"$work/resources")
  trap '[ ${#schedulers[@]} = 0 ] || kill "${schedulers[@]}" 2>/dev/null' EXIT
  for ((n = -1; n < rules; ++n)); do scheduler_without "$n" && work_for "$n" || return 1; done
  within 60 all_is_well || { tail -n 20 "$work/rule--1.log"; return 1; }
  for ((n = 0; n < rules; ++n)); do within 30 may_not "$n" >/dev/null || silent+=("$n: $(resources "$n")"); done
  ! grep -i forbidden "$work/rule--1.log" || return 1
  [ ${#silent[@]} = 0 ] || { printf 'nothing is said of the missing rule %s\n' "${silent[@]}"; return 1; }
  echo "with the rights that berth config rbac prints all is well; without any one of its $rules rules the log names it"
}
