#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# ours.sh [EVERY]: breaks the contract of the ABI in copies of this tree's own plugins, as ours.txt says, and looks whether the
# test that stands there catches it; with a number, only one in EVERY of them. Each plugin is built as a library of its own with
# the installed SDK, unoptimized. Needs `make build`. A line for each bug: test, plugin, what it does; ends with `N passed, N failed`.
set -uo pipefail
. "$(dirname "$0")/../../check.sh"
. tests/abi/verify/verdict.sh
every=${1:-1}
sdk=$top/out/include
compile=("${CXX:-c++}" -std=c++20 -O0 -fPIC -fwrapv -ffp-contract=off -fvisibility=hidden -w -I "$sdk")

# The SDK is read once for all.
precompiled() {
  echo '#include <berth/plugin.hpp>' >"$work/sdk.h" && "${compile[@]}" -x c++-header "$work/sdk.h" -o "$work/sdk.h.gch"
}

# replaced FILE OLD NEW: the text stands there once, and no more.
replaced() {
  local text
  text=$(<"$1")
  [[ $text == *"$2"* ]] || { echo "$1 has no text '$2'"; return 1; }
  [ "${text/"$2"/}" = "${text//"$2"/}" ] || { echo "$1 has the text '$2' more than once"; return 1; }
  printf '%s\n' "${text/"$2"/"$3"}" >"$1"
}

# main_of SOURCE PLUGIN: what is compiled. Of a library in several parts that one plugin alone.
main_of() {
  local class
  case $1 in
    *.cpp) cat "$work/copy/$1" ;;
    *)
      class=$(sed -n "s/.*berth::entry<k::\(.*>(\"$2\", \"[^\"]*\"\)).*/\1/p" "$(dirname "$1")/library.cpp")
      [ -n "$class" ] || { echo "no plugin $2 beside $1" >&2; return 1; }
      printf '#include "%s"\nBERTH_PLUGINS(berth::entry<kubernetes::%s))\n' "$(basename "$1")" "$class"
      ;;
  esac
}

# bug SOURCE PLUGIN TEST [OLD NEW]...
bug() {
  local source=$1 plugin=$2 test=$3 folder
  folder=$(dirname "$source")
  shift 3
  rm -rf "$work/copy" && mkdir -p "$work/copy/$folder" && cp "$folder"/*.{h,cpp} "$work/copy/$folder" 2>/dev/null
  while [ $# -gt 0 ]; do
    replaced "$work/copy/$source" "$1" "$2" || return 1
    shift 2
  done
  main_of "$source" "$plugin" >"$work/main.cpp" && library "$work/spoiled.so" "$work/main.cpp" -I "$work/copy/$folder" -I "$folder" || return 1
  caught "$test" "$work/spoiled.so"
}

# library FILE SOURCE OPTION...
library() {
  local file=$1
  shift
  "${compile[@]}" -shared -include "$work/sdk.h" -Wl,--version-script=sdk/cmake/berth-plugin.map -Wl,-z,defs -o "$file" "$@"
}

# Reads the list; `now` is the bug that is being read.
now=()
number=0
try() {
  [ ${#now[@]} != 0 ] || return 0
  [ $((number++ % every)) = 0 ] || return 0
  check "${now[2]}: ${now[1]}: ${now[3]}" bug "${now[@]:0:3}" "${now[@]:4}"
}
list() {
  local line last=
  while IFS= read -r line; do
    case $line in
      '@ '*)
        try
        IFS='|' read -r -a now <<<"${line#@ }"
        now=("${now[0]%% }" "${now[1]// /}" "${now[2]// /}" "${now[3]# }")
        ;;
      -*) now+=("${line:2}" '') ;;
      +*)
        # A second line of a replacement goes below the first.
        [ "$last" != + ] || now[-1]+=$'\n'
        now[-1]+=${line:2}
        ;;
    esac
    last=${line:0:1}
  done <tests/abi/verify/ours.txt
  try
}

check 'the SDK is compiled once for all' precompiled
list
finish
