#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh [ARGUMENT...]: runs this scheduler from here against the cluster of $KUBECONFIG (~/.kube/config), in the foreground.
# BERTH names another program than that of this tree (make build).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
exec "${BERTH:-$here/../../out/bin/berth}" run --config "$here/scheduler.yaml" --kubeconfig "${KUBECONFIG:-$HOME/.kube/config}" \
  -v 2 "$@"
