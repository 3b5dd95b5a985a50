# SPDX-License-Identifier: Apache-2.0
# The reference page out of the C headers, which are given in the order of the page; `root` is the folder before their names.
# Of each struct: its comment, its declarations, and the comments of its fields; of the rest: names, values and comments.

function trim(s) { gsub(/^[ \t]+|[ \t]+$/, "", s); return s }
# A comment's text without its marks; the lines of a table and of JSON stay lines.
function plain(s,   n, parts, i, line, out) {
  n = split(s, parts, "\n")
  for (i = 1; i <= n; ++i) {
    line = parts[i]
    sub(/^[ \t]*\/\*+<?/, "", line); sub(/\*\/[ \t]*$/, "", line); sub(/^[ \t]*\*( |$)/, "", line)
    sub(/^ ?@file *$/, "", line)
    if (line ~ /^ *\|/) out = out "\n" trim(line)
    else if (line ~ /^  +[{"]/) out = out (out ~ /\n    [^\n]*$/ ? "\n" : "\n\n") "  " line
    else if (out ~ /\n    [ {"][^\n]*$/) out = out "\n\n" trim(line)
    else if (trim(line) == "") out = out "\n\n"
    else if (line ~ /^[0-9]+\. /) out = out (out ~ /\n([0-9]+\.|    -) [^\n]*$/ ? "\n" : "\n\n") line
    else if (line ~ /^ +\[[a-z]+\] /) out = out "\n    - " trim(line)
    else if (line ~ /^  [^ ]/) out = out (out ~ /\n- [^\n]*$/ ? "\n- " : "\n\n- ") trim(line)
    else out = out (out == "" || out ~ /\n$/ ? "" : " ") trim(line)
  }
  gsub(/\n\n\n+/, "\n\n", out); sub(/^\n+/, "", out); sub(/\n+$/, "", out)
  return out
}
# As a sentence within a list or a table.
function flat(s) { gsub(/[ \n]+/, " ", s); return trim(s) }
# As an item of a list, which may have a table.
function item(s,   n, parts, i, out) {
  if (s !~ /\n\|/) return flat(s)
  n = split(s, parts, "\n")
  for (i = 1; i <= n; ++i)
    if (parts[i] ~ /^\|/) out = out (out ~ /\n  \|[^\n]*$/ ? "" : "\n") "\n  " parts[i]
    else if (trim(parts[i]) != "") out = out (out == "" ? "" : out ~ /\n  \|[^\n]*$/ ? "\n\n  " : " ") trim(parts[i])
  return out
}
function end_constants() { if (constants) print ""; constants = 0 }

function constant(line,   name, value, doc) {
  doc = ""
  if (match(line, /\/\*\*<.*/)) { doc = plain(substr(line, RSTART)); line = substr(line, 1, RSTART - 1) }
  sub(/^#define /, "", line)
  name = line; sub(/ .*/, "", name)
  value = trim(substr(line, length(name) + 1))
  if (name ~ /^BERTH_([A-Z_]*_H|EXPORT)$/ || value == "") return
  if (!constants) {
    if (pending != "") print pending "\n"
    print "| constant | value | |\n|---|---|---|"
  } else if (pending != "") doc = doc (doc == "" ? "" : " ") flat(pending)
  pending = ""
  constants = 1
  gsub(/\|/, "\\|", doc)
  print "| `" name "` | `" value "` | " flat(doc) " |"
}

function field_done(   name) {
  if (trim(declaration) == "") return
  block = block trim(declaration) "\n"
  if (field_doc != "") {
    name = declaration
    if (match(name, /\(\*[a-z_0-9]+\)/)) name = substr(name, RSTART + 2, RLENGTH - 3)
    else { sub(/;.*/, "", name); gsub(/\[.*\]/, "", name); sub(/^[^,]*[ *]([a-z_0-9]+)?/, "&", name); name = names_of(name) }
    notes = notes "- `" name "`: " item(field_doc) "\n"
  }
  declaration = field_doc = ""
}
# `const x *a, *b` is `a, b`.
function names_of(s,   n, parts, i, out) {
  n = split(s, parts, ",")
  for (i = 1; i <= n; ++i) { gsub(/.*[ *]/, "", parts[i]); out = out (i > 1 ? ", " : "") parts[i] }
  return out
}

FNR == 1 {
  end_constants()
  name = FILENAME; sub(root, "", name)
  print "## " name "\n"
  pending = ""; first = 1; inside = body = 0
}
# Comments that go over several lines, or stand alone, but for those to clang-tidy.
/^[ \t]*\/\* NOLINT/ { next }
!comment && /^[ \t]*\/\*/ && !/SPDX/ { comment = 1; text = "" }
comment {
  text = text (text == "" ? "" : "\n") $0
  if (!/\*\/[ \t]*$/) next
  comment = 0
  if (text ~ /\/\*\*</) { field_doc = plain(text); next }
  if (first) { print plain(text) "\n"; first = 0; next }
  end_constants()
  # A comment that is not `/**` is about several fields: it stands above them in the block.
  if (inside && text !~ /\/\*\*/) { field_done(); block = block "/* " flat(plain(text)) " */\n" }
  else if (inside) { field_done(); field_doc = plain(text) }
  else { if (pending != "") print pending "\n"; pending = plain(text) }
  next
}
body { if (/^}/) body = 0; next }
inside && /^} [a-z_0-9]+;/ {
  field_done()
  printf "```c\n%s```\n\n", block
  if (notes != "") print notes
  inside = 0
  next
}
inside {
  line = $0
  doc = ""
  if (match(line, /\/\*\*<.*/)) {
    doc = substr(line, RSTART); line = trim(substr(line, 1, RSTART - 1))
    # It may go on in the lines that follow.
    while (doc !~ /\*\/[ \t]*$/ && (getline more) > 0) doc = doc "\n" more
    field_doc = plain(doc)
  }
  sub(/; +\/\*/, "; /*", line)
  declaration = declaration (declaration == "" ? "" : " ") trim(line)
  if (declaration ~ /;( \/\*.*\*\/)?$/ ) field_done()
  next
}
/^typedef (struct|union) berth_[a-z_0-9]+ \{/ {
  end_constants()
  print "### " $3 "\n"
  if (pending != "") print pending "\n"
  pending = block = notes = declaration = field_doc = ""
  inside = 1
  next
}
/^typedef struct berth_[a-z_0-9]+ berth_[a-z_0-9]+;/ {
  end_constants()
  name = $4; sub(/;/, "", name)
  print "### " name "\n"
  if (pending != "") print pending "\n"
  pending = ""
  next
}
/^static inline / || /^BERTH_EXPORT / || /^typedef .*\(\*/ {
  end_constants()
  line = $0; sub(/ \{$/, ";", line); sub(/^static inline /, "", line)
  if (pending != "") print flat(pending) "\n"
  print "```c\n" line "\n```\n"
  pending = ""
  if (/\{$/) body = 1
  next
}
/^#define [A-Z_]+\(/ {
  end_constants()
  line = $0; sub(/^#define /, "", line); sub(/\).*/, ")", line)
  if (pending != "") print "`" line "`: " flat(pending) "\n"
  pending = ""
  continued = /\\$/
  next
}
continued { continued = /\\$/; next }
/^#define / {
  line = $0
  if (line ~ /\\$/) { continued = 1; next }
  while (line ~ /\/\*\*</ && line !~ /\*\/[ \t]*$/ && (getline more) > 0) line = line "\n" more
  constant(line)
  next
}
/^$/ { end_constants() }
END { end_constants() }
