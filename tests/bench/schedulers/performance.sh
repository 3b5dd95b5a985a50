#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# performance.sh: measures Berth beside kube-scheduler, live with live and simulated with simulated, and writes what it measured
# into docs/performance.csv and, from there, into docs/performance.md and README.md. Takes an idle machine and an hour.
#   performance.sh write           writes the pages from the CSV again
#   performance.sh table live|simulated|answers|readme    prints what of the CSV stands in a page
# In the environment: RUNS=3, LIVE="WORKLOAD…" and SIMULATED="WORKLOAD…", and PAGES=DIR for another folder than the tree's to
# write below.
set -euo pipefail
cd "$(dirname "$0")/../../.."
pages=${PAGES:-.}
csv=$pages/docs/performance.csv
page=$pages/docs/performance.md
readme=$pages/README.md
live=${LIVE:-SchedulingBasic/5000Nodes_10000Pods SchedulingPodAffinity/5000Nodes_5000Pods SchedulingRequiredPodAntiAffinityWithNSSelector/5000Nodes_2000Pods SchedulingPreferredPodAffinity/5000Nodes_5000Pods}
simulated=${SIMULATED:-SchedulingBasic/5000Nodes_10000Pods SchedulingPodAffinity/5000Nodes_5000Pods}

# table WHAT: the lines that a page has.
table() {
  LC_ALL=C awk -F, -v what="$1" '
    function median(text,    v, n, i, j, swap) {
      n = split(text, v, " ")
      for (i = 2; i <= n; ++i) for (j = i; j > 1 && v[j] + 0 < v[j - 1] + 0; --j) { swap = v[j]; v[j] = v[j - 1]; v[j - 1] = swap }
      return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
    }
    function range(text, format, unit,    v, n, i, least, most) {
      n = split(text, v, " ")
      for (i = 1; i <= n; ++i) { if (i == 1 || v[i] + 0 < least) least = v[i] + 0; if (i == 1 || v[i] + 0 > most) most = v[i] + 0 }
      return n > 1 ? " (" commas(sprintf(format, least)) "–" commas(sprintf(format, most)) unit ")" : ""
    }
    function commas(number,    whole, rest) {
      whole = number; sub(/\..*/, "", whole); rest = substr(number, length(whole) + 1)
      while (whole ~ /[0-9][0-9][0-9][0-9]/) sub(/[0-9][0-9][0-9]($|,)/, ",&", whole)
      return whole rest
    }
    function each(w, who, column) { return values[w, who, column] }
    function cell(w, who, column, format, unit,    text) {
      text = each(w, who, column)
      return text == "" ? "not measured" : commas(sprintf(format, median(text))) unit range(text, format, unit)
    }
    function times(w, who, other, column) {
      if (each(w, who, column) == "" || each(w, other, column) == "") return "not measured"
      return sprintf("%.1f×", median(each(w, who, column)) / median(each(w, other, column)))
    }
    function share(w,    a, b, n, i, pairs) {
      if (each(w, "ceiling", rate) == "") return "not measured"
      n = split(each(w, "berth", rate), a, " "); split(each(w, "ceiling", rate), b, " ")
      for (i = 1; i <= n; ++i) pairs = pairs " " 100 * a[i] / b[i]
      return sprintf("%.0f %%", 100 * median(each(w, "berth", rate)) / median(each(w, "ceiling", rate))) range(pairs, "%.0f", " %")
    }
    NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; rate = "pods_per_second"; cpu = "cpu_ms_per_pod"; memory = "memory_mib"; next }
    {
      w = $at["world"] SUBSEP $at["workload"]
      if (!(w in seen)) { seen[w]; order[++n] = w }
      if ($at["time"] > day[$at["world"]]) day[$at["world"]] = $at["time"]
      split(rate " " cpu " " memory, columns, " ")
      for (i in columns) values[w, $at["scheduler"], columns[i]] = values[w, $at["scheduler"], columns[i]] " " $at[columns[i]]
    }
    function introduced(world,    runs, v) {
      for (i = 1; i <= n; ++i) if (order[i] ~ "^" world SUBSEP) { runs = split(each(order[i], "berth", rate), v, " "); break }
      printf "%s: %s.\n\n", substr(day[world], 1, 10), (runs > 1 ? runs " runs of each in alternating order, medians, in brackets the least and the most" : "one run")
    }
    function rows(world, make,    i, of) {
      for (i = 1; i <= n; ++i) { split(order[i], of, SUBSEP); if (of[1] == world) printf "| %s %s |\n", of[2], row(order[i], make) }
    }
    function row(w, make) {
      if (make == "rates") return "| " cell(w, "berth", rate, "%.1f") " | " cell(w, "kube-scheduler", rate, "%.1f") " | " cell(w, "ceiling", rate, "%.1f") " | " times(w, "berth", "kube-scheduler", rate) " | " share(w)
      if (make == "simulated") return "| " cell(w, "berth", rate, "%.0f") " | " cell(w, "kube-scheduler", rate, "%.0f") " | " times(w, "berth", "kube-scheduler", rate)
      return "| " cell(w, "berth", cpu, "%.3f", " ms") " | " cell(w, "kube-scheduler", cpu, "%.3f", " ms") " | " times(w, "kube-scheduler", "berth", cpu) " | " cell(w, "berth", memory, "%.1f", " MiB") " | " cell(w, "kube-scheduler", memory, "%.1f", " MiB") " | " times(w, "kube-scheduler", "berth", memory)
    }
    function costs(world) {
      print "\n| workload | CPU per pod, Berth | kube-scheduler | ratio | memory, Berth | kube-scheduler | ratio |\n|---|---|---|---|---|---|---|"
      rows(world, "costs")
    }
    END {
      basic = SUBSEP "SchedulingBasic/5000Nodes_10000Pods"
      if (what == "live") {
        introduced("live")
        print "| workload | pods/s, Berth | kube-scheduler | the ceiling | Berth / kube-scheduler | Berth / ceiling |\n|---|---|---|---|---|---|"
        rows("live", "rates")
        costs("live")
      } else if (what == "simulated") {
        introduced("simulated")
        print "| workload | pods/s, Berth | kube-scheduler | Berth / kube-scheduler |\n|---|---|---|---|"
        rows("simulated", "simulated")
        costs("simulated")
      } else if (what == "answers") {
        w = "live" basic
        printf "| [How does Berth compare with kube-scheduler?](#how-does-berth-compare-with-kube-scheduler) | %s the pods/s, CPU per pod %s lower, memory %s lower |\n", times(w, "berth", "kube-scheduler", rate), times(w, "kube-scheduler", "berth", cpu), times(w, "kube-scheduler", "berth", memory)
        w = "simulated" basic
        by = times(w, "berth", "kube-scheduler", rate)
        printf "| [How fast is scheduling without a network?](#how-fast-is-scheduling-without-a-network) | %s pods/s with all of 5,000 nodes scored%s |\n", commas(sprintf("%.0f", median(each(w, "berth", rate)))), by == "not measured" ? "" : ", " by " those of kube-scheduler"
      } else if (what == "readme") {
        w = "live" basic
        printf "| CPU per pod, 10,000 pods on 5,000 nodes, real API server | %.3f ms | %.3f ms | `tests/bench/schedulers/performance.sh` |\n", median(each(w, "berth", cpu)), median(each(w, "kube-scheduler", cpu))
        printf "| memory in the same run | %.1f MiB | %.1f MiB | the same |\n", median(each(w, "berth", memory)), median(each(w, "kube-scheduler", memory))
      } else { print "performance.sh table: expected live, simulated, answers or readme" > "/dev/stderr"; exit 2 }
    }' "$csv"
}

