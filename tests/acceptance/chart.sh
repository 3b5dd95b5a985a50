#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What the chart promised, with the real helm on a real API server.
set -uo pipefail
. "$(dirname "$0")/../shows.sh"
. tests/live/end-to-end/all.sh
rendered() { tests/packaging/chart/run.sh | tee "$work/rendered" && echo "the rendering: $(tail -n 1 "$work/rendered")"; }
rights() { tests/packaging/chart/run.sh rights | tee "$work/rights" && echo "rights are those of berth config rbac: $(tail -n 1 "$work/rights")"; }

control_plane_up && build_for_systems && build_for_chart || exit 1
show CH-1 chart_is_installed
show CH-2 weights_by_upgrade
show CH-3 rendered
show CH-4 rights
show CH-5 systems_by_values
show CH-6 third_party_plugins
finish
