#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The commands of docs/quick-start.md, none else, in one shell, in an empty folder; a heading is a step. The packages are made
# and unpacked in the place of the page's first command, so that this machine stays as it is, and a control plane of
# tests/cluster is what ~/.kube/config names. Needs `make build`. Ends with `quick start: N s, N passed, 0 failed`.
set -uo pipefail
cd "$(dirname "$0")/../.."
top=$PWD
work=$(mktemp -d)
chmod 755 "$work"
umask 022
cluster() { tests/cluster/cluster.sh --dir "$work/cluster" "$@"; }
trap 'cluster down >/dev/null 2>&1; rm -rf "$work"' EXIT

# step NUMBER: the commands under that heading.
step() { awk -v wanted="$1" '/^## / { n++ } /^```/ { on = $0 == "```sh" && n == wanted; next } on' docs/quick-start.md; }
mapfile -t names < <(sed -n 's/^## //p' docs/quick-start.md)
[ "${names[0]}" = Install ] && step 1 | grep -q '^apt-get install .*berth_\*\.deb' || { echo 'quick start: the page begins otherwise'; exit 1; }

{ packages/packages.sh "$work/packages" && cluster up && cluster kubectl apply -f tests/cluster/nodes.yaml; } >"$work/log" 2>&1 ||
  { tail -n 20 "$work/log"; exit 1; }
for package in "$work"/packages/*.deb; do dpkg-deb -x "$package" "$work/root"; done
mkdir -p "$work/home/.kube" "$work/empty"
cp "$work/cluster/kubeconfig/admin" "$work/home/.kube/config"

# One shell for all steps; after each it says which one is done.
{
  echo "set -e; cd '$work/empty'"
  for i in $(seq 2 ${#names[@]}); do
    step "$i"
    echo "echo 'step $i is done'"
  done
} >"$work/commands.sh"
start=$SECONDS
env HOME="$work/home" PATH="$work/root/usr/bin:$top/.cache/cluster/bin:$PATH" CMAKE_PREFIX_PATH="$work/root/usr" bash "$work/commands.sh" >"$work/log" 2>&1
seconds=$((SECONDS - start))
passed=0
failed=0
for i in $(seq 2 ${#names[@]}); do
  if grep -qx "step $i is done" "$work/log"; then
    passed=$((passed + 1))
    echo "ok    ${names[i - 1]}"
  else
    failed=$((failed + 1))
    echo "FAIL  ${names[i - 1]}"
  fi
done
# What the last steps are for, beside that they end with 0.
for line in '^Scenario pods-per-node: .* holds\?$' '^web .* node-[0-9]'; do
  grep -q "$line" "$work/log" || { echo "FAIL  no line $line"; failed=$((failed + 1)); }
done
[ "$failed" = 0 ] || tail -n 40 "$work/log"
echo "quick start: $seconds s, $passed passed, $failed failed"
[ "$failed" = 0 ]
