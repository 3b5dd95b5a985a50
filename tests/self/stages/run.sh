#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Planted faults are planted, and what `make test` makes of its stages: tests/run.sh, played in a tree of stages that pass, fail, count nothing and are cut off.
set -uo pipefail
. "$(dirname "$0")/../../check.sh"
tree=$work/tree
unset ONLY
mkdir -p "$tree/tests" "$tree/bin"
cp tests/run.sh tests/stages.sh tests/counts.sh tests/check.sh tests/shows.sh "$tree/tests"
printf 'build:\n\t@true\n' >"$tree/Makefile"

# script PATH LINE...: a script of the tree.
script() {
  mkdir -p "$(dirname "$tree/$1")"
  printf '%s\n' '#!/bin/bash' "${@:2}" >"$tree/$1"
  chmod +x "$tree/$1"
}
# kind NAME LINE...: a folder of tests that prints these lines and ends with the exit code $code.
kind() { script "tests/$1/run.sh" "$(printf 'echo %q\n' "${@:2}")" "exit ${code:-0}"; }
script tools/setup.sh
script tools/style.sh "echo '3 passed, 0 failed'"
script bin/cmake 'mkdir -p build/release' '[ "${1:-}" != --preset ] || mkdir -p "build/$2"'
script bin/ctest "echo 'All tests passed (9 assertions in 4 test cases)'"
kind unit/sound '2 passed, 0 failed' 'ok    everything' '5 passed, 0 failed'
kind oracle/judged '1999 decisions, 0 differences'
kind live/end-to-end '1 passed, 0 failed'
code=1 kind unit/refuted 'FAIL  something' '2 passed, 1 failed'
code=1 kind unit/differs '1999 decisions, 3 differences'
kind unit/mild '2 passed, 1 failed'
code=3 kind unit/cut-off '2 passed, 0 failed'
script tests/unit/at-once/run.sh 'exit 0'
script tests/unit/mute/run.sh 'true'
kind unit/idle '0 passed, 0 failed'
kind unit/unjudged '0 decisions, 0 differences'
kind unit/untested "$(printf 'ok  \tplace\t0.1s [no tests to run]')"
kind unit/golang "$(printf 'ok  \tplace\t0.1s')" "$(printf '?   \tother\t[no test files]')"
kind unit/left-out 'skipped: no source changed'
script tests/unit/shown/run.sh '. tests/shows.sh' 'yes() { echo shown; }' 'show A-1 yes' 'show A-2 yes' 'finish'
script tests/unit/checked/run.sh '. tests/check.sh' 'finish'

# Each waits for the other.
for name in left right; do
  script tests/unit/$name/run.sh "touch build/$name" 'for _ in $(seq 100); do [ -e build/left ] && [ -e build/right ] && break; sleep 0.1; done' \
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

check 'stages that pass are summed up' ends 0 '7 passed, 0 failed' unit/sound
check 'a judge is one check, however much it judged' ends 0 '1 passed, 0 failed' oracle/judged
check 'builds are no checks' ends 0 '4 passed, 0 failed' 'release build' 'release tests build' 'release tests'
check 'a package of Go tests is one check, one without tests none' ends 0 '1 passed, 0 failed' unit/golang
check 'what failed is added to what passed' ends 1 '9 passed, 1 failed' unit/sound unit/refuted
check 'a difference is a failure' ends 1 '0 passed, 1 failed' unit/differs
check 'a failure that the exit code does not tell is one' ends 1 '2 passed, 1 failed' unit/mild
check 'a failure that only the exit code tells is one' ends 1 '2 passed, 1 failed' unit/cut-off
for name in at-once mute idle unjudged untested checked; do
  check "a stage that counts nothing fails: $name" ends 1 '0 passed, 1 failed' unit/$name
done
names_the_longest() { ends 0 '7 passed, 0 failed' unit/sound && grep -qE '^longest: [0-9]+ s unit/sound$' "$work/out"; }
check 'the stages that took longest are named' names_the_longest
skip_is_said() { ends 0 '7 passed, 0 failed' unit/sound unit/left-out && says 'skipped: unit/left-out (no source changed)'; }
check 'a stage that is left out is said' skip_is_said
check 'nothing but what is left out is no success' ends 1 '0 passed, 1 failed' unit/left-out
check 'a stage that there is not' ends 1 '7 passed, 1 failed' unit/sound unit/sonud
check 'two stages run at a time' ends 0 '2 passed, 0 failed' unit/left unit/right
check 'every show' ends 0 '2 passed, 0 failed' unit/shown
check 'the shows of ONLY' only 'A-2' ends 0 '1 passed, 0 failed' unit/shown
check 'ONLY=nothing' only nothing ends 1 '0 passed, 1 failed' unit/shown
check 'a mistyped name in ONLY' only 'A-1 A2' ends 1 '1 passed, 1 failed' unit/shown
everything_together() {
  rm -r "$tree"/tests/unit/{refuted,differs,mild,cut-off,at-once,mute,idle,unjudged,untested,left-out,checked}
  ends 0 '32 passed, 0 failed'
}
check 'all stages of a sound tree' everything_together

# A fault whose line has changed meanwhile would be planted nowhere.
faults_change_their_sources() {
  local file change bad=0 n=0
  while IFS=$'\t' read -r file change; do
    n=$((n + 1))
    [ -f "$file" ] && ! sed "$change" "$file" | cmp -s - "$file" || { echo "tests/self/mutation/faults.txt: $file has nothing for $change"; bad=1; }
  done < <(awk '/^in /{ file = $2 } /^sed /{ sub(/^sed +/, ""); print file "\t" $0 }' tests/self/mutation/faults.txt)
  [ $n -ge 20 ] || { echo "only $n changes were found"; bad=1; }
  return $bad
}
check 'each planted fault changes its source' faults_change_their_sources
finish
