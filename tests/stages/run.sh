#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What `make test` makes of its stages: tests/run.sh, played in a tree of stages that pass, fail, count nothing and are cut off.
set -uo pipefail
. "$(dirname "$0")/../check.sh"
tree=$work/tree
unset ONLY
mkdir -p "$tree/tests/shows" "$tree/bin"
cp tests/run.sh tests/stages.sh tests/counts.sh tests/check.sh "$tree/tests"
cp tests/shows/frame.sh "$tree/tests/shows"
printf 'build:\n\t@true\n' >"$tree/Makefile"

# script PATH LINE...: a script of the tree.
script() {
  mkdir -p "$(dirname "$tree/$1")"
  printf '%s\n' '#!/bin/bash' "${@:2}" >"$tree/$1"
  chmod +x "$tree/$1"
}
# kind NAME LINE...: a folder of tests that prints these lines and ends with the exit code $code.
kind() { script "tests/$1/run.sh" "$(printf 'echo %q\n' "${@:2}")" "exit ${code:-0}"; }
script tests/setup.sh
script tests/style.sh "echo '3 passed, 0 failed'"
script bin/cmake 'mkdir -p build/release' '[ "${1:-}" != --preset ] || mkdir -p "build/$2"'
script bin/ctest "echo 'All tests passed (9 assertions in 4 test cases)'"
kind sound '2 passed, 0 failed' 'ok    everything' '5 passed, 0 failed'
kind judged '1999 decisions, 0 differences'
kind live '1 passed, 0 failed'
code=1 kind refuted 'FAIL  something' '2 passed, 1 failed'
code=1 kind differs '1999 decisions, 3 differences'
kind mild '2 passed, 1 failed'
code=3 kind cut-off '2 passed, 0 failed'
script tests/at-once/run.sh 'exit 0'
script tests/mute/run.sh 'true'
kind idle '0 passed, 0 failed'
kind unjudged '0 decisions, 0 differences'
kind untested "$(printf 'ok  \tplace\t0.1s [no tests to run]')"
kind golang "$(printf 'ok  \tplace\t0.1s')" "$(printf '?   \tother\t[no test files]')"
kind left-out 'skipped: no source changed'
script tests/shown/run.sh '. tests/shows/frame.sh' 'yes() { echo shown; }' 'show A-1 yes' 'show A-2 yes' 'finish'
script tests/checked/run.sh '. tests/check.sh' 'finish'

# Each waits for the other.
for name in left right; do
  script tests/$name/run.sh "touch build/$name" 'for _ in $(seq 100); do [ -e build/left ] && [ -e build/right ] && break; sleep 0.1; done' \
    '[ -e build/left ] && [ -e build/right ] && echo "1 passed, 0 failed"'
done

# ends CODE LAST STAGE...: run.sh with these stages has that exit code and that last line.
ends() {
  local code=$1 last=$2 got
  shift 2
  (cd "$tree" && PATH=$tree/bin:$PATH tests/run.sh "$@") >"$work/out" 2>&1
  got=$?
  cat "$work/out"
  expect_last() { [ "$(tail -n 1 "$work/out")" = "$last" ] || { echo "the last line is not: $last"; return 1; }; }
  [ "$got" = "$code" ] && expect_last
}
says() { grep -qF -- "$1" "$work/out"; }
only() { local ONLY=$1; export ONLY; shift; "$@"; }

check 'stages that pass are summed up' ends 0 '7 passed, 0 failed' sound
check 'a judge is one check, however much it judged' ends 0 '1 passed, 0 failed' judged
check 'builds are no checks' ends 0 '4 passed, 0 failed' 'release build' 'release tests build' 'release tests'
check 'a package of Go tests is one check, one without tests none' ends 0 '1 passed, 0 failed' golang
check 'what failed is added to what passed' ends 1 '9 passed, 1 failed' sound refuted
check 'a difference is a failure' ends 1 '0 passed, 1 failed' differs
check 'a failure that the exit code does not tell is one' ends 1 '2 passed, 1 failed' mild
check 'a failure that only the exit code tells is one' ends 1 '2 passed, 1 failed' cut-off
for name in at-once mute idle unjudged untested checked; do
  check "a stage that counts nothing fails: $name" ends 1 '0 passed, 1 failed' $name
done
skip_is_said() { ends 0 '7 passed, 0 failed' sound left-out && says 'skipped: left-out (no source changed)'; }
check 'a stage that is left out is said' skip_is_said
check 'nothing but what is left out is no success' ends 1 '0 passed, 1 failed' left-out
check 'a stage that there is not' ends 1 '7 passed, 1 failed' sound sonud
check 'two stages run at a time' ends 0 '2 passed, 0 failed' left right
check 'every show' ends 0 '2 passed, 0 failed' shown
check 'the shows of ONLY' only 'A-2' ends 0 '1 passed, 0 failed' shown
check 'ONLY=nothing' only nothing ends 1 '0 passed, 1 failed' shown
check 'a mistyped name in ONLY' only 'A-1 A2' ends 1 '1 passed, 1 failed' shown
everything_together() {
  rm -r "$tree"/tests/{refuted,differs,mild,cut-off,at-once,mute,idle,unjudged,untested,left-out,checked}
  ends 0 '32 passed, 0 failed'
}
check 'all stages of a sound tree' everything_together
finish
