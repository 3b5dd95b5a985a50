#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# setup.sh build|test: brings what building (or building and testing) needs and this machine lacks, from Debian 12's own
# packages. Silent and instant when nothing is missing. BERTH_SKIP_SETUP=1 leaves the machine alone.
set -euo pipefail
what=${1:?usage: tests/setup.sh build|test}
[ -z "${BERTH_SKIP_SETUP:-}" ] || exit 0
cd "$(dirname "$0")/.."

build_packages=(g++ cmake ninja-build ccache mold pkg-config libboost-dev libssl-dev libyaml-cpp-dev catch2
                libsimdjson-dev libcli11-dev libspdlog-dev)
test_packages=(clang-19 clang-tidy-19 clang-format-19 abigail-tools binutils mmdebstrap)
wanted=("${build_packages[@]}")
reason='to build'
if [ "$what" = test ]; then
  wanted+=("${test_packages[@]}")
  reason='to build and test'
fi

fail() {
  printf 'setup: %s\n' "$@" >&2
  printf 'setup: needed %s: %s\n' "$reason" "${wanted[*]}" >&2
  echo 'setup: install these yourself and set BERTH_SKIP_SETUP=1 to go on without this step' >&2
  exit 1
}

# The oracle compiles Go modules, so testing needs Go as well.
go_and_exit() {
  [ "$what" != test ] || tests/setup-go.sh >/dev/null
  exit
}

missing=()
if command -v dpkg-query >/dev/null; then
  present=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null || true)
  for package in "${wanted[@]}"; do
    grep -qx "installed $package" <<<"$present" || missing+=("$package")
  done
else
  missing=("${wanted[@]}")
fi
[ ${#missing[@]} -gt 0 ] || go_and_exit

. /etc/os-release 2>/dev/null || true
[ "${ID:-}" = debian ] && [ "${VERSION_ID:-}" = 12 ] ||
  fail "this is ${PRETTY_NAME:-an unknown system}; this script knows only Debian 12 (bookworm)"
sudo=()
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || fail 'packages are missing, and this is neither root nor a machine with sudo'
  sudo=(sudo)
fi

mkdir -p build/logs
log=build/logs/setup.log
: >"$log"
apt() {
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 "$@" >>"$log" 2>&1 </dev/null || {
    tail -n 15 "$log" >&2
    fail "apt-get $* did not work (above is the end of $log)"
  }
}
echo "setup: installing with apt, $reason: ${missing[*]}"
apt update
apt install -y --no-install-recommends "${missing[@]}"
go_and_exit
