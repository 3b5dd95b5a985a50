#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh [N] [SEED]: builds the oracle, lets it test itself, and has it judge at least N random decisions of
# out/bin/berth (or $BERTH, with the plugins of $BERTH_PLUGIN_DIR), those of cases/ first. Failing cases are kept, shrunk,
# in .cache/oracle/failing. Ends with "N decisions, M differences"; the exit code is 0 only when M is 0.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
cache=$root/.cache/oracle
berth=${BERTH:-$root/out/bin/berth}
[ -x "$berth" ] || { echo "oracle: $berth is not there; make build makes it" >&2; exit 2; }
go=$(../setup-go.sh)
export GOTOOLCHAIN=auto GOFLAGS=-buildvcs=false

mkdir -p "$cache"
[ -x "$cache/oracle" ] || echo 'oracle: building the real scheduler, which takes some minutes the first time'
"$go" build -p "$(nproc)" -o "$cache/oracle" .
unformatted=$("$("$go" env GOROOT)/bin/gofmt" -l .)
[ -z "$unformatted" ] || { echo "oracle: gofmt would change: $unformatted" >&2; exit 1; }
"$go" vet .
"$go" test -p 1 .
exec "$cache/oracle" run -berth "$berth" -n "${1:-2000}" -seed "${2:-1}" -keep "$cache/failing" -cases cases \
  ${BERTH_PLUGIN_DIR:+-plugin-dir "$BERTH_PLUGIN_DIR"}
