#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# bench.sh [WORKLOAD[,WORKLOAD...] [live|simulated [SCHEDULERS [FLAG...]]]]: plays upstream's workloads against berth and the
# real kube-scheduler. bench.sh --test [-short]: the bench tests itself, at a tiny size; -short needs no control plane. README.md
# tells the rest.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../../.. && pwd)
cache=$root/.cache/bench
program=${BERTH:-$root/out/bin/berth}
[ -x "$program" ] || { echo "bench: $program is not there; make build makes it" >&2; exit 2; }
go=$(../../../tools/setup-go.sh)
export GOTOOLCHAIN=auto GOFLAGS=-buildvcs=false
upstream=$("$go" list -m -f '{{.Dir}}' k8s.io/kubernetes)
if [ -z "$upstream" ]; then
  "$go" mod download k8s.io/kubernetes
  upstream=$("$go" list -m -f '{{.Dir}}' k8s.io/kubernetes)
fi
upstream=$upstream/test/integration/scheduler_perf
cluster=$root/tests/live/cluster/cluster.sh

if [ "${1:-}" = --test ]; then
  unformatted=$("$("$go" env GOROOT)/bin/gofmt" -l .)
  [ -z "$unformatted" ] || { echo "bench: gofmt would change: $unformatted" >&2; exit 1; }
  "$go" vet .
  [ "${2:-}" = -short ] || ../../live/cluster/cluster.sh build
  export BENCH_UPSTREAM=$upstream BENCH_CLUSTER=$cluster BENCH_BERTH=$program
  "$go" test -count=1 -v ${2:+"$2"} . | awk '!/^ok  \t/ { print } /^--- PASS/ { p++ } /^--- FAIL/ { f++ }
    END { print p + 0 " passed, " f + 0 " failed" }'
  exit
fi

../../live/cluster/cluster.sh build

mkdir -p "$cache"
"$go" build -p "$(nproc)" -o "$cache/bench" .
dir=$(mktemp -d)
trap '"$cluster" --dir "$dir/plane" down; rm -rf "$dir"' EXIT
"$cache/bench" -w "${1:-SchedulingBasic/500Nodes}" -world "${2:-live}" -schedulers "${3:-kube-scheduler,berth,ceiling}" \
  -upstream "$upstream" -cluster "$cluster" -berth "$program" -dir "$dir" "${@:4}"
