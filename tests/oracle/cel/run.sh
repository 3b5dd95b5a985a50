#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh [N] [SEED]: gives the expressions of cases.txt and N random ones to Kubernetes' CEL and to the one of the default
# plugins, and compares errors of compilation, results, errors of evaluation and costs. Ends with "N expressions, M
# differences"; the exit code is 0 only when M is 0.
set -euo pipefail
cd "$(dirname "$0")"
. ../judge/build.sh
build_judge oracle-cel cel cel
build_berth berth_cel_evaluate
exec "$cache/cel" -evaluate "$build/tests/berth_cel_evaluate" -n "${1:-20000}" -seed "${2:-1}" -cases cases.txt
