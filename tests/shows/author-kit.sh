#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What the plugin author's kit promised.
set -uo pipefail
. "$(dirname "$0")/frame.sh"
. tests/live/every_story.sh

languages_decide_alike() {
  tests/languages/run.sh 1 | tee "$work/languages.said" | grep -v '^ok' | grep -vx 'seed 1'
  [ "${PIPESTATUS[0]}" = 0 ] || return 1
  echo "simulated: gcc, clang with libc++, a libstdc++ of its own, C and Rust: $(tail -n 1 "$work/languages.said")"
}
border_costs() {
  tests/border/run.sh >"$work/border" || { cat "$work/border"; return 1; }
  awk '/ns per node/ { printf "%s%s %s ns (%s)", n++ ? ", " : "a node costs: ", $1, $2, $NF } END { print "" }' "$work/border"
}
golden_libraries_load() {
  cmake --build build/release --target berth_abi_tests >"$work/build" 2>&1 || { tail "$work/build"; return 1; }
  build/release/tests/berth_abi_tests --filenames-as-tags '[#plugin_golden_test]' || return 1
  echo "$(ls tests/golden/*.so | wc -l) golden libraries, those of the first landing among them, load and answer as recorded"
}

quick_start() { tests/packages/quickstart.sh; }

show AK-1 quick_start
show AK-3 languages_decide_alike
show AK-4 border_costs
show AK-6 golden_libraries_load
control_plane_up && show AK-3 side_by_side_live
finish
