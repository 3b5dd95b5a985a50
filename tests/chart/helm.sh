#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# helm.sh: prints the path of the real helm, built from its Go module when it is missing.
set -euo pipefail
version=v3.20.2
cd "$(dirname "$0")/../.."
bin=$PWD/.cache/cluster/bin
if [ "$(cat "$bin/.helm.stamp" 2>/dev/null)" != $version ] || [ ! -x "$bin/helm" ]; then
  mkdir -p "$bin"
  go=$(tests/setup-go.sh)
  echo 'chart: building helm (a minute the first time)' >&2
  (cd / && GOTOOLCHAIN=auto GOBIN=$bin "$go" install -p "$(nproc)" -ldflags '-s -w' "helm.sh/helm/v3/cmd/helm@$version")
  echo $version >"$bin/.helm.stamp"
fi
echo "$bin/helm"
