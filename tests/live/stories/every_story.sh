# SPDX-License-Identifier: Apache-2.0
# Every story on a real control plane. Sourced after tests/shows.sh; stories.sh says what they have in common.
. tests/live/stories/stories.sh
. tests/live/stories/shown.sh
for file in admins asked_for chart chart_plugins counting dashboard events explain faults flags languages leaders misbehaving pre_bind reload rights rights_each scenarios serving shadow systems; do . "tests/live/stories/$file.sh"; done
