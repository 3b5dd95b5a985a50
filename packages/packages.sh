#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# packages.sh [DIR]: Debian packages of what build/release holds, in build/packages or DIR. Their files have the time of the
# last commit, so that the same tree gives the same bytes.
set -euo pipefail
cd "$(dirname "$0")/.."
into=$(realpath -m "${1:-build/packages}")
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || date -r CHANGELOG.md +%s)
export SOURCE_DATE_EPOCH
umask 022
mkdir -p "$into"
rm -f "$into"/*.deb
(cd build/release && cpack -B "$into") >"$into/log" 2>&1 || { tail -n 20 "$into/log" >&2; exit 1; }
rm -r "$into/_CPack_Packages"
ls "$into"/*.deb
