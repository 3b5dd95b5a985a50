#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What the author's second week asked for: faults that were mended, what was added, and plugins that misbehave. LONG=1 runs each hostile library
# on a real control plane, templates in each language, and every bug of verify's.
set -uo pipefail
. "$(dirname "$0")/../shows.sh"
. tests/live/end-to-end/all.sh
unset RECORD GOLDEN # what is made by the tests is compared here, never written

# stage NAME [COMMAND...]: runs the stage tests/NAME, or the command, once; what it says is in $said.
stage() {
  said=$work/stage-${1//\//-}
  [ -e "$said" ] || "${@:2}" "tests/$1" >"$said" 2>&1 </dev/null || echo "tests/$1 ended with $?" >>"$said"
}
# checks NAME TEXT...: the stage has a check that begins with each of these texts, and it went well.
checks() {
  local text name=$1
  case $name in
    verify) stage abi/verify/run.sh env EVERY="$([ -n "$LONG" ] && echo 1 || echo 13)" ;;
    templates) if [ -n "$LONG" ]; then stage abi/templates/run.sh; else stage abi/templates/run.sh env LANGUAGES=cpp; fi ;;
    small-plugins | out-of-tree) stage abi/$name/run.sh ;;
    strict | near-misses) stage abi/promise/$name.sh ;;
    debugger) stage robustness/debugger/run.sh ;;
    plugin-bench) stage bench/plugin-bench/run.sh ;;
    packages) stage packaging/packages/run.sh ;;
    docs) stage commands/docs/run.sh ;;
  esac
  for text in "${@:2}"; do
    grep -qF -- "ok    $text" "$said" || { echo "tests/$name: no 'ok    $text'"; grep -A 20 '^FAIL' "$said" | head -n 40; tail -n 3 "$said"; return 1; }
  done
}
# found PROGRAM NAME...: each test of Catch2 passes, by its whole name.
found() {
  local program=$1 name
  shift
  [ -e "$work/built-$program" ] || cmake --build build/release --target "$program" >"$work/built-$program" 2>&1 || { tail -n 20 "$work/built-$program"; return 1; }
  for name in "$@"; do
    "build/release/tests/$program" "${name//,/\\,}" >"$work/test" 2>&1 && grep -q '^All tests passed .* in 1 test case)' "$work/test" ||
      { echo "$name:"; tail -n 20 "$work/test"; return 1; }
  done
}
unit() { found berth_unit_tests "$@"; }
abi() { found berth_abi_tests "$@"; }
# in_rust TEST...: of the crate and of its testing kit.
in_rust() {
  local test
  [ -e "$work/rust" ] || {
    for test in sdk/rust sdk/rust/testing; do
      RUSTC=/usr/bin/rustc CARGO_TARGET_DIR=$PWD/build/rust /usr/bin/cargo test --offline --manifest-path $test/Cargo.toml || return 1
    done
  } >"$work/rust" 2>&1 || { tail -n 30 "$work/rust"; return 1; }
  for test in "$@"; do grep -q "^test $test \.\.\. ok\$" "$work/rust" || { echo "no test $test passed"; tail -n 30 "$work/rust"; return 1; }; done
}
# page FILE TEXT...: it has them.
page() {
  local text
  for text in "${@:2}"; do grep -qF -- "$text" "$1" || { echo "$1 has no '$text'"; return 1; }; done
}

