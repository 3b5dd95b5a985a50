# SPDX-License-Identifier: Apache-2.0
# Sourced, by scripts that look at the dashboard with Debian's chromium, after apt.sh. $work is a folder for what it says.

# browser_ready: with what the walk needs, in build/web-walk.
browser_ready() {
  command -v npm >/dev/null || { echo 'walk: needs Node.js and npm'; return 1; }
  if [ ! -x /usr/bin/chromium ]; then
    by_hand='needed to look at the dashboard: chromium; install it yourself'
    may_install
    apt install -y --no-install-recommends chromium fonts-dejavu-core || return 1
  fi
  mkdir -p build/web-walk
  cp tests/commands/web/{package.json,package-lock.json,.npmrc,*.mjs} build/web-walk/
  cmp -s build/web-walk/package-lock.json build/web-walk/node_modules/.berth-lock && return
  (cd build/web-walk && npm ci --ignore-scripts --no-audit --no-fund --prefer-offline) >"$work/npm" 2>&1 || { tail "$work/npm"; return 1; }
  cp build/web-walk/package-lock.json build/web-walk/node_modules/.berth-lock
}

# walk URL DIRECTORY [CERTIFICATE KEY]: looks at every view; the pictures go to the directory.
walk() {
  mkdir -p "$2" && command node build/web-walk/walk.mjs "$1" "$(realpath "$2")" "${@:3}"
}
