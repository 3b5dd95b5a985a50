#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# `berth plugin verify` passes what keeps to the ABI, and catches each bug of bugs.txt and wharf.txt with the test that stands
# there; prints a table of them. Of wharf.txt it tries one in three, others each day, and all with LONG=1. Needs `make build`, or
# BERTH for another program and PLUGINS for its plugins.
set -uo pipefail
. "$(dirname "$0")/../../check.sh"
. tests/abi/verify/verdict.sh
plugins=${PLUGINS:-$top/out/lib/berth/plugins}
quota=tests/abi/verify/quota
wharf=tests/abi/verify/wharf

# library FILE FLAG...: the plugin in C, built as berth_add_plugin would.
library() {
  local file=$1 map=sdk/cmake/berth-plugin.map
  shift
  # The map hides what a library exports by mistake.
  if [ "$*" = -DBUG_exports_more ]; then map=$work/all.map && echo '{ global: *; };' >"$map"; fi
  "${CC:-cc}" -std=c11 -O1 -Wall -Wextra -Werror -Wno-unused-parameter -Wno-unused-function -shared -fPIC -pthread -fvisibility=hidden -Isdk/include "$@" \
    -Wl,--version-script="$map" "$quota"/*.c -o "$file"
}

# verify FILE OPTION...
verify() { "$berth" plugin verify --insecure-plugins --config tests/abi/verify/quota.yaml "$@"; }

late_passes() { library "$work/late.so" -DSOUND_late && verify "$work/late.so" --test threads; }
# Timers that go on, and come to nothing with their instance, are no leak.
timers_are_no_leak() {
  "${CC:-cc}" -std=c11 -O1 -shared -fPIC -fvisibility=hidden -Isdk/include -Wl,--version-script=sdk/cmake/berth-plugin.map tests/abi/promise/hostile/waits.c \
    -o "$work/waits.so" && "$berth" plugin verify --insecure-plugins "$work/waits.so" >"$work/said" || { grep -v '^ok' "$work/said"; return 1; }
}
# It has no hint, and of its timers the first come while pods are evaluated.
timers_are_counted() { ! grep -q QueueingHint "$work/said" && grep -Eq '^  timers: [1-9][0-9,]* begun, [1-9][0-9,]* came$' "$work/said" || { grep -v '^ok' "$work/said"; return 1; }; }

# Of ten functions, five are enough to see what is meant, as they stand in the source.
exports_are_readable() {
  {
    echo '#include <berth/plugin.hpp>'
    echo 'namespace cargo { template <class T> struct Hold { void take() {} }; template struct Hold<int>; }'
    for i in 1 2 3 4 5 6 7 8 9; do echo "void unload$i(int) {}"; done
    echo 'struct P { berth::Verdict filter(berth::Pod, berth::Node) const { return berth::ok; } }; BERTH_PLUGIN(P, "P", "1.0.0")'
  } >"$work/exports.cpp"
  c++ -std=c++20 -shared -fPIC -Isdk/include "$work/exports.cpp" -o "$work/exports.so" || return 1
  ! "$berth" plugin verify --insecure-plugins "$work/exports.so" --test file >"$work/exports" && grep -E '"unload1\(int\)".* and [0-9]+ more too' "$work/exports" ||
    { cat "$work/exports"; return 1; }
}

sound_passes() { library "$work/sound.so" && verify "$work/sound.so"; }

# bug BUG TEST
bug() {
  library "$work/$1.so" "-DBUG_$1" && caught "$2" "$work/$1.so" --config tests/abi/verify/quota.yaml
}

table() {
  local bug test what
  while IFS='|' read -r bug test what; do
    bug=${bug// /} test=${test// /}
    [ -n "$bug" ] && [ "${bug:0:1}" != '#' ] || continue
    check "$test:${what}" bug "$bug" "$test"
  done <tests/abi/verify/bugs.txt
}

# The plugin wharf/, each file of it once; a bug then compiles only the files that name it.
compile_wharf() {
  "${CC:-cc}" -std=c11 -O1 -Wall -Wextra -Werror -Wno-unused-parameter -Wno-unused-function -Wno-unused-variable -fPIC -pthread -fvisibility=hidden \
    -Isdk/include "${@:3}" -c "$1" -o "$2"
}
link_wharf() { "${CC:-cc}" -shared -pthread -Wl,--version-script=sdk/cmake/berth-plugin.map -Wl,-z,defs "${@:2}" -o "$1"; }
wharf_builds() {
  local source
  mkdir "$work/wharf" || return 1
  for source in "$wharf"/*.c; do compile_wharf "$source" "$work/wharf/$(basename "$source" .c).o" || return 1; done
  link_wharf "$work/wharf.so" "$work"/wharf/*.o
}
verify_wharf() { "$berth" plugin verify --insecure-plugins --config "$wharf.yaml" "$work/wharf.so" "$@" >"$work/said" || { grep -v '^ok' "$work/said"; return 1; }; }
wharf_passes() {
  verify_wharf && ! grep -Eq 'never called|rejected no node|the same score' "$work/said" && grep -Eq '^  Filter .* [1-9][0-9,]*$' "$work/said" &&
    grep -Eq '^  reads of example.com/v1/allowances: [1-9][0-9,]* found something, 0 nothing$' "$work/said" || { grep -v '^ok' "$work/said"; return 1; }
}

# wharf_bug BUG TEST
wharf_bug() {
  local object objects=() named=() source
  mapfile -t named < <(grep -lE "BUG_$1\b" "$wharf"/*.c)
  [ ${#named[@]} != 0 ] || { echo "no file of $wharf names BUG_$1"; return 1; }
  for object in "$work"/wharf/*.o; do
    source=$wharf/$(basename "$object" .o).c
    if [[ " ${named[*]} " != *" $source "* ]]; then
      objects+=("$object")
      continue
    fi
    objects+=("$work/$(basename "$object")")
    compile_wharf "$source" "${objects[-1]}" "-DBUG_$1" || return 1
  done
  link_wharf "$work/bug.so" "${objects[@]}" && LIMIT=10s caught "$2" "$work/bug.so" --config "$wharf.yaml"
}

# Each bug of the source has a line, and each line a bug.
wharf_is_listed() {
  grep -ohE 'BUG_[a-z_]+' "$wharf"/*.c | sort -u >"$work/source"
  sed -n 's/^\([a-z_]*\) *|.*/BUG_\1/p' "$wharf.txt" | sort >"$work/listed"
  diff "$work/source" "$work/listed"
}

