#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# ask-arguments.sh: do the plugins of $BERTH_PLUGIN_DIR still object to each configuration of tests/robustness/invalid-input/profile, word for
# word?
set -uo pipefail
berth=${BERTH:-$PWD/build/release/bin/berth}
plugins=$(realpath "$BERTH_PLUGIN_DIR")
cd "$(dirname "$0")/../../robustness/invalid-input/profile" || exit 1
for expected in *.expected; do
  said=$("$berth" simulate --plugin-dir "$plugins" --config "${expected%.expected}" ../../../abi/out-of-tree/cluster.yaml 2>&1)
  [ "${said#berth: }" = "$(<"$expected")" ] || { diff <(echo "${said#berth: }") "$expected" | sed -n 2p; exit 1; }
done
