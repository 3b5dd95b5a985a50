#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# growth.sh [SVG]: how time per pod and memory grow with the cluster. Simulates SchedulingBasic's shape, ten pods for each node,
# with 1,000 to 100,000 nodes (NODES="…" are others) and the default profile; prints a table and draws it into SVG.
# RUNS=3 has more runs of each, of which the best counts. With 100,000 nodes a run takes minutes and 2 GiB.
set -euo pipefail
svg=${1:+$(realpath "$1")}
. "$(dirname "$0")/../../shows.sh"
. tests/bench/schedulers/grown.sh
berth=${BERTH:-$PWD/out/bin/berth}

echo '| nodes | pods | µs of user time per pod | MiB | KiB per node, its ten pods included |'
echo '|---|---|---|---|---|'
for nodes in ${NODES:-1000 5000 20000 100000}; do
  pods=$((10 * nodes))
  grown "${RUNS:-1}" "$nodes" "$pods"
  echo "$nodes $pods $per_pod $peak" >>"$work/curve"
  awk '{ printf "| %s | %s | %.1f | %s | %.1f |\n", $1, $2, $3, $4, $4 * 1024 / $1 }' <<<"$nodes $pods $per_pod $peak"
done
[ -n "$svg" ] || exit 0
# panel TITLE COLUMN: of the curve.
panel() { echo "panel amount $1"; awk -v column="$2" '{ print $1, $column }' "$work/curve"; }
{
  echo 'points logarithmic'
  echo 'title How Berth grows: ten pods for each node'
  echo 'x count nodes'
  echo 'name berth simulate, default profile'
  panel 'µs of user time per pod' 3
  panel 'MiB of memory' 4
} | tests/bench/plot/plot.sh >"$svg"
