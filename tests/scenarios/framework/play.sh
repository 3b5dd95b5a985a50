#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# play.sh FILE...: simulates each scenario and compares what became of its pods with FILE's .outcome: a line for each pod
# that was placed (`namespace/name node`), evicted (`namespace/name evicted`) or left (`namespace/name: message`). With
# UPDATE=1 it writes the outcomes instead.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
berth=${BERTH:-out/bin/berth}

# outcome DECISIONS: what became of the pods, from a log with events.
outcome() {
  awk '
    function text(line, member) {
      if (!match(line, "\"" member "\":\"([^\"\\\\]|\\\\.)*\"")) return ""
      line = substr(line, RSTART, RLENGTH)
      sub("^\"" member "\":\"", "", line)
      sub(/"$/, "", line)
      return line
    }
    { pod = text($0, "namespace") "/" text($0, "name") }
    /"event":\{"type":"Deleted","kind":"Pod"/ { what[pod] = pod " evicted" }
    !/"event":/ && text($0, "result") == "Scheduled" { what[pod] = pod " " text($0, "node") }
    !/"event":/ && text($0, "result") != "Scheduled" { what[pod] = pod ": " text($0, "message") }
    END { for (pod in what) print what[pod] }' "$1" | LC_ALL=C sort
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=0
for file in "$@"; do
  "$berth" simulate --decisions "$log" --detail events ${CONFIG:+--config "$CONFIG"} "$file" >/dev/null
  if [ -n "${UPDATE:-}" ]; then
    outcome "$log" >"${file%.yaml}.outcome"
  elif ! outcome "$log" | diff "${file%.yaml}.outcome" - >&2; then
    echo "$file: another outcome" >&2
    failed=1
  fi
done
exit $failed
