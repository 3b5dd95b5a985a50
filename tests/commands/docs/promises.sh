# SPDX-License-Identifier: Apache-2.0
# Sourced by the check of the pages, from the top of the tree, and by the shows of soundness: docs/threat-model.md lists every
# `promise(WHO): …` that stands above a test, with that test.

# promises: a row per promise, `WHO<tab>PROMISE<tab>TEST<tab>FILE`, by who and by file. A promise above nothing that is a test is an error.
promises() {
  git grep -nhE --untracked --null '^(#|//) promise\(' -- tests >/dev/null || { echo 'no promise was found' >&2; return 1; }
  git grep -lE --untracked '^(#|//) promise\(' -- tests | LC_ALL=C sort | while read -r file; do
    awk -v file="$file" '
      function loose() { if (n) { print file ": a promise that stands above no test: " text[1] > "/dev/stderr"; exit 1 } }
      /^(#|\/\/) promise\([a-z]+\): / {
        line = $0
        sub(/^(#|\/\/) promise\(/, "", line)
        who[++n] = substr(line, 1, index(line, ")") - 1)
        text[n] = substr(line, index(line, ")") + 3)
        next
      }
      n && /^(#|\/\/)/ { line = $0; sub(/^(#|\/\/) ?/, "", line); text[n] = text[n] " " line; next }
      n {
        test = ""
        if (match($0, /^[a-z_0-9A-Z]+\(\)/)) test = substr($0, 1, RLENGTH - 2)
        else if (match($0, /^(TEST_CASE|SCENARIO)\("[^"]*"/)) { test = substr($0, RSTART, RLENGTH); sub(/^[^"]*"/, "", test); sub(/"$/, "", test) }
        else if (match($0, /^check (\x27[^\x27]*\x27|"[^"]*")/)) { test = substr($0, RSTART + 7, RLENGTH - 8) }
        else if (match($0, /^func Test[A-Za-z0-9]*/)) test = substr($0, 6, RLENGTH - 5)
        if (test == "") loose()
        for (i = 1; i <= n; ++i) print who[i] "\t" text[i] "\t" test "\t" file
        n = 0
      }
      END { loose() }' "$file" || return 1
  done
}

# promise_table: the table of the page.
promise_table() {
  local rows
  rows=$(promises) || return 1
  echo '| who | promise | test |'
  echo '|---|---|---|'
  local who name
  for who in tenant editor peer plugin user recording admin; do
    case $who in
      tenant) name='a tenant' ;;
      editor) name='a user with `edit`' ;;
      peer) name='a network peer' ;;
      plugin) name='an author of a plugin' ;;
      user) name='another user of the machine' ;;
      recording) name='a writer of a recording' ;;
      admin) name='an owner of the configuration' ;;
    esac
    awk -F '\t' -v who=$who -v name="$name" '$1 == who {
      gsub(/\|/, "\\|")
      printf "| %s | %s | %s, [%s](../%s) |\n", name, $2, $3, substr($4, 7), $4
    }' <<<"$rows"
  done
  awk -F '\t' '$1 !~ /^(tenant|editor|peer|plugin|user|recording|admin)$/ { print $4 ": promise(" $1 "): who is that?" > "/dev/stderr"; bad = 1 } END { exit bad }' <<<"$rows"
}

# The lines between the marks of the page.
promises_of_the_page() { awk '/^<!-- promises end -->$/ { inside = 0 } inside; /^<!-- promises: / { inside = 1 }' docs/threat-model.md; }

write_promises() {
  promise_table >"$work/promises" || return 1
  awk -v table="$work/promises" '
    /^<!-- promises end -->$/ { inside = 0 }
    !inside
    /^<!-- promises: / { inside = 1; while ((getline line <table) > 0) print line }' docs/threat-model.md >"$work/page" &&
    cp "$work/page" docs/threat-model.md
}

promises_are_those_of_the_tests() {
  [ -z "${RECORD:-}" ] || write_promises || return 1
  promise_table >"$work/promises" || return 1
  promises_of_the_page | diff - "$work/promises" || { echo 'RECORD=1 tests/commands/docs/run.sh writes what the tests say'; return 1; }
  echo "$(($(wc -l <"$work/promises") - 2)) promises, each with its test"
}
