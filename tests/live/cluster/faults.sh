#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# faults.sh MINUTES SEED [FLAG...]: Berth on a real control plane of its own, behind a proxy that fails it by chance
# (tests/live/cluster/faults). Ends with `N pods, N violations`; the logs of the last run are in build/faults. Each FLAG is one of
# the bench's (-h lists them). SCHEDULER="COMMAND ARGUMENT..." tests another command than out/bin/berth's.
set -euo pipefail
minutes=${1:?usage: tests/live/cluster/faults.sh MINUTES SEED [FLAG...]}
seed=${2:?usage: tests/live/cluster/faults.sh MINUTES SEED [FLAG...]}
shift 2
cd "$(dirname "$0")/../../.."
dir=$(mktemp -d)
out=$PWD/build/faults
mkdir -p "$out"
cluster() { tests/live/cluster/cluster.sh --dir "$dir" "$@"; }
clean_up() {
  if [ -f "$dir/log/kube-apiserver.log" ]; then cp "$dir/log/kube-apiserver.log" "$out/"; fi
  cluster down
  rm -rf "$dir"
}
trap clean_up EXIT
go=$(tools/setup-go.sh)
GOTOOLCHAIN=auto GOFLAGS=-buildvcs=false "$go" build -C tests/live/cluster -o "$out/faults" ./faults
bare=
for flag; do [[ $flag != -bare ]] || bare=--bare; done
cluster up $bare --storage-media-type=application/json
"$out/faults" -minutes "$minutes" -seed "$seed" -dir "$dir" \
  -etcd "127.0.0.1:$(cluster status | awk '$1 == "etcd" { print $4 }')" -out "$out" -control "$PWD/tests/live/cluster/cluster.sh" "$@" -- \
  ${SCHEDULER:-out/bin/berth run -v 2 --secure-port 0 --seed "$seed"}
