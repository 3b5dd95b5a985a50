# SPDX-License-Identifier: Apache-2.0
# The texts of C++ sources, one a line: string literals of three words or more, those that stand beside each other joined, the
# ABI's names that are macros put in.
BEGIN {
  macros["BERTH_ENTRY_SYMBOL"] = "berth_plugins_abi1"
  macros["BERTH_NOTE_SECTION"] = ".note.berth"
  macros["BERTH_NOTE_NAME"] = "berth"
}
FNR == 1 { flush() }
{
  line = $0
  while (line != "") {
    if (match(line, /^[ \t]+/)) { line = substr(line, RLENGTH + 1); continue }
    if (line ~ /^\/\// || line ~ /^#/) break
    if (match(line, /^"([^"\\]|\\.)*"/)) {
      part = substr(line, 2, RLENGTH - 2)
      gsub(/\\"/, "\"", part); gsub(/\\n/, "", part); gsub(/\\\\/, "\\", part)
      text = text part
    } else if (match(line, /^'([^'\\]|\\.)*'/)) flush()
    else if (match(line, /^[A-Za-z_0-9]+/)) {
      word = substr(line, 1, RLENGTH)
      if (word in macros) text = text macros[word]; else flush()
    } else { match(line, /^./); flush() }
    line = substr(line, RLENGTH + 1)
  }
}
END { flush() }
function flush() {
  if (text ~ /[^ ]+ [^ ]+ [^ ]+/) print text
  text = ""
}
