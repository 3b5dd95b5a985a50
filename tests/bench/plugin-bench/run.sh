#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# `berth plugin bench` counts what plugins allocate, whatever they are made of, and tells which of two takes longer. No time is
# looked at alone. Needs `make build`, or BERTH for another program and PLUGINS for its plugins.
set -uo pipefail
. "$(dirname "$0")/../../check.sh"
berth=$(realpath "${BERTH:-$top/out/bin/berth}")
plugins=${PLUGINS:-$top/out/lib/berth/plugins}
build=(-O2 -shared -fPIC -fvisibility=hidden -Wall -Wextra -Werror -Isdk/include -Wl,--version-script=sdk/cmake/berth-plugin.map)

bench() { "$berth" plugin bench --insecure-plugins "$@"; }

# cell PLUGIN POINT COLUMN: of the table in $work/table.
cell() { awk -v plugin="$1" -v point="$2" -v column="$3" '/^[^ ]/ { now = $1 } now == plugin && $1 == point { gsub(/,/, ""); print $column }' "$work/table"; }
# has PLUGIN POINT PER CALLS ALLOCATIONS BYTES
has() {
  local found
  found="$(cell "$1" "$2" 2) $(cell "$1" "$2" 6) $(cell "$1" "$2" 7) $(cell "$1" "$2" 8)"
  [ "$found" = "$3 $4 $5 $6" ] || { echo "$1 $2: expected $3 $4 $5 $6, found $found"; cat "$work/table"; return 1; }
}

# counted FILE: a text of 100 bytes for each of 300 nodes at Filter, and a line of 64 at Score; nothing in the other plugin.
counted() {
  bench "$1" --nodes 300 --pods 7 >"$work/table" &&
    has Frugal Filter node 7 0 0 && has Frugal Score node 7 0 0 &&
    has Wasteful Filter node 7 300 30000 && has Wasteful Score node 7 300 19200
}
cpp() {
  g++ -std=c++20 "$@" tests/bench/plugin-bench/frugal.cpp "${build[@]}" -o "$work/$1.so" && counted "$work/$1.so"
}
every_way() {
  gcc -std=c11 tests/bench/plugin-bench/every_way.c "${build[@]}" -o "$work/every_way.so" &&
    bench "$work/every_way.so" --nodes 50 --pods 3 >"$work/table" && has EveryWay Filter node 3 350 10000
}
wasteful_takes_longer() {
  bench "$work/-DPLAIN.so" --nodes 2000 --pods 20 >"$work/table" || return 1
  local frugal wasteful
  # Of the quickest rounds: what else the machine did is not in them.
  frugal=$(cell Frugal Score 4) wasteful=$(cell Wasteful Score 4)
  awk -v a="$wasteful" -v b="$frugal" 'BEGIN { exit !(a > 1.5 * b && b > 0) }' || { cat "$work/table"; return 1; }
}
spread_surrounds_the_median() {
  awk '/^ *POINT/ { next } /^  [A-Z]/ { gsub(/,/, ""); if (!($4 <= $3 && $3 <= $5)) bad = 1; ++n } END { exit !(n >= 4 && !bad) }' "$work/table" || { cat "$work/table"; return 1; }
}
as_json() {
  bench "$work/-DPLAIN.so#Wasteful" --nodes 300 --pods 7 --json >"$work/json" || return 1
  local line
  for line in '"nodes": 300' '"placed": 600' '"pods": 7' '"name": "Wasteful"' '"point": "Filter"' '"per": "node"' '"calls": 7' \
    '"units": 2100' '"allocations": 300' '"bytes": 30000' '"median": '; do
    grep -qF "$line" "$work/json" || { echo "no $line"; cat "$work/json"; return 1; }
  done
  ! grep -q Frugal "$work/json"
}
same_seed_counts_the_same() {
  local i
  for i in 1 2; do
    bench "$plugins/kubernetes.so#InterPodAffinity" --nodes 200 --pods 20 --seed 5 >"$work/table" || return 1
    awk '/^  [A-Z]/ { print $1, $2, $6, $7, $8 }' "$work/table" >"$work/counts$i"
  done
  [ "$(wc -l <"$work/counts1")" -ge 6 ] && diff "$work/counts1" "$work/counts2"
}
# Some of them do nothing about the generated pods, which is said.
every_plugin_of_ours() {
  bench "$plugins/kubernetes.so" --nodes 100 --pods 60 >"$work/table"
  [ $? = 1 ] || { cat "$work/table"; return 1; }
  [ "$(grep -c '^[A-Z]' "$work/table")" = "$("$berth" plugin inspect --insecure-plugins "$plugins/kubernetes.so" | grep -c '^  plugin ')" ] &&
    has NodeName Filter node "$(cell NodeName Filter 6)" 0 0 || return 1
  awk '/^[A-Z]/ { plugin = $1 } sub(/^  not called, .*: /, "") { print plugin ": " $0 }' "$work/table" >"$work/missed"
  diff - "$work/missed" <<'END'
VolumeRestrictions: Filter, RemovePod, AddPod
VolumeBinding: Score
VolumeZone: Filter
DynamicResources: Filter
NodeDeclaredFeatures: Filter
END
}

