#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# build.sh DIR: builds into DIR what is missing there or older than its sources: the programs of the control plane, from
# the Go modules that go.mod names, and `cluster`, which starts them. Silent and instant when nothing is.
set -euo pipefail
bin=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$(dirname "$0")"
kwok=v0.7.0
kubernetes=$(awk '$1 == "k8s.io/kubernetes" && $2 ~ /^v/ {print $2}' go.mod)
version=k8s.io/component-base/version
# Without these the API server calls itself v0.0.0, and clients believe it.
ldflags="-s -w -X $version.gitVersion=$kubernetes -X $version.gitMajor=1 -X $version.gitMinor=$(cut -d . -f 2 <<<"$kubernetes")"
control_plane=(etcd kube-apiserver kube-controller-manager kube-scheduler kubectl kwok)
export GOTOOLCHAIN=auto GOFLAGS=-buildvcs=false

# stamp_of PROGRAM: what it is made from, in one word.
stamp_of() {
  local sources=(go.mod go.sum build.sh etcd/main.go)
  if [ "$1" = cluster ]; then sources+=(./*.go); fi
  cat "${sources[@]}" | sha256sum | cut -d ' ' -f 1
}
stale() { [ ! -x "$bin/$1" ] || [ "$(stamp_of "$1")" != "$(cat "$bin/.$1.stamp" 2>/dev/null)" ]; }

# make_program NAME: go build writes the file only when it is complete, and the stamp comes after it.
make_program() {
  case $1 in
    cluster) "$go" build -o "$bin/" . ;;
    etcd) "$go" build -p "$(nproc)" -ldflags '-s -w' -o "$bin/" ./etcd ;;
    # kwok has a module graph of its own, which does not agree with this Kubernetes.
    kwok) (cd / && GOBIN=$bin "$go" install -p "$(nproc)" -ldflags '-s -w' "sigs.k8s.io/kwok/cmd/kwok@$kwok") ;;
    *) "$go" build -p "$(nproc)" -ldflags "$ldflags" -o "$bin/" "k8s.io/kubernetes/cmd/$1" ;;
  esac
  stamp_of "$1" >"$bin/.$1.stamp"
}

wanted=()
for program in "${control_plane[@]}" cluster; do
  if stale "$program"; then wanted+=("$program"); fi
done
[ ${#wanted[@]} -gt 0 ] || exit 0

exec 9>"$bin/.lock"
flock 9
go=$(../../../tools/setup-go.sh)
for program in "${wanted[@]}"; do
  stale "$program" || continue # Another build has made it meanwhile.
  [ "$program" = cluster ] || echo "cluster: building $program (a minute or two each the first time)" >&2
  make_program "$program"
done
