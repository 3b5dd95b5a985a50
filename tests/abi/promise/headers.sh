#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# headers.sh: every header of the ABI alone, as C and as C++, and all of the C++ wrapper together, by every compiler that is
# there, and every public header of the wrapper alone by g++, with LONG=1 by clang++, too; without a warning. Ends with
# `N passed, N failed`.
set -uo pipefail
cd "$(dirname "$0")/../../../sdk/include"
passed=0
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What a header's macros become must be right too, so a library is made of them.
cat >"$work/library.c" <<'END'
#include <berth/berth.h>
BERTH_MANIFEST("{\"abi\":1}");
static const berth_plugin plugin = {.struct_size = sizeof(berth_plugin), .name = {"P", 1}};
static const berth_plugin *const plugins[] = {&plugin};
static const berth_library library = {.struct_size = sizeof(berth_library), .plugins = plugins, .plugins_len = 1};
const berth_library *berth_plugins_abi1(void) {
    berth_column column = {.struct_size = sizeof(berth_column)};
    berth_str name = BERTH_STR("P");
    return name.len && BERTH_HAS(&column, dict_len) && berth_valid(&column, 0) ? &library : NULL;
}
END
cat >"$work/library.cc" <<'END'
#include <berth/berth.h>
BERTH_MANIFEST("{\"abi\":1}");
const berth_library *berth_plugins_abi1(void) {
    static const berth_str name = BERTH_STR("P");
    static berth_library library = {};
    library.sdk_name = name;
    return BERTH_HAS(&library, build_info) ? nullptr : &library;
}
END

check() { # LABEL COMMAND...
  local label=$1
  shift
  if "$@" >"$work/log" 2>&1; then passed=$((passed + 1)); return; fi
  failed=$((failed + 1))
  echo "FAILED: $label"
  head -n 20 "$work/log"
}

strict=(-I. -fsyntax-only -pedantic -Werror -Wall -Wextra -Wshadow)
each() { # ENDING COMMAND...: all headers so called, each a translation unit of its own, as many at once as there are processors
  local header units=() ending=$1
  shift
  while read -r header; do
    units+=("$work/$(tr / _ <<<"$header").$suffix")
    printf '#include <%s>\nextern int one_declaration;\n' "$header" >"${units[-1]}"
  done < <(find berth -name "*.$ending" ! -path '*/detail/*' | sort)
  printf '%s\0' "${units[@]}" | xargs -0 -n 4 -P "$(nproc)" "$@"
}

for pair in gcc:g++ clang-19:clang++-19; do
  cc=${pair%:*} cxx=${pair#*:}
  command -v "$cc" >/dev/null || continue
  suffix=c
  for std in c11 c17 c2x; do
    check "$cc -std=$std, each header alone" each h "$cc" -std=$std "${strict[@]}" -Wstrict-prototypes
    check "$cc -std=$std, a library" "$cc" -std=$std "${strict[@]}" -Wno-missing-field-initializers "$work/library.c"
  done
  suffix=cc
  for std in c++17 c++20 c++2b; do
    check "$cxx -std=$std, each header alone" each h "$cxx" -std=$std "${strict[@]}"
    check "$cxx -std=$std, a library" "$cxx" -std=$std "${strict[@]}" "$work/library.cc"
  done
  # It takes a minute or two, and what a header lacks is nearly always the same for both.
  if [ "$cxx" = g++ ] || [ -n "${LONG:-}" ]; then
    check "$cxx -std=c++20, each header of the wrapper alone" each hpp "$cxx" -std=c++20 "${strict[@]}"
  fi
  find berth -maxdepth 1 -name '*.hpp' | sort | sed 's/.*/#include <&>/' >"$work/wrapper.cc"
  for std in c++20 c++2b; do
    check "$cxx -std=$std, the wrapper" "$cxx" -std=$std "${strict[@]}" "$work/wrapper.cc"
  done
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
