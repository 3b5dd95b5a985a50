# SPDX-License-Identifier: Apache-2.0
# The row of each source file in docs/architecture.md: its name and the first sentence of the comment that it begins with. `root` is the
# folder before the names. A file without such a sentence, or with one of more than 120 bytes, is named on standard error.

function trim(s) { gsub(/^[ \t]+|[ \t]+$/, "", s); return s }
function fault(what) { print FILENAME ": " what >"/dev/stderr"; bad = 1 }
# Outside of code, Markdown would take < and * for its own.
function plain(s,   n, parts, i, out) {
  n = split(s, parts, "`")
  for (i = 1; i <= n; ++i) {
    if (i % 2) { gsub(/</, "\\&lt;", parts[i]); gsub(/\*/, "\\*", parts[i]) }
    out = out (i > 1 ? "`" : "") parts[i]
  }
  gsub(/\|/, "\\|", out)
  return out
}
function end(   at, name) {
  if (text == "") { fault("begins with no comment that says what it has"); return }
  if (at = index(text, ". ")) text = substr(text, 1, at)
  sub(/[.:]$/, "", text)
  if (length(text) > 120) fault("its first sentence has " length(text) " bytes; 120 at most")
  name = FILENAME; sub(root, "", name)
  print "| `" name "` | " plain(text) " |"
}

FNR == 1 { text = ""; begun = done = 0 }
done { next }
# `///` or `//` in C++, `/** @file` and ` * ` in C.
/SPDX/ || /^#pragma once$/ || /^\/\*\* @file$/ { next }
/^\/\/\/? [^ ]/ || /^ \* [^ ]/ { begun = 1; line = $0; sub(/^(\/\/\/?| \*) /, "", line); text = trim(text " " line); next }
!begun && /^$/ { next }
{ done = 1; end() }
END { exit bad }
