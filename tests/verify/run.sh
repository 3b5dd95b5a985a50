#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# `berth plugin verify` passes what keeps to the ABI, and catches each bug of bugs.txt with the test that stands there; prints a
# table of them. Needs `make build`, or BERTH for another program and PLUGINS for its plugins.
set -uo pipefail
. "$(dirname "$0")/../check.sh"
berth=${BERTH:-$top/out/bin/berth}
plugins=${PLUGINS:-$top/out/lib/berth/plugins}
quota=tests/verify/quota

# library FILE FLAG...: the plugin in C, built as berth_add_plugin would.
library() {
  local file=$1 map=sdk/cmake/berth-plugin.map
  shift
  # The map hides what a library exports by mistake.
  if [ "$*" = -DBUG_exports_more ]; then map=$work/all.map && echo '{ global: *; };' >"$map"; fi
  "${CC:-cc}" -std=c11 -O1 -Wall -Wextra -Werror -Wno-null-dereference -shared -fPIC -pthread -fvisibility=hidden -Isdk/include "$@" \
    -Wl,--version-script="$map" "$quota"/*.c -o "$file"
}

# verify FILE OPTION...
verify() { "$berth" plugin verify --insecure-plugins --config tests/verify/quota.yaml "$@"; }

sound_passes() { library "$work/sound.so" && verify "$work/sound.so"; }

# caught BUG TEST: that test fails, and says what was expected, what happened and how to repeat it; repeated, it fails again.
caught() {
  local bug=$1 test=$2 file=$work/$1.so
  library "$file" "-DBUG_$bug" || return 1
  verify "$file" --test "$test" --time-limit 10s >"$work/said"
  [ $? = 1 ] || { echo "the exit code is not 1"; cat "$work/said"; return 1; }
  grep -q "^FAIL  $test " "$work/said" && grep -q '^      expected: ' "$work/said" && grep -q '^      happened: ' "$work/said" &&
    grep -q "^      again:    berth plugin verify $file" "$work/said" || { cat "$work/said"; return 1; }
}

table() {
  local bug test what
  while IFS='|' read -r bug test what; do
    bug=${bug// /} test=${test// /}
    [ -n "$bug" ] && [ "${bug:0:1}" != '#' ] || continue
    check "$test:${what}" caught "$bug" "$test"
  done <tests/verify/bugs.txt
}

check 'a sound plugin in C passes' sound_passes
table

finish
