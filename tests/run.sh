#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh [--soak] [STAGE...]: every check of the tree, in stages, or only those named. Each prints its seconds and its counts; of
# one that fails, the end of its log (build/logs/STAGE.log). A folder tests/KIND with a run.sh is a stage of its own; that
# script's line `N passed, N failed` is its count. The last line sums them up; the exit code says whether all passed.
set -uo pipefail
shopt -s nullglob
cd "$(dirname "$0")/.."
. tests/stages.sh
lint=changed
decisions=2000
scripts=500
timelines=200
devices=4000
expressions=20000
if [ "${1:-}" = --soak ]; then
  lint=all decisions=100000 scripts=10000 timelines=3000 devices=50000 expressions=500000
  shift
fi
chosen=("$@")

configure() { [ -f "build/$1/build.ninja" ] || cmake --preset "$1"; }
build() { configure "$1" && cmake --build "build/$1" "${@:2}"; }
gently() { renice -n 19 "$BASHPID" >/dev/null && "$@"; }
tests() { ctest --test-dir "build/$1" --verbose --no-tests=error "${@:2}"; }

export UBSAN_OPTIONS=print_stacktrace=1 ASAN_OPTIONS=detect_stack_use_after_return=1
export TSAN_OPTIONS=second_deadlock_stack=1

tests/setup.sh test || exit 1
printf '%-24s %5d s\n' setup $SECONDS
if step 'release build' make build; then
  step 'release tests build' build release && stage 'release tests' tests release -j "$(nproc)"
  stage 'format' tests/style.sh check-format
  stage 'lint' tests/style.sh tidy "$lint"
  for script in tests/*/run.sh; do
    kind=$(basename "$(dirname "$script")")
    case $kind in
      oracle) stage oracle "$script" "$decisions" 1 ;;
      oracle-cel) stage oracle-cel "$script" "$expressions" 1 ;;
      oracle-devices) stage oracle-devices "$script" "$devices" 1 ;;
      oracle-queue) stage oracle-queue "$script" "$scripts" 1 ;;
      oracle-timeline) stage oracle-timeline "$script" "$timelines" 1 ;;
      live) ;;
      # It compiles everything once more, within the image.
      image) [ $lint = changed ] || stage image "$script" ;;
      # Which mutants it tries depends on the day, and one that survives is work for people, not a fault of the change at hand.
      mutation) [ $lint = changed ] || stage mutation "$script" ;;
      templates) if [ $lint = all ]; then stage templates "$script" --all; else stage templates "$script"; fi ;;
      *) stage "$kind" "$script" ;;
    esac
  done
  # Most of its time is spent waiting for a cluster: the compilers take what it leaves.
  begin live tests/live/run.sh
  # Only the programs that run are built under ThreadSanitizer.
  step 'asan build' gently build asan && stage 'asan tests' tests asan -j "$(nproc)"
  end live
  step 'tsan build' build tsan --target berth_unit_tests && stage 'tsan tests' tests tsan -L tsan
fi
summary
