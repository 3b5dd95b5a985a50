#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh: Berth on a real control plane. Needs out/bin/berth (make build). ONLY="SE-1 scenarios" runs just these. Six to ten
# minutes; the control plane is built the first time, which takes six more on two cores.
set -uo pipefail
. "$(dirname "$0")/../shows/frame.sh"
. tests/live/stories.sh
. tests/live/scenarios.sh
control_plane_up || exit 1
live_stories
show scenarios all_scenarios
finish
