# SPDX-License-Identifier: Apache-2.0
# Sourced by the setup scripts, from the top of the tree: how they install packages and what they say when they cannot.
# The script defines `by_hand`, the sentence that tells a person what to do without it.

fail() {
  printf 'setup: %s\n' "$@" "$by_hand" >&2
  exit 1
}

# may_install: fails unless this is Debian 12 and packages can be installed; leaves the way to do so in $sudo.
may_install() {
  # Read in a subshell: the file sets names of its own.
  local system
  system=$(. /etc/os-release 2>/dev/null && echo "${ID:-} ${VERSION_ID:-} ${PRETTY_NAME:-}")
  [[ $system == 'debian 12 '* ]] || fail "this is ${system:-an unknown system}; only Debian 12 (bookworm) is known here"
  sudo=()
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || fail 'packages are missing, and this is neither root nor a machine with sudo'
    sudo=(sudo)
  fi
}

# apt ARGUMENTS...: apt-get without questions, its output only when it fails.
apt() {
  local log=build/logs/apt.log
  mkdir -p build/logs
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 "$@" >>"$log" 2>&1 </dev/null || {
    tail -n 15 "$log" >&2
    fail "apt-get $* did not work (above is the end of $log)"
  }
}
