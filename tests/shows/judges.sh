#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# That the tests can fail, and that their figures mean what they say.
set -uo pipefail
. "$(dirname "$0")/frame.sh"

# Timelines on the whole of both schedulers: no difference, each spoiled log found, and every answer that a hint can give given often.
timelines_agree() {
  local n=${LONG:+50000} seed=${SEED:-1}
  n=${n:-5000}
  tests/oracle-timeline/run.sh "$n" "$seed" >"$work/timelines" || { tail -n 80 "$work/timelines"; return 1; }
  grep -q '^[1-9][0-9]* spoiled logs, 0 not found$' "$work/timelines" && grep -qx "$n timelines, 0 differences" "$work/timelines" || return 1
  local rare
  rare=$(sed -n 's/^    hint \(.*\): [0-9]*$/\1/p' "$work/timelines" | sort | comm -23 - <(grep -v '^#' tests/oracle-timeline/never.txt | sort))
  [ -z "$rare" ] || { echo "answers of hints that came fewer than 20 times:"; echo "$rare"; return 1; }
  echo "seed $seed: $(grep -m 1 'spoiled logs' "$work/timelines"); $(grep ' attempts; ' "$work/timelines" | sed 's/, these were not:.*//'); $(tail -n 1 "$work/timelines")"
}

# Faults put into Berth, one at a time; in short a few of them.
planted_faults_are_found() {
  local some='1 5 11 13 20'
  [ -z "$LONG" ] || some=
  tests/mutation/faults.sh $some >"$work/faults" || { cat "$work/faults"; return 1; }
  cat "$work/faults"
  grep -c '^| *[1-9]' "$work/faults" | sed 's/$/ faults planted, each found by the judges of make test/'
}

# Logs of a right scheduler, spoiled in the ways that the judge of decisions once let pass.
spoiled_logs_are_found() {
  local go tests='TestNothingEscapes|TestAPodIsHeld|TestAVisitThatGoesOn|TestARunThatDiffers'
  go=$(tests/setup-go.sh) || return 1
  GOTOOLCHAIN=auto GOFLAGS=-buildvcs=false "$go" -C tests/oracle test -count=1 -timeout 60m -v -run "$tests" . >"$work/go" || { grep -v '^===' "$work/go"; return 1; }
  ! grep -q -e '--- SKIP' "$work/go" || { grep -e '--- SKIP' "$work/go"; return 1; }
  local found
  found=$(grep -c -e '^    --- PASS: TestNothingEscapes/' "$work/go")
  [ "$found" -ge 18 ] && [ "$(grep -c -e '^--- PASS: ' "$work/go")" = 4 ] || { cat "$work/go"; return 1; }
  echo "$found kinds of spoiled logs, visits that go on and a second run that differs: each found"
}

nothing_counts_as_nothing() {
  tests/stages/run.sh >"$work/stages" || { grep -v '^ok' "$work/stages"; return 1; }
  grep -qx 'ok    ONLY=nothing' "$work/stages" && grep -qx 'ok    a stage that counts nothing fails: at-once' "$work/stages" || return 1
  ! ONLY=nothing tests/attacks/run.sh >"$work/nothing" 2>&1 || { cat "$work/nothing"; return 1; }
  ! tests/run.sh nothing >"$work/nothing" 2>&1 || { cat "$work/nothing"; return 1; }
  echo "ONLY=nothing fails, and so does a stage that ends at once; judged decisions are one check: $(tail -n 1 "$work/stages")"
}

show JU-1 timelines_agree
show JU-2 planted_faults_are_found
show JU-3 spoiled_logs_are_found
show JU-5 nothing_counts_as_nothing
finish
