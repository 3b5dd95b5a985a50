# SPDX-License-Identifier: Apache-2.0
# The frame of a file of shows, sourced by it: `show ID FUNCTION` runs the function in a subshell with `set -e` off and
# prints one line, `ID ok` or `ID FAIL`, with the last line that the function printed. A function that fails returns
# non-zero; what it printed is shown then. `finish` prints the count. $work is a folder that is removed at the end, $LONG
# is set for the long form. ONLY="ID ID" in the environment runs just these; an ID that no show has is a failure.
cd "$(dirname "${BASH_SOURCE[0]}")/.."
LONG=${LONG:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0
met=' '

show() {
  local id=$1 start=$SECONDS
  met+="$id "
  [ -z "${ONLY:-}" ] || [[ " $ONLY " == *" $id "* ]] || return 0
  if ("$2") >"$work/$id.log" 2>&1 </dev/null; then
    passed=$((passed + 1))
    printf '%s ok    %s (%d s)\n' "$id" "$(tail -n 1 "$work/$id.log")" $((SECONDS - start))
  else
    failed=$((failed + 1))
    printf '%s FAIL  %s (%d s)\n' "$id" "$(tail -n 1 "$work/$id.log")" $((SECONDS - start))
    tail -n 25 "$work/$id.log" | sed 's/^/        /'
  fi
}

# table ID: what a show that went well has to tell beside its line.
table() { [ ! -s "$work/$1.table" ] || sed 's/^/      /' "$work/$1.table"; }

finish() {
  local id
  for id in ${ONLY:-}; do
    [[ $met == *" $id "* ]] || { echo "$id FAIL  there is no such show here"; failed=$((failed + 1)); }
  done
  [ $((passed + failed)) != 0 ] || { echo 'FAIL  nothing was shown'; failed=1; }
  echo "$passed passed, $failed failed"
  [ "$failed" = 0 ]
}

# expect WHAT WANTED FOUND: says so and returns 1 when they differ.
expect() {
  [ "$2" = "$3" ] || { echo "$1: expected '$2', found '$3'"; return 1; }
}

# holds FACT A OP B: says so and returns 1 when it does not.
holds() { awk -v a="$2" -v b="$4" "BEGIN { exit !(a $3 b) }" || { echo "$1: $2, expected $3 $4"; return 1; }; }

# same WHAT FILE FILE...: every file has the bytes of the first.
same() {
  local what=$1 first=$2 file
  shift 2
  for file in "$@"; do
    cmp "$first" "$file" || { echo "$what: $file differs from $first"; return 1; }
  done
}

# with_peak COMMAND...: runs it and leaves the most memory it had resident, in MiB, in $peak.
with_peak() {
  local pid kib=0 status
  "$@" &
  pid=$!
  # By the shell itself: who times this has the time of every program that looks. As a whole: line by line, the file is made anew
  # for each, and a line is missed when one above it has changed its length.
  while status=; { read -r -d '' status <"/proc/$pid/status"; } 2>/dev/null; [[ $status =~ VmHWM:[[:space:]]*([0-9]+) ]]; do
    kib=${BASH_REMATCH[1]}
    sleep 0.05
  done
  peak=$((kib / 1024))
  wait "$pid"
}

# leaves in $cpu_ms the CPU time of this shell's children that have ended.
children_cpu() {
  times >"$work/times"
  cpu_ms=$(tail -n 1 "$work/times" | awk -F '[ ms]' '{ printf "%d", ($1 * 60 + $2 + $4 * 60 + $5) * 1000 }')
}

# placements DECISIONS: `pod node` of each pod that got one, from a file of decision records.
placements() {
  sed 's/": /":/g; s/, "/,"/g' "$1" |
    sed -n 's/.*"pod":{"namespace":"[^"]*","name":"\([^"]*\)".*"result":"Scheduled".*"node":"\([^"]*\)".*/\1 \2/p'
}
