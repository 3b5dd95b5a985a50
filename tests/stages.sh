# SPDX-License-Identifier: Apache-2.0
# Sourced by run.sh: stages that run side by side, their logs (build/logs/, where a blank or a slash of the name is a -) and their counts. `begin NAME COMMAND...`
# starts one and `end NAME` waits for it; `stage` is both, `step` the same for what builds and checks nothing, and `beside` a
# stage that runs while another such one does: `all_ended` waits for the last of them. With names in the array `chosen` only
# those stages run. `summary` prints the last lines, with the stages that took longest, and tells whether all passed.
#
# A stage that exits with 0 and has counted nothing fails, unless its log has a line `skipped: WHY`, which the summary repeats.
. tests/counts.sh
mkdir -p build/logs
passed=0
failed=0
chosen=()
running=()
met=' '
skipped=()
took=()

# wanted NAME: whether it runs, and that there is a stage of that name.
wanted() {
  met+="$1| "
  [ ${#chosen[@]} = 0 ] || [[ " $(printf '%s| ' "${chosen[@]}")" == *" $1| "* ]]
}

log_name() { tr ' /' '--' <<<"$1"; }

# why LOG: what went wrong where the log marks it (Catch2, sanitizers, compilers, our scripts), else its end.
why() {
  local marks='FAILED:|^([A-Za-z0-9-]+ )?FAIL |[Ss]anitizer|runtime error:|error:|SEGV|\*\*\*(Failed|Exception|Timeout)'
  { grep -E -m 8 -B 3 -A 25 "$marks" "$1" || tail -n 40 "$1"; } | head -n 80 | cut -c 1-300
}

begin() {
  wanted "$1" || return 0
  local log=build/logs/$(log_name "$1").log
  shift
  rm -f "$log.end"
  (
    start=$SECONDS
    "$@" >"$log" 2>&1 </dev/null
    echo $? $((SECONDS - start)) >"$log.end"
  ) &
  echo $! >"$log.pid"
}

# end NAME [step]: reports it. Of a step only its failure counts.
end() {
  wanted "$1" || return 0
  local name=$1 log=build/logs/$(log_name "$1").log status=1 seconds=0 ok bad reason=
  wait "$(<"$log.pid")"
  read -r status seconds <"$log.end"
  rm -f "$log.pid" "$log.end"
  if [ "${2:-}" = step ]; then ok=0 bad=0; else
    read -r ok bad < <(counts "$log")
    reason=$(sed -n 's/^skipped: //p' "$log" | paste -sd,)
    if [ "$status" = 0 ] && [ $((ok + bad)) = 0 ] && [ -z "$reason" ]; then
      echo 'FAIL  the stage ended with 0 and counted nothing' >>"$log"
      bad=1
    fi
  fi
  if [ "$status" != 0 ] && [ "$bad" = 0 ]; then bad=1; fi
  if [ "$bad" != 0 ]; then
    why "$log"
    printf '%-24s %5d s   FAILED: %d passed, %d not, see %s\n' "$name" "$seconds" "$ok" "$bad" "$log"
  elif [ "${2:-}" = step ]; then
    printf '%-24s %5d s\n' "$name" "$seconds"
  else
    printf '%-24s %5d s   %d ok%s\n' "$name" "$seconds" "$ok" "${reason:+, skipped: $reason}"
  fi
  [ -z "$reason" ] || skipped+=("$name ($reason)")
  took+=("$seconds s $name")
  passed=$((passed + ok))
  failed=$((failed + bad))
  [ "$bad" = 0 ]
}

stage() { begin "$@" && end "$1"; }

# one_ended: waits until one of those that run beside each other has ended, and reports it.
one_ended() {
  local name
  while true; do
    for name in "${running[@]}"; do
      [ -e "build/logs/$(log_name "$name").log.end" ] || continue
      mapfile -t running < <(printf '%s\n' "${running[@]}" | grep -vxF -- "$name")
      end "$name"
      return
    done
    sleep 0.2
  done
}
beside() {
  wanted "$1" || return 0
  [ ${#running[@]} -lt 2 ] || one_ended
  begin "$@"
  running+=("$1")
}
all_ended() { while [ ${#running[@]} -gt 0 ]; do one_ended; done; }
step() { begin "$@" && end "$1" step; }

# summary: every chosen stage has to exist, and something has to have been checked.
summary() {
  local name
  for name in "${chosen[@]}"; do
    [[ $met == *" $name| "* ]] || { echo "there is no stage '$name'"; failed=$((failed + 1)); }
  done
  [ $((passed + failed)) != 0 ] || { echo 'nothing was checked'; failed=1; }
  [ ${#skipped[@]} = 0 ] || (IFS=';'; echo "skipped: ${skipped[*]}")
  [ ${#took[@]} = 0 ] || echo "longest: $(printf '%s\n' "${took[@]}" | sort -rn | head -n 12 | paste -sd, | sed 's/,/, /g')"
  echo "total $SECONDS s"
  echo "$passed passed, $failed failed"
  [ "$failed" = 0 ]
}
