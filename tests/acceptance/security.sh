#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What tenants, network peers, plugin files and recordings cannot do to Berth (docs/threat-model.md).
set -uo pipefail
. "$(dirname "$0")/../shows.sh"
. tests/commands/docs/promises.sh

# The whole of `make test` in a bare Debian 12 root; in the short form the checks that had failed there for want of a program.
in_a_bare_root() {
  local last
  if [ -n "$LONG" ]; then
    tools/fresh-root make test >"$work/root" 2>&1
    grep -E '^[a-z].* [0-9]+ s|FAILED' "$work/root"
  else
    CACHES=${XDG_CACHE_HOME:-$HOME/.cache}/berth-root tools/fresh-root bash -c 'make build && tests/packaging/packages/run.sh && tests/commands/web/run.sh' >"$work/root" 2>&1 ||
      { tail -n 25 "$work/root"; return 1; }
    grep -E '^(ok|FAIL) ' "$work/root"
  fi
  last=$(tail -n 1 "$work/root")
  echo "$last"
  [[ $last =~ ^[0-9]+\ passed,\ 0\ failed$ ]]
}

show SA-0 in_a_bare_root
attacks() {
  local ok bad only=" ${ONLY:-} "
  only=${only// SA-0 / } only=${only// SA-8 / }
  [ -z "${ONLY:-}" ] || [ -n "${only// /}" ] || return 0
  met+="$only" # which of them there is, run.sh tells
  LONG="$LONG" ONLY="${only# }" tests/robustness/attacks/run.sh | tee "$work/attacks" | grep -v ' passed, '
  read -r ok bad < <(sed -nE 's/^([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' "$work/attacks")
  [ -n "${bad:-}" ] || { echo 'attacks FAIL  tests/robustness/attacks/run.sh ended without a count'; ok=0 bad=1; }
  passed=$((passed + ok)) failed=$((failed + bad))
}
attacks
show SA-8 promises_are_those_of_the_tests
finish
