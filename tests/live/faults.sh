# SPDX-License-Identifier: Apache-2.0
# A minute behind the proxy that fails Berth (tests/cluster/faults), on a control plane of its own.

a_minute_of_faults() {
  local go
  go=$(tests/setup-go.sh) && (cd tests/cluster && GOTOOLCHAIN=auto GOFLAGS=-buildvcs=false "$go" test ./faults) || return 1
  tests/cluster/faults.sh 1 "${SEED:-1}"
}

# Every watch goes silent, again and again, each until Berth gives it up after 150 s; eight minutes.
silent_watches() {
  local seen
  tests/cluster/faults.sh 5 "${SEED:-1}" -only 'watch goes silent' -rate 0.1 -kill 0 -pause 0 -api-server 0 -churn 3 | tee "$work/silent" || return 1
  seen=$(awk '/^  watch goes silent/ { print $4 }' "$work/silent")
  [ "$seen" -ge 5 ] && grep -qE 'given up after 1[5-9][0-9] s' "$work/silent" || return 1
  grep -hE 'The watch is silent' build/faults/scheduler-*.log | head -n 1
  echo "$seen watches went silent; $(grep 'given up after' "$work/silent"); $(tail -n 1 "$work/silent")"
}
