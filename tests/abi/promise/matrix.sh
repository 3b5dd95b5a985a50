#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# matrix.sh [--write]: the table of docs/versions.md says which libraries load in which host: those of tests/abi/golden, and two that
# are made here as a later minor's headers would make them. --write writes it. BERTH is the host. Prints a count of one.
set -uo pipefail
. "$(dirname "$0")/../../check.sh"
berth=${BERTH:-out/bin/berth}
minor=$(sed -n 's/^#define BERTH_ABI_MINOR //p' sdk/include/berth/version.h)

# later NAME MINOR: a library in C that was built with headers of the next minor, and needs MINOR.
later() {
  cat >"$work/$1.c" <<END
#include <berth/berth.h>
static const berth_plugin plugin = {.struct_size = sizeof plugin};
static const berth_plugin *const plugins[] = {&plugin};
static const berth_library library = {.struct_size = sizeof library, .abi_required_minor = $2, .abi_header_minor = $((minor + 1)),
                                      .plugins = plugins, .plugins_len = 1};
const berth_library *berth_plugins_abi1(void) { return &library; }
BERTH_MANIFEST("{\"abi\": 1, \"requiredMinor\": $2, \"plugins\": [{\"name\": \"Later\", \"version\": \"1.0.0\", "
               "\"interfaces\": [\"berth.filter/1\"]}]}");
END
  "${CC:-cc}" -std=c11 -Isdk/include -shared -fPIC "$work/$1.c" -o "$work/$1.so"
}

# row WHAT FILE
row() {
  local said needs loads
  said=$("$berth" plugin inspect --insecure-plugins "$2")
  needs=$(sed -n 's/^  abi: *\([0-9.]*\).*/\1/p' <<<"$said")
  loads=$(sed -n 's/^  would load: *//p' <<<"$said")
  [ "$loads" = yes ] || loads="no: $(sed -n 's/^  because: *[^:]*: //p' <<<"$said")"
  [ -n "$needs" ] && [ "$loads" != 'no: ' ] || { echo "$said" >&2; return 1; }
  echo "| $1 | $needs | $loads |"
}

table() {
  local version file name compiler
  version=$(sed -n 's/^#define BERTH_VERSION "\(.*\)"/\1/p' sdk/include/berth/version.h)
  later nothing-new 0 && later something-new $((minor + 1)) || return 1
  echo "| library | needs ABI | Berth $version (ABI 1.$minor) |"
  echo '|---|---|---|'
  for file in tests/abi/golden/*.so; do
    name=${file##*/}
    compiler=$(sed -n "s/^| \`$name\` | [^|]* | \([^|]*\) | .*/, \1/p" tests/abi/golden/README.md)
    row "\`$name\`$compiler" "$file" || return 1
  done
  row "built for ABI 1.$((minor + 1)), uses nothing new" "$work/nothing-new.so" && row "built for ABI 1.$((minor + 1)), uses something new" "$work/something-new.so"
}

# The page with the table between its two marks.
page() {
  table >"$work/table" && awk -v table="$work/table" '
    /^<!-- matrix -->$/ { print; while ((getline line <table) > 0) print line; skip = 1; ++marks; next }
    /^<!-- end of the matrix -->$/ { skip = 0; ++marks }
    !skip
    END { exit marks != 2 }' docs/versions.md
}

the_table_is_so() {
  page >"$work/page" || return 1
  [ -z "${1:-}" ] || cp "$work/page" docs/versions.md
  diff docs/versions.md "$work/page" || { echo 'tests/abi/promise/matrix.sh --write writes it anew'; return 1; }
}

check 'docs/versions.md says which library loads in which host' the_table_is_so "${1:-}"
finish
