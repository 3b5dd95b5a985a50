#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh [--soak]: every check of the tree, in stages. Each prints its seconds and its counts; of one that fails, the end
# of its log (build/logs/STAGE.log). A folder tests/KIND with a run.sh is a stage of its own; that script's line
# `N passed, N failed` is its count. The last line sums them up; the exit code says whether all passed.
set -uo pipefail
shopt -s nullglob
cd "$(dirname "$0")/.."
. tests/counts.sh
lint=changed
decisions=2000
scripts=500
if [ "${1:-}" = --soak ]; then lint=all decisions=100000 scripts=10000; fi
mkdir -p build/logs
passed=0
failed=0

# why LOG: what went wrong where the log marks it (Catch2, sanitizers, compilers, our scripts), else its end.
why() {
  local marks='FAILED:|^([A-Za-z0-9-]+ )?FAIL |[Ss]anitizer|runtime error:|error:|SEGV|\*\*\*(Failed|Exception|Timeout)'
  { grep -E -m 8 -B 3 -A 25 "$marks" "$1" || tail -n 40 "$1"; } | head -n 80 | cut -c 1-300
}

# begin NAME COMMAND...: starts a stage beside what follows; `end NAME` waits for it and reports.
begin() {
  local log=build/logs/${1// /-}.log
  shift
  (
    start=$SECONDS
    "$@" >"$log" 2>&1 </dev/null
    echo $? $((SECONDS - start)) >"$log.end"
  ) &
  echo $! >"$log.pid"
}

# end NAME: a stage that counts nothing itself counts as one check.
end() {
  local name=$1 log=build/logs/${1// /-}.log status=1 seconds=0 ok bad
  wait "$(<"$log.pid")"
  read -r status seconds <"$log.end"
  rm -f "$log.pid" "$log.end"
  read -r ok bad < <(counts "$log")
  if [ "$status" = 0 ] && [ $((ok + bad)) = 0 ]; then ok=1; fi
  if [ "$status" != 0 ] && [ "$bad" = 0 ]; then bad=1; fi
  if [ "$bad" != 0 ]; then
    why "$log"
    printf '%-24s %5d s   FAILED: %d passed, %d not, see %s\n' "$name" "$seconds" "$ok" "$bad" "$log"
  else
    printf '%-24s %5d s   %d ok\n' "$name" "$seconds" "$ok"
  fi
  passed=$((passed + ok))
  failed=$((failed + bad))
  [ "$bad" = 0 ]
}

stage() { begin "$@" && end "$1"; }

configure() { [ -f "build/$1/build.ninja" ] || cmake --preset "$1"; }
build() { configure "$1" && cmake --build "build/$1" "${@:2}"; }
gently() { renice -n 19 "$BASHPID" >/dev/null && "$@"; }
tests() { ctest --test-dir "build/$1" --verbose --no-tests=error "${@:2}"; }

export UBSAN_OPTIONS=print_stacktrace=1 ASAN_OPTIONS=detect_stack_use_after_return=1
export TSAN_OPTIONS=second_deadlock_stack=1

tests/setup.sh test || exit 1
printf '%-24s %5d s\n' setup $SECONDS
if stage 'release build' make build; then
  stage 'release tests build' build release && stage 'release tests' tests release -j "$(nproc)"
  stage 'format' tests/style.sh check-format
  stage 'lint' tests/style.sh tidy "$lint"
  for script in tests/*/run.sh; do
    kind=$(basename "$(dirname "$script")")
    case $kind in
      oracle) stage oracle "$script" "$decisions" 1 ;;
      oracle-queue) stage oracle-queue "$script" "$scripts" 1 ;;
      live) ;;
      # It compiles everything once more, within the image.
      image) [ $lint = changed ] || stage image "$script" ;;
      templates) if [ $lint = all ]; then stage templates "$script" --all; else stage templates "$script"; fi ;;
      *) stage "$kind" "$script" ;;
    esac
  done
  # Most of its time is spent waiting for a cluster: the compilers take what it leaves.
  begin live tests/live/run.sh
  # Only the programs that run are built under ThreadSanitizer.
  stage 'asan build' gently build asan && stage 'asan tests' tests asan -j "$(nproc)"
  end live
  stage 'tsan build' build tsan --target berth_unit_tests && stage 'tsan tests' tests tsan -L tsan
fi

echo "total $SECONDS s"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
