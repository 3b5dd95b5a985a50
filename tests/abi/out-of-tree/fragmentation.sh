#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# fragmentation.sh [SEED [SVG]]: how many of openb's GPUs become fragments, by the default profile, by one that packs, and by
# GpuFragmentation (project/gpu_fragmentation.cpp). Tasks of the trace arrive in an order by chance, and again some of them by
# chance, until they asked for EXTENT per cent (default: 120) of all GPUs; none ends. Who does not fit when it comes is not placed.
# In all three runs the same plugin keeps the books of the GPUs, so what differs is how nodes are scored. The fragments are
# counted here, from the trace and from where each task went, not by the plugin. Writes SVG, if it is named, and ends with a
# line of the result. Needs `make build`.
set -euo pipefail
cd "$(dirname "$0")/../../.."
seed=${1:-42}
svg=${2:-}
extent=${EXTENT:-120}
trace=tests/simulation/scenarios/openb
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C

cmake -S tests/abi/out-of-tree/project -B build/asked-for -DCMAKE_PREFIX_PATH="$PWD/out" -DCMAKE_BUILD_TYPE=Release >"$work/log"
cmake --build build/asked-for --target gpu-fragmentation >"$work/log" || { cat "$work/log"; exit 1; }

# The classes of tasks of the trace: how many, cpu, GPUs, thousandths of each.
awk -F, 'NR > 1 { n[$2 " " $4 " " $5]++ } END { for (k in n) print n[k], k }' "$trace/openb_pod_list_default.csv" | sort -k1,1nr -k2 >"$work/classes"

# The arrivals, of one priority, each a second after the other. Minimal-standard random numbers: every awk has the same.
mkdir "$work/cluster"
cp "$trace/openb_node_list_all_node.csv" "$work/cluster"
awk -F, -v seed="$seed" -v extent="$extent" '
  function below(n) { state = state * 16807 % 2147483647; return int(state / 2147483647 * n) }
  function arrive(i) { printf "arrival-%05d,%s,LS,Pending,%d\n", ++came, task[i], came; asked += gpus[i] }
  FNR == NR { if (FNR > 1) capacity += $4 * 1000; next }
  FNR == 1 { print "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time"; next }
  { task[n + 0] = $2 "," $3 "," $4 "," $5 "," $6; gpus[n++] = $4 * $5 }
  END {
    state = seed * 7919 % 2147483646 + 1
    for (i = 0; i < n; ++i) order[i] = i
    for (i = n - 1; i > 0; --i) { j = below(i + 1); o = order[i]; order[i] = order[j]; order[j] = o }
    for (i = 0; asked < capacity * extent / 100; ++i) arrive(i < n ? order[i] : below(n))
  }' "$work/cluster/openb_node_list_all_node.csv" "$trace/openb_pod_list_default.csv" >"$work/cluster/openb_pod_list_default.csv"
"$trace/convert.sh" "$work/cluster"

# configuration SCORE [PLUGIN-CONFIG]: GpuFragmentation keeps the books; nobody is evicted, every node is looked at.
configuration() {
  cat <<END
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
percentageOfNodesToScore: 100
profiles:
  - plugins:
      preFilter: {enabled: [{name: GpuFragmentation}]}
      filter: {enabled: [{name: GpuFragmentation}]}
      reserve: {enabled: [{name: GpuFragmentation}]}
      preBind: {enabled: [{name: GpuFragmentation}]}
      postFilter: {disabled: [{name: "*"}]}
      score: $1
    pluginConfig:
      - name: GpuFragmentation
        args:
          workload:
$(sed -E 's/(.*) (.*) (.*) (.*)/            - {weight: \1, cpu: \2, gpus: \3, share: \4}/' "$work/classes")
${2:-}
END
}
alone='{disabled: [{name: "*"}], enabled: [{name: '
configuration '{}' >"$work/default.yaml"
configuration "${alone}NodeResourcesFit}]}" '      - name: NodeResourcesFit
        args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu}, {name: alibabacloud.com/gpu-milli}]}}' >"$work/packing.yaml"
configuration "${alone}GpuFragmentation}]}" >"$work/fgd.yaml"

