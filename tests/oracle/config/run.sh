#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh [N] [SEED]: has kube-scheduler's own packages and `berth config` read N random configurations, and compares what
# they print and what they refuse. Files that are read differently are kept in .cache/oracle/configs. Ends with
# "N configurations, M differences"; the exit code is 0 only when M is 0. Needs `make build`, or BERTH for another program.
set -euo pipefail
cd "$(dirname "$0")"
. ../judge/build.sh
berth=${BERTH:-$root/out/bin/berth}
[ -x "$berth" ] || { echo "oracle-config: $berth is not there; make build makes it" >&2; exit 2; }
build_judge oracle-config configs-judge configs
mkdir -p "$cache/configs"
exec "$cache/configs-judge" -berth "$berth" -n "${1:-150}" -seed "${2:-1}" -defaults "$root/configs/defaults/$release/v1.yaml" \
  -keep "$cache/configs"
