#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# go-program.sh PACKAGE@VERSION: prints the path of that Go program, built from its module when it is missing.
set -euo pipefail
package=${1%@*} version=${1#*@}
name=${package##*/}
cd "$(dirname "$0")/.."
bin=$PWD/.cache/cluster/bin
if [ "$(cat "$bin/.$name.stamp" 2>/dev/null)" != "$version" ] || [ ! -x "$bin/$name" ]; then
  mkdir -p "$bin"
  go=$(tools/setup-go.sh)
  echo "building $name (a minute the first time)" >&2
  (cd / && GOTOOLCHAIN=auto GOBIN=$bin "$go" install -p "$(nproc)" -ldflags '-s -w' "$package@$version")
  echo "$version" >"$bin/.$name.stamp"
fi
echo "$bin/$name"
