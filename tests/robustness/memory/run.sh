#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The memory of `berth run` beside an API server of so many nodes and pods (cluster/): what it says that it is for, and what the
# chart asks for by the formula of docs/operate.md. `run.sh measure NODES PODS` prints one size. Needs `make build`.
set -uo pipefail
. "$(dirname "$0")/../../check.sh"
api= berth=
trap 'kill $berth $api 2>/dev/null; rm -rf "$work"' EXIT
own='pods nodes objects columns dictionaries queue decisions watches events'

# start NODES PODS OPTION...: the API server and Berth beside it.
start() {
  rm -f "$work/kubeconfig"
  "$work/cluster" -nodes "$1" -pods "$2" -kubeconfig "$work/kubeconfig" &
  api=$! berth=
  until [ -s "$work/kubeconfig" ]; do kill -0 $api || return 1; sleep 0.1; done
  out/bin/berth run --kubeconfig "$work/kubeconfig" --bind-address 127.0.0.1 --authentication-skip-lookup -v 2 \
    --authorization-always-allow-paths=/metrics,/readyz "${@:3}" >"$work/berth.log" 2>&1 &
  berth=$!
  for _ in $(seq 3000); do
    ! grep -q 'scheduling begins' "$work/berth.log" || return 0
    kill -0 $berth 2>/dev/null || break
    sleep 0.1
  done
  tail -n 5 "$work/berth.log" | cut -c 1-300
  return 1
}
stop() { kill $berth $api 2>/dev/null; wait $berth $api 2>/dev/null; api= berth=; }
of_status() { awk -v key="$1:" '$1 == key { print $2 * 1024 }' "/proc/$berth/status"; }
of_kind() { sed -nE "s/^berth_memory_bytes\{kind=\"$1\"\} ([0-9.e+]+)$/\1/p" "$work/metrics"; }

# kinds NODES PODS FILE: what is resident, and what is told of each kind, once the whole cluster is known and was looked at.
kinds() {
  local kind port
  start "$1" "$2" --leader-elect=false --secure-port "$((20000 + RANDOM % 10000))" || { stop; return 1; }
  port=$(grep -o 'Serving securely.*port=[0-9]*' "$work/berth.log" | grep -o '[0-9]*$')
  for _ in $(seq 600); do
    curl -sk "https://127.0.0.1:$port/metrics" >"$work/metrics"
    for kind in $own program free other; do echo "$kind $(of_kind "$kind")"; done >"$3"
    # All kinds together are what was resident at the last look. It may have come before the pods did.
    ! awk -v resident="$(of_status VmRSS)" '{ sum += $2 } END { exit !(sum > 0.98 * resident && sum < 1.02 * resident) }' "$3" || break
    sleep 0.5
  done
  echo "resident $(of_status VmRSS)" >>"$3"
  curl -sk "https://127.0.0.1:$port/readyz?verbose" | grep -qx '\[+\]memory ok' || { echo 'readyz says nothing of memory'; stop; return 1; }
  stop
}

# peak NODES PODS FILE: the most that ever was resident when Berth has taken the lease, for which it lists all pods once more.
peak() {
  start "$1" "$2" --leader-elect-resource-namespace=default --secure-port 0 || { stop; return 1; }
  grep -q 'waits until this instance leads' "$work/berth.log" || { echo 'it was the leader at once'; stop; return 1; }
  of_status VmHWM >"$3"
  stop
}

build() { GOFLAGS=-buildvcs=false "$(tools/setup-go.sh)" build -C tests/robustness/memory/cluster -o "$work/cluster" .; }

# value FILE KIND...: their sum.
value() { awk -v kinds=" ${*:2} " 'index(kinds, " " $1 " ") { sum += $2 } END { printf "%.0f\n", sum }' "$1"; }
mib() { awk -v n="$1" 'BEGIN { printf "%.0f MiB", n / 1048576 }'; }

small=(200 2000) large=(1000 12000)
# What grows with the cluster is told of by its kind: the kinds grow by 60 to 140 % of what the process grows by.
kinds_explain_the_growth() {
  local told grown kind
  kinds "${small[@]}" "$work/small" && kinds "${large[@]}" "$work/large" || return 1
  # shellcheck disable=SC2086
  told=$(($(value "$work/large" $own) - $(value "$work/small" $own)))
  grown=$(($(value "$work/large" resident) - $(value "$work/small" resident)))
  paste "$work/small" "$work/large" | awk '{ printf "%-14s %8.1f MiB %8.1f MiB\n", $1, $2 / 1048576, $4 / 1048576 }'
  for kind in pods nodes columns dictionaries watches; do
    [ "$(value "$work/large" $kind)" -gt "$(value "$work/small" $kind)" ] || { echo "$kind did not grow"; return 1; }
  done
  echo "from ${small[*]} to ${large[*]} nodes and pods: $(mib $grown) more are resident, the kinds tell of $(mib $told)"
  [ $((told * 100)) -ge $((grown * 60)) ] && [ $((told * 100)) -le $((grown * 140)) ]
}

# limit NODES PODS: the bytes that the chart asks for.
limit() {
  "$(tests/packaging/chart/helm.sh)" template berth charts/berth --kube-version 1.36.0 --set "clusterSize.nodes=$1,clusterSize.pods=$2" |
    sed -nE 's/^ *limits: \{memory: ([0-9]+)Mi\}$/\1/p' | awk '{ print $1 * 1048576 }'
}

# fits NODES PODS: the chart's limit is no less than the peak, and no more than three times as much.
fits() {
  local limit most
  limit=$(limit "$1" "$2") && peak "$1" "$2" "$work/peak" || return 1
  most=$(<"$work/peak")
  echo "$1 nodes, $2 pods: at most $(mib "$most") were resident, the chart's limit is $(mib "$limit")"
  [ "$most" -gt 0 ] && [ "$most" -le "$limit" ] && [ "$limit" -le $((3 * most)) ]
}

if [ "${1:-}" = measure ]; then
  build && kinds "$2" "$3" "$work/kinds" && peak "$2" "$3" "$work/peak" || exit 1
  awk '{ printf "%-14s %9.1f MiB\n", $1, $2 / 1048576 }' "$work/kinds"
  echo "peak $(mib "$(<"$work/peak")"), limit $(mib "$(limit "$2" "$3")")"
  exit
fi

check 'the API server is built' build
check 'what grows with the cluster is told of by its kind' kinds_explain_the_growth
check "the chart's limit suffices for ${small[*]} nodes and pods" fits "${small[@]}"
check "the chart's limit suffices for ${large[*]} nodes and pods" fits "${large[@]}"
finish
