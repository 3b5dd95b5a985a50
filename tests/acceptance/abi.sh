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

# A field of Pod in a copy of the headers: what was locked stays where it is, and C, built with the copy, runs in this host.
additions_are_additions() {
  . tests/abi/languages/build.sh
  local headers=$work/include anchor
  cp -r out/include "$headers" && sed -i 's/^} berth_pod;/    int64_t tide_ns;\n&/' "$headers/berth/view/pod.h" || return 1
  ! INCLUDE=$headers tests/abi/promise/layout.sh >"$work/layout" || { echo 'layout.sh sees no field'; return 1; }
  grep '^[-+][^-+]' "$work/layout"
  expect 'what the lock loses' berth_pod "$(sed -n 's/^-\([^-][^ ]*\) .*/\1/p' "$work/layout")" || return 1
  anchor=$(INCLUDE=$headers tests/abi/promise/anchor.sh) || { echo "$anchor"; return 1; }
  mkdir -p "$work/plugins" && chmod 755 "$work" "$work/plugins" && mkdir "$work/sdk" && mv "$headers" "$work/sdk/" && cp -r out/lib "$work/sdk/" || return 1
  built c "$work/plugins" && mv "$work/plugins/c.so" "$work/plugins/before.so" && sdk=$work/sdk built c "$work/plugins" || return 1
  languages=(default-scheduler)
  world "${SEED:-1}" 60 200 >"$work/world.yaml"
  local library
  for library in before c; do
    printf '%s\n' 'apiVersion: kubescheduler.config.k8s.io/v1' 'kind: KubeSchedulerConfiguration' \
      'profiles: [{plugins: {multiPoint: {enabled: [{name: Draught}]}}}]' >"$work/config.yaml"
    out/bin/berth simulate --config "$work/config.yaml" --plugin "Draught=$work/plugins/$library.so" --plugin-checks strict \
      --decisions "$work/$library.decisions" "$work/world.yaml" >"$work/log" 2>&1 || { tail -n 20 "$work/log"; return 1; }
  done
  same 'decisions with the field' "$work/before.decisions" "$work/c.decisions" || return 1
  echo "a field more in berth_pod: nothing moves, and a library that knows it makes the $(wc -l <"$work/c.decisions") decisions of one that does not, in this host"
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
  out/bin/berth plugin verify out/lib/berth/plugins/kubernetes.so >"$work/verify" 2>&1 || { tail -n 20 "$work/verify"; return 1; }
  tests/oracle/decisions/run.sh "$n" 7 >"$work/oracle" 2>&1 || { tail -n 30 "$work/oracle"; return 1; }
  echo "languages, templates, out of tree, call overhead; verify kubernetes.so: $(tail -n 1 "$work/verify"); oracle: $(tail -n 1 "$work/oracle")"
}

show AB-1 faults_are_mended
show AB-2 additions_are_additions
show AB-3 generated_files_are_as_generated
show AB-4 everything_is_on_the_abi
finish