fault_1() {
  checks small-plugins {cpp,rust}', '{8,16,24}' bytes: the timer counts in the instance' {cpp,rust}': valgrind sees no memory that is gone' &&
    unit "sdk: a small plugin's constructor may hand out \`this\`"
}
fault_2() { checks debugger 'a breakpoint in filter stops there' 'a live process shows the lines of a plugin, and its file' 'so does its core file' 'a crash names the line, and what called it'; }
fault_3() {
  checks verify 'what the plugin looks for is there: '{annotation,label,row} 'unless a cluster is given that has it' 'or a scenario, in which it comes later' \
    'how far the plugin was tried is printed' && checks plugin-bench 'a point that no pod reached is a failure' 'a scenario is a cluster, too, for a release'
}
fault_4() { checks strict 'what is found in a call is none' 'what is found when the instance ends is none' 'what is found in a replay is none, though no decision differs'; }
fault_5() {
  checks templates 'cpp, score,normalize: builds, passes its test, verify and its scenario' &&
    checks out-of-tree 'it refuses an argument that it does not have' 'without a build type it is optimized'
}
fault_6() {
  checks verify 'timers that go on are no leak' 'a race is found with --sanitize=thread' 'a read beyond the heap is found with --sanitize=address' \
    'names that a library exports too are readable, and five are enough'
}
fault_7() { checks strict 'a plugin that does not return is named' 'so it is in a replay' 'a plugin that ends the process is named, and that is none' 'a plugin that has taken all memory is named'; }
fault_8() { abi 'instance: a kind that would be empty for ever is refused' && checks strict 'a kind that is asked for after create is none'; }
fault_9() { unit 'sdk: nothing that a plugin throws leaves the wrapper, and its text is kept' 'sdk: what is thrown where nothing can fail is logged with its text'; }
fault_10() { stage abi/promise/near-misses.sh && grep -E '^[1-9][0-9]* passed, 0 failed$' "$said"; }
fault_11() {
  page docs/author-guide.md '## With sanitizers' '## Under a debugger' 'pkg-config' 'time.hpp' 'quantity.hpp' 'berth explain' 'UPDATE_NODE_' &&
    page docs/simulate.md '## Scenarios' && page docs/plugin-abi.md '`UPDATE_POD_TOLERATION`'
}
addition_12() {
  unit 'sdk: a plugin sees the pending pods, the active ones first, until it has enough' 'sdk: the version of the pending pods changes with them' \
    'sdk: a plugin sees the objects that its watches select' 'sdk: a plugin reads an object that it does not watch' \
    'sdk: a plugin lists by namespace, labels and fields, in pages' 'services: a timer that is cancelled by another'"'"'s end is called once' &&
    abi 'instance: what a plugin in C reads is called back once, so that its memory is freed' &&
    in_rust pods_that_wait_in_the_queue_are_visited_until_it_is_enough an_object_is_read_and_a_page_listed a_plugin_sees_the_objects_that_its_watches_select
}
addition_13() {
  unit 'evaluator: the policy says which pods may be victims, and which of them stay' "evaluator: the policy's scores choose the candidate, one after the other" \
    'evaluator: victims are marked and deleted, and the preemptor waits as long' "evaluator: the policy reads and changes the trial's copy of the state" &&
    checks out-of-tree 'Tonnage names its victims'
}
addition_14() {
  abi 'metrics: counter, gauge and histogram reach the text, with plugin and profile' 'metrics: beyond the limit all combinations share one series, and sums stay correct' \
    'log fields: numbers stand bare, texts are quoted, trees are JSON' && unit 'sdk: a line has its fields, in one text where the host takes none'
}
addition_15() {
  unit 'pod fields: Berth and the testing kit read each from its place, and Berth refuses another type' "sdk: a pod's labels are found by key" \
    'queue: a sort key may be long, and as many bytes of it are compared as the ABI says' 'sdk: pods that wait in the queue are compared by its times and attempts'
}
addition_16() {
  abi 'instance: every fault of the arguments is shown where it stands' && unit 'arguments: a path of an error is a pointer into the arguments' \
    'sdk: fractions, quantities and durations among the arguments' 'sdk: objects among the arguments, one or a list, have defaults and faults with their paths'
}
addition_17() {
  unit 'sdk: a plugin sees the nominations that a test sets, and removes them' 'sdk: a subscriber is notified of what there is, and of each change after it' \
    'sdk: a hint is asked about objects of every kind that the plugin watches' && in_rust nodes_are_narrowed_and_nominated wrong_arguments_are_told
}
addition_18() { checks out-of-tree 'with INSTALL it goes where the scheduler of its prefix looks' && checks packages 'pkg-config builds a plugin in C++ and one in C'; }

each_number_has_a_test() {
  local number kind=fault
  for number in {1..18}; do
    [ "$number" -le 11 ] || kind=addition
    "${kind}_$number" || { echo "number $number"; return 1; }
  done
  echo 'the tests of 11 faults and 7 additions pass; plugins of 8, 16 and 24 bytes in C++ and Rust under valgrind'
}

a_plugin_under_gdb() {
  fault_2 && ! grep '^skipped: ' "$said" || return 1
  echo 'a breakpoint in filter by source line stops; a live process and its core show the lines of the plugin'
}

# The simulations and verify, then berth run on a real control plane.
sixty_ways() {
  tests/abi/promise/misbehaves.sh >"$work/misbehaves" 2>"$work/crashes" || { cat "$work/misbehaves"; return 1; }
  hostile_libraries || return 1
  awk -F ' [|] ' -v runs="$(wc -l <"$work/hostile/found")" '
    !/^#/ { ++n; if ($4 != 0) ++strict; if ($3 != 0) ++basic; if ($5 != "missed") ++verify; $6 == "goes on" ? ++on : ++ends }
    END {
      if (n < 60) exit 1
      print n " ways; not 0: " basic " with basic, " strict " with strict checks; verify names " verify "; berth run names all of " runs " tried (of " n ", " on " go on, " ends " end with another status than 0)"
    }' "$hostile_table"
}

five_ports() {
  checks out-of-tree 'the examples of docs/port-a-go-plugin.md build with the installed package' 'the plugins that people ask for build with the installed package' 'their unit tests pass' || return 1
  echo "people do the ports, by the docs alone (docs/port-a-go-plugin.md); of the tree's own, $(grep -cE '^ok    (examples/port|tests/abi/out-of-tree/project)/.* comes out as it says' "$said") scenarios come out as they say"
}

# Bugs in plugins that look at labels, annotations, custom resources and timers: `BUG | TEST | WHAT` of wharf.txt. The stage says `ok    TEST: WHAT`
# of each; without LONG=1 it tries one in three.
bugs_are_caught() {
  checks verify || return 1
  local seeded caught
  read -r seeded caught < <(awk -F ' *[|] *' 'NR == FNR { if (!/^#/ && NF == 3) bugs["ok    " $2 ": " $3] = 1; next } $0 in bugs { ++caught; delete bugs[$0] }
    END { for (bug in bugs) ++left; print left + caught, caught + 0 }' tests/abi/verify/wharf.txt "$said")
  ! grep '^FAIL' "$said" && holds 'bugs seeded' "$seeded" '>=' 120 && holds 'bugs caught' "$caught" '>=' "$([ -n "$LONG" ] && echo "$seeded" || echo $((seeded / 3)))" || return 1
  echo "$seeded bugs seeded, $caught caught of those that were tried$([ "$caught" = "$seeded" ] || echo ' (LONG=1 tries all)')"
}

control_plane_and_sixty_ways() { [ -d "$dir" ] || control_plane_up || return 1; sixty_ways; }
show AU-1 each_number_has_a_test
show AU-2 a_plugin_under_gdb
show AU-3 control_plane_and_sixty_ways
show AU-4 five_ports
show AU-5 bugs_are_caught
finish
