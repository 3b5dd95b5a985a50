# SPDX-License-Identifier: Apache-2.0
# The plugins of tests/abi/out-of-tree/project, which people ask for, on a real control plane. Sourced by all.sh.

asked_for() {
  local plugins=build/asked-for libraries
  libraries=$(cd tests/abi/out-of-tree/project && ls -- *.cpp | sed 's/\.cpp$//; s/_/-/g')
  { build_for_scenarios && cmake -S tests/abi/out-of-tree/project -B "$plugins" -DCMAKE_PREFIX_PATH="$PWD/out" -DCMAKE_BUILD_TYPE=Release &&
    cmake --build "$plugins" --target $libraries; } >"$work/asked_for.build" 2>&1 || { tail -n 20 "$work/asked_for.build"; return 1; }
  same_in_both_worlds $(live_scenarios tests/abi/out-of-tree/project) | tee "$work/asked_for.played" || return 1
  echo "$(grep -c '^ok ' "$work/asked_for.played") plugins of a project outside the tree: each scenario has the same outcome live and simulated"
}
