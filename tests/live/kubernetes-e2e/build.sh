#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# build.sh: builds .cache/kubernetes-e2e/kubernetes-e2e when it is missing or older than its sources. Silent and instant when it is
# neither.
set -euo pipefail
cd "$(dirname "$0")"
folder=$PWD/../../../.cache/kubernetes-e2e
program=$folder/kubernetes-e2e
kubernetes=$(awk '$1 == "k8s.io/kubernetes" && $2 ~ /^v/ {print $2}' go.mod)
version=k8s.io/component-base/version
export GOTOOLCHAIN=auto GOFLAGS=-buildvcs=false

stamp=$(cat go.mod go.sum build.sh ./*.go | sha256sum | cut -d ' ' -f 1)
stale() { [ ! -x "$program" ] || [ "$stamp" != "$(cat "$folder/.stamp" 2>/dev/null)" ]; }

stale || exit 0
mkdir -p "$folder"
exec 9>"$folder/.lock"
flock 9
stale || exit 0 # Another build has made it meanwhile.
go=$(../../../tools/setup-go.sh)
echo "kubernetes-e2e: building (some minutes the first time)" >&2
# Features that a spec needs from a version on are compared with this one.
"$go" build -p "$(nproc)" -ldflags "-s -w -X $version.gitVersion=$kubernetes" -o "$program" .
echo "$stamp" >"$folder/.stamp"