# simulated NAME: per cent of all GPUs that were asked for, are in use, are fragments; and of what is free, for each per cent asked for.
simulated() {
  out/bin/berth simulate --config "$work/$1.yaml" --plugin-dir build/asked-for -v 2 --decisions "$work/$1.decisions" \
    "$work/cluster/nodes.json" "$work/cluster/pods.json" >"$work/$1.out" 2>"$work/$1.log" || { tail -n 5 "$work/$1.log" >&2; return 1; }
  sed 's/": /":/g; s/, "/,"/g' "$work/$1.decisions" |
    sed -n 's/.*"pod":{"namespace":"[^"]*","name":"\([^"]*\)".*"result":"Scheduled".*"node":"\([^"]*\)".*/\1,\2/p' >"$work/$1.nodes"
  sed -n 's/.*"Chose GPUs" pod="[^"/]*\/\([^"]*\)" node="[^"]*" gpus="\([^"]*\)".*/\1,\2/p' "$work/$1.log" >"$work/$1.gpus"
  awk -F, '
    # Thousandths of GPUs of a node that are of no use to the classes, on the average.
    function fragments(node,    c, i, fit, all, small, sum) {
      for (i = 0; i < gpus[node]; ++i) all += free[node, i]
      if (!all) return 0
      for (c = 0; c < classes; ++c) {
        fit = small = 0
        for (i = 0; i < gpus[node]; ++i) if (free[node, i] >= each[c]) ++fit; else small += free[node, i]
        sum += weight[c] * (!wanted[c] || fit < wanted[c] || cpu[node] < needs[c] ? all : small)
      }
      return sum / weights
    }
    function row() { printf "%.2f %.3f %.3f %.3f\n", 100 * asked / total, 100 * (total - unused) / total, 100 * lost / total, unused ? 100 * lost / unused : 0 }
    ++line && FNR == 1 { ++file }
    file == 1 { split($0, w, " "); weight[classes + 0] = w[1]; needs[classes + 0] = w[2]; wanted[classes + 0] = w[3]; each[classes++] = w[4]; weights += w[1] }
    file == 2 && FNR > 1 {
      cpu[$1] = $2; gpus[$1] = $4; total += 1000 * $4
      for (i = 0; i < $4; ++i) free[$1, i] = 1000
      lost += was[$1] = fragments($1)
    }
    file == 3 { node_of[$1] = $2 }
    file == 4 { gpus_of[$1] = $2 }
    file == 5 && FNR == 1 { unused = total; row() }
    file == 5 && FNR > 1 {
      asked += $4 * $5
      if ($1 in node_of) {
        node = node_of[$1]
        if ((cpu[node] -= $2) < 0) { print $1 ": no cpu on " node >"/dev/stderr"; exit 1 }
        n = split(gpus_of[$1], at, "-")
        if (n != $4) { print $1 ": " n " GPUs, not " $4 >"/dev/stderr"; exit 1 }
        for (i = 1; i <= n; ++i) if ((free[node, at[i]] -= $5) < 0) { print $1 ": no room on GPU " at[i] " of " node >"/dev/stderr"; exit 1 }
        unused -= $4 * $5
        now = fragments(node)
        lost += now - was[node]
        was[node] = now
      }
      if (int(100 * asked / total) > shown) { shown = int(100 * asked / total); row() }
    }' "$work/classes" "$work/cluster/openb_node_list_all_node.csv" "$work/$1.nodes" "$work/$1.gpus" "$work/cluster/openb_pod_list_default.csv" >"$work/$1.curve"
}
for name in default packing fgd; do simulated $name; done

# at PER-CENT COLUMN NAME: what a curve says there.
at() { awk -v at="$1" -v column="$2" '$1 >= at { print $column; exit }' "$work/$3.curve"; }
echo "seed $seed, $(($(wc -l <"$work/cluster/openb_pod_list_default.csv") - 1)) tasks of $(wc -l <"$work/classes") classes"
echo '| asked for | | default | packing | GpuFragmentation |'
echo '|---|---|---|---|---|'
for level in 50 80 90 100 120; do
  [ "$level" -le "$extent" ] || continue
  echo "| $level % | in use | $(at $level 2 default) | $(at $level 2 packing) | $(at $level 2 fgd) |"
  echo "| | fragments, of all GPUs | $(at $level 3 default) | $(at $level 3 packing) | $(at $level 3 fgd) |"
  echo "| | fragments, of what is free | $(at $level 4 default) | $(at $level 4 packing) | $(at $level 4 fgd) |"
done
# panel TITLE COLUMN: of the curves, which have a row for each per cent asked for.
panel() {
  echo "panel share $1"
  awk -v column="$2" '$1 == 0 { ++curves; row = 0 } { asked[row] = $1; value[row++, curves] = $column; if (row > rows) rows = row }
    END { for (row = 0; row < rows; ++row) {
      printf "%.6f", asked[row] / 100
      for (curve = 1; curve <= curves; ++curve) printf " %s", (row, curve) in value ? value[row, curve] / 100 : "-"
      print "" } }' "$work"/{default,packing,fgd}.curve
}
[ -z "$svg" ] || {
  printf '%s\n' steps 'title Fragments of GPUs' 'x share asked for so far, of all GPUs' 'name default profile' \
    'name packing (MostAllocated)' 'name GpuFragmentation'
  panel 'fragments, of all GPUs' 3
  panel 'fragments, of the GPUs that are free' 4
} | tests/bench/plot/plot.sh >"$svg"
level=$((extent < 90 ? extent : 90))
echo "$(at $level 3 default) $(at $level 3 packing) $(at $level 3 fgd)" | awk -v level="$level" '{
  printf "when %d %% of all GPUs were asked for, %.2f %% were fragments by default, %.2f %% packed, %.2f %% with GpuFragmentation: %.0f %% fewer than by default, %.0f %% fewer than packed\n",
    level, $1, $2, $3, 100 * (1 - $3 / $1), 100 * (1 - $3 / $2) }'
