#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# walk.sh [DIRECTORY]: a browser looks at every view of the dashboard of a simulation (openb); the pictures stay in the directory.
# Needs `make build` where npm is, and Debian's chromium, which it installs. Of a live cluster: tests/live/dashboard.sh.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/apt.sh
. tests/web/browser.sh
. tests/web/simulation.sh
work=$(mktemp -d)
trap 'simulation_down; rm -rf "$work"' EXIT

browser_ready && simulation_up tests/scenarios/openb || exit 1
walk "$url" "${1:-build/web-walk/pictures}"
looked=$?
command node build/web-walk/deep_link.mjs "$url" && exit $looked
