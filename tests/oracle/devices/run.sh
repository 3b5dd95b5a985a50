#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# [KUBERNETES=1.36|1.37] run.sh [N] [SEED]: N random clusters with devices, in which kube-scheduler's allocator and Berth's find
# the same devices for the same claims, in as many steps, or refuse with the same words; without KUBERNETES as each release.
# Cases that fail are kept in .cache/oracle/failing-devices (.cache/oracle-1.37/…). For each release it prints
# "N cases, M differences"; the exit code is 0 only when M is 0.
set -euo pipefail
cd "$(dirname "$0")"
if [ -z "${KUBERNETES:-}" ]; then
  failed=0
  for release in 1.36 1.37; do KUBERNETES=$release ./run.sh "$@" || failed=1; done
  exit $failed
fi
. ../judge/build.sh
build_judge oracle-devices devices devices
build_berth berth_devices_answer
# In some cases of a later release's test an earlier one still overflows.
tables=(upstream-1.36.jsonl)
[ "$release" = 1.36 ] || tables+=("upstream-$release.jsonl")
exec "$cache/devices" -berth "$build/tests/berth_devices_answer" -n "${1:-4000}" -seed "${2:-1}" -v \
  -keep "$cache/failing-devices" "${tables[@]}"
