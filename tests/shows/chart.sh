#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What the chart promised, with the real helm on a real API server.
set -uo pipefail
. "$(dirname "$0")/frame.sh"
. tests/live/every_story.sh
rendered() { tests/chart/run.sh; }

control_plane_up && build_for_systems || exit 1
show CH-1 chart_is_installed
show CH-3 rendered
finish
