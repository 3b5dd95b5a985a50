# SPDX-License-Identifier: Apache-2.0
# Sourced by run.sh: docs/troubleshooting.md and the sources have the same messages.

# What a loader, the ABI's checks and the strict layer say. Their texts are pieces between which names and numbers are put.
message_sources=(elf library_owner sealed library library_check note catalog arguments instance expansion profile call examination
  strict strict_batches strict_bind strict_points strict_preemption strict_services remedy_fault pending_call call_proxy guarded_memory current_call)
# Pieces that are no message: one of the loader's own that is cut off.
# What service was called stands in the pages as `called …`.
not_shown='^called [a-z]+ of $|^\(dlerror system message: $'

pieces() {
  local name files=()
  for name in "${message_sources[@]}"; do files+=("host/plugin/$name.cpp"); done
  awk -f tests/commands/docs/literals.awk "${files[@]}" | grep -vE "$not_shown" | sort -u
}

every_message_is_on_the_page() {
  local piece bad=0 n=0
  tr '\n' ' ' <docs/troubleshooting.md >"$work/page"
  while IFS= read -r piece; do
    n=$((n + 1))
    piece=${piece#"${piece%%[! ]*}"}
    grep -qF -- "${piece%"${piece##*[! ]}"}" "$work/page" || { echo "docs/troubleshooting.md lacks: $piece"; bad=1; }
  done < <(pieces)
  [ $n -gt 150 ] || { echo "only $n pieces of messages were found in the sources"; bad=1; }
  return $bad
}

# Each piece of three words or more, of every message in the first column, is in a source.
every_message_is_of_the_sources() {
  local piece bad=0 n=0
  cat host/plugin/*.cpp >"$work/source" && awk -f tests/commands/docs/literals.awk host/plugin/*.cpp host/cli/plugin*.cpp >"$work/pieces"
  while IFS= read -r piece; do
    n=$((n + 1))
    grep -qF -- "$piece" "$work/pieces" || { echo "no source says: $piece"; bad=1; }
  done < <(awk -F ' \\| ' '/^\| `|^\| …/ { print $1 }' docs/troubleshooting.md | grep -o '`[^`]*`' | tr -d '`' |
    sed 's/…/\n/g' | sed 's/^ *//; s/ *$//; s/^[:;,] *//; s/:$//' | grep -E '[^ ]+ [^ ]+ [^ ]+ [^ ]+')
  [ $n -gt 80 ] || { echo "only $n pieces of messages were found on the page"; bad=1; }
  return $bad
}
