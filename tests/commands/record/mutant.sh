# SPDX-License-Identifier: Apache-2.0
# Plugins made for a test. Sourced.

# library NAME SOURCE: a plugin of that source, as $work/NAME.so.
library() {
  mkdir -p "$work/of-$1" && cp "$2" "$work/of-$1/plugin.cpp" || return 1
  printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' 'project(made CXX)' 'find_package(berth REQUIRED)' \
    "berth_add_plugin($1 SOURCES plugin.cpp)" >"$work/of-$1/CMakeLists.txt"
  cmake -S "$work/of-$1" -B "$work/of-$1/build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$PWD/out" >/dev/null &&
    cmake --build "$work/of-$1/build" >/dev/null && install -m 755 "$(find "$work/of-$1/build" -name "$1.so")" "$work/$1.so"
}

# mutant FOLDER SOURCE PATTERN TEXT: the plugin of plugins/FOLDER with one thing changed, as $work/mutant.so.
mutant() {
  sed "s/$3/$4/" "plugins/$1/$2" >"$work/mutant.cpp"
  ! cmp -s "$work/mutant.cpp" "plugins/$1/$2" || { echo "plugins/$1/$2 has no $3"; return 1; }
  library mutant "$work/mutant.cpp"
}
