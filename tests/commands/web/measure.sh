#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# measure.sh [NODES [PODS]]: how long the dashboard's views take of a simulation with so many nodes (5,000) and pods that they have
# (50,000), and 500 that wait. No test: it depends on the machine. Needs `make build` and what walk.sh needs.
set -uo pipefail
cd "$(dirname "$0")/../../.."
. tools/apt.sh
. tests/commands/web/browser.sh
. tests/commands/web/simulation.sh
work=$(mktemp -d)
trap 'simulation_down; rm -rf "$work"' EXIT

awk -v nodes="${1:-5000}" -v pods="${2:-50000}" 'BEGIN {
  for (i = 0; i < nodes; ++i)
    printf "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"node-%05d\",\"labels\":{\"topology.kubernetes.io/zone\":\"zone-%d\"}}," \
      "\"status\":{\"allocatable\":{\"cpu\":\"%d\",\"memory\":\"64Gi\",\"pods\":\"110\"}}}\n", i, i % 6, 8 + 8 * (i % 3)
  for (i = 0; i < pods + 500; ++i)
    printf "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"pod-%05d\",\"namespace\":\"n%d\"},\"spec\":{%s\"containers\":[{\"name\":\"c\"," \
      "\"image\":\"example/i:%d\",\"resources\":{\"requests\":{\"cpu\":\"%dm\",\"memory\":\"%dMi\"}}}]}}\n", i, i % 9,
      i < pods ? sprintf("\"nodeName\":\"node-%05d\",", (i * 7919) % nodes) : "", i % 20, i < pods ? 200 + 100 * (i % 12) : 40000, 256 + 256 * (i % 8)
}' >"$work/cluster.json"
browser_ready && simulation_up "$work/cluster.json" && command node build/web-walk/measure.mjs "$url"
