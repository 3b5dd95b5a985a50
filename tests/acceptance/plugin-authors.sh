#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What the plugin author's kit promised.
set -uo pipefail
. "$(dirname "$0")/../shows.sh"
. tests/live/end-to-end/all.sh

languages_decide_alike() {
  tests/abi/languages/run.sh 1 | tee "$work/languages.said" | grep -v '^ok' | grep -vx 'seed 1'
  [ "${PIPESTATUS[0]}" = 0 ] || return 1
  echo "simulated: gcc, clang with libc++, a libstdc++ of its own, C and Rust: $(tail -n 1 "$work/languages.said")"
}
border_costs() {
  tests/bench/call-overhead/run.sh >"$work/call-overhead" || { cat "$work/call-overhead"; return 1; }
  awk '/ns per node/ { printf "%s%s %s ns (%s)", n++ ? ", " : "a node costs: ", $1, $2, $NF } END { print "" }' "$work/call-overhead"
}
golden_libraries_load() {
  cmake --build build/release --target berth_abi_tests >"$work/build" 2>&1 || { tail "$work/build"; return 1; }
  # It fails when there is a library that it does not load.
  build/release/tests/berth_abi_tests --filenames-as-tags '[#plugin_golden_test]' | tee "$work/golden" || return 1
  grep -q '^All tests passed (.* in 1 test case)' "$work/golden" || return 1
  echo "$(ls tests/abi/golden/*.so | wc -l) golden libraries, those of the first landing among them, load and answer as recorded"
}

# With LONG=1 all of it, which has to give the page and its plot again; else until 90 % of the GPUs were asked for. The paper's FGD
# has, of all GPUs, 5.0 % fragments there, the packing schedulers 7.4 to 9.4 %.
fragments_fall() {
  local fewer
  if [ -n "$LONG" ]; then
    tests/abi/out-of-tree/fragmentation.sh 42 "$work/fgd.svg" >"$work/fragments" && cmp docs/images/fgd.svg "$work/fgd.svg" || return 1
    grep '^|' "$work/fragments" | diff - <(grep -E '^\|' docs/gpu-fragmentation.md) || return 1
  else
    EXTENT=90 tests/abi/out-of-tree/fragmentation.sh 42 >"$work/fragments" || return 1
  fi
  fewer=$(sed -n 's/.*GpuFragmentation: \(-\?[0-9]*\) % fewer than by default.*/\1/p' "$work/fragments")
  cat "$work/fragments"
  [ "${fewer:-0}" -ge 25 ]
}

# With LONG=1 every bug in our own plugins, else one in four.
verify_catches() {
  EVERY=$([ -n "$LONG" ] && echo 1 || echo 4) tests/abi/verify/run.sh >"$work/verify" || { grep -v '^ok' "$work/verify"; return 1; }
  mkdir -p build/logs && cp "$work/verify" build/logs/verify-bugs.txt
  echo "$(grep -c '^ok    [a-z]*/[a-z-]*: ' "$work/verify") bugs, each caught by its test (build/logs/verify-bugs.txt); $(grep -c '^ok    .* passes' "$work/verify") sound plugin libraries pass"
}

quick_start() { tests/packaging/packages/quickstart.sh; }

show AK-1 quick_start
show AK-2 verify_catches
show AK-3 languages_decide_alike
show AK-4 border_costs
show AK-5 fragments_fall
show AK-6 golden_libraries_load
side_by_side() { control_plane_ready && side_by_side_live; }
from_outside() { control_plane_ready && asked_for; }
control_plane_ready() { [ -d "$dir" ] || control_plane_up; }
show AK-3 side_by_side
show out-of-tree from_outside
finish
