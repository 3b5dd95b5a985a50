#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# fuzz.sh SECONDS [TARGET…]: libFuzzer on each target, or those named, for so long; ends with `N passed, N failed`. JOBS run
# at a time, as many as there are processors if it is not said. What it learns is kept in .cache/fuzz and is where the next
# run begins. An input that ends a target is left in build/fuzz/found: mend the cause and move the file to
# tests/robustness/fuzz/found/TARGET, under a name that says what was wrong.
set -uo pipefail
shopt -s nullglob
cd "$(dirname "$0")/../../.."
seconds=${1:?seconds for each target}
shift
jobs=${JOBS:-$(nproc)}
passed=0
failed=0
if [ $# = 0 ]; then set -- $(sed -n 's/^set(targets \(.*\))/\1/p' tests/robustness/fuzz/CMakeLists.txt); fi

[ -f build/fuzz/build.ninja ] || cmake --preset fuzz >/dev/null || exit 1
mkdir -p build/fuzz/logs build/fuzz/found
for target; do
  cmake --build build/fuzz --target "berth_fuzz_$target" >"build/fuzz/logs/$target" 2>&1 ||
    { tail -n 30 "build/fuzz/logs/$target"; echo "$target cannot be built"; exit 1; }
done

# seeds TARGET: the files of this tree that it starts from, as seeds.txt names them.
seeds() {
  local target pattern
  while read -r target pattern; do
    [ "$target" != "$1" ] || printf '%s\n' $pattern
  done <tests/robustness/fuzz/seeds.txt
}

# fuzz TARGET: prints a line.
fuzz() {
  local target=$1 file dictionary options
  local corpus=.cache/fuzz/$target start=build/fuzz/start/$target log=build/fuzz/logs/$target
  rm -rf "$start"
  mkdir -p "$corpus" "$start"
  for file in $(seeds "$target") tests/robustness/fuzz/{seeds,found}/"$target"/*; do
    [ ! -f "$file" ] || cp "$file" "$start/${file//\//-}"
  done
  options=(-max_total_time="$seconds" -timeout=60 -rss_limit_mb=2560 -print_final_stats=1 -max_len=8192
    -artifact_prefix="build/fuzz/found/$target-")
  dictionary=tests/robustness/fuzz/dictionaries/$target
  [ ! -f "$dictionary" ] || options+=(-dict="$dictionary")
  if nice -n 10 "build/fuzz/fuzz/berth_fuzz_$target" "${options[@]}" "$corpus" "$start" >"$log" 2>&1; then
    awk -v target="$target" '/ cov: / { for (i = 1; i < NF; ++i) if ($i == "cov:") edges = $(i + 1) }
      /number_of_executed_units:/ { units = $2 } /peak_rss_mb:/ { peak = $2 }
      END { printf "%-13s ok    %d inputs, %d edges, %d MiB at most\n", target, units, edges, peak }' "$log"
  else
    grep -E -m 20 -A 12 'broken promise|ERROR:|runtime error|what\(\)|ALARM' "$log" | head -n 40 || tail -n 30 "$log"
    echo "$target FAIL  $(grep -o 'build/fuzz/found/.*' "$log" | tail -n 1)"
    return 1
  fi
}

# ended: one of those that run has.
ended() {
  running=$((running - 1))
  if wait -n; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

# Each has a process group of its own, so that nothing stays when this is interrupted.
set -m
trap 'for group in $(jobs -p); do kill -- "-$group" 2>/dev/null; done' EXIT
running=0
for target; do
  [ "$running" -lt "$jobs" ] || ended
  fuzz "$target" &
  running=$((running + 1))
done
while [ "$running" -gt 0 ]; do ended; done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
