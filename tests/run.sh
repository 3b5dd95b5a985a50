#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh [--soak] [STAGE...]: every check of the tree, in stages, or only those named. Each prints its seconds and its counts; of
# one that fails, the end of its log (build/logs/). A folder tests/PURPOSE/KIND with a run.sh is the stage PURPOSE/KIND; that
# script's line `N passed, N failed` is its count. The last line sums them up; the exit code says whether all passed.
set -uo pipefail
shopt -s nullglob
cd "$(dirname "$0")/.."
. tests/stages.sh
soak=
lint='changed 30'
decisions=2000
scripts=500
timelines=200
devices=4000
expressions=20000
configurations=150
flags=300
if [ "${1:-}" = --soak ]; then
  soak=1 lint=all decisions=100000 scripts=10000 timelines=3000 devices=50000 expressions=500000 configurations=1000 flags=2000
  shift
fi
chosen=("$@")

configure() { [ -f "build/$1/build.ninja" ] || cmake --preset "$1"; }
build() { configure "$1" && cmake --build "build/$1" "${@:2}"; }
build_without_precompiled() { cmake --preset release -B build/sources -DBERTH_PRECOMPILE=OFF && cmake --build build/sources; }
# after N COMMAND...: what it takes is what others leave, the more so the higher N is.
after() { renice -n "$1" "$BASHPID" >/dev/null && "${@:2}"; }
tests() { ctest --test-dir "build/$1" --verbose --no-tests=error "${@:2}"; }

# Those that measure time, build something or use every processor.
alone=(abi/promise robustness/attacks bench/schedulers bench/call-overhead robustness/invalid-input robustness/memory bench/plugin-bench)
# by_releases KIND N HOW...: in a soak half of the N cases are judged by each release of Kubernetes, the later one in the stage KIND
# 1.37: its own code takes ten minutes to compile on two processors.
by_releases() {
  local kind=$1 half=$(($2 / 2)) how=$3 before=("${@:4}")
  if [ -z "$soak" ]; then
    $how "$kind" "${before[@]}" "tests/$kind/run.sh" "$2" 1
    return
  fi
  $how "$kind" "${before[@]}" "tests/$kind/run.sh" "$half" 1
  $how "$kind 1.37" "${before[@]}" env KUBERNETES=1.37 "tests/$kind/run.sh" "$half" 1
}
# checks_of PURPOSE/KIND HOW...: the stage of tests/PURPOSE/KIND.
checks_of() {
  local kind=$1 how=$2 before=("${@:3}") arguments=()
  case $kind in
    oracle/decisions) by_releases "$kind" "$decisions" "${@:2}"; return ;;
    oracle/config) by_releases "$kind" "$configurations" "${@:2}"; return ;;
    oracle/gates) by_releases "$kind" "$flags" "${@:2}"; return ;;
    oracle/queue) by_releases "$kind" "$scripts" "${@:2}"; return ;;
    oracle/timeline)
      by_releases "$kind" "$timelines" "${@:2}"
      # Of pod groups only the later release knows.
      [ -z "$soak" ] || $how "$kind 1.37 groups" "${before[@]}" env KUBERNETES=1.37 "tests/$kind/run.sh" $((timelines / 3)) 1 groups
      return
      ;;
    # What its README lists differs as 1.37.
    oracle/cel) arguments=("$expressions" 1) ;;
    oracle/devices)
      [ -n "$soak" ] || before+=(env KUBERNETES=1.36)
      arguments=("$devices" 1)
      ;;
    # An image compiles everything once more, within. Which mutants are tried depends on the day, and one that survives is
    # work for people, not a fault of the change at hand.
    packaging/image | self/mutation) [ -n "$soak" ] || return 0 ;;
    abi/verify | abi/promise) [ -z "$soak" ] || before+=(env LONG=1) ;;
    abi/templates) [ -z "$soak" ] || arguments=(--all) ;;
  esac
  $how "$kind" "${before[@]}" "tests/$kind/run.sh" "${arguments[@]}"
}

export UBSAN_OPTIONS=print_stacktrace=1 ASAN_OPTIONS=detect_stack_use_after_return=1
export TSAN_OPTIONS=second_deadlock_stack=1

tools/setup.sh test || exit 1
printf '%-24s %5d s\n' setup $SECONDS
if step 'release build' make build; then
  # The unit tests take as long to compile as all of the host; the build with AddressSanitizer has them as well.
  programs=(--target stage_programs) without=(-LE unit)
  [ -z "$soak" ] || programs=() without=()
  step 'release tests build' build release "${programs[@]}" && stage 'release tests' tests release "${without[@]}" -j "$(nproc)"
  stage 'format' tools/style.sh check-format
  stage 'lint' tools/style.sh tidy $lint
  for kind in "${alone[@]}"; do [ ! -e "tests/$kind/run.sh" ] || checks_of "$kind" stage; done
  # A cluster waits most of the time. What it leaves goes to the other checks, two at a time, and then to the compilers.
  begin live/end-to-end tests/live/end-to-end/run.sh
  begin 'asan build' after 19 build asan
  for script in tests/*/*/run.sh; do
    kind=${script#tests/} kind=${kind%/run.sh}
    [[ " ${alone[*]} live/end-to-end " == *" $kind "* ]] || checks_of "$kind" beside after 10
  done
  all_ended
  end 'asan build' step && stage 'asan tests' tests asan -j "$(nproc)"
  end live/end-to-end
  # A source that forgets an include compiles where the headers before it have that.
  [ -z "$soak" ] || step 'build without precompiled headers' build_without_precompiled
  # Only the programs that run are built under ThreadSanitizer.
  step 'tsan build' build tsan --target berth_unit_tests && stage 'tsan tests' tests tsan -L tsan
fi
summary
