#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What two releases of Kubernetes promised. LONG=1 asks the oracles for more.
set -uo pipefail
. "$(dirname "$0")/../shows.sh"

# judged RELEASE KIND N: its last line, N KIND, 0 differences.
judged() {
  KUBERNETES=$1 "tests/oracle/$2/run.sh" "$3" "${SEED:-7}" >"$work/judged" 2>&1 || { tail -n 20 "$work/judged"; return 1; }
  said+="${said:+, }$1: $(tail -n 1 "$work/judged")"
}
both_releases() {
  local release said= decisions=1000 scripts=1000
  [ -z "$LONG" ] || decisions=100000 scripts=10000
  for release in 1.36 1.37; do
    judged $release decisions $decisions && judged $release queue $scripts || return 1
  done
  echo "$said"
}

# Of a report of `berth upgrade --all`: "POD ATTEMPT" of each decision that differs; with a gate, of those that have it as a cause.
decisions_of() { awk -v gate="${2:+($2)}" '/^DECISIONS$/ { on = 1; getline; next } !NF { on = 0 } on && index($0, gate) { print $1, $2 }' "$1" | sort; }
# upgraded OUTPUT ARGUMENT...: what it prints; nothing may be wrong with the input.
upgraded() {
  out/bin/berth upgrade --all "${@:2}" >"$1" 2>"$work/err"
  [ $? -le 1 ] || { cat "$work/err"; return 1; }
}
# causes_hold CLUSTER CONFIG: without a gate that is named as a cause, the decisions that name it are as before, and no others are.
causes_hold() {
  local gate was
  upgraded "$work/upgrade" --from 1.36 --to 1.37 --config "$2" "$1" || return 1
  differing=$((differing + $(decisions_of "$work/upgrade" | wc -l)))
  while read -r gate was; do
    upgraded "$work/without" --from 1.36 --to 1.37 --config "$2" --to-feature-gates "$gate=$was" "$1" || return 1
    diff <(comm -23 <(decisions_of "$work/upgrade") <(decisions_of "$work/upgrade" "$gate")) <(decisions_of "$work/without") || { echo "$1: $gate"; return 1; }
    judged=$((judged + $(decisions_of "$work/upgrade" "$gate" | wc -l)))
  done < <(sed -nE 's/^ +[1-9][0-9,]*  feature gate ([A-Za-z]+): (on|off) → .*/\1 \2/p' "$work/upgrade" | sed 's/ on$/ true/; s/ off$/ false/')
}
previews() {
  local theme cases=40 folder differing=0 judged=0 n=0
  [ -z "$LONG" ] || cases=400
  tests/commands/upgrade/run.sh || return 1
  upgraded "$work/openb" tests/simulation/scenarios/openb && grep -x '8,152 decisions, of which 0 would differ' "$work/openb" || return 1
  (cd tests/oracle/judge && . ./build.sh && build_judge oracle oracle) || return 1
  for theme in bindings scores; do
    (cd tests/oracle/judge && "$OLDPWD/.cache/oracle/oracle" gen -seed "${SEED:-9}" -n $cases -theme $theme -out "$work/$theme") || return 1
    for folder in "$work/$theme"/*; do
      # No extender listens there.
      ! grep -q extenders "$folder/config.yaml" || continue
      causes_hold "$(ls "$folder"/cluster.*)" "$folder/config.yaml" || return 1
      n=$((n + 1))
    done
  done
  [ $judged -ge 3 ] || { echo "only $judged decisions have a gate as their cause"; return 1; }
  echo "openb: 8,152 decisions, 0 would differ; $n random clusters: $differing would differ, of $judged the gate that is named was turned back: as before, and no others"
}

show KV-1 both_releases
show KV-4 previews
finish
