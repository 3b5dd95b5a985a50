#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds plugins outside the tree with nothing but what is installed in out/: the smallest one of the README,
# which must then run in `berth simulate`, the examples, one for each extension point among them, whose scenarios must come out,
# those of project/ with their unit tests, and every plugin that this tree ships.
# Needs `make build`.
set -uo pipefail
shopt -s nullglob
. "$(dirname "$0")/../../check.sh"
. tests/abi/out-of-tree/pre_bind.sh

export CMAKE_CXX_COMPILER_LAUNCHER=ccache CMAKE_C_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=$work CCACHE_NOHASHDIR=1

# build SOURCE BUILD [TYPE]: Debug, here, is for what need only compile, so without information for debuggers.
build() {
  cmake -S "$1" -B "$2" -DCMAKE_PREFIX_PATH="$top/out" -DCMAKE_BUILD_TYPE="${3:-Release}" -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DCMAKE_EXPORT_COMPILE_COMMANDS=ON &&
    cmake --build "$2" --parallel "$(nproc)"
}

exports_only_the_entry() {
  local names
  names=$(nm -D --defined-only --format=just-symbols "$1" | sed 's/@.*//' | sort -u) || return 1
  [ "$names" = berth_plugins_abi1 ] || { echo "exported: $names"; return 1; }
}

# A plugin needs the C and C++ run-time libraries and nothing else; that of Kubernetes' plugins needs RE2, too.
needs_only_the_runtime() {
  local needed strangers allowed='libc|libm|libgcc_s|libstdc\+\+|ld-linux-x86-64|ld-linux-aarch64'
  [ "$(basename "$1")" != kubernetes.so ] || allowed+='|libre2'
  needed=$(readelf -d "$1") || return 1
  strangers=$(echo "$needed" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -vE "^($allowed)\.so\.")
  [ -z "$strangers" ] || { echo "needs: $strangers"; return 1; }
}

# Three pods for one node that takes two.
runs_in_simulate() {
  out/bin/berth simulate --config tests/abi/out-of-tree/config.yaml --plugin-dir out/lib/berth/plugins \
    --plugin-dir "$work/plugin-build" -o json tests/abi/out-of-tree/cluster.yaml >"$work/result.json" || return 1
  tr -d ' \n' <"$work/result.json" >"$work/flat.json"
  grep -q '"scheduled":2,"pending":1' "$work/flat.json" &&
    grep -qF '0/1 nodes are available: 1 node(s) reached the maximum of PodsPerNode.' "$work/result.json" ||
    { cat "$work/result.json"; return 1; }
}

# plays PLUGINS SCENARIO: the last line says what came of it.
plays() {
  out/bin/berth simulate --plugin-checks strict --plugin-dir "$1" "$2" >"$work/result" 2>&1 &&
    ! grep -q '^E' "$work/result" && tail -n 1 "$work/result" | grep -q '^Scenario .* holds\?$' || { cat "$work/result"; return 1; }
}

# names PLUGINS SCENARIO MEMBERS: the record of a decision has these members.
names() {
  out/bin/berth simulate --plugin-dir "$1" --decisions "$work/decisions" "$2" >/dev/null 2>&1
  grep -F "$3" "$work/decisions" || { cat "$work/decisions"; return 1; }
}

cp -r tests/abi/out-of-tree/plugin "$work/plugin"
check 'the smallest plugin builds with the installed package' build "$work/plugin" "$work/plugin-build"
check 'it exports the entry and nothing else' exports_only_the_entry "$work/plugin-build/pods-per-node.so"
check 'it needs nothing but the run-time libraries' needs_only_the_runtime "$work/plugin-build/pods-per-node.so"
check 'berth simulate runs it' runs_in_simulate

refuses_a_misspelt_argument() {
  sed 's/max: 2/maxx: 2/' tests/abi/out-of-tree/config.yaml >"$work/misspelt.yaml"
  ! out/bin/berth simulate --config "$work/misspelt.yaml" --plugin-dir "$work/plugin-build" tests/abi/out-of-tree/cluster.yaml >"$work/refused" 2>&1 &&
    grep 'maxx: unknown field' "$work/refused" || { cat "$work/refused"; return 1; }
}

# As the README's commands build it: with no build type.
is_optimized() {
  cmake -S "$work/plugin" -B "$work/untyped" -DCMAKE_PREFIX_PATH="$top/out" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON &&
    grep -q -- ' -O2 ' "$work/untyped/compile_commands.json" && ! grep -- '-O2' "$work/plugin-build/compile_commands.json"
}

