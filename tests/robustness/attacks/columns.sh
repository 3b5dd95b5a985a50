# SPDX-License-Identifier: Apache-2.0
# Sourced by run.sh: pods that name thousands of resources, labels and topology keys which no node has.

# promise(tenant): 20 pods that each name 10,000 resources, label keys or topology keys that no node has, in a cluster
# of 5,000 nodes and 150,000 pods, increase the CPU time of another pod by at most 10 % and memory by at most 10 %,
# while they exist and afterwards. (The short form has 8 pods, 2,000 names, 1,000 nodes, and wider bounds.)
names_of_tenants_cost_nothing() {
  # Nodes, placed pods, poison pods, names; per cent of memory while they are there and after, and of CPU time.
  local size='1000 10000 8 2000 60 30 50' tries=3
  [ -z "$LONG" ] || size='5000 150000 20 10000 10 10 10'
  { [ -f build/release/build.ninja ] || cmake --preset release; } >/dev/null &&
    cmake --build build/release --target berth_columns >"$work/build.log" 2>&1 || { tail -n 20 "$work/build.log"; return 1; }
  # Where each name is a column over all nodes, it takes hours. A machine that does other things now and then takes more CPU time for the
  # same; never less.
  # shellcheck disable=SC2086
  until timeout 600 build/release/tests/berth_columns $size >"$work/columns" 2>&1; do
    cat "$work/columns"
    grep -q 'CPU time has grown' "$work/columns" && ! grep -q 'memory has grown' "$work/columns" && [ $((tries -= 1)) != 0 ] || return 1
  done
  cat "$work/columns"
}
