#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh [N] [SEED] [groups]: plays N random timelines into kube-scheduler's whole scheduler and into Berth's, and compares
# what both do (README.md here); before that it spoils what Berth says, and sees that the judge finds it. With `groups` the
# timelines have pod groups, which KUBERNETES=1.37 knows. Failing timelines are kept, shrunk, in
# .cache/oracle/failing-timelines. Ends with "N timelines, M differences"; the exit code is 0 only when M is 0.
set -euo pipefail
cd "$(dirname "$0")"
. ../judge/build.sh
[ -x "$root/out/bin/berth" ] || { echo "oracle-timeline: $root/out is not there; make build makes it" >&2; exit 2; }
build_berth berth_timeline_play
build_judge oracle-timeline oracle
"$go" -C ../judge vet ./timeline
"$go" -C ../judge test ./timeline
both=("$cache/oracle" timelines -play "$build/tests/berth_timeline_play" -plugin-dir "$root/out/lib/berth/plugins" -seed "${2:-1}")
[ "${3:-}" != groups ] || both+=(-groups)
"${both[@]}" -spoil
exec "${both[@]}" -n "${1:-200}" -j 2 -keep "$cache/failing-timelines"
