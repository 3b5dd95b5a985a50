#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# `berth plugin verify` passes what keeps to the ABI, and catches each bug of bugs.txt with the test that stands there; prints a
# table of them. Needs `make build`, or BERTH for another program and PLUGINS for its plugins.
set -uo pipefail
. "$(dirname "$0")/../check.sh"
. tests/verify/verdict.sh
plugins=${PLUGINS:-$top/out/lib/berth/plugins}
quota=tests/verify/quota

# library FILE FLAG...: the plugin in C, built as berth_add_plugin would.
library() {
  local file=$1 map=sdk/cmake/berth-plugin.map
  shift
  # The map hides what a library exports by mistake.
  if [ "$*" = -DBUG_exports_more ]; then map=$work/all.map && echo '{ global: *; };' >"$map"; fi
  "${CC:-cc}" -std=c11 -O1 -Wall -Wextra -Werror -Wno-unused-parameter -Wno-unused-function -shared -fPIC -pthread -fvisibility=hidden -Isdk/include "$@" \
    -Wl,--version-script="$map" "$quota"/*.c -o "$file"
}

# verify FILE OPTION...
verify() { "$berth" plugin verify --insecure-plugins --config tests/verify/quota.yaml "$@"; }

late_passes() { library "$work/late.so" -DSOUND_late && verify "$work/late.so" --test threads; }
# Timers that go on, and come to nothing with their instance, are no leak.
timers_are_no_leak() {
  "${CC:-cc}" -std=c11 -O1 -shared -fPIC -fvisibility=hidden -Isdk/include -Wl,--version-script=sdk/cmake/berth-plugin.map tests/abi/hostile/waits.c \
    -o "$work/waits.so" && "$berth" plugin verify --insecure-plugins "$work/waits.so" --test create
}

# Of ten functions, five are enough to see what is meant, as they stand in the source.
exports_are_readable() {
  {
    echo '#include <berth/plugin.hpp>'
    echo 'namespace cargo { template <class T> struct Hold { void take() {} }; template struct Hold<int>; }'
    for i in 1 2 3 4 5 6 7 8 9; do echo "void unload$i(int) {}"; done
    echo 'struct P { berth::Verdict filter(berth::Pod, berth::Node) const { return berth::ok; } }; BERTH_PLUGIN(P, "P", "1.0.0")'
  } >"$work/exports.cpp"
  c++ -std=c++20 -shared -fPIC -Isdk/include "$work/exports.cpp" -o "$work/exports.so" || return 1
  ! "$berth" plugin verify --insecure-plugins "$work/exports.so" --test file >"$work/exports" && grep -E '"unload1\(int\)".* and [0-9]+ more too' "$work/exports" ||
    { cat "$work/exports"; return 1; }
}

sound_passes() { library "$work/sound.so" && verify "$work/sound.so"; }

# bug BUG TEST
bug() {
  library "$work/$1.so" "-DBUG_$1" && caught "$2" "$work/$1.so" --config tests/verify/quota.yaml
}

table() {
  local bug test what
  while IFS='|' read -r bug test what; do
    bug=${bug// /} test=${test// /}
    [ -n "$bug" ] && [ "${bug:0:1}" != '#' ] || continue
    check "$test:${what}" bug "$bug" "$test"
  done <tests/verify/bugs.txt
}

# The page's output is that of its command.
page_is_true() {
  mkdir -m 755 "$work/page" && library "$work/page/quota.so" -DBUG_filter_by_place && chmod 755 "$work/page/quota.so" || return 1
  sed -n '/^\$ berth plugin verify/,/^```/{ /^\$/d; /^```/d; p }' docs/verify.md >"$work/expected"
  (cd "$work/page" && "$berth" plugin verify quota.so --seed 7 --test load --test semantics/filter-splits) >"$work/printed"
  diff "$work/expected" "$work/printed"
}

# Each test of the program has a line in the page, and each line a test.
tests_are_described() {
  verify "$work/sound.so" --json >"$work/json" || return 1
  sed -n 's/.*"test": "\(.*\)",$/\1/p' "$work/json" | sort -u >"$work/program"
  sed -n 's/^| `\([a-z]*\/[a-z-]*\)` .*/\1/p' docs/verify.md | sort -u >"$work/described"
  diff "$work/program" "$work/described"
}

options_are_described() {
  "$berth" plugin verify --help | grep -oE -- '--[a-z][a-z-]+' | grep -vx -- --help | sort -u >"$work/program"
  sed -n '/^| option/,/^## /p' docs/verify.md | grep '^|' | cut -d '|' -f 2 | grep -oE -- '--[a-z][a-z-]+' | sort -u >"$work/described"
  diff "$work/program" "$work/described"
}

junit_is_written() {
  verify "$work/sound.so" --test load --junit "$work/junit.xml" >"$work/said" &&
    grep -q '<testcase classname="library" name="load/opens"' "$work/junit.xml" &&
    grep -q '<testsuites tests="3" failures="0"' "$work/junit.xml"
}

# ours LIBRARY CONFIG: a plugin of this tree passes.
ours() { "$berth" plugin verify --insecure-plugins "$plugins/$1" ${2:+--config "$2"} >"$work/said" || { grep -v '^ok' "$work/said"; return 1; }; }

check 'a sound plugin in C passes' sound_passes
check 'timers that go on are no leak' timers_are_no_leak
check 'names that a library exports too are readable, and five are enough' exports_are_readable
check 'so does one that answers late, on a thread of its own' late_passes
check 'the output that the page shows is real' page_is_true
check 'the page describes every test' tests_are_described
check 'the page describes every option' options_are_described
check 'JUnit'"'"'s XML is written' junit_is_written
for library in filter-node kubernetes prefilter-pod sample score-imagelocality score-nodename score-random trace; do
  check "$library.so passes" ours "$library.so"
done
check 'prefilter-maxpods.so passes with its arguments' ours prefilter-maxpods.so configs/maxpods.yaml
table
# The bugs of ours.txt, in copies of this tree's plugins: one in EVERY of them. It counts for itself.
status=0
tests/verify/ours.sh "${EVERY:-13}" || status=1

finish && [ $status = 0 ]
