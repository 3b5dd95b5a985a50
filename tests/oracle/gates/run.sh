#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh [--write | N [SEED]]: configs/defaults/…/gates.yaml is what Kubernetes' own code has of feature gates, and N random
# command lines with --feature-gates, --emulated-version and --min-compatibility-version are read by `berth version` as by
# kube-scheduler's own packages. --write makes the table anew. Ends with "N lines, M differences". Needs `make build`,
# or BERTH for another program.
set -euo pipefail
cd "$(dirname "$0")"
. ../judge/build.sh
berth=${BERTH:-$root/out/bin/berth}
stored=$root/configs/defaults/$release/gates.yaml
build_judge oracle-gates gates gates
made=$(mktemp)
trap 'rm -f "$made"' EXIT
"$cache/gates" -source "$("$go" -C "$root/tests/oracle/judge" list -m -f '{{.Dir}}' k8s.io/kubernetes)" table >"$made"
if [ "${1:-}" = --write ]; then
  cp "$made" "$stored"
  exit
fi
[ -x "$berth" ] || { echo "oracle-gates: $berth is not there; make build makes it" >&2; exit 2; }
if ! diff "$stored" "$made"; then
  echo "FAIL  configs/defaults/$release/gates.yaml is not what tests/oracle/gates/run.sh --write makes (lines with >)"
  exit 1
fi
exec "$cache/gates" -berth "$berth" -n "${1:-300}" -seed "${2:-1}" judge
