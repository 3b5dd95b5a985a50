# SPDX-License-Identifier: Apache-2.0
# Every test on a real control plane. Sourced after tests/shows.sh; common.sh says what they have in common.
. tests/live/end-to-end/common.sh
. tests/live/end-to-end/shown.sh
for file in admins asked_for chart chart_plugins counting dashboard device_specs events explain faults flags hostile languages leaders misbehaving pre_bind reload rights rights_each scenarios serving shadow systems; do . "tests/live/end-to-end/$file.sh"; done
