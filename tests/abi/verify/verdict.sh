# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts that try `berth plugin verify` on plugins with bugs; $berth is the program.
berth=$(realpath "${BERTH:-$top/out/bin/berth}")

# caught TEST FILE OPTION...: within LIMIT (20s), that test fails, and says what was expected, what happened and how to repeat it.
caught() {
  local test=$1 file=$2
  shift
  "$berth" plugin verify --insecure-plugins --test "$test" --time-limit "${LIMIT:-20s}" "$@" >"$work/said"
  [ $? = 1 ] || { echo "the exit code is not 1"; cat "$work/said"; return 1; }
  grep -q "^FAIL  $test " "$work/said" && grep -q '^      expected: ' "$work/said" && grep -q '^      happened: ' "$work/said" &&
    ! grep -q '^      happened: : ' "$work/said" && grep -q "^      again:    berth plugin verify $file" "$work/said" || { cat "$work/said"; return 1; }
}
