#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What the candidate of ABI 1.0 promised. LONG=1 asks the oracle for more.
set -uo pipefail
. "$(dirname "$0")/../shows.sh"
unset RECORD GOLDEN # what is made by the tests is compared here, never written

# found PROGRAM NAME...: each test passes, by its whole name.
found() {
  local program=$1 name
  shift
  cmake --build build/release --target "$program" >"$work/build" 2>&1 || { tail -n 20 "$work/build"; return 1; }
  for name in "$@"; do
    "build/release/tests/$program" "${name//,/\\,}" >"$work/test" 2>&1 && grep -q '^All tests passed .* in 1 test case)' "$work/test" ||
      { echo "$name:"; tail -n 20 "$work/test"; return 1; }
  done
}

# One test for each fault that could never have been mended after 1.0.
faults_are_mended() {
  found berth_unit_tests 'queue: a host with one more action wakes a plugin that asked for any update' \
    'event: an interest in any update covers updates that have no name yet' \
    'sdk: on an older host, what it does not say is empty, and what it cannot do is an error' \
    'sdk: nothing that a plugin throws leaves the wrapper, and its text is kept' 'sdk: what the host cancels is freed and not run' \
    'services: what a plugin hands over that is more, or less, than this host knows is refused' \
    'services: who has the extenders choose is told once, whatever comes of it' \
    'services: a timer that is cancelled by another'"'"'s end is called once' \
    'queue: a sort key may be long, and as many bytes of it are compared as the ABI says' &&
    found berth_abi_tests 'instance: what a plugin waits for when it ends is cancelled, so that its memory is freed' \
      'library: one built with later headers that needs nothing new is loaded' \
      'strict preemption: a call that waits when the scheduler ends is cancelled, and may be ended in destroy' \
      'golden: libraries from before the candidate of ABI 1.0 are refused by name, and not called' || return 1
  echo 'an action more, a field less, five throwers, timers, extenders and calls at the end, flags of later hosts, long sort keys, libraries of later and of earlier headers'
}

# decided HOST LIBRARY NAME: the decisions of that host with the library's plugin NAME, strictly checked, in $work/decisions; its log in $work/log.
decided() {
  local args=
  [ "$3" != MaxPods ] || args=', pluginConfig: [{name: MaxPods, args: {maxPods: 50}}]' # which it cannot do without
  printf '%s\n' 'apiVersion: kubescheduler.config.k8s.io/v1' 'kind: KubeSchedulerConfiguration' \
    "profiles: [{plugins: {multiPoint: {enabled: [{name: $3}]}}$args}]" >"$work/config.yaml"
  "$1" simulate --seed 7 --config "$work/config.yaml" --plugin-dir out/lib/berth/plugins --insecure-plugins --plugin "$3=$2#$3" --plugin-checks strict \
    --decisions "$work/decisions" "$work/world.yaml" >"$work/log" 2>&1 || { tail -n 20 "$work/log"; return 1; }
}
# decide_alike WHAT HOST LIBRARY HOST LIBRARY NAME
decide_alike() {
  decided "$2" "$3" "$6" && mv "$work/decisions" "$work/first.decisions" && decided "$4" "$5" "$6" && same "$1" "$work/first.decisions" "$work/decisions"
}

