#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# style.sh check-format | format | pages | tidy changed|all [MOST]: one place that knows which files are ours and what changed.
# tidy needs the compile commands of build/release; of more than MOST files it takes that many, others for each commit. Each
# ends with `N passed, 0 failed`, or with a line `skipped: WHY`.
set -euo pipefail
cd "$(dirname "$0")/.."

sources() { git ls-files --cached --others --exclude-standard -- '*.h' '*.hpp' '*.c' '*.cpp'; }
licensed() {
  git ls-files --cached --others --exclude-standard -- '*.h' '*.hpp' '*.c' '*.cpp' '*.go' '*.sh' '*.awk' '*.pl' '*.cmake' \
    '*CMakeLists.txt' Makefile '*.map'
}

# Columns of a line, and the pages of Markdown that keep to it: all but those with `max_line_length = off`.
columns() { sed -n 's/^max_line_length = \([0-9]*\)$/\1/p' .editorconfig | head -n 1; }
pages() {
  local left_out
  mapfile -t left_out < <(sed -n '/^\[/h; /^max_line_length = off$/{x; s/[][{}]//g; y/,/\n/; p}' .editorconfig)
  git ls-files --cached --others --exclude-standard -- '*.md' "${left_out[@]/#/:(exclude)}"
}

# The commit that this work stands on: where it left main, or the previous commit when it is main.
base() {
  local main fork
  for main in origin/main main; do
    fork=$(git merge-base HEAD "$main" 2>/dev/null) || continue
    [ "$fork" = "$(git rev-parse HEAD)" ] || { echo "$fork"; return; }
  done
  git rev-parse -q --verify HEAD~1 || true
}

# Translation units that a change touches: changed ones, and those that include a changed header directly.
tidy_changed() {
  local from changed file
  from=$(base)
  if [ -z "$from" ]; then tidy_all; return; fi
  changed=$({ git diff --name-only --diff-filter=d "$from"; git ls-files --others --exclude-standard; } | sort -u)
  while read -r file; do
    case $file in
      host/*.h) grep -rlF --include='*.cpp' "\"${file#host/}\"" host plugins tests || true ;;
      tests/*.h) grep -rlE --include='*.c' --include='*.cpp' "\"([^\"]*/)?${file##*/}\"" tests || true ;;
      sdk/include/*) grep -rlF --include='*.cpp' --include='*.c' "<${file#sdk/include/}>" host plugins sdk tests examples || true ;;
      *) echo "$file" ;;
    esac
  done <<<"$changed" | sort -u | only_linted
}
tidy_all() { sources | only_linted; }
only_linted() { grep -E '^(host|plugins|sdk|tests|examples)/.*\.(c|cpp)$' || true; }

case ${1:-} in
  check-format)
    sources | xargs -r clang-format-19 --dry-run -Werror
    unlicensed=$(licensed | xargs -r grep -L 'SPDX-License-Identifier: Apache-2.0')
    [ -z "$unlicensed" ] || { printf 'no SPDX line in: %s\n' $unlicensed >&2; exit 1; }
    # The golden libraries and the fuzzer's seed are kept as they were built; nothing else that a compiler made is a source.
    compiled=$(git ls-files | grep -vE '^tests/(abi/golden|robustness/fuzz/seeds)/' | LC_ALL=C xargs -r grep -laP '\A\x7fELF' || true)
    [ -z "$compiled" ] || { printf 'a compiled file: %s; git rm --cached it\n' $compiled >&2; exit 1; }
    # A linter is only silenced by name and for a reason, which stands behind or, for a line alone, above.
    unreasoned=$(sources | xargs -r grep -nE 'NOLINT($|[^A-Z(])|NOLINT(NEXTLINE|BEGIN)?\([^)]*\)($|[^:])' || true)
    [ -z "$unreasoned" ] || { printf 'NOLINT without a name or a reason: %s\n' "$unreasoned" >&2; exit 1; }
    echo '4 passed, 0 failed'
    ;;
  format)
    sources | xargs -r clang-format-19 -i
    pages | xargs -r tests/commands/docs/wrap.pl "$(columns)"
    ;;
  pages) pages ;;
  tidy)
    commands=build/release/compile_commands.json
    [ -s "$commands" ] || { echo "$commands is not there; cmake --preset release makes it" >&2; exit 1; }
    files=$("tidy_${2:?changed or all}" | while read -r file; do
      ! grep -qF "/$file\"" "$commands" || echo "$file"
    done)
    [ -n "$files" ] || { echo 'skipped: no source changed'; exit 0; }
    most=${3:-} found=$(wc -l <<<"$files")
    if [ -n "$most" ] && [ "$found" -gt "$most" ]; then
      files=$(shuf -n "$most" --random-source=<(yes "$(git rev-parse HEAD)") <<<"$files")
      echo "$most of the $found that changed; all of them with make soak"
    fi
    # Each source alone: clang cannot read the headers that g++ has compiled, and a source that forgets one is found.
    mkdir -p build/tidy
    sed 's/ -Winvalid-pch -include [^ ]*cmake_pch\.hxx//; s/ -fpch-preprocess//' "$commands" >build/tidy/compile_commands.json
    printf '%s\n' "$files" | xargs -P "$(nproc)" -n 1 clang-tidy-19 --quiet -p build/tidy \
      --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-error
    echo "$(wc -l <<<"$files") passed, 0 failed"
    ;;
  *) echo 'usage: tools/style.sh check-format | format | pages | tidy changed|all' >&2; exit 2 ;;
esac
