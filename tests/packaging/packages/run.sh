#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The Debian packages and the release archive, made twice and looked at; what is in the packages is unpacked and used, by
# CMake, by pkg-config and by cargo. Needs `make build`. They are installed by quickstart.sh.
set -uo pipefail
. "$(dirname "$0")/../../check.sh"
packages=(berth berth-plugins-kubernetes berth-sdk)

made() { packages/packages.sh "$work/one" && [ "$(find "$work/one" -name '*.deb' | wc -l)" = 3 ]; }
of() { echo "$work/one/$1"_*.deb; }
field() { dpkg-deb -f "$(of "$1")" "$2"; }

same_bytes_twice() {
  packages/packages.sh "$work/two" || return 1
  local package
  for package in "$work"/one/*.deb; do cmp "$package" "$work/two/$(basename "$package")" || return 1; done
}

# What is installed, each file in one package, and nothing else but what Debian wants of a package.
every_file_once() {
  local package
  for package in "${packages[@]}"; do
    dpkg-deb --fsys-tarfile "$(of "$package")" | tar -t | grep -v '/$' | sed 's|^\./usr/||' | grep -v '^share/doc/'
  done | sort >"$work/packed"
  (cd out && find . -type f | sed 's|^\./||') | sort | diff - "$work/packed"
}

files_are_roots() {
  local package bad
  for package in "${packages[@]}"; do
    bad=$(dpkg-deb -c "$(of "$package")" | awk '$2 != "root/root" || $1 !~ /^(drwxr-xr-x|-rwxr-xr-x|-rw-r--r--)$/')
    [ -z "$bad" ] || { echo "$package: $bad"; return 1; }
    dpkg-deb --fsys-tarfile "$(of "$package")" | tar -xO "./usr/share/doc/$package/copyright" | grep '^License: Apache-2.0' >/dev/null ||
      { echo "$package has no copyright file"; return 1; }
  done
}

says_what_it_is() {
  local version package
  version=$(sed -n 's/^#define BERTH_VERSION "\(.*\)"$/\1/p' sdk/include/berth/version.h)
  for package in "${packages[@]}"; do
    [ "$(field "$package" Version)" = "$version" ] || { echo "$package: not version $version"; return 1; }
    [ "$(field "$package" Description | head -n 1 | wc -c)" -le 81 ] || { echo "$package: a long title"; return 1; }
    field "$package" Description | tail -n +2 | grep -E '^ [^ ]' >/dev/null || { echo "$package: no description"; return 1; }
  done
  [ "$(field berth-sdk Architecture)" = all ] && [ "$(field berth Architecture)" = "$(dpkg --print-architecture)" ]
}

# The package of each library that a program of the package is linked with is among its dependencies, by its name or by one
# that it provides, and no other is.
depends_on_what_it_needs() {
  local package needed file name
  for package in berth berth-plugins-kubernetes; do
    mkdir -p "$work/$package" && dpkg-deb -x "$(of "$package")" "$work/$package" || return 1
    field "$package" Depends | tr ',' '\n' | sed 's/^ *//; s/ .*//' | grep -v '^berth' | sort -u >"$work/declared"
    find "$work/$package/usr" -type f \( -name '*.so' -o -path '*/bin/*' \) -exec readelf -d {} + |
      sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -v '^ld-linux' | sort -u >"$work/needed"
    while read -r file; do
      name=$(dpkg -S "*/$(basename "$(realpath "$file")")" | sed -n "\\|$(dirname "$(realpath "$file")" | sed 's|^/usr||')/|s/:.*//p" | head -n 1)
      grep -qx "$name" "$work/declared" ||
        name=$(dpkg-query -W -f '${Provides}' "$name" | tr ',' '\n' | sed 's/^ *//; s/ .*//' | grep -xFf "$work/declared" || echo "$name")
      echo "$name"
    done < <(find "$work/$package/usr" -type f \( -name '*.so' -o -path '*/bin/*' \) -exec ldd {} + |
      awk '$2 == "=>" { print $1, $3 }' | sort -u | grep -Ff "$work/needed" | cut -d ' ' -f 2) | sort -u |
      diff - "$work/declared" || { echo "$package: above < needed, > declared"; return 1; }
  done
  needed=$(field berth-sdk Depends)
  [ -z "$needed" ] || { echo "berth-sdk depends on $needed"; return 1; }
}

