#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# plot.sh CSV >SVG: draws what bench.sh -csv has gathered, a group of bars for each workload. Of several runs the median counts.
set -euo pipefail
csv=${1:?plot.sh needs the file that bench.sh wrote with -csv}
LC_ALL=C awk -F, '
  function median(values,    v, n, i, j, swap) {
    n = split(values, v, " ")
    for (i = 2; i <= n; ++i) for (j = i; j > 1 && v[j] + 0 < v[j - 1] + 0; --j) { swap = v[j]; v[j] = v[j - 1]; v[j - 1] = swap }
    return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
  }
  NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
  {
    group = $at["workload"] ($at["world"] == "live" ? "" : ", " $at["world"]) ($at["flags"] == "" ? "" : ", " $at["flags"])
    if (!(group in groups)) { groups[group]; group_of[++g] = group }
    if (!($at["scheduler"] in schedulers)) { schedulers[$at["scheduler"]]; scheduler_of[++s] = $at["scheduler"] }
    for (column in at) if ($at[column] != "") { values[column, group, $at["scheduler"]] = values[column, group, $at["scheduler"]] " " $at[column]; seen[column] }
  }
  END {
    print "bars\ntitle Berth\x27s bench"
    for (i = 1; i <= s; ++i) print "name " scheduler_of[i]
    for (i = 1; i <= g; ++i) print "group " group_of[i]
    n = split("pods_per_second=pods/s|cpu_ms_per_pod=CPU per pod, ms|memory_mib=memory, MiB|p50_ms=created to bound, median, ms|p99_ms=created to bound, 99th percentile, ms|first_binding_ms=first binding after, ms", panels, "|")
    for (p = 1; p <= n; ++p) {
      split(panels[p], of, "=")
      if (!(of[1] in seen)) continue
      print "panel amount " of[2]
      for (i = 1; i <= g; ++i) {
        line = i - 1
        for (j = 1; j <= s; ++j) line = line " " ((of[1], group_of[i], scheduler_of[j]) in values ? median(values[of[1], group_of[i], scheduler_of[j]]) : "-")
        print line
      }
    }
  }' "$csv" | "$(dirname "$0")/../plot/plot.sh"
