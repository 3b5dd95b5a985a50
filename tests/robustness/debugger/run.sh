#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What an author sees of a plugin under gdb: at a breakpoint, attached, and in a core file; and what a crash says without one.
# Needs `make build`, or BERTH for another program.
set -uo pipefail
. "$(dirname "$0")/../../check.sh"
berth=${BERTH:-$top/out/bin/berth}
source=$top/tests/robustness/debugger/stops.cpp
export DEBUGINFOD_URLS=

builds() {
  mkdir -m 755 "$work/plugins" &&
    "${CXX:-g++}" -std=c++20 -g -O1 -fPIC -shared -Iout/include "$source" -o "$work/plugins/stops.so" || return 1
  cat >"$work/cluster.yaml" <<'END'
apiVersion: v1
kind: Node
metadata: {name: quay}
status:
  allocatable: {cpu: "8", memory: 16Gi, pods: "110"}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: default}
spec:
  containers: [{name: main, image: busybox}]
END
}

# The command that schedules a pod with the plugin, which stops so: ${simulate[@]}.
stopping() {
  cat >"$work/config.yaml" <<END
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
  - plugins: {multiPoint: {enabled: [{name: Stops}]}}
    pluginConfig:
      - {name: Stops, args: {how: $1, ready: $work/ready, go: $work/go}}
END
  simulate=("$berth" simulate --config "$work/config.yaml" --plugin-dir "$work/plugins" "$work/cluster.yaml")
}

# line_of COMMENT: of the plugin's source.
line_of() { grep -n "// $1\$" "$source" | cut -d: -f1; }
# A debugger that does not come back is killed.
debug() { timeout -k 5 300 gdb -nx -batch -ex 'set pagination off' "$@" </dev/null >"$work/said" 2>&1; }
# said PATTERN...: each on a line of what was said.
said() {
  local pattern
  for pattern; do grep -qE -- "$pattern" "$work/said" || { echo "no line: $pattern" && cat "$work/said"; return 1; }; done
}
# The frames of the plugin that waits, with source lines and the values of arguments.
shows_the_plugin() {
  said "Stops::wait \(.*this=.*0x.*\) at .*stops\.cpp:$(line_of 'waits here')$" \
    "Stops::filter \(.*this=.*0x.*\) at .*stops\.cpp:$(line_of 'calls the wait')$"
}

stops_at_a_breakpoint() {
  stopping nowhere
  debug -ex 'set breakpoint pending on' -ex "break stops.cpp:$(line_of begins)" -ex run -ex bt -ex kill --args "${simulate[@]}"
  said '^(Thread 1 .* hit )?Breakpoint 1, .*Stops::filter' "^#0 .*Stops::filter \\(.*this=.*0x.*\\) at .*stops\\.cpp:$(line_of begins)$"
}

shows_a_live_process() {
  local pid byte status=0
  mkfifo "$work/ready" "$work/go" && exec 3<>"$work/ready" 4<>"$work/go" || return 1
  stopping waits
  "${simulate[@]}" >"$work/simulated" 2>&1 &
  pid=$!
  if read -r -t 300 -u 3 byte; then
    debug -p "$pid" -ex bt -ex 'info sharedlibrary' -ex "generate-core-file $work/core"
    shows_the_plugin && said " $work/plugins/stops\.so$" || status=1
  else
    cat "$work/simulated"
    status=1
  fi
  echo >&4
  wait "$pid" || { echo "it did not go on after the debugger: $?"; cat "$work/simulated"; status=1; }
  return $status
}

shows_a_core_file() {
  debug "$berth" "$work/core" -ex bt
  shows_the_plugin
}

# crash HOW SIGNAL: the pod's attempt ends by it; what was said is left in $work/said.
crash() {
  stopping "$1"
  (ulimit -c 0; "${simulate[@]}") >"$work/out" 2>"$work/said"
  local status=$?
  [ $status = $((128 + $2)) ] || { echo "exit code $status"; cat "$work/said"; return 1; }
}
# names_line PLACE COMMENT: addr2line finds that line at what the pattern `PLACE file+0xoffset` says.
names_line() {
  local offset line
  offset=$(grep -oE "$1$work/plugins/stops\.so\+0x[0-9a-f]+" "$work/said" | head -n 1 | sed 's/.*+//')
  [ -n "$offset" ] || { echo "no $1FILE+0xOFFSET"; cat "$work/said"; return 1; }
  line=$(addr2line -e "$work/plugins/stops.so" "$offset") || return 1
  [[ $line == */stops.cpp:$(line_of "$2")* ]] || { echo "$offset is $line, not $2"; cat "$work/said"; return 1; }
}

a_crash_names_the_line() {
  crash writes 11 &&
    said '^berth: SIGSEGV in plugin "Stops" at Filter, for pod "default/web": /' '^berth:   called from .*/berth\+0x[0-9a-f]+$' &&
    names_line 'web": ' 'writes to nothing'
}
a_call_of_nobody_names_the_caller() {
  crash calls 11 && said 'for pod "default/web": 0x0, called from ' && names_line 'called from ' 'calls nobody'
}
an_abort_names_the_caller() {
  crash aborts 6 && said '^berth: SIGABRT in plugin "Stops" .*libc\.so\.6\+0x' && names_line 'called from ' 'aborts'
}
a_full_stack_is_told() {
  crash recurses 11 && said "^berth: SIGSEGV in plugin \"Stops\" .*$work/plugins/stops\.so\+0x" &&
    [ "$(grep -c "^berth:   called from $work/plugins/stops\.so+0x" "$work/said")" = 32 ] || { tail -n 5 "$work/said"; return 1; }
}

check 'a plugin with symbols builds with what is installed' builds
debug -ex starti -ex kill --args true
if grep -q 'Operation not permitted' "$work/said"; then
  echo 'skipped: this system lets no debugger in (ptrace: Operation not permitted), so gdb is not tried'
else
  check 'a breakpoint in filter stops there' stops_at_a_breakpoint
  check 'a live process shows the lines of a plugin, and its file' shows_a_live_process
  check 'so does its core file' shows_a_core_file
fi
check 'a crash names the line, and what called it' a_crash_names_the_line
check 'a call of a null pointer names its caller' a_call_of_nobody_names_the_caller
check 'an abort names its caller' an_abort_names_the_caller
check 'a stack that has overflown is told of' a_full_stack_is_told
finish
