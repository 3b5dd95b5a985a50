#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# That the tests can fail, and that their figures mean what they say.
set -uo pipefail
. "$(dirname "$0")/../shows.sh"

# Timelines on the whole of both schedulers: no difference, each spoiled log found, and every answer that a hint can give given often.
timelines_agree() {
  local n=${LONG:+50000} seed=${SEED:-1}
  n=${n:-5000}
  tests/oracle/timeline/run.sh "$n" "$seed" >"$work/timelines" || { tail -n 80 "$work/timelines"; return 1; }
  grep -e '^|' -e '^    rare: ' "$work/timelines" >"$work/JU-1.table"
  grep -q '^[1-9][0-9]* spoiled logs, 0 not found$' "$work/timelines" && grep -qx "$n timelines, 0 differences" "$work/timelines" || return 1
  grep -q ' of plugin, event and answer came 20 times or more, .* 0 came less often$' "$work/timelines" || { grep ' of plugin, event and ' "$work/timelines"; return 1; }
  echo "seed $seed: $(tail -n 1 "$work/timelines"), $(grep ' events in a timeline' "$work/timelines"); $(grep ' of plugin, event and ' "$work/timelines"); $(grep -m 1 'spoiled logs' "$work/timelines")"
}

# Faults put into Berth, one at a time; in short a few of them.
planted_faults_are_found() {
  local all some= size=5 seed=${SEED:-$(date -u +%Y%m%d)}
  all=$(grep -c '^fault ' tests/self/mutation/faults.txt)
  [ -n "$LONG" ] || some=$(awk -v seed="$seed" -v n="$all" 'BEGIN { srand(seed); for (i = 1; i <= n; ++i) print rand(), i }' | sort -g | head -n $size | cut -d ' ' -f 2 | sort -n | tr '\n' ' ')
  tests/self/mutation/faults.sh $some >"$work/faults" || { cat "$work/faults"; return 1; }
  grep '^|' "$work/faults" >"$work/JU-2.table"
  echo "$(grep -c '^| *[1-9]' "$work/faults") of $all faults planted (${some:+seed $seed: }${some:-all}), each found by the judges of make test"
}

# Logs of a right scheduler, spoiled in the ways that the judge of decisions once let pass.
spoiled_logs_are_found() {
  local go tests='TestNothingEscapes|TestAPodIsHeld|TestAVisitThatGoesOn|TestARunThatDiffers'
  go=$(tools/setup-go.sh) || return 1
  GOTOOLCHAIN=auto GOFLAGS=-buildvcs=false "$go" -C tests/oracle/judge test -count=1 -timeout 60m -v -run "$tests" . >"$work/go" || { grep -v '^===' "$work/go"; return 1; }
  ! grep -q -e '--- SKIP' "$work/go" || { grep -e '--- SKIP' "$work/go"; return 1; }
  local found
  found=$(grep -c -e '^    --- PASS: TestNothingEscapes/' "$work/go")
  [ "$found" -ge 18 ] && [ "$(grep -c -e '^--- PASS: ' "$work/go")" = 4 ] || { cat "$work/go"; return 1; }
  echo "$found kinds of spoiled logs, visits that go on and a second run that differs: each found"
}

# The bench fails by itself when each run of a scheduler is faster than each of the ceiling client. A spread that would hide such a
# scheduler says nothing. The page's tables are those of its command.
ceiling_is_a_ceiling() {
  local workloads=SchedulingBasic/500Nodes order='kube-scheduler berth ceiling ceiling berth kube-scheduler kube-scheduler berth ceiling'
  [ -z "$LONG" ] || workloads=SchedulingBasic/5000Nodes_10000Pods,SchedulingPodAffinity/5000Nodes_5000Pods
  tests/bench/schedulers/bench.sh "$workloads" live kube-scheduler,berth,ceiling -runs 3 >"$work/ceiling" || { cat "$work/ceiling"; return 1; }
  cat "$work/ceiling"
  [ -z "$LONG" ] || order="$order $order"
  expect 'the order of runs' "$order" "$(sed -nE 's/^run [1-3]: ([a-z-]+) .*/\1/p' "$work/ceiling" | xargs)" || return 1
  sed -nE 's/^ceiling +3 runs .*\(([0-9.]+) to ([0-9.]+)\)$/\1 \2/p' "$work/ceiling" | awk '$2 > 1.5 * $1 { print "the ceiling is between " $1 " and " $2 ": too busy a machine"; bad = 1 }
    END { exit bad || !NR }' || return 1
  mkdir -p "$work/pages/docs" && cp docs/performance.* "$work/pages/docs" && cp README.md "$work/pages" && PAGES=$work/pages tests/bench/schedulers/performance.sh write &&
    same 'what performance.sh writes' docs/performance.md "$work/pages/docs/performance.md" && same 'what it writes' README.md "$work/pages/README.md" || return 1
  echo "$(grep -c '^berth .* ceiling ' "$work/ceiling") workloads, three runs each, none above the ceiling: $(sed -nE 's/^((berth|kube-scheduler) ).*   (ceiling.*)/\1\3/p' "$work/ceiling" | tr -s ' ' | paste -sd ';')"
}

nothing_counts_as_nothing() {
  tests/self/stages/run.sh >"$work/stages" || { grep -v '^ok' "$work/stages"; return 1; }
  grep -qx 'ok    ONLY=nothing' "$work/stages" && grep -qx 'ok    a stage that counts nothing fails: at-once' "$work/stages" || return 1
  ! ONLY=nothing tests/robustness/attacks/run.sh >"$work/nothing" 2>&1 || { cat "$work/nothing"; return 1; }
  ! tests/run.sh nothing >"$work/nothing" 2>&1 || { cat "$work/nothing"; return 1; }
  echo "ONLY=nothing fails, and so does a stage that ends at once; judged decisions are one check: $(tail -n 1 "$work/stages")"
}

show JU-1 timelines_agree
table JU-1
show JU-2 planted_faults_are_found
table JU-2
show JU-3 spoiled_logs_are_found
show JU-4 ceiling_is_a_ceiling
show JU-5 nothing_counts_as_nothing
finish
