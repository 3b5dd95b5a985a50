#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# ask-headers.sh: do the tests of the spoiled source ($BERTH_SPOILED in $BERTH_SOURCES) by itself notice? They are those that
# include it, and need no scheduler.
set -euo pipefail
tests=$(grep -lF "\"../../../plugins/kubernetes/$BERTH_SPOILED\"" tests/simulation/steps/*_test.cpp) || exit 0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tests/simulation/steps" "$work/plugins"
ln -s "$(realpath "$BERTH_SOURCES")" "$work/plugins/kubernetes"
cp $tests "$work/tests/simulation/steps"
root=$PWD
cd "$work"
c++ -std=c++20 -I "$root/tests" -I "$root/sdk/include" -o tests/all tests/simulation/steps/*.cpp \
  "$root/build/release/tests/CMakeFiles/berth_test_main.dir/main.cpp.o"
tests/all --abort --reporter compact
