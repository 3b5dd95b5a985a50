#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh [N] [SEED]: N random clusters with devices, in which kube-scheduler's allocator and Berth's find the same devices for
# the same claims, in as many steps, or refuse with the same words. Cases that fail are kept in
# .cache/oracle/failing-devices. Ends with "N cases, M differences"; the exit code is 0
# only when M is 0.
set -euo pipefail
cd "$(dirname "$0")"
. ../oracle/build.sh
build_judge oracle-devices devices devices
build_berth berth_devices_answer
exec "$cache/devices" -berth "$build/tests/berth_devices_answer" -n "${1:-4000}" -seed "${2:-1}" -v \
  -table upstream.jsonl -keep "$cache/failing-devices"
