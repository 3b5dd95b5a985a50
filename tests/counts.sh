# SPDX-License-Identifier: Apache-2.0
# Sourced by scripts that sum up what others counted.

# counts LOG: "passed failed", summed from lines `N passed, N failed`, Catch2's summaries and the oracles' last line.
counts() {
  awk '
    match($0, /^(.* )?[0-9]+ passed, [0-9]+ failed/) { split(substr($0, RSTART, RLENGTH), w, " ")
      for (i in w) { if (w[i] == "passed,") p += w[i - 1]; if (w[i] == "failed") f += w[i - 1] } }
    match($0, /^[0-9]+ (decisions|scripts), [0-9]+ differences/) { split($0, w, " "); f += w[3]; p += w[1] - w[3] }
    /All tests passed \([0-9]+ assertions? in [0-9]+ test cases?\)/ { sub(/.* in /, ""); p += $1 }
    /test cases: +[0-9]+ \|/ { for (i = 2; i <= NF; ++i) { if ($i == "passed") p += $(i - 1)
      if ($i == "failed") f += $(i - 1) } }
    END { print p + 0, f + 0 }' "$1"
}