# replace FILE TABLE: each line of the table takes the place of the one that begins as it does, up to the second |.
replace() {
  awk -F '|' 'NR == FNR { line[$2] = $0; next } $2 in line { print line[$2]; next } { print }' <(table "$2") "$1" >"$1.new" && mv "$1.new" "$1"
}
# fill MARK: the table between the lines `<!-- measured: MARK -->` and `<!-- measured end -->`.
fill() {
  table "$1" >"$page.table"
  awk -v mark="<!-- measured: $1 -->" -v table="$page.table" '
    /^<!-- measured end -->$/ { inside = 0 }
    !inside
    $0 == mark { inside = 1; while ((getline line <table) > 0) print line }' "$page" >"$page.new" && mv "$page.new" "$page"
  rm "$page.table"
}
write() {
  fill live
  fill simulated
  replace "$page" answers
  replace "$readme" readme
}

case ${1:-} in
  table) table "${2:-}" ;;
  write) write ;;
  '')
    new=$(mktemp)
    trap 'rm -f "$new"' EXIT
    runs=${RUNS:-3}
    tests/bench/schedulers/bench.sh "${live// /,}" live kube-scheduler,berth,ceiling -runs "$runs" -csv "$new"
    tests/bench/schedulers/bench.sh "${simulated// /,}" simulated kube-scheduler,berth -all-nodes -runs "$runs" -csv "$new"
    cat "$new" >"$csv"
    write
    ;;
  *) echo 'usage: tests/bench/schedulers/performance.sh [write|table live|simulated|answers|readme]' >&2; exit 2 ;;
esac