# Each addition in a copy of the tree: what it takes by hand; nothing that was locked moves; what is made is made by write.sh.
additions_in_a_copy() {
  local addition by_hand=()
  rm -rf "$tree" && mkdir -p "$tree" &&
    cp -r --parents CMakeLists.txt CMakePresets.json sdk host plugins packages configs docs tests/*.sh tests/abi tests/commands/docs web/assets.cmake "$tree" || return 1
  for addition in field code action point; do
    touched=()
    "add_$addition" || return 1
    by_hand+=("${touched[@]}")
    echo "a new $addition: ${#touched[@]} files by hand: ${touched[*]}" >>"$work/AB-2.table"
    [ $addition != field ] || holds 'files touched by hand for a field of Pod' ${#touched[@]} '<=' 2 || return 1
  done

  cp -r sdk/include "$work/forgotten" && cp "$tree/sdk/include/berth/view/pod.h" "$work/forgotten/berth/view/" || return 1
  ! echo '#include <berth/view/pod_fields.hpp>' | g++ -std=c++20 -fsyntax-only -I"$work/forgotten" -x c++ - 2>"$work/said" &&
    grep -q 'BERTH_POD_FIELDS lacks a field' "$work/said" || { echo 'a field that is forgotten in the list compiles'; cat "$work/said"; return 1; }

  ! INCLUDE=$tree/sdk/include tests/abi/promise/layout.sh >"$work/layout" || { echo 'layout.sh sees no addition'; return 1; }
  expect 'what the lock loses' 'berth_pod 256' "$(sed -n 's/^-\([^-].*\)/\1/p' "$work/layout")" &&
    INCLUDE=$tree/sdk/include tests/abi/promise/anchor.sh && "$tree/tests/abi/promise/write.sh" && "$tree/tests/abi/promise/layout.sh" &&
    "$tree/tests/abi/promise/anchor.sh" && ONLY=layout "$tree/tests/abi/promise/rust.sh" || return 1
  echo "made by tests/abi/promise/write.sh: $(for addition in sdk docs tests/abi; do diff -rq "$addition" "$tree/$addition"; done |
    sed -n 's/^Files \(.*\) and .* differ$/\1/p' | grep -vxFf <(printf '%s\n' "${by_hand[@]}") | paste -sd ' ')" >>"$work/AB-2.table"
}

# A plugin in C++ and one in Rust that use all of it, with the copy's testing kits.
kits_have_the_additions() {
  write_users && g++ -std=c++20 -Wall -Wextra -Werror -I"$tree/sdk/include" "$work/tide_test.cpp" -o "$work/tide_test" && "$work/tide_test" &&
    (cd "$tree/sdk/rust/testing" && RUSTC=/usr/bin/rustc CARGO_TARGET_DIR=$tree/build/rust /usr/bin/cargo test --offline --quiet --test tide)
}

# Libraries in C, C++ and Rust that were built in the copy and use nothing new.
later_libraries_run_here() {
  local language
  mkdir -p "$work/sdk" "$work/before" "$work/after" && chmod 755 "$work" "$work/before" "$work/after" &&
    cp -r "$tree/sdk/include" out/lib "$work/sdk/" || return 1
  for language in c gcc rust; do
    built $language "$work/before" && (cd "$tree" && sdk=$work/sdk built $language "$work/after") &&
      decide_alike "decisions of the library in $language" out/bin/berth "$work/before/$language.so" out/bin/berth "$work/after/$language.so" Draught || return 1
  done
}

# A host that is built from the copy, with the libraries of this tree: the golden ones and the default plugins.
golden_libraries_run_there() {
  local file name n=0
  cmake -S "$tree" -B "$tree/build/host" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DBUILD_TESTING=OFF -DBERTH_DASHBOARD=OFF >"$work/build" &&
    cmake --build "$tree/build/host" --target berth >"$work/build" 2>&1 || { tail -n 30 "$work/build"; return 1; }
  BERTH=$tree/build/host/bin/berth tests/abi/promise/matrix.sh || return 1
  for file in tests/abi/golden/*.so; do
    out/bin/berth plugin inspect --insecure-plugins "$file" >"$work/note" || continue
    name=$(sed -n 's/^  plugin //p' "$work/note") n=$((n + 1))
    decide_alike "decisions of $file" out/bin/berth "$PWD/$file" "$tree/build/host/bin/berth" "$PWD/$file" "$name" || return 1
  done
  holds 'golden libraries that load' $n '>=' 5 || return 1
  # And one that uses all of it, which says what it was given.
  g++ -std=c++20 -O2 -fPIC -shared -I"$tree/sdk/include" "$work/tide.cpp" -o "$work/after/tide.so" && runtime_classes >>"$work/world.yaml" &&
    decided "$tree/build/host/bin/berth" "$work/after/tide.so" Tide && grep -q 'moored brig of shallow at ' "$work/log" &&
    grep '"name": *"barge"' "$work/decisions" | grep -q 'no water' || { tail -n 20 "$work/log"; return 1; }
  echo "$n golden libraries decide in a host with the additions as in this one" >>"$work/AB-2.table"
}
runtime_classes() {
  printf '%s\n' '---' '{apiVersion: v1, kind: Pod, metadata: {name: barge}, spec: {runtimeClassName: deep, containers: [{name: main, image: x}]}}' \
    '---' '{apiVersion: v1, kind: Pod, metadata: {name: brig}, spec: {runtimeClassName: shallow, containers: [{name: main, image: x}]}}'
}

additions_are_additions() {
  . tests/abi/promise/additions.sh
  . tests/abi/languages/build.sh
  tree=$PWD/build/additions # where ccache shares objects with this tree
  languages=(default-scheduler)
  world "${SEED:-1}" 60 200 >"$work/world.yaml"
  additions_in_a_copy && kits_have_the_additions && later_libraries_run_here && { [ -z "$LONG" ] || golden_libraries_run_there; } || return 1
  echo "$(sed -n 's/^a new \([a-z]*\): \([0-9]*\) files by hand.*/\1 \2/p' "$work/AB-2.table" | paste -sd , | sed 's/,/, /g') files by hand; libraries built with them run here${LONG:+; golden ones run there}"
}

generated_files_are_as_generated() {
  tests/abi/promise/layout.sh >"$work/log" && tests/abi/promise/anchor.sh >>"$work/log" && ONLY=layout tests/abi/promise/rust.sh >>"$work/log" && tests/abi/promise/matrix.sh >>"$work/log" &&
    work=$work bash -c '. tests/commands/docs/reference.sh; reference_is_the_headers' >>"$work/log" || { cat "$work/log"; return 1; }
  echo "layout lock, types, Rust bindings, docs/abi-reference.md and the table of docs/versions.md are what the headers and the libraries say"
}

everything_is_on_the_abi() {
  local n=$([ -n "$LONG" ] && echo 10000 || echo 500) last
  for last in tests/abi/languages tests/abi/templates tests/abi/out-of-tree tests/bench/call-overhead; do
    $last/run.sh >"$work/log" 2>&1 || { echo "$last:"; tail -n 30 "$work/log"; return 1; }
  done
  # tests/abi/verify/run.sh accepts the same finding, and says why.
  out/bin/berth plugin verify out/lib/berth/plugins/kubernetes.so --accept semantics/hints#InterPodAffinity >"$work/verify" 2>&1 || { tail -n 20 "$work/verify"; return 1; }
  tests/oracle/decisions/run.sh "$n" 7 >"$work/oracle" 2>&1 || { tail -n 30 "$work/oracle"; return 1; }
  echo "languages, templates, out of tree, call overhead; verify kubernetes.so: $(tail -n 1 "$work/verify"); oracle: $(tail -n 1 "$work/oracle")"
}

show AB-1 faults_are_mended
show AB-2 additions_are_additions
table AB-2
show AB-3 generated_files_are_as_generated
show AB-4 everything_is_on_the_abi
finish