# Below any prefix, with rights that the scheduler takes.
installs_itself() {
  sed -i 's/pods_per_node.cpp)/pods_per_node.cpp INSTALL)/' "$work/plugin/CMakeLists.txt"
  (umask 002 && cmake -S "$work/plugin" -B "$work/untyped" && cmake --build "$work/untyped" && cmake --install "$work/untyped" --prefix "$work/prefix") &&
    [ "$(stat -c %a "$work/prefix/lib/berth/plugins/pods-per-node.so")" = 755 ] && grep -q BERTH_PLUGIN_DIR out/lib/cmake/berth/BerthPlugin.cmake
}

check 'it refuses an argument that it does not have' refuses_a_misspelt_argument
check 'without a build type it is optimized' is_optimized
check 'with INSTALL it goes where the scheduler of its prefix looks' installs_itself

check 'the examples build with the installed package' build examples build/examples
for library in build/examples/*.so; do
  name=$(basename "$library" .so)
  check "$name.so exports the entry and nothing else" exports_only_the_entry "$library"
  check "$name.so needs nothing but the run-time libraries" needs_only_the_runtime "$library"
  check "examples/${name//-/_}.yaml comes out as it says" plays build/examples "examples/${name//-/_}.yaml"
done
# What a plugin declares to read is in its note, and among the rights of a configuration that enables it.
reads_are_rights() {
  out/bin/berth plugin inspect --insecure-plugins build/examples/pilotage.so >"$work/said" &&
    grep -q '^  rights: *get v1/configmaps$' "$work/said" && grep -q '^  drafts: .*berth.host.reader/draft1' "$work/said" || { cat "$work/said"; return 1; }
  printf '%s\n' 'apiVersion: kubescheduler.config.k8s.io/v1' 'kind: KubeSchedulerConfiguration' \
    'profiles: [{plugins: {score: {enabled: [{name: Pilotage}]}}}]' >"$work/pilotage.yaml"
  out/bin/berth config rbac --plugin-dir build/examples "$work/pilotage.yaml" >"$work/rules" &&
    tr -d ' \n' <"$work/rules" | grep -q 'resources:-configmapsverbs:-get-' || { cat "$work/rules"; return 1; }
}
check 'what Pilotage reads is a right' reads_are_rights
check 'Ballast names its victims' names build/examples examples/ballast.yaml \
  '"nominatedNode":"west","victims":["default/stone"],"victimsReason":"the fewest pods of ballast","evaluatedNodes":2'
check 'Tonnage names its victims' names build/examples examples/tonnage.yaml \
  '"nominatedNode":"quay","victims":["default/south-2"],"victimsReason":"beyond their fleet'"'"'s tonnage","evaluatedNodes":1'
check "the examples of the author's guide build with the installed package" build examples/points build/points
for scenario in examples/points/*.yaml; do
  check "$scenario comes out as it says" plays build/points "$scenario"
done
check 'Dredger names its victims' names build/points examples/points/post_filter.yaml \
  '"nominatedNode":"quay","victims":["default/mud"],"victimsReason":"mud","evaluatedNodes":1'
check 'the examples of docs/port-a-go-plugin.md build with the installed package' build examples/port build/port
for scenario in examples/port/*.yaml; do
  check "$scenario comes out as it says" plays build/port "$scenario"
done
# What people ask for: a project with its own tests.
check 'the plugins that people ask for build with the installed package' build tests/abi/out-of-tree/project build/asked-for
check 'their unit tests pass' ctest --test-dir build/asked-for --no-tests=error --output-on-failure
for scenario in tests/abi/out-of-tree/project/*.yaml; do
  name=$(basename "$scenario" .yaml)
  [ "$name" != config ] || continue
  check "${name//_/-}.so is verified" out/bin/berth plugin verify --config tests/abi/out-of-tree/project/config.yaml "build/asked-for/${name//_/-}.so"
  check "${name//_/-}.so exports the entry and nothing else" exports_only_the_entry "build/asked-for/${name//_/-}.so"
  check "$scenario comes out as it says" plays build/asked-for "$scenario"
done
check '2,000 pods wait in PreBind while others are bound' others_do_not_wait build/examples

# Every plugin of this tree, all in one build; what is asked is whether they build, so it need not optimize.
mkdir "$work/tree"
printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' 'project(outside C CXX)' 'find_package(berth REQUIRED)' \
  >"$work/tree/CMakeLists.txt"
names=()
for folder in plugins/*/CMakeLists.txt; do
  name=$(basename "$(dirname "$folder")")
  names+=("$name")
  cp -r "plugins/$name" "$work/tree/$name"
  echo "add_subdirectory($name)" >>"$work/tree/CMakeLists.txt"
done
check 'all plugins build with the installed package' build "$work/tree" "$work/built" Debug
for name in "${names[@]}"; do
  library=$work/built/$name/$name.so
  check "$name.so exports the entry and nothing else" exports_only_the_entry "$library"
  check "$name.so needs nothing but the run-time libraries" needs_only_the_runtime "$library"
done

finish
