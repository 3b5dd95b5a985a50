# SPDX-License-Identifier: Apache-2.0
# Sourced from the top of the tree: one rule (draught.cpp) by five compilers and C++ libraries, and a world for it.
languages=(gcc clang bundled c rust)

# built LANGUAGE DIR: DIR/LANGUAGE.so, made with nothing but the SDK. `clang` has libc++, `bundled` a libstdc++ of its own.
built() {
  local sdk=${sdk:-out} so=$2/$1.so
  local shared=(-I"$sdk/include" -O2 -fPIC -shared -fvisibility=hidden -pedantic -Wall -Wextra -Werror
    -Wl,--version-script="$sdk/lib/cmake/berth/berth-plugin.map" -Wl,-z,defs -o "$so")
  case $1 in
    gcc) g++ -std=c++20 tests/abi/languages/draught.cpp "${shared[@]}" ;;
    clang) clang++-19 -std=c++20 -stdlib=libc++ tests/abi/languages/draught.cpp "${shared[@]}" ;;
    bundled) g++ -std=c++20 -static-libstdc++ -static-libgcc tests/abi/languages/draught.cpp "${shared[@]}" ;;
    c) gcc -std=c11 tests/abi/languages/draught.c "${shared[@]}" ;;
    # Debian 12's own compiler, even where a newer one comes first.
    rust)
      RUSTC=/usr/bin/rustc CARGO_TARGET_DIR=$PWD/build/rust /usr/bin/cargo build --offline --quiet --release \
        --manifest-path tests/abi/languages/rust/Cargo.toml && cp build/rust/release/libdraught.so "$so"
      ;;
  esac
}

# pins DIR: the arguments that give each library's plugin the name of its language.
pins() {
  local language
  for language in "${languages[@]}"; do printf '%s\n' --plugin "Draught-$language=$1/$language.so#Draught"; done
}

# in_one_host: a configuration with a profile for each language, named after it; all have all five plugins, their own first.
in_one_host() {
  local profile language order
  echo 'apiVersion: kubescheduler.config.k8s.io/v1'
  echo 'kind: KubeSchedulerConfiguration'
  echo 'profiles:'
  for profile in "${languages[@]}"; do
    order="{name: Draught-$profile}"
    for language in "${languages[@]}"; do [ "$language" = "$profile" ] || order+=", {name: Draught-$language}"; done
    echo "- {schedulerName: $profile, plugins: {multiPoint: {enabled: [$order]}}}"
  done
}

# world SEED NODES PODS: nodes of many depths, some without one; pods of the five profiles in turn, of many draughts. Of those
# whose draught is no number there are ten, two for each profile.
world() {
  awk -v seed="$1" -v nodes="$2" -v pods="$3" -v names="${languages[*]}" 'BEGIN {
    srand(seed)
    n = split(names, profiles, " ")
    for (i = 1; i <= nodes; ++i) {
      label = rand() < 0.1 ? "" : sprintf(", labels: {depth: \"%d\"}", rand() * 30)
      print "---\n{apiVersion: v1, kind: Node, metadata: {name: berth-" i label "},"
      print " status: {capacity: &r {cpu: \"8\", memory: 64Gi, pods: \"110\"}, allocatable: *r}}"
    }
    for (i = 1; i <= pods; ++i) {
      draught = i <= 2 * n ? "deep-" i : int(rand() * 34)
      print "---\n{apiVersion: v1, kind: Pod, metadata: {name: ship-" i ", labels: {draught: \"" draught "\"}},"
      print " spec: {schedulerName: " profiles[i % n + 1] ", containers: [{name: main, image: \"example/main:1\","
      print "   resources: {requests: {cpu: " 100 + int(rand() * 10) * 100 "m}}}]}}"
    }
  }'
}
