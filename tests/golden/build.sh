#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# build.sh DIR: how the golden libraries were made, into DIR: from the sources and headers of the commits that README.md names.
# They are kept as files; this is for the record, and for making them anew as long as that may be done (until ABI 1.0).
set -euo pipefail
dir=$(realpath "${1:?usage: tests/golden/build.sh DIR}")
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# at COMMIT: its tree, in $work/COMMIT.
at() { mkdir -p "$work/$1" && git archive "$1" | tar -x -C "$work/$1" && cd "$work/$1"; }
link=(-Isdk/include -Os -s -fPIC -shared -fvisibility=hidden -ffp-contract=off -Wl,--build-id=none
  -Wl,--version-script=sdk/cmake/berth-plugin.map -Wl,-z,defs -Wl,-z,noseparate-code)

(
  at 8ae7381
  for plugin in prefilter-maxpods score-random score-imagelocality; do
    g++ -std=c++20 plugins/$plugin/*.cpp "${link[@]}" -o "$dir/$plugin.so"
  done
  awk '/^```c$/ { inside = 1; next } /^```/ { inside = 0 } inside' docs/plugin-abi.md >pods_per_node.c
  gcc -std=c11 pods_per_node.c "${link[@]}" -o "$dir/pods-per-node.so"
)
(
  at fc4a3f8
  gcc -std=c11 tests/languages/draught.c "${link[@]}" -o "$dir/draught.so"
)
