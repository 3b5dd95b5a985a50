#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# `berth plugin`, as a person uses it. Needs `make build`, or BERTH for another program and PLUGINS for its plugins.
set -uo pipefail
. "$(dirname "$0")/../../check.sh"
berth=${BERTH:-$top/out/bin/berth}
plugins=${PLUGINS:-$top/out/lib/berth/plugins}

# A library that would leave a file behind if anything of it ran.
cat >"$work/runs.c" <<'END'
#include <stdio.h>
__attribute__((constructor)) static void begin(void) { fclose(fopen(RUN, "w")); }
END

folder() {
  mkdir -p "$work/folder" && chmod 755 "$work/folder" && cp "$plugins"/{prefilter-maxpods,kubernetes}.so "$work/folder"
}

lists_every_plugin() {
  "$berth" plugin list --plugin-dir "$work/folder" >"$work/list" || return 1
  head -n 1 "$work/list" | grep -q '^NAME .*VERSION .*POINTS .*FILE .*SHA256' || return 1
  grep -q "^MaxPods .* PreFilter.*$work/folder/prefilter-maxpods.so" "$work/list" || { cat "$work/list"; return 1; }
  grep -q "^NodeResourcesFit .*Score.*$work/folder/kubernetes.so" "$work/list" || { cat "$work/list"; return 1; }
}

lists_as_json() {
  local digest
  digest=$(sha256sum "$work/folder/prefilter-maxpods.so") && digest=${digest%% *}
  "$berth" plugin list --plugin-dir "$work/folder" -o json >"$work/json" && grep -q "\"sha256\": \"$digest\"" "$work/json" &&
    grep -q '"name": "MaxPods"' "$work/json" && grep -q '"loadable": true' "$work/json"
}

says_why_a_file_is_refused() {
  mkdir -p "$work/bad" && chmod 755 "$work/bad" && cp "$plugins/prefilter-maxpods.so" "$work/bad/open.so" &&
    chmod 777 "$work/bad/open.so" && echo text >"$work/bad/text.so" && chmod 644 "$work/bad/text.so"
  "$berth" plugin list --plugin-dir "$work/bad" >"$work/list"
  [ $? = 1 ] || { echo "the exit code is not 1"; return 1; }
  grep -q "^refused: $work/bad/open.so: the file can be written by everybody" "$work/list" &&
    grep -q "^refused: $work/bad/text.so: no shared library" "$work/list" || { cat "$work/list"; return 1; }
  "$berth" plugin inspect --insecure-plugins "$work/bad/open.so" >"$work/list" && grep -q 'would load:  *yes' "$work/list"
}

inspects() {
  "$berth" plugin inspect --plugin-dir "$work/folder" prefilter-maxpods.so >"$work/one" || { cat "$work/one"; return 1; }
  local line
  for line in "$work/folder/prefilter-maxpods.so" '  exports: .*berth_plugins_abi1' '  needs: .*libc.so.6' '  plugin MaxPods' \
    '  drafts: *-$' '  points: .*PreFilter' '  interfaces: .*berth.pre_filter/1' '  abi: *1\.'; do
    grep -q -- "^$line" "$work/one" || { echo "no line $line"; cat "$work/one"; return 1; }
  done
}

shows_rights() {
  "$berth" plugin inspect "$work/folder/kubernetes.so" >"$work/one" && grep -q '^  rights: *create v1/pods/binding$' "$work/one" &&
    grep -q '^  rights: .*list,watch policy/v1/poddisruptionbudgets' "$work/one" &&
    "$berth" plugin inspect "$work/folder/kubernetes.so" -o json >"$work/json" && grep -q '"create v1/pods/binding"' "$work/json"
}

# Of its own plugins, and of its code: not all that the SDK knows.
shows_drafts() {
  "$berth" plugin inspect "$work/folder/kubernetes.so" >"$work/one" || return 1
  grep -q '^  drafts: *berth.host.cancellation/draft1, .*berth.host.kubernetes/draft1, .*berth.remedy/draft1$' "$work/one" &&
    ! grep -q '^  drafts: .*berth.host.metrics/draft1' "$work/one" || { grep drafts "$work/one"; return 1; }
  "$berth" plugin inspect "$work/folder/kubernetes.so" -o json >"$work/json" && grep -A 1 '"drafts"' "$work/json" | grep -q cancellation
}

runs_nothing() {
  "${CC:-cc}" -shared -fPIC -DRUN="\"$work/ran\"" -o "$work/runs.so" "$work/runs.c" || return 1
  "$berth" plugin inspect --insecure-plugins "$work/runs.so" >"$work/one"
  [ $? = 1 ] && [ ! -e "$work/ran" ] && grep -q 'exports no berth_plugins_abi1' "$work/one"
}

# refused EXPECTED ARGUMENT...: `berth plugin new` with these arguments says so, and makes nothing.
refused() {
  local expected=$1
  shift
  (cd "$work" && "$berth" plugin new "$@") >"$work/said" 2>&1
  [ $? = 2 ] && grep -qF -- "$expected" "$work/said" || { cat "$work/said"; return 1; }
  [ ! -e "$work/new-one" ] || { echo "a folder was made"; return 1; }
}
new_refuses() {
  refused '; did you mean PodsPerNode?' pods-per-node && refused 'the name "9Lives" is none for a plugin' 9Lives &&
    refused 'the name NULL means something else in C' NULL && refused '63 are the most' "A$(printf 'a%.0s' {1..70})" &&
    refused 'there is no extension point "filtr"; did you mean "Filter"?' NewOne --point filtr,score &&
    refused 'the points are PreEnqueue, QueueSort' NewOne --point nowhere &&
    refused 'add score' NewOne --point normalize &&
    refused '--lang: there is no template for "java"; expected one of c, cpp, rust' NewOne --lang java &&
    refused 'the name String means something else in Rust' String --lang rust &&
    refused "list: is there already; give another folder by --output" NewOne --output list
}
new_makes_a_folder() {
  (cd "$work" && "$berth" plugin new GPUFit2 --point Pre-Filter,SCORE) >"$work/said" || return 1
  [ -f "$work/gpu-fit2/gpu_fit2.cpp" ] && grep -q '^gpu-fit2: plugin GPUFit2, PreFilter, Score$' "$work/said" || { cat "$work/said"; return 1; }
  local file
  while read -r file; do [ -f "$work/gpu-fit2/$file" ] || { echo "no $file"; return 1; }; done < <(sed -n 's/^  \([^ ]*\.[^ ]*\)$/\1/p' "$work/said")
  refused 'gpu-fit2: is there already' GPUFit2
}

check 'a folder of plugins' folder
check 'every plugin is listed with its points and its file' lists_every_plugin
check 'the list as JSON has the whole digest' lists_as_json
check 'a refused file is listed with the reason, and the exit code is 1' says_why_a_file_is_refused
check 'a library is inspected, found by its name in a plugin directory' inspects
check 'the rights that a plugin takes are shown' shows_rights
check 'the drafts that its code asks for are shown' shows_drafts
check 'nothing of a library is run' runs_nothing
check 'plugin new says what is wrong, and how to put it right' new_refuses
check 'plugin new makes a folder named after the plugin' new_makes_a_folder

finish
