# SPDX-License-Identifier: Apache-2.0
# Scenarios (kind: Scenario) on a real control plane. Sourced by all.sh.

# What they need beside the control plane: the plugins of examples/, and the player.
build_for_scenarios() {
  local go
  go=$(tools/setup-go.sh) && GOTOOLCHAIN=auto GOFLAGS=-buildvcs=false "$go" build -C tests/live/cluster -o "$work/play" ./play &&
    cmake -S examples -B build/examples -DCMAKE_PREFIX_PATH="$PWD/out" -DCMAKE_BUILD_TYPE=Release && cmake --build build/examples
}

# play FILE...: on the control plane that is up, one line each. The plugins are those of examples/, or of the folder $plugins.
play() {
  "$work/play" -kubectl .cache/cluster/bin/kubectl -admin "$dir/kubeconfig/admin" -scheduler "$dir/kubeconfig/scheduler" \
    -berth out/bin/berth -plugins "${plugins:-build/examples}" -dir "$work" "$@"
}

# live_scenarios FOLDER: the scenarios in it that are labelled to be played live.
live_scenarios() { grep -lE '^metadata: .*labels: .*live: "true"' "$1"/*.yaml; }

# same_in_both_worlds FILE...: what each expects comes about simulated and live.
same_in_both_worlds() {
  local file
  [ $# -gt 0 ] || { echo 'no scenarios'; return 1; }
  for file in "$@"; do
    out/bin/berth simulate --plugin-checks strict --plugin-dir "${plugins:-build/examples}" "$file" >"$work/simulated" 2>&1 ||
      { tail -n 5 "$work/simulated"; return 1; }
  done
  play "$@" || return 1
}

all_scenarios() {
  same_in_both_worlds $(live_scenarios tests/simulation/scenarios) $(live_scenarios examples) | tee "$work/played" || return 1
  echo "$(grep -c '^ok ' "$work/played") scenarios, each with the same outcome live and simulated"
}
