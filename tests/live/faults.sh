# SPDX-License-Identifier: Apache-2.0
# A minute behind the proxy that fails Berth (tests/cluster/faults), on a control plane of its own.

a_minute_of_faults() {
  local go
  go=$(tests/setup-go.sh) && (cd tests/cluster && GOTOOLCHAIN=auto GOFLAGS=-buildvcs=false "$go" test ./faults) || return 1
  tests/cluster/faults.sh 1 "${SEED:-1}"
}
