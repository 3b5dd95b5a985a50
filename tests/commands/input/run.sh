#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Files that are not a whole cluster, or not only one: `berth simulate` says what they lack and what it left out. Needs
# `make build`.
set -uo pipefail
. "$(dirname "$0")/../../check.sh"

simulate() { out/bin/berth simulate "$@"; }

node() {
  printf -- '---\napiVersion: v1\nkind: Node\nmetadata: {name: %s}\nstatus: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}\n' "$1"
}
# pod NAME [MORE-OF-ITS-SPEC]
pod() {
  printf -- '---\napiVersion: v1\nkind: Pod\nmetadata: {name: %s, namespace: default}\nspec: {%scontainers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]}\n' \
    "$1" "${2:+$2, }"
}
with_claim() { echo "volumes: [{name: v, persistentVolumeClaim: {claimName: $1}}]"; }

# has LINE...: each is a whole line of what was printed.
has() {
  local line bad=0
  for line; do grep -qxF -- "$line" "$work/table" || { echo "no line: $line"; bad=1; }; done
  [ $bad = 0 ] || cat "$work/table"
  return $bad
}
# lacks TEXT: nothing that was printed has it.
lacks() { ! grep -qF -- "$1" "$work/table" || { echo "unexpected: $1"; cat "$work/table"; return 1; }; }

{
  node n0
  for i in 0 1 2 3 4 5 6 7 8 9 10 11; do pod "p$i" "nodeName: n$((i % 4))"; done
} >"$work/less.yaml"
{
  node n1
  for i in {0..24}; do pod "db-$i" "$(with_claim "data-db-$i")"; done
} >"$work/sts.yaml"

nodes_that_are_gone() {
  simulate "$work/less.yaml" >"$work/table" || return 1
  has 'Cluster: 1 node, 3 placed pods, 0 pods to place, 9 on missing nodes' 'MISSING from the input' \
    '  nodes           3     9  pods on them are not counted  n1, n2, n3' \
    '  To include them: kubectl get nodes,pods -A -o yaml > cluster.yaml' || return 1
  simulate --fail-on-pending "$work/less.yaml"
  [ $? = 1 ] || return 1
  for i in 1 2 3; do node "n$i"; done >"$work/more.yaml"
  simulate --fail-on-pending --add-nodes "$work/more.yaml" "$work/less.yaml" >"$work/table" && lacks MISSING
}

claims_of_a_stateful_set() {
  simulate "$work/sts.yaml" >"$work/table" 2>/dev/null || return 1
  has '  persistentvolumeclaims       25    25  pods stay pending  default/data-db-0, default/data-db-1, default/data-db-10, default/data-db-11, default/data-db-12, …' \
    '    default/db-0, default/db-1, default/db-10, default/db-11, default/db-12, … 20 more' &&
    grep -q '^  25 pods: .*persistentvolumeclaim "data-db-0" not found.*  (and "data-db-1", .* … 19 more)$' "$work/table" &&
    grep -q '^  To include them: kubectl get nodes,pods,.*,persistentvolumeclaims,persistentvolumes,storageclasses,' "$work/table"
}

# Standard output stays what was asked for.
other_outputs() {
  local line='  nodes           3     9  pods on them are not counted  n1, n2, n3'
  { cat "$work/less.yaml"; pod new; } >"$work/new.yaml"
  simulate --explain new "$work/new.yaml" 2>"$work/table" >"$work/explained" && has "$line" && ! grep -q MISSING "$work/explained" || return 1
  simulate --decisions - "$work/new.yaml" 2>"$work/table" >"$work/decisions" && has "$line" && ! grep -qv '^{' "$work/decisions" || return 1
  simulate -o yaml "$work/less.yaml" >"$work/table" && has '  onMissingNodes: 9' '  - resource: nodes' '    count: 3' '    pods: 9' || return 1
  simulate --config configs/default.yaml --config configs/packing.yaml --fail-on-pending "$work/less.yaml" >"$work/table"
  [ $? = 1 ] && has "$line" && [ "$(grep -c '^MISSING' "$work/table")" = 1 ]
}

budgets_of_a_preemption() {
  { node n0; pod low 'nodeName: n0, priority: 1'; pod high 'priority: 9'; } | sed 's/cpu: "1"/cpu: "3"/' >"$work/preempted.yaml"
  simulate "$work/preempted.yaml" >"$work/table" || return 1
  has '  poddisruptionbudgets      any     1  preemption ignores them' || return 1
  printf -- '---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: b}\nspec: {maxUnavailable: 1, selector: {matchLabels: {a: b}}}\n' >>"$work/preempted.yaml"
  simulate "$work/preempted.yaml" >"$work/table" && lacks MISSING
}

