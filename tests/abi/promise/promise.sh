#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# promise.sh: all of what the ABI promises, as one count: the headers by every compiler, their layout and types against the
# lock, the libraries' symbols (run.sh); hostile libraries and golden ones (berth_abi_tests); other compilers, C++ libraries
# and languages. Needs `make build`. Ends with `N passed, N failed`.
set -uo pipefail
cd "$(dirname "$0")/../../.."
. tests/counts.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# part COMMAND...: what it says; one that fails or does nothing without having counted a failure is one.
part() {
  "$@" 2>&1 | tee "$work/log"
  local status=${PIPESTATUS[0]} passed failed
  read -r passed failed < <(counts "$work/log")
  [ "$failed" != 0 ] || { [ "$status" = 0 ] && [ "$passed" != 0 ]; } || echo "0 passed, 1 failed: $*" | tee -a "$work/log"
  cat "$work/log" >>"$work/all"
}

abi_tests() {
  cmake --build build/release --target berth_abi_tests >"$work/build" 2>&1 || { cat "$work/build"; return 1; }
  build/release/tests/berth_abi_tests
}

part tests/abi/promise/run.sh
echo '== hostile and golden libraries'
part abi_tests
echo '== languages'
part tests/abi/languages/run.sh
echo '== together'
read -r passed failed < <(counts "$work/all")
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