wharf_table() {
  local bug test what number=0 first=0 every=1
  if [ -z "${LONG:-}" ]; then every=3 first=$((10#$(date +%j) % 3)); fi
  echo "wharf.txt: one in $every, from number $((first + 1)) on (LONG=1 tries all)"
  while IFS='|' read -r bug test what; do
    bug=${bug// /} test=${test// /}
    [ -n "$bug" ] && [ "${bug:0:1}" != '#' ] || continue
    [ $((number++ % every)) = "$first" ] || continue
    check "$test:${what}" wharf_bug "$bug" "$test"
  done <"$wharf.txt"
}

# The page's output is that of its command.
page_is_true() {
  mkdir -m 755 "$work/page" && library "$work/page/quota.so" -DBUG_filter_by_place && chmod 755 "$work/page/quota.so" || return 1
  sed -n '/^\$ berth plugin verify/,/^```/{ /^\$/d; /^```/d; p }' docs/verify.md >"$work/expected"
  (cd "$work/page" && "$berth" plugin verify quota.so --seed 7 --test load --test semantics/filter-splits) >"$work/printed"
  diff "$work/expected" "$work/printed"
}

# Each test of the program has a line in the page, and each line a test.
tests_are_described() {
  verify "$work/sound.so" --json >"$work/json" || return 1
  sed -n 's/.*"test": "\(.*\)",$/\1/p' "$work/json" | sort -u >"$work/program"
  sed -n 's/^| `\([a-z]*\/[a-z-]*\)` .*/\1/p' docs/verify.md | sort -u >"$work/described"
  diff "$work/program" "$work/described"
}

options_are_described() {
  "$berth" plugin verify --help | grep -oE -- '--[a-z][a-z-]+' | grep -vx -- --help | sort -u >"$work/program"
  sed -n '/^| option/,/^## /p' docs/verify.md | grep '^|' | cut -d '|' -f 2 | grep -oE -- '--[a-z][a-z-]+' | sort -u >"$work/described"
  diff "$work/program" "$work/described"
}

junit_is_written() {
  verify "$work/sound.so" --test load --junit "$work/junit.xml" >"$work/said" &&
    grep -q '<testcase classname="library" name="load/opens"' "$work/junit.xml" &&
    grep -q '<testsuites tests="3" failures="0"' "$work/junit.xml"
}

# ours LIBRARY OPTION...: a plugin of this tree passes.
ours() { "$berth" plugin verify --insecure-plugins "$plugins/$1" "${@:2}" >"$work/said" || { grep -v '^ok' "$work/said"; return 1; }; }
# A pod that the anti-affinity of others keeps off is not woken by a node's labels. kube-scheduler's hints are the same
# (isSchedulableAfterNodeChange, 1.36 and 1.37).
kubernetes_passes() {
  ours kubernetes.so --accept semantics/hints#InterPodAffinity && grep -q '^known semantics/hints InterPodAffinity ' "$work/said" &&
    grep -q '^[0-9]* passed, 0 failed, 1 known$' "$work/said" || { grep -v '^ok' "$work/said"; return 1; }
}
known_is_a_test() {
  "$berth" plugin verify --insecure-plugins "$plugins/sample.so" --accept semantics/hint >"$work/said" 2>&1
  [ $? = 2 ] && grep -q -- '--accept semantics/hint: there is no such test' "$work/said" || { cat "$work/said"; return 1; }
}

# cargo NAME FLAG...: tests/abi/verify/cargo.cpp as NAME.so.
cargo() {
  local name=$1
  shift
  c++ -std=c++20 -O2 -shared -fPIC -fvisibility=hidden -Isdk/include "$@" -Wl,--version-script=sdk/cmake/berth-plugin.map tests/abi/verify/cargo.cpp -o "$work/$name.so"
}
# looked_for BUG: what the plugin looks for is in the generated cluster, so the bug shows.
looked_for() { cargo "$1" "-DBUG_$1" && caught semantics/filter-splits "$work/$1.so"; }
given() { caught semantics/filter-splits "$work/team.so" --cluster tests/abi/verify/cargo.yaml && grep -q 'where:.*"default/' "$work/said"; }
not_generated() {
  cargo team -DBUG_team && "$berth" plugin verify --insecure-plugins "$work/team.so" --test semantics/filter-splits >"$work/said" || { cat "$work/said"; return 1; }
}
scenario_given() { caught semantics/filter-splits "$work/team.so" --scenario tests/abi/verify/cargo-scenario.yaml; }
sound_with_a_cluster() {
  cargo cargo && "$berth" plugin verify --insecure-plugins "$work/cargo.so" --cluster tests/abi/verify/cargo.yaml --kubernetes-version 1.37 >"$work/said" || { grep -v '^ok' "$work/said"; return 1; }
  grep -q '^coverage of Cargo, all tests together$' "$work/said" && grep -Eq '^  Filter +[1-9]' "$work/said"
}
# The widget of a pod is there, so that Filter is called at all.
coverage_is_printed() {
  c++ -std=c++20 -O2 -shared -fPIC -fvisibility=hidden -Isdk/include -Wl,--version-script=sdk/cmake/berth-plugin.map tests/abi/promise/hostile/watches.cpp -o "$work/watches.so" &&
    "$berth" plugin verify --insecure-plugins "$work/watches.so" >"$work/said" || { grep -v '^ok' "$work/said"; return 1; }
  grep -Eq '^  PreFilter +[1-9][0-9,]* +[0-9,]+ +[1-9]' "$work/said" && grep -Eq '^  Filter +[1-9]' "$work/said" &&
    grep -Eq '^  example.com/v1/widgets by name: [1-9][0-9,]* found, [0-9,]* not$' "$work/said" || { grep -v '^ok' "$work/said"; return 1; }
}
# refused TEXT OPTION...
refused() {
  local text=$1
  shift
  "$berth" plugin verify --insecure-plugins "$work/team.so" "$@" >"$work/said" 2>&1
  [ $? = 2 ] && grep -qF -- "$text" "$work/said" || { cat "$work/said"; return 1; }
}
clusters_are_refused() {
  printf 'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c, image: i}]}\n' >"$work/no-nodes.yaml"
  refused 'holds no nodes' --cluster "$work/no-nodes.yaml" && refused 'is no scenario' --scenario tests/abi/verify/cargo.yaml &&
    refused 'give it with --scenario' --cluster tests/abi/verify/cargo-scenario.yaml && refused 'standard input' --cluster - &&
    refused "$work/none.yaml" --cluster "$work/none.yaml" && refused 'excludes' --cluster a --scenario b
}

# sanitized NAME: a text of the heap that is read beyond its end, and a number that two threads write.
sanitized() {
  cat >"$work/$1.cpp" <<'END'
#include <berth/plugin.hpp>
#include <cstring>
struct Careless {
    mutable long count = 0;
    berth::Verdict filter(berth::Pod, berth::Node) const {
#ifdef BEYOND
        char *text = new char[8];
        std::memset(text, 'x', 8);
        volatile char beyond = text[8 + (count & 1)];
        (void)beyond;
        delete[] text;
#endif
#ifdef RACE
        ++count;
#endif
        return berth::ok;
    }
};
BERTH_PLUGIN(Careless, "Careless", "1.0.0")
END
  c++ -std=c++20 -g -O1 -shared -fPIC -fvisibility=hidden -Isdk/include "${@:2}" "$work/$1.cpp" -o "$work/$1.so"
}
finds_beyond() {
  sanitized beyond -DBEYOND -fsanitize=address && caught semantics/filter-answers "$work/beyond.so" --sanitize=address &&
    grep -q 'happened: AddressSanitizer: heap-buffer-overflow' "$work/said" && grep -q 'beyond.cpp:9' "$work/said" || { cat "$work/said"; return 1; }
}
finds_race() {
  sanitized race -DRACE -fsanitize=thread && caught threads/filter "$work/race.so" --sanitize=thread &&
    grep -q 'happened: ThreadSanitizer: data race' "$work/said" && grep -q 'race.cpp:14' "$work/said" || { cat "$work/said"; return 1; }
}
sanitized_and_sound() { sanitized calm -fsanitize=address && "$berth" plugin verify --insecure-plugins "$work/calm.so" --sanitize=address --test semantics --test create >"$work/said" || { cat "$work/said"; return 1; }; }
# without_runtime LIBRARY: it is refused, as one that needs no runtime.
without_runtime() {
  "$berth" plugin verify --insecure-plugins "$1" --sanitize=address >"$work/said" 2>&1
  [ $? = 2 ] && grep -qF 'needs no libasan.so: build it with -fsanitize=address' "$work/said" || { cat "$work/said"; return 1; }
}
not_sanitized() { sanitized plain && without_runtime "$work/plain.so"; }
# What a library needs becomes no list of files: its own would be loaded before it was checked.
needs_are_names() {
  echo 'int nothing;' | cc -shared -fPIC -x c - -Wl,-soname,"libasan.so.8:$work/other.so" -o "$work/stub.so" &&
    c++ -std=c++20 -shared -fPIC -fvisibility=hidden -Isdk/include "$work/plain.cpp" -Wl,--no-as-needed "$work/stub.so" -o "$work/hostile.so" &&
    readelf -d "$work/hostile.so" | grep "libasan.so.8:$work/other.so" >/dev/null && without_runtime "$work/hostile.so"
}
# The runtime is that of a file which is accepted, as before it is loaded.
owner_comes_first() {
  cp "$work/calm.so" "$work/theirs.so" && chmod 666 "$work/theirs.so" || return 1
  "$berth" plugin verify "$work/theirs.so" --sanitize=address >"$work/said" 2>&1
  [ $? = 2 ] && grep -qF 'so others can put their code into this process' "$work/said" || { cat "$work/said"; return 1; }
}
# Every point of a plugin that has each is reached, and one that never rejects is not said to.
traced() {
  ours trace.so && ! grep -q 'never called' "$work/said" && grep -Eq '^  Filter .* 0$' "$work/said" &&
    grep -Eq '^  PreScore +[0-9,]+ +[0-9,]* +0( |$)' "$work/said" && grep -Eq '^  Filter rejected no node in [1-9][0-9,]* calls; try --cluster$' "$work/said" &&
    grep -Eq '^  Score gave all nodes the same score in [1-9][0-9,]* calls; try --cluster$' "$work/said" || { sed -n '/^coverage/,$p' "$work/said"; return 1; }
}

check 'a sound plugin in C passes' sound_passes
check 'a read beyond the heap is found with --sanitize=address' finds_beyond
check 'a race is found with --sanitize=thread' finds_race
check 'what is sound passes under a sanitizer' sanitized_and_sound
check 'a library without a sanitizer is refused' not_sanitized
check 'a library that needs a list of files under one name is refused' needs_are_names
check 'a library that others may write is refused before its runtime is looked for' owner_comes_first
check 'coverage: every point of a plugin that has each, and no node is rejected' traced
for what in annotation label depot node_depot ledger row; do
  check "what the plugin looks for is there: $what" looked_for "$what"
done
check 'a label that nothing tells of is not there' not_generated
check 'unless a cluster is given that has it' given
check 'or a scenario, in which it comes later' scenario_given
check 'a sound plugin passes in a cluster that is given' sound_with_a_cluster
check 'how far the plugin was tried is printed' coverage_is_printed
check 'clusters that are none are refused' clusters_are_refused
check 'timers that go on are no leak' timers_are_no_leak
check 'how many of them came is printed, and no hint that there is not' timers_are_counted
check 'names that a library exports too are readable, and five are enough' exports_are_readable
check 'so does one that answers late, on a thread of its own' late_passes
check 'the output that the page shows is real' page_is_true
check 'the page describes every test' tests_are_described
check 'the page describes every option' options_are_described
check 'JUnit'"'"'s XML is written' junit_is_written
check 'kubernetes.so passes, but for what kube-scheduler does, too' kubernetes_passes
check 'what is accepted is a test' known_is_a_test
for library in filter-node prefilter-pod sample score-imagelocality score-nodename score-random trace; do
  check "$library.so passes" ours "$library.so"
done
check 'prefilter-maxpods.so passes with its arguments' ours prefilter-maxpods.so --config configs/maxpods.yaml
table
check 'the plugin of wharf.txt is built' wharf_builds
check 'a plugin that looks at labels, annotations, custom resources and timers passes' wharf_passes
check 'so it does in a cluster that is given' verify_wharf --cluster "$wharf-cluster.yaml" --test semantics --test threads
check 'each of its bugs is listed' wharf_is_listed
wharf_table
# The bugs of ours.txt, in copies of this tree's plugins: one in EVERY of them. It counts for itself.
status=0
tests/abi/verify/ours.sh "${EVERY:-13}" || status=1

finish && [ $status = 0 ]
