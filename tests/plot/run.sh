#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh: what plot.sh and the bench's scripts draw, and what plot.sh says of a description that is none. Ends with
# "N passed, N failed". Needs `make build`.
set -uo pipefail
. "$(dirname "$0")/../check.sh"

plot() { printf '%s\n' "$@" | tests/plot/plot.sh; }
# refused MESSAGE LINE...
refused() {
  plot "${@:2}" >"$work/svg" 2>"$work/said" && { echo 'not refused'; return 1; }
  cat "$work/said"
  grep -qF "plot: $1" "$work/said" && [ ! -s "$work/svg" ]
}

drawn() {
  plot points 'title A title' 'x seconds time' 'name one' 'name two' 'panel share Part' '0 0.5 -' '60 0.25 1' >"$work/svg" || return 1
  cat "$work/svg"
  grep -q '>A title</text>' "$work/svg" && grep -q '>60 s</text>' "$work/svg" && grep -q '>100 %</text>' "$work/svg" &&
    [ "$(grep -c 'class="dot ' "$work/svg")" = 2 ]
}
wrong() {
  refused 'line 1: expected steps, points, points logarithmic or bars' curves &&
    refused 'line 2: expected count, share, seconds or amount, got "hours"' steps 'x hours time' &&
    refused 'line 2: expected a panel before the points' steps '1 2' &&
    refused 'line 4: expected a number that is not negative, got "x"' steps 'name a' 'panel count A' '1 x' &&
    refused 'line 4: expected a number that is not negative, got ""' steps 'name a' 'panel count A' '1' &&
    refused 'line 4: more values than names' steps 'name a' 'panel count A' '1 2 3' &&
    refused 'line 4: a logarithmic axis has no 0' 'points logarithmic' 'name a' 'panel count A' '0 2' &&
    refused 'line 5: there is no group 1' bars 'name a' 'group g' 'panel count A' '1 2' &&
    refused 'expected at least one panel' steps 'name a'
}
# Two runs of one workload have a median; what a row lacks has no bar; what nobody has, no panel.
measured() {
  cat >"$work/csv" <<END
time,workload,world,flags,scheduler,pods,pods_per_second,cpu_ms,cpu_ms_per_pod,memory_mib,p50_ms,p99_ms,first_binding_ms
,A/1,live,,kube-scheduler,10,100,30,3,90,,,
,A/1,live,,berth,10,300,10,1,30,,,
,A/1,live,,berth,10,500,10,1,30,,,
,B/2,simulated,-all-nodes,berth,10,1000,10,1,30,,,
END
  tests/bench/plot.sh "$work/csv" >"$work/svg" || return 1
  cat "$work/svg"
  grep -q '>2  B/2, simulated, -all-nodes</text>' "$work/svg" && grep -q '>pods/s</text>' "$work/svg" && ! grep -q 'median' "$work/svg" &&
    [ "$(grep -c '<rect class="s0 bar"' "$work/svg")" = 3 ] && [ "$(grep -c '<rect class="s1 bar"' "$work/svg")" = 6 ] &&
    grep -q '<rect class="s1 bar" x="164" y="196" width="80" height="60"/>' "$work/svg" # 400 of 1,000
}
grown() {
  NODES='500 1000' tests/bench/growth.sh "$work/svg" >"$work/table" || return 1
  cat "$work/table" "$work/svg"
  [ "$(grep -cE '^\| (500 \| 5000|1000 \| 10000) \| [0-9.]+ \| [1-9][0-9]* \| [1-9][0-9.]* \|$' "$work/table")" = 2 ] &&
    [ "$(grep -c 'class="dot ' "$work/svg")" = 2 ] && grep -q '>1,000</text>' "$work/svg"
}

check 'a description is drawn' drawn
check 'what is none is refused by its line' wrong
check 'measurements of the bench are bars' measured
check 'growth is a table and a picture' grown
finish
