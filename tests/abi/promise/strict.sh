#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# strict.sh: what the plugin checks find is no success of `berth simulate` and `berth replay`, whenever it is found, and names the
# plugin; nor is a run that a plugin ends. Needs `make build`.
set -uo pipefail
. "$(dirname "$0")/../../check.sh"
hostile=build/release/tests/hostile

builds() { cmake --build build/release --target berth_hostile; }

# simulates CASE CHECKS [OPTION...]: with the hostile library strict_CASE or CASE; its exit code.
points=filter
simulates() {
  local library=$PWD/$hostile/strict_$1.so
  [ -e "$library" ] || library=$PWD/$hostile/$1.so
  cat >"$work/config.yaml" <<END
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
  - plugins: {$points: {enabled: [{name: Strict}]}}
END
  out/bin/berth simulate --config "$work/config.yaml" --insecure-plugins --plugin "Strict=$library" --plugin-checks "$2" "${@:3}" \
    tests/simulation/scenarios/maxpods.yaml >"$work/out" 2>"$work/said"
}
# ends CODE COMMAND...
ends() {
  "${@:2}"
  local code=$?
  [ $code = "$1" ] || { echo "exit code $code, expected $1"; cat "$work/said"; return 1; }
}
# counted COUNT SENTENCE: in the last line that was said.
counted() {
  tail -n 1 "$work/said" | grep -q "^berth: the plugin checks found $1 violations\? of the plugin ABI, the first: $2" ||
    { cat "$work/said"; return 1; }
}
found() { counted "$1" "plugin \"Strict\" broke the plugin ABI.*: it $2"; }
# said LINE: a line that begins so was said.
said() { grep -q "^$1" "$work/said" || { cat "$work/said"; return 1; }; }

