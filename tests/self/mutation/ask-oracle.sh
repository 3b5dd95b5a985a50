#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# ask-oracle.sh: has the oracle judge the plugins of $BERTH_PLUGIN_DIR, with cases about the source that is spoiled
# ($BERTH_SPOILED), then with others, until one fails.
set -euo pipefail
case ${BERTH_SPOILED:-} in
*volume* | csi_* | storage_* | delayed_*) theme=volumes ;;
*claim* | device_* | dynamic_*) theme=claims ;;
*preemption*) theme=budgets ;;
*) theme=scores ;;
esac
ask() {
  .cache/oracle/oracle run -berth build/release/bin/berth -seed 10 -defaults configs/defaults/1.36/v1.yaml \
    -plugin-dir "$BERTH_PLUGIN_DIR" -first "$@"
}
ask -n 300 -cases tests/oracle/judge/cases -theme $theme
ask -n 300
