#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh [SEED]: plugins of other compilers, C++ libraries and languages: each decides as the others do, and all of them work
# side by side in one host. Needs `make build`.
set -uo pipefail
. "$(dirname "$0")/../../check.sh"
. tests/abi/languages/build.sh
seed=${1:-$RANDOM}
echo "seed $seed"
plugins=$work/plugins
mkdir -m 755 "$plugins"

exports_only_the_entry() {
  expect_line berth_plugins_abi1 "$(nm -D --defined-only --format=posix "$1" | awk '{ print $1 }')"
}
expect_line() { [ "$1" = "$2" ] || { echo "expected '$1', found '$2'"; return 1; }; }

# Not only the flags: the libraries that are needed say which C++ library it is.
needs() {
  readelf -d "$plugins/$1.so" | sed -n 's/.*(NEEDED).*\[\(lib[a-z+_]*\)[-.].*/\1/p' | grep -xE 'libstdc\+\+|libc\+\+' >"$work/needed"
  expect_line "${2:-}" "$(cat "$work/needed")"
}

# What is compiled names the drafts that it asks for, and no others.
names_its_drafts() {
  out/bin/berth plugin inspect --insecure-plugins "$plugins/$1.so" >"$work/said" || { cat "$work/said"; return 1; }
  expect_line berth.host.log_fields/draft1 "$(sed -n 's/^  drafts: *//p' "$work/said")"
}

# alone LANGUAGE: its decisions about the small world, by the one name `Draught`.
alone() {
  out/bin/berth simulate --config "$work/one.yaml" --plugin "Draught=$plugins/$1.so" --plugin-checks strict \
    --decisions "$work/$1.decisions" --detail nodes "$work/small.yaml" >"$work/$1.table" 2>"$work/$1.log" || { cat "$work/$1.log"; return 1; }
  ! grep '^E.*plugin ABI' "$work/$1.log" || return 1
  [ "$(wc -l <"$work/$1.decisions")" -ge 200 ] || { echo 'too few decisions'; return 1; }
  cmp "$work/gcc.decisions" "$work/$1.decisions"
}

# What an exception, a panic and C's own way become: the same error of the pod's attempt.
errors_are_told() {
  local pod
  for pod in 1 10; do
    grep -m 1 "\"name\":\"ship-$pod\"" "$work/gcc.decisions" >"$work/line"
    grep -q "draught: not a number: deep-$pod\"" "$work/line" || { cat "$work/line"; return 1; }
  done
}

together() { # DECISIONS ARGUMENT...
  local decisions=$1 arguments
  shift
  mapfile -t arguments < <(pins "$plugins")
  out/bin/berth simulate --config "$work/all.yaml" "${arguments[@]}" --decisions "$decisions" "$@" >"$work/table" 2>"$work/log" ||
    { tail -n 20 "$work/log"; return 1; }
}

side_by_side() {
  together "$work/strict.decisions" --plugin-checks strict "$work/small.yaml" || return 1
  ! grep '^E.*plugin ABI' "$work/log"
}

placed() { sed -n 's/.*"name":"\([^"]*\)".*"result":"Scheduled".*"node":"\([^"]*\)".*/\1 \2/p' "$1" | sort; }

# Five times the same score is one score with five times the weight: all of them are asked, and none disturbs another.
under_load() {
  together "$work/all.decisions" "$work/large.yaml" || return 1
  out/bin/berth simulate --config "$work/heavy.yaml" --plugin "Draught=$plugins/gcc.so" --decisions "$work/one.decisions" \
    "$work/large.yaml" >"$work/table" 2>&1 || return 1
  placed "$work/all.decisions" >"$work/all.placed"
  placed "$work/one.decisions" >"$work/one.placed"
  [ "$(wc -l <"$work/all.placed")" -gt 1000 ] || { echo "only $(wc -l <"$work/all.placed") pods were placed"; return 1; }
  cmp "$work/one.placed" "$work/all.placed" || return 1
}

# In one host too each error is the plugin's own.
each_error_names_its_plugin() {
  local i=0 language
  for language in clang bundled c rust gcc; do
    i=$((i + 1))
    grep -m 1 "\"name\":\"ship-$i\"" "$work/all.decisions" >"$work/line"
    grep -q "Draught-$language.*draught: not a number: deep-$i\"" "$work/line" || { echo "ship-$i:"; cat "$work/line"; return 1; }
  done
}

# one_plugin SCORE-WEIGHT: profiles of the same names with one plugin, which has this weight.
one_plugin() {
  local profile
  printf '%s\n' 'apiVersion: kubescheduler.config.k8s.io/v1' 'kind: KubeSchedulerConfiguration' profiles:
  for profile in "${languages[@]}"; do
    echo "- {schedulerName: $profile, plugins: {multiPoint: {enabled: [{name: Draught, weight: $1}]}}}"
  done
}

one_plugin 1 >"$work/one.yaml"
one_plugin 5 >"$work/heavy.yaml"
in_one_host >"$work/all.yaml"
world "$seed" 60 200 >"$work/small.yaml"
world "$seed" 500 2000 >"$work/large.yaml"

for language in "${languages[@]}"; do check "$language: it builds" built "$language" "$plugins"; done
check 'gcc needs libstdc++' needs gcc libstdc++
check 'clang needs libc++' needs clang libc++
for language in bundled c rust; do check "$language needs no C++ library" needs "$language"; done
for language in "${languages[@]}"; do
  check "$language exports the entry and nothing else" exports_only_the_entry "$plugins/$language.so"
  check "$language names the draft that it uses" names_its_drafts "$language"
  check "$language decides as gcc does, under strict checks" alone "$language"
done
check 'an exception, a panic and an error of C are the same to a user' errors_are_told
check 'all of them in one host break nothing, under strict checks' side_by_side
check 'all of them in one host place 2,000 pods on 500 nodes as one does' under_load
check "in one host each one's error names it" each_error_names_its_plugin

finish