one_that_is_sound() { ends 0 simulates sound strict && ! grep 'violation' "$work/said"; }
found_in_a_call() { ends 1 simulates code_overrun strict && found '[1-9][0-9]*' 'wrote beyond the'; }
found_at_the_end() {
  ends 1 simulates leaks_object strict && found 1 'ended without releasing 2 objects that it had retained'
}
not_looked_for() { ends 0 simulates leaks_object basic && ! grep 'violation' "$work/said"; }
# noticed CASE SENTENCE: without the strict checks, and under them; the pod is that of the first attempt.
noticed() {
  local checks
  for checks in basic strict; do
    ends 1 simulates "$1" $checks && counted '[1-9][0-9]*' "$2" || { echo "$1, $checks"; return 1; }
  done
}
wrong_answers() {
  local who='plugin "Strict"' pod=', for pod "default/ship-[0-9]*"$'
  noticed filter_99 "$who answered code 99 at Filter, which is none of the scheduling framework's (0 to 6)$pod" &&
    noticed filter_wait "$who answered Wait at Filter, where it has no meaning$pod" &&
    noticed filter_not_evaluated "$who left a node unjudged at Filter$pod" &&
    noticed filter_bad_reasons "$who gave reasons 4711 for node \"quay\", an id it never got$pod"
}
exceptions() {
  local who='plugin "Strict"' pod=', for pod "default/ship-[0-9]*"$'
  noticed throws_in_filter "$who threw std::runtime_error: no tea in filter at Filter$pod" &&
    noticed throws_int_in_filter "$who threw int at Filter$pod" &&
    noticed throws_in_destroy "$who threw std::runtime_error: no tea in destroy at destroy$"
}
wrapped_exception() {
  ends 0 simulates throws_wrapped basic && ! grep violation "$work/said" && ends 0 simulates throws_wrapped strict &&
    ! grep violation "$work/said"
}
left_open() {
  local points=multiPoint who='plugin "Strict"'
  noticed leaves_trial_open "$who answered at PostFilter with its trial of node \"quay\" open, for pod" &&
    ends 1 simulates never_ends basic && counted 1 "$who has not ended PostFilter for pod \"default/ship-0\": no pod is scheduled" &&
    ends 1 simulates never_ends strict && found 1 'answered IN_PROGRESS and never ended the call'
}
asked_too_late() {
  ends 1 simulates asks_late basic &&
    counted '[1-9][0-9]*' 'plugin "Strict" asked for objects of "apps/v1/deployments", which it does not declare to watch'
}
# No other plugin, none of which has done anything, is blamed.
old_handle() {
  ends 1 simulates stale_call strict && said 'E.* it used intern_reasons of a call that it was not given, or that ended long ago' &&
    ! grep 'broke the plugin ABI' "$work/said" | grep -v 'plugin \(.\?\)"Strict\1" broke'
}
replays() {
  out/bin/berth replay --insecure-plugins --allow-recorded-plugins "$work"/tape/*.tape >"$work/out" 2>"$work/said"
}
found_in_a_replay() {
  mkdir "$work/tape" && ends 1 simulates leaks_object strict --record "$work/tape" && ends 1 replays &&
    found 1 'ended without releasing 2 objects' && grep -q '000001.tape .* 0$' "$work/out" || { cat "$work/out"; return 1; }
}

replays_what_is_noticed() {
  rm -rf "$work/tape" && mkdir "$work/tape" && ends 1 simulates filter_99 basic --record "$work/tape" && ends 1 replays &&
    counted '[1-9][0-9]*' 'plugin "Strict" answered code 99 at Filter'
}

# ended CODE CASE SENTENCE [OPTION...]: the run ends so, with that as its last line.
ended() {
  ends "$1" simulates "$2" basic "${@:4}" && tail -n 1 "$work/said" | grep -q "^berth: $3" || { cat "$work/said"; return 1; }
}
exits() {
  local where='in plugin "Strict" at Filter, for pod "default/ship-0"' only='only Berth may end its process$'
  ended 1 ends_in_filter "exit $where: $only" && ended 3 ends_with_3 "exit $where: $only" &&
    ended 1 ends_quickly "quick_exit $where: $only" && ended 1 ends_in_create "exit in plugin \"Strict\" at create: $only" &&
    ended 1 ends_in_thread "exit, in no plugin's call: $only"
}
# With the configuration of the run before.
validates() {
  ! out/bin/berth config validate --insecure-plugins --plugin "Strict=$PWD/$hostile/ends_in_create.so" "$work/config.yaml" >"$work/said" 2>&1 &&
    said 'berth: exit in plugin "Strict" at create: only Berth may end its process$' || return 1
  # While its library is loaded, which comes before anything is created.
  { printf '%s\n' '#include <stdlib.h>' '__attribute__((constructor)) static void ends(void) { exit(0); }' && cat tests/abi/promise/hostile/library.c; } >"$work/ends.c"
  cc -std=gnu11 -shared -fPIC -w -DHOSTILE_sound -Isdk/include -Itests/abi/hostile "$work/ends.c" -o "$work/ends.so" &&
    ! out/bin/berth run --write-config-to "$work/merged.yaml" --insecure-plugins --plugin "Strict=$work/ends.so" --config "$work/config.yaml" \
      >"$work/said" 2>&1 && said 'berth: exit.*: only Berth may end its process$'
}
memory() {
  ended 2 takes_memory 'out of memory in plugin "Strict" at Filter, for pod "default/ship-0": more than 256 MiB, which is its limit$' \
    --memory-limit 256Mi
}
hangs() {
  ends 0 simulates hangs basic &&
    said 'E.*"plugin \\"Strict\\" has not returned from Filter for pod \\"default/ship-0\\" after 5 s: '
}
hangs_in_a_replay() {
  rm -rf "$work/tape" && mkdir "$work/tape" && ends 0 simulates hangs basic --record "$work/tape" && ends 0 replays &&
    said 'E.*"plugin \\"Strict\\" has not returned from Filter'
}
verify_names_the_exit() {
  ! out/bin/berth plugin verify --insecure-plugins "$hostile/ends_in_filter.so" --test semantics >"$work/said" 2>&1 &&
    grep -q "its process was ended by exit in plugin \"Ends\" at Filter" "$work/said" || { cat "$work/said"; return 1; }
}

check 'the hostile libraries are built' builds
check 'a sound plugin is a success' one_that_is_sound
check 'what is found in a call is none' found_in_a_call
check 'what is found when the instance ends is none' found_at_the_end
check 'without the strict checks it is not looked for' not_looked_for
check 'what is found in a replay is none, though no decision differs' found_in_a_replay
check 'a wrong answer is none, with the strict checks and without' wrong_answers
check 'an exception across the ABI is none' exceptions
check 'one that the wrapper makes an error of is the pod'"'"'s alone' wrapped_exception
check 'a trial that stays open is none, nor is a call that is never ended' left_open
check 'a kind that is asked for after create is none' asked_too_late
check 'the plugin that uses an old handle is named, and nobody else' old_handle
check 'what is noticed in a replay is none' replays_what_is_noticed
check 'a plugin that ends the process is named, and that is none' exits
check 'so it is where a configuration is validated' validates
check 'a plugin that has taken all memory is named' memory
check 'a plugin that does not return is named' hangs
check 'so it is in a replay' hangs_in_a_replay
check 'berth plugin verify names a plugin that ends the process' verify_names_the_exit
finish
