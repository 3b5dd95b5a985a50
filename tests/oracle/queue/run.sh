#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh [N] [SEED]: plays N scripts on kube-scheduler's scheduling queue and on Berth's, those of scripts/ and random ones,
# and compares what happens to every pod. Failing scripts are kept, shrunk, in .cache/oracle/failing-scripts. Ends with
# "N scripts, M differences"; the exit code is 0 only when M is 0.
set -euo pipefail
cd "$(dirname "$0")"
. ../judge/build.sh
build_berth berth_queue_play
build_judge oracle-queue queue queue
"$go" -C ../judge test -p 1 ./queue
exec "$cache/queue" -play "$build/tests/berth_queue_play" -n "${1:-500}" -seed "${2:-1}" \
  -keep "$cache/failing-scripts" -scripts scripts
