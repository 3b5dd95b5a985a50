#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cluster.sh [--dir DIR] COMMAND: a real Kubernetes control plane on 127.0.0.1, built when it is missing. Without a
# command it says which there are.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=$(cd "$here/../../.." && pwd)/.cache/cluster
dir=$cache/default
if [ "${1:-}" = --dir ]; then
  dir=${2:?--dir needs a directory}
  shift 2
fi
"$here/build.sh" "$cache/bin"
[ "${1:-}" != build ] || exit 0
if [ "${1:-}" = next ]; then
  cat <<END
  this shell       export KUBECONFIG=$dir/kubeconfig/admin PATH=$cache/bin:\$PATH
  three nodes      kubectl apply -f tests/live/cluster/nodes.yaml
  ten pods         kubectl create deployment web --image=web --replicas=10
  a scheduler      out/bin/berth run --config $dir/schedulers/default.yaml      (make build makes it)
  or upstream's    tests/live/cluster/cluster.sh scheduler start one      (scheduler stop one)
  what came of it  kubectl get pods -o wide; kubectl get events
  what runs        tests/live/cluster/cluster.sh status      (logs in $dir/log)
  the end          make cluster-down
END
  exit
fi
exec "$cache/bin/cluster" "$cache/bin" "$dir" "$@"
