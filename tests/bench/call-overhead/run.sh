#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh: what a call into a plugin costs. One rule about 5,000 nodes: inlined in the host's own code, through the batch form and the
# per-node form of a plugin, as a plugin of the real kube-scheduler, and as its extender over HTTP; nanoseconds per node and how
# many times that is the first.
set -uo pipefail
. "$(dirname "$0")/../../check.sh"
go=$(tools/setup-go.sh) || exit 1
export GOTOOLCHAIN=auto GOFLAGS=-buildvcs=false

measured() {
  [ -f build/release/build.ninja ] || cmake --preset release
  cmake --build build/release --target berth_call_overhead && build/release/tests/berth_call_overhead "$top/build/release/tests/call_overhead.so" >"$work/ours" &&
    mkdir -p .cache/oracle && "$go" build -C tests/oracle/judge -p "$(nproc)" -o "$top/.cache/oracle/call-overhead" ./call-overhead &&
    .cache/oracle/call-overhead >"$work/theirs" && cat "$work/ours" "$work/theirs" >"$work/times"
}
source_is_sound() {
  local unformatted
  unformatted=$("$("$go" env GOROOT)/bin/gofmt" -l tests/oracle/judge/call-overhead) && [ -z "$unformatted" ] || { echo "$unformatted"; return 1; }
  "$go" vet -C tests/oracle/judge ./call-overhead
}
# at_most FORM TIMES
at_most() { awk -v form="$1" -v most="$2" '$1 == "inlined" { one = $2 } $1 == form { found = 1; exit !($2 <= most * one) } END { if (!found) exit 1 }' "$work/times"; }

check 'the five are measured' measured
check 'the Go source is formatted and vetted' source_is_sound
awk '$1 == "inlined" { one = $2 } { printf "%-10s %10.2f ns per node %10.2f×\n", $1, $2, $2 / one }' "$work/times"
check 'the batch form takes at most 1.5 times what the inlined rule takes' at_most batch 1.5
check 'the per-node form takes at most 10 times that' at_most per-node 10
finish
