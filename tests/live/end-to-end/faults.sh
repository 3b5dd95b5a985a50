# SPDX-License-Identifier: Apache-2.0
# Berth behind the proxy that fails it (tests/live/cluster/faults), each time on a control plane of its own.

a_minute_of_faults() {
  local go
  go=$(tools/setup-go.sh) && (cd tests/live/cluster && GOTOOLCHAIN=auto GOFLAGS=-buildvcs=false "$go" test ./faults) || return 1
  tests/live/cluster/faults.sh 1 "${SEED:-1}"
}

# under_faults MINUTES COMMAND FLAG...: that Berth, with as many writes a second as an administrator would allow so large a
# cluster; 500 nodes, 57 pods created and 57 deleted a second. What the bench says is in $work/faults.
under_faults() {
  local minutes=$1 command=$2
  shift 2
  SCHEDULER="$command run -v 2 --secure-port 0 --seed ${SEED:-1} --kube-api-qps 400 --kube-api-burst 800" \
    tests/live/cluster/faults.sh "$minutes" "${SEED:-1}" -bare -nodes 500 -fill 98 -creations 57 -deletions 57 -rate 0.1 "$@" |
    tee "$work/faults"
  return "${PIPESTATUS[0]}"
}

# LV-1. How much two minutes bring depends on what else the machine does, so the short form asks for one of each.
# promise(peer): No fault of the API server or the network makes Berth bind a pod twice or lose one.
promised_faults() {
  local minutes=2 given_up
  local often=(-kill 60s -pause 70s -api-server 75s) least=('each request fault=1' 'watch cut in an event=1' 'leader killed=1' 'API server killed=1')
  if [ -n "$LONG" ]; then
    minutes=30
    often=(-kill 150s -pause 240s -api-server 8m)
    least=('each request fault=1000' 'watch cut in an event=100' 'watch goes silent=30' 'leader killed=5'
      'leader stopped and continued=2' 'API server killed=2' 'pods created a second=50' 'pods deleted a second=20')
  fi
  under_faults $minutes out/bin/berth "${often[@]}" "${least[@]/#/-at-least=}" || return 1
  given_up=$(cat build/faults/scheduler-*.log | grep -c 'The watch is silent')
  [ -z "$LONG" ] || [ "$given_up" -ge 30 ] || { echo "only $given_up silent watches were given up by Berth"; return 1; }
  echo "$minutes minutes, $(tail -n 1 "$work/faults"); $given_up silent watches were borne to the end"
}

# Under a sanitizer, for which a program takes several times as long. Debian's cpprestsdk is not made for ThreadSanitizer, so
# that there Beast speaks HTTP. None of them ends with 1, by which Berth says that it has lost its lease.
sanitized_faults() {
  local kind transport
  export ASAN_OPTIONS=exitcode=99:detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1:exitcode=99
  export TSAN_OPTIONS=second_deadlock_stack=1:halt_on_error=1:exitcode=99
  for kind in asan tsan; do
    transport=mixed
    [ $kind = asan ] || transport=beast
    { [ -f build/$kind/build.ninja ] || cmake --preset $kind; } && cmake --build build/$kind --target product || return 1
    SCHEDULER="build/$kind/bin/berth run -v 2 --secure-port 0 --seed ${SEED:-1} --transport $transport" \
      tests/live/cluster/faults.sh 2 "${SEED:-1}" || return 1
    ! grep -E -A 30 'Sanitizer|runtime error' build/faults/scheduler-*.log || return 1
  done
  echo 'two minutes of faults under ASan and UBSan, and two under TSan: nothing'
}

# Every watch goes silent, again and again, each until Berth gives it up after 150 s; eight minutes.
silent_watches() {
  local seen
  tests/live/cluster/faults.sh 5 "${SEED:-1}" -only 'watch goes silent' -rate 0.1 -kill 0 -pause 0 -api-server 0 -creations 3 -deletions 3 |
    tee "$work/silent" || return 1
  seen=$(awk '/^  watch goes silent/ { print $4 }' "$work/silent")
  [ "$seen" -ge 5 ] && grep -qE 'given up after 1[5-9][0-9] s' "$work/silent" || return 1
  grep -hE 'The watch is silent' build/faults/scheduler-*.log | head -n 1
  echo "$seen watches went silent; $(grep 'given up after' "$work/silent"); $(tail -n 1 "$work/silent")"
}
