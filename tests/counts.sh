# SPDX-License-Identifier: Apache-2.0
# Sourced by scripts that sum up what others counted.

# counts LOG: "passed failed", summed from lines `N passed, N failed` and Catch2's summaries. One check each: a package that
# `go test` has tested, and an oracle's last line, such as `N decisions, N differences`, however many it judged; one that judged
# none is a failure.
counts() {
  awk '
    match($0, /^(.* )?[0-9]+ passed, [0-9]+ failed/) { split(substr($0, RSTART, RLENGTH), w, " ")
      for (i in w) { if (w[i] == "passed,") p += w[i - 1]; if (w[i] == "failed") f += w[i - 1] } }
    match($0, /^[0-9]+ [a-z]+, [0-9]+ differences$/) { split($0, w, " "); if (w[1] > 0 && w[3] == 0) ++p; else ++f }
    /^ok  \t/ && !/no tests to run/ { ++p }
    /^FAIL\t/ { ++f }
    /All tests passed \([0-9]+ assertions? in [0-9]+ test cases?\)/ { sub(/.* in /, ""); p += $1 }
    /test cases: +[0-9]+ \|/ { for (i = 2; i <= NF; ++i) { if ($i == "passed") p += $(i - 1)
      if ($i == "failed") f += $(i - 1) } }
    END { print p + 0, f + 0 }' "$1"
}
