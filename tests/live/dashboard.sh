# SPDX-License-Identifier: Apache-2.0
# The dashboard of a live cluster, seen by a browser. Sourced after serving.sh.
. tests/apt.sh
. tests/web/browser.sh

# a_harbour: 200 nodes in four zones, and 440 pods, of which not all fit.
a_harbour() {
  local i zone
  for i in $(seq 200); do
    zone=$(((i - 1) % 4))
    node "n$i" $((4000 * (zone + 1))) |
      sed "s|labels: {|labels: {topology.kubernetes.io/region: north, topology.kubernetes.io/zone: north-$zone, |
           $([ $((i % 20)) = 0 ] && echo 's|{apiVersion: v1, kind: Node,|& spec: {taints: [{key: gpu, effect: NoSchedule}]},|')"
  done | k create -f - >/dev/null && k cordon n7 n11 >/dev/null && within 90 ready_nodes || return 1
  {
    for i in $(seq 60); do pod "batch-$i" $((200 * (i % 9 + 1))); done
    for i in $(seq 8); do pod "large-$i" $((20000 + 1000 * (i % 2))); done
    for i in $(seq 6); do pod "south-$i" 100 'nodeSelector: {topology.kubernetes.io/region: south}'; done
    for i in 1 2; do pod "held-$i" 100 'schedulingGates: [{name: example.com/quota}]'; done
  } | k create -n dashboard -f - >/dev/null || return 1
  k create deployment -n dashboard web --image=example/web:1 --replicas=364 >/dev/null
  within 240 are dashboard 424 16
}

every_view_of_a_live_cluster() {
  local pictures=${PICTURES:-build/web-walk/live} ours token
  browser_ready && mkdir -p "$pictures" && new_world dashboard || return 1
  ours=$(free_port)
  secure_port=$ours start_berth --bind-address 127.0.0.1 --authentication-kubeconfig "$dir/kubeconfig/scheduler" \
    --authorization-kubeconfig "$dir/kubeconfig/scheduler" --authorization-always-allow-paths '/healthz,/readyz,/livez,/ui,/ui/*' || return 1
  a_harbour || { pods dashboard | awk '{ print $2 }' | sort | uniq -c; return 1; }
  # What if is of simulations alone.
  WITHOUT=whatif walk "https://127.0.0.1:$ours" "$pictures" "$dir/pki/admin.crt" "$dir/pki/admin.key" || return 1
  # Just the rights that docs/dashboard.md gives.
  k create serviceaccount looker -n dashboard >/dev/null
  k delete clusterrole,clusterrolebinding berth-dashboard --ignore-not-found >/dev/null
  sed -n '/^    kubectl create clusterrole berth-dashboard/,/^$/p' docs/dashboard.md | sed 's/--group=operators/--serviceaccount=dashboard:looker/' >"$work/rights"
  (kubectl() { k "$@"; } && . "$work/rights") >/dev/null && token=$(k create token looker -n dashboard) || return 1
  command node build/web-walk/sign_in.mjs "https://127.0.0.1:$ours" "$token" "$(realpath "$pictures")" || return 1
  stop_berth || return 1
  ! grep -E '^[EF][0-9]{4} ' "$work/berth.log" || return 1
  echo "every view of 200 nodes and 440 pods, by certificate and by token"
}
