#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh [N] [SEED]: plays N scripts on kube-scheduler's scheduling queue and on Berth's, those of scripts/ and random ones,
# and compares what happens to every pod. Failing scripts are kept, shrunk, in .cache/oracle/failing-scripts. Ends with
# "N scripts, M differences"; the exit code is 0 only when M is 0.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
cache=$root/.cache/oracle
build=$root/build/release
[ -f "$build/build.ninja" ] || (cd "$root" && cmake --preset release >/dev/null)
cmake --build "$build" --target berth_queue_play >/dev/null
go=$(../setup-go.sh)
export GOTOOLCHAIN=auto GOFLAGS=-buildvcs=false

mkdir -p "$cache"
cd ../oracle
[ -x "$cache/queue" ] || echo 'oracle-queue: building the real queue, which takes some minutes the first time'
"$go" build -p "$(nproc)" -o "$cache/queue" ./queue
unformatted=$("$("$go" env GOROOT)/bin/gofmt" -l queue)
[ -z "$unformatted" ] || { echo "oracle-queue: gofmt would change: $unformatted" >&2; exit 1; }
"$go" vet ./queue
"$go" test -p 1 ./queue
exec "$cache/queue" -play "$build/tests/berth_queue_play" -n "${1:-500}" -seed "${2:-1}" \
  -keep "$cache/failing-scripts" -scripts ../oracle-queue/scripts
