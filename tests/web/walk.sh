#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# walk.sh [DIRECTORY]: a browser looks at every view of the dashboard of a simulation (openb); the pictures stay in the directory.
# Needs `make build` where npm is, and Debian's chromium, which it installs.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/apt.sh
. tests/web/simulation.sh
work=$(mktemp -d)
trap 'simulation_down; rm -rf "$work"' EXIT
pictures=${1:-build/web-walk/pictures}

command -v npm >/dev/null || { echo 'walk: needs Node.js and npm'; exit 1; }
if [ ! -x /usr/bin/chromium ]; then
  by_hand='needed to look at the dashboard: chromium; install it yourself'
  may_install
  apt install -y --no-install-recommends chromium fonts-dejavu-core || exit 1
fi
mkdir -p build/web-walk "$pictures"
cp tests/web/{package.json,package-lock.json,.npmrc,walk.mjs,steps.mjs} build/web-walk/
if ! cmp -s build/web-walk/package-lock.json build/web-walk/node_modules/.berth-lock; then
  (cd build/web-walk && npm ci --ignore-scripts --no-audit --no-fund --prefer-offline) >"$work/npm" 2>&1 || { tail "$work/npm"; exit 1; }
  cp build/web-walk/package-lock.json build/web-walk/node_modules/.berth-lock
fi
simulation_up tests/scenarios/openb || exit 1
node build/web-walk/walk.mjs "$url" "$(realpath "$pictures")"
