#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# play.sh FILE...: plays scenarios on a real control plane of their own. Their plugins are those that are installed and those
# of examples/. Needs out/bin/berth (make build).
set -uo pipefail
[ $# -gt 0 ] || { echo 'usage: tests/live/end-to-end/play.sh SCENARIO...' >&2; exit 2; }
files=()
for file in "$@"; do files+=("$(realpath "$file")"); done
. "$(dirname "$0")/../../shows.sh"
. tests/live/end-to-end/all.sh
build_for_scenarios >"$work/build.log" 2>&1 || { tail -n 20 "$work/build.log"; exit 1; }
control_plane_up && play "${files[@]}"