a_folder_with_other_files() {
  mkdir -p "$work/mix/chart"
  cp "$work/less.yaml" "$work/mix/cluster.yaml"
  echo '{"name": "web", "version": "1.0.0"}' >"$work/mix/package.json"
  echo 'replicas: 3' >"$work/mix/chart/values.yaml"
  printf 'kind: {{ .Values.kind }}\n {{- if }}\n' >"$work/mix/chart/template.yaml"
  simulate "$work/mix" >"$work/table" 2>&1
  [ $? = 2 ] && [ "$(grep -c -- '(--skip-unknown leaves it out)$' "$work/table")" = 3 ] || { cat "$work/table"; return 1; }
  simulate --skip-unknown -o json "$work/mix" >"$work/json" 2>"$work/table" || { cat "$work/table"; return 1; }
  has "warning: left out 2 documents that are no Kubernetes objects and 1 file that cannot be read as YAML or JSON: $work/mix/chart/template.yaml, $work/mix/chart/values.yaml:1:1, $work/mix/package.json:1:1" &&
    grep -q '"documents": 2' "$work/json" && grep -q '"files": 1' "$work/json" || return 1
  simulate --skip-unknown "$work/mix/chart" >"$work/table" 2>&1
  [ $? = 2 ] && grep -q 'but --skip-unknown left out all that is there$' "$work/table" || return 1
  # So with the nodes that are added.
  mkdir -p "$work/nodes"
  for i in 1 2 3; do node "n$i"; done >"$work/nodes/nodes.yaml"
  cp "$work/mix/package.json" "$work/nodes"
  ! simulate --add-nodes "$work/nodes" "$work/less.yaml" >"$work/table" 2>&1 || return 1
  simulate --skip-unknown --add-nodes "$work/nodes" "$work/mix" >"$work/table" 2>&1 || { cat "$work/table"; return 1; }
  lacks MISSING && has "warning: left out 1 document that is no Kubernetes object: $work/nodes/package.json:1:1" || return 1
  # But not a manifest with a mistake.
  printf 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 3\n  replicas: 5\n' >"$work/mix/web.yaml"
  simulate --skip-unknown "$work/mix" >"$work/table" 2>&1
  [ $? = 2 ] && grep -q 'web.yaml:6:3: the key "replicas" is repeated' "$work/table" && lacks skip-unknown
}

# Names may be long, hide escapes, and be a million.
hostile_names() {
  { node n1; pod p "$(with_claim '"\e[31m\u202e'"$(head -c 100000 /dev/zero | tr '\0' x)"'"')"; } >"$work/name.yaml"
  simulate --all "$work/name.yaml" 2>/dev/null | grep '^  persistentvolumeclaims ' >"$work/table" || return 1
  [ "$(wc -c <"$work/table")" -lt 500 ] && grep -qF 'default/\u001b[31m\u202ex' "$work/table" || { head -c 500 "$work/table"; return 1; }
  awk 'BEGIN {
    print "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n1\"},\"status\":{\"allocatable\":{\"cpu\":4,\"memory\":1,\"pods\":9}}}"
    for (p = 0; p < 1000; ++p) {
      printf "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p%d\"},\"spec\":{\"nodeName\":\"n1\",\"containers\":[{\"name\":\"c\",\"image\":\"i\"}],\"volumes\":[", p
      for (v = 0; v < 1100; ++v) printf "%s{\"name\":\"v%d\",\"persistentVolumeClaim\":{\"claimName\":\"c-%d-%d\"}}", v ? "," : "", v, p, v
      print "]}}"
    }
  }' >"$work/many.json"
  timeout 120 "$top/out/bin/berth" simulate --memory-limit 2Gi "$work/many.json" >"$work/table" 2>&1 || { tail -n 5 "$work/table"; return 1; }
  grep -q '^  persistentvolumeclaims  1,000,000  1,000  their volumes are not counted ' "$work/table" || { head -n 8 "$work/table"; return 1; }
}

check 'pods on nodes that the files lack: not placed, a line, exit code 1 with --fail-on-pending' nodes_that_are_gone
check 'claims that the files lack: one line, and one group of pending pods' claims_of_a_stateful_set
check 'what is missing beside other outputs and for several configurations' other_outputs
check 'PodDisruptionBudgets, where pods were preempted' budgets_of_a_preemption
check 'a folder with other files in it' a_folder_with_other_files
check 'names that are hostile, and a million of them' hostile_names

finish
