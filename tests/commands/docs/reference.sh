# SPDX-License-Identifier: Apache-2.0
# Sourced by run.sh: docs/abi-reference.md is what the headers say.

reference() {
  local headers=(berth.h version.h entry.h plugin.h host.h status.h text.h)
  cat <<'PAGE'
# The ABI, header by header

Made from the headers in `sdk/include/berth` by `RECORD=1 tests/commands/docs/run.sh`; what is wrong here is wrong there. The way in is
[plugin-abi.md](plugin-abi.md); `berth.h` begins with the conventions.

PAGE
  awk -v root="sdk/include/berth/" -f tests/commands/docs/reference.awk "${headers[@]/#/sdk/include/berth/}" sdk/include/berth/view/*.h \
    sdk/include/berth/point/*.h sdk/include/berth/service/*.h sdk/include/berth/draft/*.h | cat -s
}

reference_is_the_headers() {
  local missing bad=0
  reference >"$work/reference"
  # Every struct and constant of the lock is there.
  while read -r missing; do
    echo "docs/abi-reference.md would lack $missing"
    bad=1
  done < <(grep -oE '^(berth|BERTH)_[A-Za-z_0-9]+' tests/abi/promise/layout.lock |
    sort -u | while read -r name; do grep -qE "(### |\`)$name(\$|\`)" "$work/reference" || echo "$name"; done)
  [ -z "${RECORD:-}" ] || cp "$work/reference" docs/abi-reference.md
  diff "$work/reference" docs/abi-reference.md || { echo 'tests/abi/promise/write.sh writes it anew'; bad=1; }
  return $bad
}
