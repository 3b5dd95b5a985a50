#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh [N] [SEED]: builds the oracle, lets it test itself unless TRUST_JUDGE=1, and has it judge at least N random decisions of
# out/bin/berth (or $BERTH, with the plugins of $BERTH_PLUGIN_DIR), those of cases/ first. Failing cases are kept, shrunk,
# in .cache/oracle/failing. Ends with "N decisions, M differences"; the exit code is 0 only when M is 0.
set -euo pipefail
cd "$(dirname "$0")/../judge"
. ./build.sh
berth=${BERTH:-$root/out/bin/berth}
[ -x "$berth" ] || { echo "oracle: $berth is not there; make build makes it" >&2; exit 2; }
build_judge oracle oracle
[ -n "${TRUST_JUDGE:-}" ] || "$go" test -p 1 .
exec "$cache/oracle" run -berth "$berth" -n "${1:-2000}" -seed "${2:-1}" -keep "$cache/failing" -cases cases \
  ${BERTH_PLUGIN_DIR:+-plugin-dir "$BERTH_PLUGIN_DIR"}
