# SPDX-License-Identifier: Apache-2.0
# Sourced by run.sh: the section "Every file" of docs/architecture.md has each header, and each source without one, of the host, the
# default plugins and the SDK, with the first sentence of its comment.

# sources_of FOLDER: the headers in it, and the sources without a header of their name, sorted.
sources_of() {
  local file
  git ls-files --cached --others --exclude-standard -- "$1/*.h" "$1/*.hpp" "$1/*.cpp" | while read -r file; do
    [ "$(dirname "$file")" = "$1" ] && [ -e "$file" ] || continue
    case $file in *.cpp) [ ! -e "${file%.cpp}.h" ] && [ ! -e "${file%.cpp}.hpp" ] || continue ;; esac
    echo "$file"
  done | LC_ALL=C sort
}

# source_index: the section. Fails if a file has no sentence.
source_index() {
  local folder files bad=0
  cat <<'PAGE'
## Every file

Made by `RECORD=1 tests/commands/docs/run.sh` from the comment that each file begins with. A header and a source of the
same name share a row.
PAGE
  while read -r folder; do
    mapfile -t files < <(sources_of "$folder")
    [ ${#files[@]} -gt 0 ] || continue
    printf '\n### %s\n\n| file | has |\n|---|---|\n' "$folder"
    awk -v root="$folder/" -f tests/commands/docs/source_index.awk "${files[@]}" || bad=1
  done < <(
    sed -n 's/^room \([a-z]*\) .*/host\/\1/p; s/^room \([a-z]*\)$/host\/\1/p' host/rooms.txt
    echo host
    echo plugins/kubernetes
    git ls-files -- 'plugins/kubernetes/*/*.h' | sed 's|/[^/]*$||' | sort -u
    printf 'sdk/include/berth%s\n' '' /view /point /service /draft /preemption /testing
  )
  return $bad
}

# index_of PAGE: its section "Every file", which is the last one.
index_of() { sed -n '/^## Every file$/,$p' "$1"; }

every_file_has_its_row() {
  local page=docs/architecture.md file bad=0
  source_index >"$work/index" || bad=1
  # No folder is missing.
  sed -n 's/^### //p; s/^| `\([^`]*\)` .*/\1/p' "$work/index" | awk '/\.(h|hpp|cpp)$/ { print folder "/" $0; next } { folder = $0 }' |
    grep -v '\.cpp$' | LC_ALL=C sort >"$work/indexed"
  git ls-files --cached --others --exclude-standard -- 'host/*.h' 'plugins/kubernetes/*.h' 'sdk/include/berth/*.h' 'sdk/include/berth/*.hpp' |
    grep -v /detail/ | while read -r file; do [ ! -e "$file" ] || echo "$file"; done | LC_ALL=C sort | diff "$work/indexed" - || bad=1
  if [ -n "${RECORD:-}" ]; then
    { sed '/^## Every file$/,$d' $page && cat "$work/index"; } >"$work/page" && cp "$work/page" $page || return 1
  fi
  index_of $page | diff - "$work/index" || { echo 'RECORD=1 tests/commands/docs/run.sh writes it anew'; bad=1; }
  return $bad
}