# Filter is for pods of whom a Widget is there: the generated cluster has some, this file has none.
watches() {
  g++ -std=c++20 tests/abi/promise/hostile/watches.cpp "${build[@]}" -o "$work/watches.so" && bench "$work/watches.so" --nodes 50 --pods 30 >"$work/table" &&
    [ "$(cell Watches Filter 6)" -gt 0 ] || { cat "$work/table"; return 1; }
}
not_called_fails() {
  refused 1 'not called, each pod was skipped or rejected before: Filter' "$work/watches.so" --cluster tests/abi/verify/cargo.yaml --pods 5 &&
    grep -q '^2 nodes, 0 pods on them; called for 5 pods' "$work/said"
}
scenario_and_release() {
  bench "$work/-DPLAIN.so" --scenario tests/abi/verify/cargo-scenario.yaml --kubernetes-version 1.37 --pods 5 >"$work/table" && grep -q '^2 nodes' "$work/table" &&
    has Frugal Filter node 5 0 0
}

# refused CODE TEXT OPTION...
refused() {
  local code=$1 text=$2
  shift 2
  bench "$@" >"$work/said" 2>&1
  [ $? = "$code" ] && grep -qF -- "$text" "$work/said" || { cat "$work/said"; return 1; }
}

# The page's table, without the times, is what its command prints.
page_is_true() {
  sed -n '/^\$ berth plugin bench/,/^```/{ /^\$/d; /^```/d; p }' docs/bench.md >"$work/shown"
  (cd "$plugins" && "$berth" $(sed -n 's/^\$ berth \(plugin bench .*\)/\1/p' "$top/docs/bench.md") --insecure-plugins) >"$work/printed" || return 1
  local file
  for file in shown printed; do
    awk '/^  [A-Z]/ && $1 != "POINT" { $3 = $4 = $5 = "-" } { $1 = $1; print }' "$work/$file" >"$work/$file.still"
  done
  [ -s "$work/shown.still" ] && diff "$work/shown.still" "$work/printed.still"
}
options_are_described() {
  "$berth" plugin bench --help | grep -oE -- '--[a-z][a-z-]+' | grep -vx -- --help | sort -u >"$work/program"
  sed -n '/^| option/,/^## /p' docs/bench.md | grep '^|' | cut -d '|' -f 2 | grep -oE -- '--[a-z][a-z-]+' | sort -u >"$work/described"
  diff "$work/program" "$work/described"
}

check 'allocations are counted exactly' cpp -DPLAIN
check 'so they are with a C++ library inside the plugin' cpp -static-libstdc++ -static-libgcc
check 'so they are in C, whichever way' every_way
check 'who allocates for each node takes longer' wasteful_takes_longer
check 'the median is between the quickest round and the slowest' spread_surrounds_the_median
check 'JSON has the same numbers' as_json
check 'the same seed counts the same' same_seed_counts_the_same
check 'every default plugin is measured' every_plugin_of_ours
check 'objects that a plugin looks for are there' watches
check 'a point that no pod reached is a failure' not_called_fails
check 'a scenario is a cluster, too, for a release' scenario_and_release
check 'nodes are generated or given' refused 2 'excludes' "$plugins/sample.so" --nodes 5 --cluster tests/abi/verify/cargo.yaml
check 'a plugin that cannot be made without arguments is named' refused 1 'MaxPods' "$plugins/prefilter-maxpods.so"
check 'a plugin that is not there is named' refused 2 'holds no plugin "Nobody"; it holds' "$plugins/sample.so#Nobody"
check 'so is a number of nodes that is none' refused 2 '--nodes' "$plugins/sample.so" --nodes 0
check 'the table that the page shows is real, but for the times' page_is_true
check 'the page describes every option' options_are_described
finish
