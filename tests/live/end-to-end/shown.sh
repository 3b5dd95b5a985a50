# SPDX-License-Identifier: Apache-2.0
# What a person sees, in the pages: the block of a page after a line `<!-- shown: NAME -->` is output that a test left under
# that name by `see` or `keep`. `pages_show` compares the two; with RECORD=1 it writes the blocks that are not true any more.
# `<!-- shown: NAME, in any order -->`: nobody can tell which of its lines comes first. Sourced by all.sh.

kubectl() { k "$@"; }

# see NAME COMMAND...: the command as one types it, and what it prints.
see() {
  local name=$1
  shift
  { echo "\$ $*"; "$@" 2>&1; } | keep "$name"
}
# keep NAME: the standard input, after what was kept under that name before.
keep() { mkdir -p "$work/blocks" && cat >>"$work/blocks/$1"; }

# unchanging [CHANCE]: the standard input without what is different in every run; the sed script CHANCE is for what chance
# decides there.
unchanging() {
  local id='[bcdfghjklmnpqrstvwxz2456789]'
  sed -E -e 's/^([IWEF])[0-9]{4} [0-9:.]{15} +[0-9]+ /\1 /; s/([a-z_]+\.cpp):[0-9]+\]/\1]/' \
    -e 's/[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} [+-][0-9]{4}/DATE/g' \
    -e 's/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/UID/g; s/\b[0-9]{1,3}(\.[0-9]{1,3}){3}(:[0-9]+)?\b/ADDRESS/g' \
    -e "s/-$id{8,10}-$id{5}\\b/-REPLICA/g; s/(kube-api-access-)$id{5}\\b/\\1ID/g" \
    -e 's/(^| )[0-9]+[dhms]([0-9]+[hms])?( \(x[0-9]+ over [^)]*\))?( |$)/\1AGE\4/g' -e "${1:-}" -e 's/ +/ /g; s/-{4,}/----/g; s/ $//'
}

# marked [PREFIX]: "PAGE NAME ORDER" of every such block of the pages.
marked() { git grep -n --untracked "^<!-- shown: ${1:-}.* -->\$" -- '*.md' | sed 's/:[0-9]*:<!-- shown: / /; s/ -->$//; s/, in any order$/ sort/'; }

# block_of PAGE NAME: what the page shows under that name, of output or of code (`<!-- code: FILE -->`).
block_of() {
  awk -v name="$2" '/^<!-- (shown|code|printed): / { here = $3 == name || $3 == name "," } /^```/ { inside = here && !inside; if (!inside) here = 0; next } inside' "$1"
}
# write_block PAGE NAME FILE: the page shows the file.
write_block() {
  awk -v name="$2" -v file="$3" '
    /^<!-- (shown|code|printed): / { here = $3 == name || $3 == name "," }
    here && /^```/ { print; if (inside) here = inside = 0; else { inside = 1; while ((getline line < file) > 0) print line } next }
    !inside' "$1" >"$work/page" && cat "$work/page" >"$1"
}

# pages_show PREFIX [CHANCE]: every block whose name begins so is what a test left, and whatever one left so is in a page.
pages_show() {
  local page name order wrong=0 n=0
  while read -r page name order; do
    n=$((n + 1))
    [ -f "$work/blocks/$name" ] || { echo "$page: no test has shown $name"; wrong=1; continue; }
    block_of "$page" "$name" | unchanging "${2:-}" | ${order:-cat} >"$work/said"
    unchanging "${2:-}" <"$work/blocks/$name" | ${order:-cat} >"$work/seen"
    if cmp -s "$work/said" "$work/seen"; then continue; fi
    if [ -n "${RECORD:-}" ]; then
      sed 's/ *$//' "$work/blocks/$name" >"$work/record" && write_block "$page" "$name" "$work/record"
      continue
    fi
    echo "$page: $name: the page (<) and what is seen (>) differ; RECORD=1 writes what is seen"
    diff "$work/said" "$work/seen"
    wrong=1
  done < <(marked "$1")
  for name in "$work/blocks/$1"*; do
    [[ " $(marked "$1" | cut -d ' ' -f 2 | tr '\n' ' ') " == *" $(basename "$name") "* ]] ||
      { echo "no page shows $(basename "$name")"; wrong=1; }
  done
  [ $wrong = 0 ] && echo "$n blocks of the pages are what kubectl and the log show"
}