unpacked() {
  local package
  mkdir "$work/root" && chmod 755 "$work" "$work/root" || return 1
  for package in "${packages[@]}"; do dpkg-deb -x "$(of "$package")" "$work/root" || return 1; done
  "$work/root/usr/bin/berth" simulate tests/simulation/scenarios/maxpods.yaml | grep '^Result: ' >/dev/null
}

# plays LIBRARY-DIR: the plugin of the README in it rejects the third of three pods.
plays() {
  "$work/root/usr/bin/berth" simulate --config tests/abi/out-of-tree/config.yaml --plugin-dir "$1" tests/abi/out-of-tree/cluster.yaml >"$work/played" &&
    grep -qF '1 node(s) reached the maximum of PodsPerNode.' "$work/played" || { cat "$work/played"; return 1; }
}

found_by_cmake() {
  mkdir "$work/by-cmake" && chmod 755 "$work/by-cmake" &&
    cmake -S tests/abi/out-of-tree/plugin -B "$work/by-cmake" -DCMAKE_PREFIX_PATH="$work/root/usr" &&
    cmake --build "$work/by-cmake" && grep -q "$work/root/usr/include" "$work"/by-cmake/build.ninja "$work"/by-cmake/CMakeFiles/*/flags.make 2>/dev/null &&
    plays "$work/by-cmake"
}

# by_pkg_config COMPILER SOURCE DIR
by_pkg_config() {
  mkdir "$3" && chmod 755 "$3" || return 1
  local flags
  flags=$(PKG_CONFIG_PATH=$work/root/usr/share/pkgconfig pkg-config --cflags --libs berth-sdk) || return 1
  [ "$(PKG_CONFIG_PATH=$work/root/usr/share/pkgconfig pkg-config --variable=plugindir berth-sdk)" -ef "$work/root/usr/lib/berth/plugins" ] || return 1
  # shellcheck disable=SC2086  # they are several
  $1 -shared -fPIC -fvisibility=hidden -Wall -Wextra -Werror "$2" $flags -o "$3/pods-per-node.so" || return 1
  [ "$(nm -D --defined-only --format=just-symbols "$3/pods-per-node.so" | sed 's/@.*//')" = berth_plugins_abi1 ] && plays "$3"
}
found_by_pkg_config() {
  awk '/^```c$/ { on = 1; next } /^```/ { on = 0 } on' docs/plugin-abi.md >"$work/pods_per_node.c"
  by_pkg_config 'g++ -std=c++20' tests/abi/out-of-tree/plugin/pods_per_node.cpp "$work/in-cpp" &&
    by_pkg_config 'gcc -std=c11' "$work/pods_per_node.c" "$work/in-c"
}

# As Debian 12's own cargo builds what the program makes, which names the crates and the headers beside it.
found_by_cargo() {
  "$work/root/usr/bin/berth" plugin new PodsPerNode --point filter --lang rust --output "$work/by-cargo" || return 1
  grep -q "$work/root/usr/share/berth/rust" "$work/by-cargo/Cargo.toml" || return 1
  (
    export RUSTC=/usr/bin/rustc
    cd "$work/by-cargo" && /usr/bin/cargo build --offline --release && /usr/bin/cargo test --offline &&
      "$work/root/usr/bin/berth" simulate --config example/config.yaml --plugin-dir target/release example/scenario.yaml |
      grep '^Scenario pods-per-node: .* holds\?$'
  )
}

archived() {
  packages/dist.sh "$work/dist" && packages/dist.sh "$work/again" && cmp "$work"/dist/*.tar.gz "$work"/again/*.tar.gz &&
    (cd "$work/dist" && sha256sum -c ./*.sha256) || return 1
  tar -tzf "$work"/dist/*.tar.gz | sed 's|^[^/]*/||' | grep -v '/$' | grep . | sort >"$work/listed"
  git ls-tree -r --name-only HEAD | sort | diff - "$work/listed"
}

check 'three packages are made' made
check 'made again they have the same bytes' same_bytes_twice
check 'every installed file is in one of them' every_file_once
check 'their files are of root, who alone may write them, and have their licence' files_are_roots
check 'they say their version, architecture and what they are' says_what_it_is
check 'they depend on the packages of the libraries that they need' depends_on_what_it_needs
check 'unpacked, the scheduler runs with the default plugins' unpacked
check 'find_package(berth) builds a plugin with what is unpacked' found_by_cmake
check 'pkg-config builds a plugin in C++ and one in C' found_by_pkg_config
check 'berth plugin new builds a plugin in Rust with what is unpacked' found_by_cargo
check 'the release archive holds the tree, with the same bytes twice' archived

finish
