# SPDX-License-Identifier: Apache-2.0
# Plugins of several compilers, C++ libraries and languages in one host, on a real control plane. Sourced by all.sh.
. tests/abi/languages/build.sh

# sailed COUNT: so many of the pods run.
sailed() { [ "$(in_phase languages Running)" -ge "$1" ]; }
said_of() { k get pod -n languages "$1" -o jsonpath='{.status.conditions[?(@.type=="PodScheduled")].message}'; }
errors_name() { [[ "$(said_of "ship-$1")" = *"Draught-$2\": draught: not a number: deep-$1"* ]]; }

side_by_side_live() {
  local plugins=$work/languages arguments i=0 language fit
  mkdir -m 755 -p "$plugins" && new_world languages || return 1
  for language in "${languages[@]}"; do built "$language" "$plugins" || return 1; done
  mapfile -t arguments < <(pins "$plugins")
  in_one_host >"$work/languages.yaml"
  # What fits is known beforehand: the same world in a simulation.
  world 1 40 400 >"$work/languages.world"
  out/bin/berth simulate --config "$work/languages.yaml" "${arguments[@]}" --decisions "$work/languages.decisions" \
    "$work/languages.world" >"$work/languages.table" 2>&1 || { tail -n 5 "$work/languages.table"; return 1; }
  fit=$(grep -c '"result":"Scheduled"' "$work/languages.decisions")
  [ "$fit" -gt 200 ] || { echo "only $fit pods fit"; return 1; }
  k create -n languages -f "$work/languages.world" >"$work/languages.created" 2>&1 || { tail -n 3 "$work/languages.created"; return 1; }
  within 90 ready_nodes || return 1
  start_berth --config "$work/languages.yaml" "${arguments[@]}" || return 1
  # Pods come in another order than in the simulation, so a few more or fewer may fit.
  within 120 sailed $((fit * 9 / 10)) || { echo "$(in_phase languages Running) run, $fit fit"; tail -n 3 "$work/berth.log"; return 1; }
  for language in clang bundled c rust gcc; do
    i=$((i + 1))
    within 30 errors_name "$i" "$language" || { said_of "ship-$i"; return 1; }
  done
  stop_berth || return 1
  echo "$(in_phase languages Running) of 400 pods run; ${languages[*]} were asked about each, and each one's error names it"
}
