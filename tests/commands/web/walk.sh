#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# walk.sh [DIRECTORY]: a browser looks at every view of the dashboard of a simulation (openb), and at the devices of another
# (gpu-cluster); the pictures stay in the directory.
# Needs `make build` where npm is, and Debian's chromium, which it installs. Of a live cluster: tests/live/end-to-end/dashboard.sh.
set -uo pipefail
cd "$(dirname "$0")/../../.."
. tools/apt.sh
. tests/commands/web/browser.sh
. tests/commands/web/simulation.sh
work=$(mktemp -d)
trap 'simulation_down; rm -rf "$work"' EXIT

browser_ready && simulation_up tests/simulation/scenarios/openb || exit 1
walk "$url" "${1:-build/web-walk/pictures}"
looked=$?
command node build/web-walk/deep_link.mjs "$url" || looked=1
simulation_up tests/simulation/scenarios/gpu-cluster.yaml && command node build/web-walk/devices.mjs "$url" "${1:-build/web-walk/pictures}" || looked=1
exit $looked
