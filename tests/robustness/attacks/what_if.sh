# SPDX-License-Identifier: Apache-2.0
# Sourced by run.sh: what somebody who may ask what would be can make of Berth's memory.

# small_group BYTES: $group is a control group with so much memory, v2 or v1; fails where none can be made.
small_group() {
  local top
  for top in /sys/fs/cgroup /sys/fs/cgroup/memory; do
    group=$top/berth-what-if-$$
    mkdir "$group" 2>/dev/null || continue
    if [ -e "$group/memory.max" ]; then
      # As Kubernetes sets it: the kernel ends all of the group's processes, or none.
      echo "$1" >"$group/memory.max" && echo 1 >"$group/memory.oom.group" && return 0
    elif [ -e "$group/memory.limit_in_bytes" ]; then
      echo "$1" >"$group/memory.limit_in_bytes" && return 0
    fi 2>/dev/null
    rmdir "$group"
  done
  group=
  return 1
}

# asked BODY: the answer to that what-if, once it has ended.
asked() {
  curl -sS --max-time 20 -X PUT -d "$1" "$url/apis/berth/v1alpha1/whatif" >"$work/answer" || return 1
  for _ in $(seq 600); do
    grep -q '"state":"Running"' "$work/answer" || return 0
    sleep 0.2
    curl -sS --max-time 20 "$url/apis/berth/v1alpha1/whatif" >"$work/answer" || return 1
  done
}

# promise(peer): A what-if that needs more than half of Berth's remaining memory ends with an error that says so; Berth
# continues.
what_if_ends_first() {
  . tests/commands/web/simulation.sh
  local nodes='{"addNodes":[{"allocatable":{"cpu":"8","memory":"32Gi","pods":"110"},"count":1}]}' limit
  # The program's own limit, on any machine.
  ! out/bin/berth simulate --memory-limit 16Mi tests/simulation/scenarios/openb >/dev/null 2>"$work/told" &&
    grep -q '^berth: out of memory: more than 16 MiB, which is its limit$' "$work/told" || { cat "$work/told"; return 1; }
  small_group $((64 << 20)) || { echo 'skipped: no control group with memory can be made here'; return 0; }
  simulation_up tests/simulation/scenarios/openb && echo "$simulation" >"$group/cgroup.procs" || return 1
  asked "$nodes" && grep -q '"error":"what-if needs more than [0-9]* MiB of memory' "$work/answer" ||
    { head -c 2000 "$work/answer"; tail -n 3 "$work/told"; return 1; }
  for limit in memory.max memory.limit_in_bytes; do [ ! -e "$group/$limit" ] || echo $((2 << 30)) >"$group/$limit"; done
  kill -0 "$simulation" && asked "$nodes" && grep -q '"state":"Done"' "$work/answer" ||
    { head -c 2000 "$work/answer"; tail -n 3 "$work/told"; return 1; }
  simulation_down
  rmdir "$group"
  echo 'with 64 MiB a what-if ends with an error and Berth goes on, with 2 GiB it is answered'
}
