#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# anchor.sh [--write]: abidiff compares a library that returns every struct of the ABI by its type with the one that anchor.abi
# describes. The layout lock knows offsets; this knows types too, a function's parameters among them. What a struct has gained at
# its end passes, nothing else. INCLUDE is the folder of the headers. Prints a count of one.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

include=$(realpath "${INCLUDE:-../../../sdk/include}")
{
  (cd "$include" && find berth -path berth/berth.h -o -path 'berth/draft/*.h' | LC_ALL=C sort | sed 's/.*/#include <&>/')
  sed -n 's/^\(berth_[a-z_0-9]*\) .*/const \1 *anchor_\1(void); const \1 *anchor_\1(void) { return 0; }/p' layout.lock
} >"$work/anchor.c"
(cd "$work" && cc -std=c11 -I"$include" -g -fPIC -shared -Wall -Werror anchor.c -o anchor.so)
# It is described as x86-64 has it; the layout is that of every 64-bit machine (layout.sh).
if [ "$(uname -m)" != x86_64 ]; then echo '1 passed, 0 failed'; exit; fi
if [ "${1:-}" = --write ]; then
  abidw --no-show-locs --no-corpus-path --no-comp-dir-path --no-write-default-sizes --out-file anchor.abi "$work/anchor.so"
  exit
fi

# A suppression of types that have gained fields at their end (has_data_member_inserted_at) would hide in them, with Debian 12's
# abidiff, every other change too; so what is left of the report is judged here.
abidiff --leaf-changes-only --no-show-locs anchor.abi "$work/anchor.so" >"$work/said" || true
if awk '
    /summary:/ || /^ *$/ || /^.struct berth_[a-z_0-9]*. changed:$/ { next }
    /^  type size changed from [0-9]+ to [0-9]+ \(in bits\)$/ { size = $5; next }
    /^  [0-9]+ data member insertions?:$/ { next }
    /^    .*, at offset [0-9]+ \(in bits\)$/ && $(NF - 2) >= size { next }
    { bad = 1 }
    END { exit bad }' "$work/said"; then echo '1 passed, 0 failed'; exit; fi
cat "$work/said"
echo 'FAILED: the ABI is not that of tests/abi/promise/anchor.abi, and not by appended fields alone'
echo '0 passed, 1 failed'
exit 1
