#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# build.sh DIR [COMMIT]: how the golden libraries were made, into DIR: from the sources and headers of the commit that README.md
# names (of this tree as it stands, without COMMIT). They are kept as files; this is for the record, and for making them anew as
# long as that may be done (until ABI 1.0).
set -euo pipefail
dir=$(realpath "${1:?usage: tests/abi/golden/build.sh DIR [COMMIT]}")
cd "$(dirname "$0")/../../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ -n "${2:-}" ]; then git archive "$2" sdk plugins docs/plugin-abi.md tests/abi/languages | tar -x -C "$work"
else cp -r --parents sdk plugins docs/plugin-abi.md tests/abi/languages "$work"; fi
cd "$work"
link=(-Isdk/include -Os -s -fPIC -shared -fvisibility=hidden -ffp-contract=off -Wl,--build-id=none
  -Wl,--version-script=sdk/cmake/berth-plugin.map -Wl,-z,defs -Wl,-z,noseparate-code)

for plugin in prefilter-maxpods score-random score-imagelocality; do
  g++ -std=c++20 plugins/$plugin/*.cpp "${link[@]}" -o "$dir/$plugin.so"
done
awk '/^```c$/ { inside = 1; next } /^```/ { inside = 0 } inside' docs/plugin-abi.md >pods_per_node.c
gcc -std=c11 pods_per_node.c "${link[@]}" -o "$dir/pods-per-node.so"
gcc -std=c11 tests/abi/languages/draught.c "${link[@]}" -o "$dir/draught.so"
