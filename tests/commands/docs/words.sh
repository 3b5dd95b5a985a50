# SPDX-License-Identifier: Apache-2.0
# Sourced by run.sh: private words that standard terms replaced (words.txt) do not come back.

cpp_files() { git ls-files --cached --others --exclude-standard -- '*.cpp' '*.h' '*.hpp' | grep -E '^(host|sdk|plugins)/'; }

private_words_stay_gone() {
  { cpp_files; git ls-files -- 'docs/*.md' | grep -vx docs/glossary.md; } | perl tests/commands/docs/words.pl tests/commands/docs/words.txt
}

# The check sees a word in an identifier and on a page; not in a comment, a text, another word or a folder that has it still.
private_words_are_found() {
  local dir=$work/words/host/record
  mkdir -p "$dir" "$work/words/docs"
  printf '%s\n' '// a tape, a door' 'int tapestry = length("tape");' 'struct TapeReader {};' 'int read_tape(int doors_);' >"$dir/a.h"
  printf '%s\n' 'A rehearsal is a dry run.' 'A told story.' >"$work/words/docs/a.md"
  (cd "$work/words" && printf '%s\n' host/record/a.h docs/a.md | perl "$top/tests/commands/docs/words.pl" "$top/tests/commands/docs/words.txt") >"$work/found"
  diff - <(grep -o '^[a-z]*/[a-z./]*:[0-9]*: [^:]*' "$work/found") <<'END'
host/record/a.h:3: TapeReader
host/record/a.h:4: read_tape
host/record/a.h:4: doors_
docs/a.md:1: A rehearsal is a dry run.
END
}
