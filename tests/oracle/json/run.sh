#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh [N [SEED]]: N random strange texts, and what Kubernetes' decoder makes of them, are read alike by Berth. Ends with
# "N passed, N failed".
set -euo pipefail
cd "$(dirname "$0")"
. ../judge/build.sh
build_judge json gojson gojson
build_berth berth_json_check
n=${1:-50000} seed=${2:-$RANDOM}
echo "json: $n texts, seed $seed"
"$cache/gojson" -n "$n" -seed "$seed" | "$build/tests/berth_json_check"
