#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# mutate.sh [EACH] [ONLY] [OPTION...]: spoils the default plugins, EACH small changes (5) in each source whose name matches ONLY,
# and asks the simulated scenarios, the tests of single sources, the broken configurations and a short oracle whether they notice.
# Prints a table; the exit code is 0 when all are caught but those of equivalent.txt. OPTION: -known tries all of those too.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../../.. && pwd)
go=$(../../../tools/setup-go.sh)
export GOTOOLCHAIN=auto GOFLAGS=-buildvcs=false
cache=$root/.cache/mutation
mkdir -p "$cache"
"$go" vet .
"$go" test .
"$go" build -o "$cache/mutation" .
"$go" -C ../../oracle/judge build -o "$root/.cache/oracle/oracle" .
cd "$root"
cmake --build build/release --target product berth_sim_tests >"$cache/build.log" || { cat "$cache/build.log" >&2; exit 1; }
"$cache/mutation" -each "${1:-5}" -only "${2:-}" "${@:3}" -sdk sdk/include -equivalent tests/self/mutation/equivalent.txt \
  'build/release/tests/berth_sim_tests --abort --reporter compact' tests/self/mutation/ask-headers.sh \
  tests/self/mutation/ask-arguments.sh tests/self/mutation/ask-oracle.sh |
  tee "$cache/table"
