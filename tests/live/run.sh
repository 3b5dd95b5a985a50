#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh: Berth on a real control plane. Needs out/bin/berth (make build). ONLY="SE-1 SE-2" runs just these. Two to four
# minutes; the control plane is built the first time, which takes six more on two cores.
set -uo pipefail
. "$(dirname "$0")/../shows/frame.sh"
. tests/live/stories.sh
control_plane_up || exit 1
live_stories
finish
