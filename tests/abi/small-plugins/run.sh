#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Plugins of 8, 16 and 24 bytes in C++ and in Rust whose constructors begin a timer: it counts in the instance that is called, and valgrind sees
# no read or write of memory that is gone. SDK names another tree of headers for the plugin in C++. Needs `make build`.
set -uo pipefail
. "$(dirname "$0")/../../check.sh"
here=tests/abi/small-plugins
sdk=${SDK:-out/include}

builds_cpp() {
  g++ -std=c++20 -O2 -g -fPIC -shared -fvisibility=hidden -Wall -Wextra -Werror -I"$sdk" -Wl,--version-script=out/lib/cmake/berth/berth-plugin.map \
    $here/small.cpp -o "$work/cpp.so"
}
# Debian 12's own compiler, even where a newer one comes first.
builds_rust() {
  RUSTC=/usr/bin/rustc RUSTFLAGS=-Dwarnings CARGO_TARGET_DIR=$PWD/build/rust /usr/bin/cargo build --offline --quiet --release --manifest-path $here/rust/Cargo.toml &&
    cp build/rust/release/libsmall.so "$work/rust.so"
}

# works "BYTES..." LANGUAGE [COMMAND...]: the attempts of a profile with these plugins succeed once the timers have come; run by COMMAND.
works() {
  local bytes pins=() names=
  for bytes in $1; do
    pins+=(--plugin "Small$bytes=$work/$2.so#Small$bytes")
    names+="${names:+, }{name: Small$bytes}"
  done
  printf '%s\n' 'apiVersion: kubescheduler.config.k8s.io/v1' 'kind: KubeSchedulerConfiguration' "profiles: [{plugins: {filter: {enabled: [$names]}}}]" >"$work/config.yaml"
  "${@:3}" out/bin/berth simulate --config "$work/config.yaml" --insecure-plugins "${pins[@]}" -o json tests/simulation/scenarios/maxpods.yaml >"$work/out" 2>"$work/said" &&
    grep -q '^    "scheduled": 10,$' "$work/out" || { tail -n 3 "$work/said"; return 1; }
}

check 'in C++ they build' builds_cpp
check 'in Rust they build' builds_rust
for language in cpp rust; do
  for bytes in 8 16 24; do
    check "$language, $bytes bytes: the timer counts in the instance" works $bytes $language
  done
  check "$language: valgrind sees no memory that is gone" works '8 16 24' $language valgrind -q --error-exitcode=99
done
finish
