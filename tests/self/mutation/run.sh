#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh [N] [SEED]: tries N (2) of the mutants that mutate.sh tries, and one change that is said to change nothing; SEED, the date,
# says which. Ends with `N passed, N failed`: a mutant that no test notices, and an entry of equivalent.txt that is not true, are
# failures.
set -uo pipefail
cd "$(dirname "$0")/../../.."
n=${1:-2} seed=${2:-$(date -u +%Y%m%d)}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "seed $seed: tests/self/mutation/run.sh $n $seed tries the same"
tests/self/mutation/mutate.sh 5 '' -sample "$n" -pick "$seed" | tee "$log"
status=${PIPESTATUS[0]}
passed=$(grep -c -e '| caught by ' -e '| changes nothing: ' "$log")
failed=$(grep -c -e '| survived |' -e '^FAIL ' "$log")
[ "$status" = 0 ] || [ "$failed" != 0 ] || failed=1
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
