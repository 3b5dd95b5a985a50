#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# layout.sh [--write]: the size of every struct of the ABI, the offset and size of every field, and the value of every
# constant are those of layout.lock. INCLUDE is the folder of the headers. After a change that is meant (before ABI 1.0 any;
# afterwards only what is appended), --write makes the lock anew; the changelog says why. Prints a count of one.
set -euo pipefail
cd "$(dirname "$0")"
cc=${CC:-cc}
include=${INCLUDE:-../../../sdk/include}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Without comments a struct (or union) is `typedef struct NAME { fields } NAME;`.
# The drafts too: what changes in one has its place in the diff of the lock, and gets the next number.
(cd "$include" && find berth -path berth/berth.h -o -path 'berth/draft/*.h' | LC_ALL=C sort | sed 's/.*/#include <&>/') >"$work/all.c"
cp "$work/all.c" "$work/layout.c"
"$cc" -std=c11 -I$include -E -P "$work/all.c" | tr -s ' \n\t' ' ' | sed 's/typedef /\n&/g' | awk '
  BEGIN { print "#include <stdio.h>\nint main(void) {" }
  /^typedef (struct|union) berth_[a-z_0-9]* \{/ {
    name = $3
    body = substr($0, index($0, "{") + 1)
    body = substr(body, 1, index(body, "}") - 1)
    printf "printf(\"%s %%zu\\n\", sizeof(%s));\n", name, name
    n = split(body, fields, ";")
    for (i = 1; i <= n; ++i) {
      field = fields[i]
      if (field !~ /[a-z]/) continue
      if (match(field, /\(\*[a-z_0-9]+\)/)) { parts = 1; names[1] = substr(field, RSTART + 2, RLENGTH - 3) }
      else parts = split(field, names, ",")
      for (j = 1; j <= parts; ++j) {
        gsub(/\[.*\]/, "", names[j]); sub(/ +$/, "", names[j]); sub(/.*[ *]/, "", names[j])
        printf "printf(\"  %s at %%zu, %%zu bytes\\n\", offsetof(%s, %s), sizeof(((%s *)0)->%s));\n",
          names[j], name, names[j], name, names[j]
      }
    }
  }
  END { print "return 0; }" }' >>"$work/layout.c"
"$cc" -std=c11 -I$include -Wall -Wextra -Werror "$work/layout.c" -o "$work/layout"
{
  echo '# Written by layout.sh --write: structs with their sizes, fields with offset and size, then the constants.'
  "$work/layout"
  "$cc" -std=c11 -I$include -dM -E "$work/all.c" | sed -n 's/^#define \(BERTH_[A-Z0-9_]* .\)/\1/p' |
    grep -Ev '^BERTH_(VERSION|ABI_MINOR|EXPORT)' | LC_ALL=C sort
} >"$work/found"

if [ "${1:-}" = --write ]; then
  cp "$work/found" layout.lock
  exit
fi
if diff -U2 layout.lock "$work/found"; then echo '1 passed, 0 failed'; exit; fi
echo 'FAILED: the ABI is not that of tests/abi/promise/layout.lock (lines with + are what the headers say now)'
echo '0 passed, 1 failed'
exit 1
