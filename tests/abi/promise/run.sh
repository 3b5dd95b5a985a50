#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh: what the ABI promises and no unit test can see: its headers, what the wrapper refuses, its layout, and the symbols of the libraries that
# were built. Each part prints its own count.
set -uo pipefail
cd "$(dirname "$0")"
status=0
for part in headers near-misses strict misbehaves layout anchor fit changes rust symbols matrix; do
  echo "== $part"
  ./$part.sh || status=1
done
exit $status
