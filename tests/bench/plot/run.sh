#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh: what plot.sh and the bench's scripts draw, and what plot.sh says of a description that is none. Ends with
# "N passed, N failed". Needs `make build`.
set -uo pipefail
. "$(dirname "$0")/../../check.sh"

plot() { printf '%s\n' "$@" | tests/bench/plot/plot.sh; }
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
  tests/bench/schedulers/plot.sh "$work/csv" >"$work/svg" || return 1
  cat "$work/svg"
  grep -q '>2  B/2, simulated, -all-nodes</text>' "$work/svg" && grep -q '>pods/s</text>' "$work/svg" && ! grep -q 'median' "$work/svg" &&
    [ "$(grep -c '<rect class="s0 bar"' "$work/svg")" = 3 ] && [ "$(grep -c '<rect class="s1 bar"' "$work/svg")" = 6 ] &&
    grep -q '<rect class="s1 bar" x="164" y="196" width="80" height="60"/>' "$work/svg" # 400 of 1,000
}
# The tables of docs/performance.md and the rows of the README, from two runs of one workload and one of another.
tables() {
  mkdir -p "$work/pages/docs"
  cat >"$work/pages/docs/performance.csv" <<END
time,workload,world,flags,scheduler,pods,pods_per_second,cpu_ms,cpu_ms_per_pod,memory_mib,p50_ms,p99_ms,first_binding_ms
2026-01-01T,SchedulingBasic/5000Nodes_10000Pods,live,,kube-scheduler,10,100,,3,90,,,
2026-01-01T,SchedulingBasic/5000Nodes_10000Pods,live,,berth,10,300,,1,30,,,
2026-01-01T,SchedulingBasic/5000Nodes_10000Pods,live,,ceiling,10,400,,1,30,,,
2026-01-01T,SchedulingBasic/5000Nodes_10000Pods,live,,ceiling,10,500,,1,30,,,
2026-01-02T,SchedulingBasic/5000Nodes_10000Pods,live,,berth,10,500,,2,30,,,
2026-01-02T,SchedulingBasic/5000Nodes_10000Pods,live,,kube-scheduler,10,300,,6,90,,,
2026-01-03T,SchedulingBasic/5000Nodes_10000Pods,simulated,-all-nodes,berth,10,1234567,,0.1,30,,,
2026-01-03T,B/2,simulated,-all-nodes,berth,10,10,,0.1,30,,,
2026-01-03T,B/2,simulated,-all-nodes,kube-scheduler,10,4,,0.3,60,,,
END
  printf '%s\n' before '<!-- measured: live -->' old '<!-- measured end -->' '<!-- measured: simulated -->' '<!-- measured end -->' after \
    '| [How does Berth compare with kube-scheduler?](#how-does-berth-compare-with-kube-scheduler) | old |' '| other |' >"$work/pages/docs/performance.md"
  printf '%s\n' '| memory in the same run | old |' >"$work/pages/README.md"
  PAGES=$work/pages tests/bench/schedulers/performance.sh write || return 1
  cat >"$work/expected" <<'END'
before
<!-- measured: live -->
2026-01-02: 2 runs of each in alternating order, medians, in brackets the least and the most.

| workload | pods/s, Berth | kube-scheduler | the ceiling | Berth / kube-scheduler | Berth / ceiling |
|---|---|---|---|---|---|
| SchedulingBasic/5000Nodes_10000Pods | 400.0 (300.0–500.0) | 200.0 (100.0–300.0) | 450.0 (400.0–500.0) | 2.0× | 89 % (75–100 %) |

| workload | CPU per pod, Berth | kube-scheduler | ratio | memory, Berth | kube-scheduler | ratio |
|---|---|---|---|---|---|---|
| SchedulingBasic/5000Nodes_10000Pods | 1.500 ms (1.000–2.000 ms) | 4.500 ms (3.000–6.000 ms) | 3.0× | 30.0 MiB (30.0–30.0 MiB) | 90.0 MiB (90.0–90.0 MiB) | 3.0× |
<!-- measured end -->
<!-- measured: simulated -->
2026-01-03: one run.

| workload | pods/s, Berth | kube-scheduler | Berth / kube-scheduler |
|---|---|---|---|
| SchedulingBasic/5000Nodes_10000Pods | 1,234,567 | not measured | not measured |
| B/2 | 10 | 4 | 2.5× |

| workload | CPU per pod, Berth | kube-scheduler | ratio | memory, Berth | kube-scheduler | ratio |
|---|---|---|---|---|---|---|
| SchedulingBasic/5000Nodes_10000Pods | 0.100 ms | not measured | not measured | 30.0 MiB | not measured | not measured |
| B/2 | 0.100 ms | 0.300 ms | 3.0× | 30.0 MiB | 60.0 MiB | 2.0× |
<!-- measured end -->
after
| [How does Berth compare with kube-scheduler?](#how-does-berth-compare-with-kube-scheduler) | 2.0× the pods/s, CPU per pod 3.0× lower, memory 3.0× lower |
| other |
| memory in the same run | 30.0 MiB | 90.0 MiB | the same |
END
  cat "$work/pages/docs/performance.md" "$work/pages/README.md" | diff "$work/expected" -
}
grown() {
  NODES='500 1000' tests/bench/schedulers/growth.sh "$work/svg" >"$work/table" || return 1
  cat "$work/table" "$work/svg"
  [ "$(grep -cE '^\| (500 \| 5000|1000 \| 10000) \| [0-9.]+ \| [1-9][0-9]* \| [1-9][0-9.]* \|$' "$work/table")" = 2 ] &&
    [ "$(grep -c 'class="dot ' "$work/svg")" = 2 ] && grep -q '>1,000</text>' "$work/svg"
}

check 'a description is drawn' drawn
check 'what is none is refused by its line' wrong
check 'measurements of the bench are bars' measured
check 'measurements of the bench are the tables of the pages' tables
check 'growth is a table and a picture' grown
finish
