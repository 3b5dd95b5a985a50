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

# The oracle compiles Go modules that ask for a newer Go, which any Go from 1.21 on fetches by itself.
go_is_new_enough() {
  local version
  version=$(cd / && GOTOOLCHAIN=local go env GOVERSION 2>/dev/null) || return 1
  [[ $version =~ ^go1\.([0-9]+) ]] && [ "${BASH_REMATCH[1]}" -ge 21 ]
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
want_go=
if [ "$what" = test ] && ! go_is_new_enough; then want_go=1; fi
[ ${#missing[@]} -gt 0 ] || [ -n "$want_go" ] || exit 0

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
if [ ${#missing[@]} -gt 0 ]; then
  echo "setup: installing with apt, $reason: ${missing[*]}"
  apt update
  apt install -y --no-install-recommends "${missing[@]}"
fi
if [ -n "$want_go" ]; then
  echo "setup: installing Go from bookworm-backports, to compare decisions with the real kube-scheduler"
  # The mirror is the one that this machine already uses for bookworm itself.
  mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' | awk '$2 == "bookworm" {print $1; exit}')
  keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  [ -n "$mirror" ] || fail 'no apt source for bookworm found, so no mirror to take backports from'
  echo "deb [signed-by=$keyring] $mirror bookworm-backports main" |
    "${sudo[@]}" tee /etc/apt/sources.list.d/berth-backports.list >/dev/null
  apt update
  apt install -y --no-install-recommends -t bookworm-backports golang-go
fi
