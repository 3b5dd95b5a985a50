#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# strict.sh: what the strict checks find is no success of `berth simulate` and `berth replay`, whenever it is found. Needs `make
# build`.
set -uo pipefail
. "$(dirname "$0")/../check.sh"
hostile=build/release/tests/hostile

builds() { cmake --build build/release --target berth_hostile; }

# simulates CASE CHECKS [OPTION...]: with the hostile library of that name; its exit code.
simulates() {
  local library=$PWD/$hostile/strict_$1.so
  cat >"$work/config.yaml" <<'END'
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
  - plugins: {filter: {enabled: [{name: Strict}]}}
END
  out/bin/berth simulate --config "$work/config.yaml" --insecure-plugins --plugin "Strict=$library" --plugin-checks "$2" "${@:3}" \
    tests/scenarios/maxpods.yaml >"$work/out" 2>"$work/said"
}
# ends CODE COMMAND...
ends() {
  "${@:2}"
  local code=$?
  [ $code = "$1" ] || { echo "exit code $code, expected $1"; cat "$work/said"; return 1; }
}
# found COUNT SENTENCE: in what was said.
found() {
  grep -q "^berth: the strict checks found $1 violations\? of the plugin ABI, the first: plugin \"Strict\" broke the plugin ABI.*: it $2" \
    "$work/said" || { cat "$work/said"; return 1; }
}

one_that_is_sound() { ends 0 simulates sound strict && ! grep 'violation' "$work/said"; }
found_in_a_call() { ends 1 simulates code_overrun strict && found '[1-9][0-9]*' 'wrote beyond the'; }
found_at_the_end() {
  ends 1 simulates leaks_object strict && found 1 'ended without releasing 2 objects that it had retained'
}
not_looked_for() { ends 0 simulates leaks_object basic && ! grep 'violation' "$work/said"; }
replays() {
  out/bin/berth replay --insecure-plugins --allow-recorded-plugins "$work"/tape/*.tape >"$work/out" 2>"$work/said"
}
found_in_a_replay() {
  mkdir "$work/tape" && ends 1 simulates leaks_object strict --record "$work/tape" && ends 1 replays &&
    found 1 'ended without releasing 2 objects' && grep -q '000001.tape .* 0$' "$work/out" || { cat "$work/out"; return 1; }
}

check 'the hostile libraries are built' builds
check 'a sound plugin is a success' one_that_is_sound
check 'what is found in a call is none' found_in_a_call
check 'what is found when the instance ends is none' found_at_the_end
check 'without the strict checks it is not looked for' not_looked_for
check 'what is found in a replay is none, though no decision differs' found_in_a_replay
finish
