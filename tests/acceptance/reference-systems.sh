#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Four schedulers that people wrote by recompiling kube-scheduler, on a real control plane, as their manifests state them.
set -uo pipefail
. "$(dirname "$0")/../shows.sh"
. tests/live/end-to-end/all.sh
. tests/live/reference-systems/folders.sh
simulated() { tests/live/reference-systems/run.sh; }
migration() { tests/commands/docs/run.sh migration && echo "docs/migration.md: each of its $(grep -c '^out/bin/berth' docs/migration.md) commands runs"; }

control_plane_up && build_for_systems || exit 1
show simulated simulated
live_systems
# tests/live/end-to-end/run.sh looks at fewer blocks: on a machine with much else to do a pod is tried twice, and its page would have another event.
show SS-8 systems_are_shown
show SS-5 admins_change
show SS-6 migration
show SS-7 plugin_folders
finish
