#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# what_if.sh: the weight of RunningImageLocality from 1 to 50 on openb, asked of the dashboard of a simulation: it places every pod where
# berth simulate with that configuration does. Needs `make build` and Node.js.
set -uo pipefail
cd "$(dirname "$0")/../../.."
. tests/commands/web/simulation.sh
work=$(mktemp -d)
trap 'simulation_down; rm -rf "$work"' EXIT

for weight in 1 50; do
  sed "/RunningImageLocality/{n;s/weight: .*/weight: $weight/}" configs/openb.yaml >"$work/$weight.yaml"
  grep -q "weight: $weight$" "$work/$weight.yaml" || { echo 'configs/openb.yaml has another shape'; exit 1; }
done
out/bin/berth simulate --config "$work/50.yaml" -o json tests/simulation/scenarios/openb >"$work/after" || exit 1
simulation_up --config "$work/1.yaml" -o json tests/simulation/scenarios/openb || exit 1
whatif=$url/apis/berth/v1alpha1/whatif
curl -sS -X PUT -o "$work/answer" "$whatif" \
  -d '{"profiles":[{"name":"default-scheduler","weights":{"RunningImageLocality":50}}]}' || exit 1
while grep -q '"state":"Running"' "$work/answer"; do
  sleep 1
  curl -sS -o "$work/answer" "$whatif" || exit 1
done
node tests/commands/web/what_if.mjs "$work/simulated" "$work/after" "$work/answer" || exit 1

# The command line sets a gate of the scenario back to its default, and what-if keeps to that: an unrelated node changes nothing.
simulation_up tests/simulation/scenarios/taint-rules.yaml --feature-gates DRADeviceTaintRules=true || exit 1
whatif=$url/apis/berth/v1alpha1/whatif
curl -sS -X PUT -o "$work/answer" "$whatif" -d '{"addNodes":[{"count":1,"allocatable":{"cpu":"1","memory":"1Gi","pods":"1"}}]}' || exit 1
while grep -q '"state":"Running"' "$work/answer"; do
  sleep 0.2
  curl -sS -o "$work/answer" "$whatif" || exit 1
done
grep -q '"state":"Done"' "$work/answer" && grep -q '"differing":0[,}]' "$work/answer" || { cat "$work/answer"; exit 1; }
