#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What the framework and the default plugins promised. LONG=1 asks the oracles for more and spoils every plugin.
set -uo pipefail
. "$(dirname "$0")/frame.sh"
. tests/live/stories.sh
. tests/live/scenarios.sh

# The last line of the log must be the oracle's own count, and find nothing.
oracle() {
  local n=$1 seed=$2
  tests/oracle/run.sh "$n" "$seed" || return 1
}

decisions() { oracle "$([ -n "$LONG" ] && echo 10000 || echo 1000)" 7; }

mutants() {
  local each=1 only=node_ports
  [ -z "$LONG" ] || { each=5 only=; }
  tests/mutation/mutate.sh "$each" "$only" || return 1
}

scripts() { tests/oracle-queue/run.sh "$([ -n "$LONG" ] && echo 10000 || echo 1000)" 7; }

# The library is built with nothing but what is installed, and the oracle judges that file.
out_of_tree() {
  mkdir -p "$work/tree" && cp -r plugins/kubernetes "$work/tree/kubernetes"
  printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' 'project(outside C CXX)' 'find_package(berth REQUIRED)' \
    'add_subdirectory(kubernetes)' >"$work/tree/CMakeLists.txt"
  cmake -S "$work/tree" -B "$work/outside" -DCMAKE_PREFIX_PATH="$PWD/out" -DCMAKE_BUILD_TYPE=Release &&
    cmake --build "$work/outside" || return 1
  BERTH_PLUGIN_DIR=$work/outside/kubernetes oracle "$([ -n "$LONG" ] && echo 10000 || echo 500)" 8
}

config_of_an_old_system() {
  tests/config/run.sh || return 1
  echo 'a v1beta2 file is printed as the scheduler of its time dumped it, what is gone is named; every version is read'
}

scenarios() { control_plane_up && all_scenarios; }

show FW-1 decisions
show FW-2 mutants
show FW-3 scripts
show FW-4 out_of_tree
show FW-5 config_of_an_old_system
show FW-6 scenarios
finish
