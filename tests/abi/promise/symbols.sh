#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# symbols.sh [DIR]: every plugin library of DIR (out/lib/berth/plugins) exports berth_plugins_abi1 and nothing else, and needs
# nothing but the C and C++ libraries, the compiler's own and the loader. Ends with `N passed, N failed`.
set -uo pipefail
dir=${1:-$(dirname "$0")/../../../out/lib/berth/plugins}
passed=0
failed=0

report() { # LABEL FAULTS: a library's faults, one a line
  if [ -z "$2" ]; then passed=$((passed + 1)); return; fi
  failed=$((failed + 1))
  sed "s|^|FAILED: $1: |" <<<"$2"
}

# Libraries that a plugin may need beside those of the toolchain, and what of them it may leave undefined: RE2, which Debian
# gives as a shared library only (its archive is not position-independent).
may_need() { [ "$(basename "$1")" != kubernetes.so ] || echo 'libre2\.so\.[0-9]+'; }
of_re2='^_ZNK?3re2'

for library in "$dir"/*.so; do
  [ -e "$library" ] || continue
  exported=$(nm -D --defined-only --format=posix "$library" | awk '{print $1}')
  [ "$exported" = berth_plugins_abi1 ] && faults= || faults="exports ${exported:-nothing}, expected berth_plugins_abi1 alone"
  report "$library" "$faults"
  # A symbol of another library carries the name of its version; these are the ones that the toolchain itself leaves weak.
  allowed=$(may_need "$library")
  report "$library" "$(nm -D --undefined-only --with-symbol-versions "$library" | awk -v more="${allowed:+$of_re2}" '
    $NF ~ /@+(GLIBC|GCC|GLIBCXX|CXXABI)_/ { next }
    $NF ~ /^(__gmon_start__|__cxa_finalize|_ITM_(de)?registerTMCloneTable)(@|$)/ { next }
    more != "" && $NF ~ more { next }
    { print "leaves " $NF " to whoever loads it" }')"
  report "$library" "$(readelf -dW "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
    grep -Evx "libc\.so\.6|libm\.so\.6|libgcc_s\.so\.1|libstdc\+\+\.so\.6|ld-linux.*${allowed:+|$allowed}" | sed 's/^/needs /')"
done
[ $((passed + failed)) != 0 ] || { echo "FAILED: $dir holds no plugin library"; failed=1; }
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
