#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# setup.sh build|test: brings what building (or building and testing) needs and this machine lacks, from Debian 12's own
# packages. Silent and instant when nothing is missing. BERTH_SKIP_SETUP=1 leaves the machine alone.
set -euo pipefail
what=${1:?usage: tools/setup.sh build|test}
[ -z "${BERTH_SKIP_SETUP:-}" ] || exit 0
cd "$(dirname "$0")/.."
. tools/apt.sh

wanted=(g++ cmake ninja-build ccache mold libboost-dev libcpprest-dev libssl-dev zlib1g-dev libyaml-cpp-dev libre2-dev catch2
        libsimdjson-dev libprotozero-dev libnghttp2-dev libcli11-dev libspdlog-dev prometheus-cpp-dev dpkg-dev file)
# For the dashboard. Where they come from elsewhere, npm is not a package of its own.
command -v node >/dev/null && command -v npm >/dev/null || wanted+=(nodejs npm)
reason='to build'
if [ "$what" = test ]; then
  wanted+=(curl clang-19 libc++-19-dev libc++abi-19-dev libclang-rt-19-dev clang-tidy-19 clang-format-19 abigail-tools gdb mmdebstrap
           pkg-config rustc cargo librsvg2-bin valgrind libc6-dbg)
  reason='to build and test'
fi
by_hand="needed $reason: ${wanted[*]}; install these yourself and set BERTH_SKIP_SETUP=1 to go on without this step"

present=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null || true)
missing=()
for package in "${wanted[@]}"; do
  grep -qx "installed $package" <<<"$present" || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  may_install
  echo "setup: installing with apt, $reason: ${missing[*]}"
  apt update
  apt install -y --no-install-recommends "${missing[@]}"
fi
if [ "$what" = test ]; then tools/setup-go.sh >/dev/null; fi
