#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh: Berth on a real control plane. Needs out/bin/berth (make build). ONLY="SE-1 scenarios" runs just these. Six to ten
# minutes; the control plane is built the first time, which takes six more on two cores.
set -uo pipefail
. "$(dirname "$0")/../../shows.sh"
. tests/live/end-to-end/all.sh
. tests/commands/record/shows.sh
control_plane_up || exit 1
{ build_for_scenarios && build_for_systems && helm_program=$(tests/packaging/chart/helm.sh); } >"$work/build.log" 2>&1 || { tail -n 20 "$work/build.log"; exit 1; }
live_stories
live_systems
show SS-8 systems_are_shown_when_busy
show chart chart_is_installed
show rights a_kind_that_may_not_be_seen
show rights everything_that_is_missing
show LV-5 started_like_kube_scheduler
serving_stories
show explain explained
show SR-1 every_view_of_a_live_cluster
show shadow a_shadow
show events events_as_upstream
show hostile hostile_libraries
show reload some_reloads
show counting a_plugin_counts
show SR-3 killed_and_replayed
show AK-3 side_by_side_live
show scenarios all_scenarios
show out-of-tree asked_for
show faults a_minute_of_faults
show LV-1 promised_faults
finish
