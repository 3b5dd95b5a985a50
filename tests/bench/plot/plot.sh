#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# plot.sh <DESCRIPTION >SVG: draws it; main.cpp says how it is described. Needs `make build`, which the program is built beside.
set -euo pipefail
cd "$(dirname "$0")/../../.."
said=$(cmake --build build/release --target berth_plot) || { echo "$said" >&2; exit 1; }
exec build/release/tests/berth_plot
