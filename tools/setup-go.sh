#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# setup-go.sh: prints the path of a Go of 1.21 or later, which fetches by itself the version that a go.mod asks for
# (GOTOOLCHAIN=auto). Installs one from bookworm-backports when there is none; on a terminal it asks first.
# BERTH_SKIP_SETUP=1 leaves the machine alone.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/apt.sh
by_hand='install Go 1.21 or later yourself to go on without this step'

usable() {
  local version
  version=$(cd / && GOTOOLCHAIN=local "$1" env GOVERSION 2>/dev/null) || return 1
  [[ $version =~ ^go1\.([0-9]+) ]] && [ "${BASH_REMATCH[1]}" -ge 21 ]
}
find_go() {
  local go
  for go in "$(command -v go || true)" /usr/local/go/bin/go /usr/lib/go-1.*/bin/go; do
    if [ -x "$go" ] && usable "$go"; then
      echo "$go"
      return
    fi
  done
  return 1
}

find_go && exit 0
[ -z "${BERTH_SKIP_SETUP:-}" ] || fail 'no Go of 1.21 or later found, and BERTH_SKIP_SETUP is set'
may_install
echo 'setup: installing Go from bookworm-backports, to build the real Kubernetes programs that Berth is compared with' >&2
if [ -t 0 ] && [ -t 2 ]; then
  read -r -p 'setup: go on? [Y/n] ' answer </dev/tty
  [[ ${answer:-y} == [Yy]* ]] || fail 'not installed'
fi
# The mirror is the one that this machine already uses for bookworm itself; apt knows it by that name once it has lists.
apt update
mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' | awk '$2 == "bookworm" {print $1; exit}')
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[ -n "$mirror" ] || fail 'no apt source for bookworm found, so no mirror to take backports from'
echo "deb [signed-by=$keyring] $mirror bookworm-backports main" |
  "${sudo[@]}" tee /etc/apt/sources.list.d/berth-backports.list >/dev/null
apt update
apt install -y --no-install-recommends -t bookworm-backports golang-go
find_go || fail 'Go is installed, but still none of 1.21 or later is found'
