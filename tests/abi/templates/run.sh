#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh [--all] [SEED]: what `berth plugin new` makes, in each language. The sources of each extension point alone, of all
# together and of some by chance compile without a warning, the tests where there are several points; those of all together and
# of one choice by chance are built, tested, verified and simulated. With --all every one is. Needs `make build`.
set -uo pipefail
. "$(dirname "$0")/../../check.sh"
every=
if [ "${1:-}" = --all ]; then every=1; shift; fi
seed=${1:-$RANDOM}
RANDOM=$seed
points=(pre-enqueue queue-sort pre-filter filter post-filter pre-score score score,normalize reserve permit pre-bind bind post-bind)
all=$(IFS=,; echo "${points[*]}")
warnings='-Wall -Wextra -Wpedantic -Wshadow -Werror'
export CMAKE_CXX_COMPILER_LAUNCHER=ccache CMAKE_C_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=$work

# Debian 12's own, even where newer ones come first; and what a build script compiles is compiled once.
export RUSTC=/usr/bin/rustc RUSTFLAGS=-Dwarnings
mkdir "$work/bin"
ln -s /usr/bin/cargo "$work/bin/cargo"
printf '%s\n' '#!/bin/sh' 'exec ccache c++ "$@"' >"$work/bin/cached-c++"
chmod +x "$work/bin/cached-c++"

# by_chance: some of the points.
by_chance() {
  local point chosen=()
  for point in "${points[@]}"; do [ $((RANDOM % 3)) = 0 ] && chosen+=("$point"); done
  (IFS=,; echo "${chosen[*]:-filter}")
}

# Every table of the README has a row.
tables_are_full() {
  awk '/^\|-/ { if ((getline row) <= 0 || row !~ /^\|/) empty = 1 } END { exit empty }' "$1/README.md" || { echo "$1/README.md has an empty table"; return 1; }
}

made() { out/bin/berth plugin new PodsPerNode --point "$2" --lang "$1" --output "$work/$1-$2"; }

# The header of the tests takes longest, so it is compiled once.
header_compiled() {
  mkdir -p "$work/gch/berth" && g++ -std=c++20 -w -Iout/include -x c++-header out/include/berth/testing.hpp -o "$work/gch/berth/testing.hpp.gch"
}

# compiles LANGUAGE POINTS
compiles() {
  local dir=$work/$1-$2
  made "$1" "$2" || return 1
  ! grep -rnE '@[A-Za-z_]+@|^ *%' "$dir" && tables_are_full "$dir" || return 1
  case $1 in
    rust)
      CXX=$work/bin/cached-c++ CARGO_TARGET_DIR=$work/checked /usr/bin/cargo check --offline --quiet --all-targets --manifest-path "$dir/Cargo.toml"
      return
      ;;
    cpp) g++ -std=c++20 $warnings -Iout/include -fsyntax-only "$dir/pods_per_node.cpp" ;;
    c) gcc -std=c11 $warnings -Wstrict-prototypes -Wmissing-prototypes -Iout/include -fsyntax-only "$dir/pods_per_node.c" ;;
  esac || return 1
  # The one test stands for all; each by itself takes minutes.
  [ -z "$every" ] && [[ $2 != *,* ]] ||
    g++ -std=c++20 $warnings -I"$work/gch" -Iout/include -DBERTH_PLUGIN_FILE='""' -fsyntax-only "$dir/test/pods_per_node_test.cpp"
}

# works LANGUAGE POINTS: as its README says, but for where Berth is.
works() {
  local dir=$work/$1-$2 built=build commands=5 cxx=c++
  if [ "$1" = rust ]; then built=target/release commands=4 cxx=$work/bin/cached-c++; fi
  [ -d "$dir" ] || made "$1" "$2" || return 1
  sed -n 's/^    \(cmake\|ctest\|cargo\|berth plugin verify\|berth simulate\)/\1/p' "$dir/README.md" >"$dir/commands.sh"
  [ "$(wc -l <"$dir/commands.sh")" = $commands ] || { echo "the README has other commands"; return 1; }
  (umask 022 && cd "$dir" && CXX=$cxx CMAKE_PREFIX_PATH=$top/out CXXFLAGS=$warnings CFLAGS=$warnings CARGO_NET_OFFLINE=true PATH=$work/bin:$top/out/bin:$PATH bash -e commands.sh) >"$dir/log" 2>&1 &&
    { [ "$1" = rust ] || grep -q -- '-O0' "$dir/build/CMakeFiles/pods-per-node-test.dir/flags.make" || { echo 'the test is optimised, which takes twice as long'; return 1; }; } &&
    grep -q '^Scenario pods-per-node: .* holds\?$' "$dir/log" && grep -q '^[0-9]* passed, 0 failed$' "$dir/log" && ! grep -E '^(E[0-9]|warning)' "$dir/log" &&
    "$top/out/bin/berth" config validate --plugin-dir "$dir/$built" "$dir/example/config.yaml" || { tail -n 30 "$dir/log"; return 1; }
  # The README's command verifies with one seed; its clusters may lack what makes a rule fail.
  local other
  for other in 2 5; do
    "$top/out/bin/berth" plugin verify --seed $other "$dir"/$built/*.so >"$dir/log" 2>&1 || { echo "seed $other"; grep -v '^ok' "$dir/log"; return 1; }
  done
}

# values_are_taken LANGUAGE
values_are_taken() {
  [ -x .cache/cluster/bin/helm ] || return 0
  sed 's/PUT THE 64 DIGITS HERE/0123456789012345678901234567890123456789012345678901234567890123/' "$work/$1-$all/values.yaml" >"$work/values.yaml"
  .cache/cluster/bin/helm template berth charts/berth --kube-version 1.36.0 -f "$work/values.yaml" | grep 'PodsPerNode' >/dev/null
}

check 'the header of the tests' header_compiled
# LANGUAGES="rust" tries just these.
languages=(${LANGUAGES:-c cpp rust})
for language in "${languages[@]}"; do
  for some in "${points[@]}" "$all" "$(by_chance)" "$(by_chance)"; do
    # Twice the same by chance is no other plugin.
    [ -d "$work/$language-$some" ] || check "$language, $some: compiles without a warning" compiles $language "$some"
  done
  chosen=("$all" "$(by_chance)")
  # Scores that are normalized may be anything but below zero; the three templates count them alike.
  [ $language != cpp ] || chosen+=(score,normalize)
  [ -z "$every" ] || chosen+=("${points[@]}")
  for some in "${chosen[@]}"; do check "$language, $some: builds, passes its test, verify and its scenario (seed $seed)" works $language "$some"; done
done
for language in "${languages[@]}"; do check "$language: the chart takes its values" values_are_taken $language; done

finish
