# SPDX-License-Identifier: Apache-2.0
# What `berth explain` says of pods, beside what becomes of them. Sourced after serving.sh.

explain() { out/bin/berth explain --server "https://127.0.0.1:$ours" --kubeconfig "$dir/kubeconfig/admin" -n explain "$@"; }
# said FILE TEXT...: each text is in it.
said() {
  local file=$1 text
  shift
  for text in "$@"; do grep -qF -- "$text" "$file" || { echo "it does not say: $text"; cat "$file"; return 1; }; done
}
in_namespace() { sed "s/metadata: {name/metadata: {namespace: $1, name/"; }

# A dry run says where a pod would go, and there it then goes; what keeps a pod waiting is told, and what will wake it.
explained() {
  local i node pods_before events_before
  new_world explain || return 1
  { node one 4000; node two 4000; node three 6000; } | k apply -f - >/dev/null && within 60 ready_nodes 3 || return 1
  ours=$(free_port)
  secure_port=$ours start_berth --bind-address 127.0.0.1 --authentication-kubeconfig "$dir/kubeconfig/scheduler" \
    --authorization-kubeconfig "$dir/kubeconfig/scheduler" || return 1
  within 10 explain >"$work/list" || { cat "$work/list"; return 1; }
  for i in $(seq 8); do
    pod "web-$i" 500 | in_namespace explain >"$work/pod.yaml"
    pods_before=$(pods explain | wc -l) events_before=$(k get events -n explain -o name | wc -l)
    explain --dry-run -f "$work/pod.yaml" >"$work/dry" || { cat "$work/dry"; return 1; }
    expect 'pods after a dry run' "$pods_before" "$(pods explain | wc -l)" || return 1
    expect 'events after a dry run' "$events_before" "$(k get events -n explain -o name | wc -l)" || return 1
    k create -f "$work/pod.yaml" >/dev/null && within 30 is_bound explain "web-$i" || return 1
    node=$(node_of explain "web-$i")
    expect 'the dry run' "explain/web-$i would go to $node" "$(head -n 1 "$work/dry")" || { cat "$work/dry"; return 1; }
    within 30 are explain "$i" 0 || return 1
  done
  explain "web-8" >"$work/placed" || { cat "$work/placed"; return 1; }
  said "$work/placed" "explain/web-8 is on $node" 'LAST DECISIONS' 'Scheduled' 'NodeResourcesFit' || return 1
  pod large 7000 | in_namespace explain >"$work/large.yaml"
  explain --dry-run -f "$work/large.yaml" >"$work/dry"
  expect 'the exit code of a dry run in vain' 1 $? || { cat "$work/dry"; return 1; }
  said "$work/dry" 'explain/large would stay pending: NodeResourcesFit would reject it' '0/3 nodes are available: 3 Insufficient cpu.' \
    'WHAT WOULD MAKE IT FIT' ' more cpu on three ' || return 1
  k create -f "$work/large.yaml" >/dev/null
  waits() { explain large >"$work/waits"; [ $? = 1 ] && said "$work/waits" 'explain/large is pending: NodeResourcesFit rejected it'; }
  within 20 waits >/dev/null || { waits; return 1; }
  said "$work/waits" 'WHAT WAKES IT' ' more cpu on three ' 'node: added, allocatable changed' '0/3 nodes are available: 3 Insufficient cpu.' || return 1
  explain --pending >"$work/pending"
  expect 'the exit code while a pod is pending' 1 $? || { cat "$work/pending"; return 1; }
  said "$work/pending" ' unschedulable, 0 gated' '  1 pod: 0/3 nodes are available: 3 Insufficient cpu.' '    explain/large' \
    '    explain/large would fit with' ' more cpu on three' || return 1
  # Nobody has no rights, and a token that is not shown to just anybody.
  env -u KUBECONFIG HOME="$work" out/bin/berth explain --server "https://127.0.0.1:$ours" large -n explain >"$work/refused" 2>&1
  expect 'the exit code without rights' 2 $? && said "$work/refused" 'answered 403' 'kubectl create clusterrole' || return 1
  out/bin/berth explain --server "https://127.0.0.1:$ours" --token abc large >"$work/refused" 2>&1
  expect 'the exit code with a token' 2 $? && said "$work/refused" 'cannot be verified' || return 1
  node big 16000 | k apply -f - >/dev/null && within 30 is_bound explain large || return 1
  expect 'what woke it' big "$(node_of explain large)" || return 1
  explain pod/large >"$work/placed" && said "$work/placed" 'explain/large is on big' || { cat "$work/placed"; return 1; }
  explain --pending >"$work/none" && said "$work/none" 'No pod in namespace explain is pending.' || { cat "$work/none"; return 1; }
  [ -z "${KEEP:-}" ] || cp "$work"/{list,dry,waits,pending,placed} "$KEEP/"
  stop_berth || return 1
  echo '8 pods went where the dry run said; one that waited was told by whom, woke as told, and went where it could'
}
