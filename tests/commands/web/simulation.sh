# SPDX-License-Identifier: Apache-2.0
# Sourced: a simulation that is shown, in the background. $url is where.

# simulation_up ARGUMENT...: of berth simulate.
simulation_up() {
  simulation_down
  # What an earlier one said is not to be taken for this one's word.
  : >"$work/told"
  out/bin/berth simulate --ui "$@" >"$work/simulated" 2>"$work/told" &
  simulation=$!
  url=
  for _ in $(seq 600); do
    url=$(sed -n 's/^The dashboard is at \(http:[^ ]*\)\/ui until.*/\1/p' "$work/told")
    [ -z "$url" ] || return 0
    kill -0 $simulation 2>/dev/null || break
    sleep 0.1
  done
  cat "$work/told"
  return 1
}
simulation_down() {
  [ -n "${simulation:-}" ] || return 0
  kill $simulation 2>/dev/null
  wait $simulation 2>/dev/null
  simulation=
}
