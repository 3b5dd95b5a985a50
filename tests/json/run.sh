#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh [N [SEED]]: N random strange texts, and what Kubernetes' decoder makes of them, are read alike by Berth. Ends with
# "N passed, N failed".
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
cache=$root/.cache/oracle
go=$(../setup-go.sh)
export GOTOOLCHAIN=auto GOFLAGS=-buildvcs=false
mkdir -p "$cache"
(
  cd ../oracle
  "$go" build -p "$(nproc)" -o "$cache/gojson" ./gojson
  unformatted=$("$("$go" env GOROOT)/bin/gofmt" -l gojson)
  [ -z "$unformatted" ] || { echo "json: gofmt would change: $unformatted" >&2; exit 1; }
  "$go" vet ./gojson
)
n=${1:-50000} seed=${2:-$RANDOM}
echo "json: $n texts, seed $seed"
build=$root/build/release
[ -f "$build/build.ninja" ] || (cd "$root" && cmake --preset release >/dev/null)
cmake --build "$build" --target berth_json_check >/dev/null
"$cache/gojson" -n "$n" -seed "$seed" | "$build/tests/berth_json_check"
