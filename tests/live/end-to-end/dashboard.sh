# SPDX-License-Identifier: Apache-2.0
# The dashboard of a live cluster, seen by a browser. Sourced after serving.sh.
. tools/apt.sh
. tests/commands/web/browser.sh
. tests/commands/web/planted.sh

# a_harbour: 200 nodes in four zones, and 442 pods, of which not all fit.
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
  { planted_pod sown-placed 100; planted_pod sown-pending 30000; planted_secret; } | k create -f - >/dev/null || return 1
  k create deployment -n dashboard web --image=example/web:1 --replicas=364 >/dev/null
  within 240 are dashboard 425 17
}

# tried PORT CHANGES [CURL-FLAG...]: what comes of it, in $work/answer.
tried() {
  local port=$1 changes=$2
  shift 2
  set -- "$@" --cert "$dir/pki/admin.crt" --key "$dir/pki/admin.key"
  ask "$port" /apis/berth/v1alpha1/whatif -X PUT -d "$changes" "$@" | grep -q '^202 ' || return 1
  done_with() { ask "$port" /apis/berth/v1alpha1/whatif "$@" >"$work/answer"; ! grep -q '"state":"Running"' "$work/answer"; }
  within 120 done_with "$@" && grep -q '"state":"Done"' "$work/answer" || { cat "$work/answer"; return 1; }
}
# told TEXT...: each is in the answer.
told() {
  local text
  for text in "$@"; do grep -qF -- "$text" "$work/answer" || { echo "not told: $text"; tail -c 600 "$work/answer"; return 1; }; done
}
# what_there_is: what a simulation that wrote would have changed.
what_there_is() {
  k get pods -A --no-headers -o custom-columns=N:.metadata.name,U:.metadata.uid,H:.spec.nodeName,M:.status.nominatedNodeName,D:.metadata.deletionTimestamp &&
    k get nodes,pv,pvc -A -o name
}

# what_if_of_a_live_cluster PORT TOKEN: it tells where waiting pods would go, and writes nothing. The token may not ask.
what_if_of_a_live_cluster() {
  what_there_is >"$work/before"
  tried "$1" '{"addNodes":[{"like":"n4","count":4,"allocatable":{"cpu":"22"}}]}' || return 1
  # One of the eight that are too large for every other node fits each.
  told '"live":true' '"before":{"scheduled":0,"pending":17' '"after":{"scheduled":4,"pending":13' '"after":"n4-new-4"' 'name: n4-new-1' || return 1
  tried "$1" '{"pods":"All","profiles":[{"name":"default-scheduler","disable":["TaintToleration"]}]}' || return 1
  told '"before":{"scheduled":426,"pending":17' '"after":{"scheduled":426,"pending":17' || return 1
  grep -q '"differing":0' "$work/answer" && { echo 'without TaintToleration the tainted nodes stay empty'; return 1; }
  told '"after":"n20"' || return 1
  ask "$1" /apis/berth/v1alpha1/whatif -X PUT -d '{}' -H "Authorization: Bearer $2" >"$work/answer"
  told '403 application/json' 'cannot put path' || return 1
  sed -n 's/^    \(kubectl create clusterrole berth-what-if\)/\1/p; s/^    \(kubectl create clusterrolebinding berth-what-if\)/\1/p' docs/dashboard.md |
    sed 's/--group=operators/--serviceaccount=dashboard:looker/' >"$work/rights"
  k delete clusterrole,clusterrolebinding berth-what-if --ignore-not-found >/dev/null
  (kubectl() { k "$@"; } && . "$work/rights") >/dev/null || return 1
  may_ask() { ask "$1" /apis/berth/v1alpha1/whatif -X PUT -d '{}' -H "Authorization: Bearer $2" >"$work/answer"; told '422 application/json'; }
  within 20 may_ask "$1" "$2" >/dev/null || { cat "$work/answer"; return 1; }
  sleep 1
  what_there_is | diff "$work/before" - || { echo 'What if wrote'; return 1; }
}

every_view_of_a_live_cluster() {
  local pictures=${PICTURES:-build/web-walk/live} ours token namespace=dashboard key
  browser_ready && mkdir -p "$pictures" && new_world dashboard || return 1
  openssl ecparam -genkey -name prime256v1 -noout -out "$work/key" || return 1
  echo "{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration, extenders: [$(planted_extender "$work/key")]}" >"$work/planted.yaml"
  ours=$(free_port)
  secure_port=$ours start_berth --config "$work/planted.yaml" --bind-address 127.0.0.1 --authentication-kubeconfig "$dir/kubeconfig/scheduler" \
    --authorization-kubeconfig "$dir/kubeconfig/scheduler" --authorization-always-allow-paths '/healthz,/readyz,/livez,/ui,/ui/*' || return 1
  a_harbour || { pods dashboard | awk '{ print $2 }' | sort | uniq -c; return 1; }
  walk "https://127.0.0.1:$ours" "$pictures" "$dir/pki/admin.crt" "$dir/pki/admin.key" || return 1
  # Just the rights that docs/dashboard.md gives.
  k create serviceaccount looker -n dashboard >/dev/null
  k delete clusterrole,clusterrolebinding berth-dashboard --ignore-not-found >/dev/null
  sed -n '/^    kubectl create clusterrole berth-dashboard/,/^$/p' docs/dashboard.md | sed 's/--group=operators/--serviceaccount=dashboard:looker/' >"$work/rights"
  (kubectl() { k "$@"; } && . "$work/rights") >/dev/null && token=$(k create token looker -n dashboard) || return 1
  command node build/web-walk/sign_in.mjs "https://127.0.0.1:$ours" "$token" "$(realpath "$pictures")" dashboard/late >"$work/signed-in" &
  local browser=$!
  within 60 grep -qs '^signed in' "$work/signed-in" && sleep 5 && pod late 100 | k create -n dashboard -f - >/dev/null
  wait $browser || { cat "$work/signed-in"; return 1; }
  within 30 are dashboard 426 17 || return 1
  what_if_of_a_live_cluster "$ours" "$token" || return 1
  as_admin_with() { ask "$ours" "$1" --cert "$dir/pki/admin.crt" --key "$dir/pki/admin.key" "${@:2}"; }
  for key in "$(base64 -w 0 "$work/key" | grep -oE '[A-Za-z0-9]{40}' | sed -n 2p)" "${token##*.}"; do
    nothing_planted as_admin_with sown-placed sown-pending n1 /configz /metrics /version '/readyz?verbose' \
      '/healthz?verbose' '/livez?verbose' || return 1
  done
  stop_berth || return 1
  ! grep -E '^[EF][0-9]{4} ' "$work/berth.log" || return 1
  echo "every view of 200 nodes and 442 pods, by certificate and by token; no answer holds what was planted"
}
