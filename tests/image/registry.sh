#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# registry.sh: prints the path of a registry for images, built from its Go module when it is missing.
set -euo pipefail
version=v0.20.6
cd "$(dirname "$0")/../.."
bin=$PWD/.cache/cluster/bin
if [ "$(cat "$bin/.registry.stamp" 2>/dev/null)" != $version ] || [ ! -x "$bin/registry" ]; then
  mkdir -p "$bin"
  go=$(tests/setup-go.sh)
  (cd / && GOTOOLCHAIN=auto GOBIN=$bin "$go" install -p "$(nproc)" -ldflags '-s -w' "github.com/google/go-containerregistry/cmd/registry@$version")
  echo $version >"$bin/.registry.stamp"
fi
echo "$bin/registry"
