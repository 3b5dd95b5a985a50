#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# write.sh: makes anew what is made from the headers of the ABI: layout.lock, anchor.abi, the Rust bindings, docs/abi-reference.md.
set -euo pipefail
cd "$(dirname "$0")/../../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for part in layout anchor rust; do tests/abi/promise/$part.sh --write; done
. tests/commands/docs/reference.sh
RECORD=1 reference_is_the_headers >"$work/differences" || true # it fails where it wrote something
reference_is_the_headers
