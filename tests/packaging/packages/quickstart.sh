#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The commands of docs/quick-start.md, none else, in one shell; a heading is a step. They run in a clean Debian 12 root, in a folder
# that holds nothing but the packages of this tree; beside them there are kubectl and a ~/.kube/config, which names a control
# plane of tests/cluster. Needs root and `make build`. Ends with `quick start: N s, N passed, 0 failed`.
set -uo pipefail
cd "$(dirname "$0")/../../.."
. tools/debian-root.sh
may_make_roots
work=$(mktemp -d)
chmod 755 "$work"
umask 022
root=$work/root
cluster() { tests/live/cluster/cluster.sh --dir "$work/cluster" "$@"; }
trap 'cluster down >/dev/null 2>&1; rm -rf --one-file-system "$work"' EXIT

# step NUMBER: the commands under that heading.
step() { awk -v wanted="$1" '/^## / { n++ } /^```/ { on = $0 == "```sh" && n == wanted; next } on' docs/quick-start.md; }
mapfile -t names < <(sed -n 's/^## //p' docs/quick-start.md)

there_is_all() {
  packages/packages.sh "$work/packages" && new_root "$root" && cluster up && cluster kubectl apply -f tests/live/cluster/nodes.yaml &&
    mkdir -p "$root/root/.kube" "$root/root/empty" && cp "$work"/packages/*.deb "$root/root/empty" &&
    cp "$work/cluster/kubeconfig/admin" "$root/root/.kube/config" && cp .cache/cluster/bin/kubectl "$root/usr/local/bin/"
}
(there_is_all) >"$work/log" 2>&1 || { tail -n 20 "$work/log"; exit 1; }

# One shell for all steps; after each it says which one is done, and when.
{
  echo 'set -e; cd ~/empty'
  for i in $(seq ${#names[@]}); do
    step "$i"
    echo "echo \"step $i is done at \$SECONDS s\""
  done
} >"$root/root/commands.sh"
start=$SECONDS
in_root "$root" bash /root/commands.sh >"$work/log" 2>&1
seconds=$((SECONDS - start))
passed=0
failed=0
for i in $(seq ${#names[@]}); do
  if at=$(sed -n "s/^step $i is done //p" "$work/log") && [ -n "$at" ]; then
    passed=$((passed + 1))
    echo "ok    ${names[i - 1]} ($at)"
  else
    failed=$((failed + 1))
    echo "FAIL  ${names[i - 1]}"
  fi
done
# What the steps are for, beside that they end with 0.
for line in '^Setting up berth-sdk ' '^Scenario pods-per-node: .* holds\?$' '^web .* node-[0-9]'; do
  grep -q "$line" "$work/log" || { echo "FAIL  no line $line"; failed=$((failed + 1)); }
done
[ "$failed" = 0 ] || tail -n 40 "$work/log"
echo "quick start: $seconds s, $passed passed, $failed failed"
[ "$failed" = 0 ]
