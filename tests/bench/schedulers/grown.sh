# SPDX-License-Identifier: Apache-2.0
# Simulated clusters that grow, for whoever sources this after tests/shows.sh: with $berth and a folder $work.

# cluster_of NODES PODS: the shape of SchedulingBasic.
cluster_of() {
  awk -v nodes="$1" -v pods="$2" 'BEGIN {
    printf "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":["
    for (i = 0; i < nodes; ++i)
      printf "%s{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"node-%d\",\"labels\":{\"kubernetes.io/hostname\":\"node-%d\"}},\"status\":{\"capacity\":{\"pods\":\"110\",\"cpu\":\"4\",\"memory\":\"32Gi\"},\"allocatable\":{\"pods\":\"110\",\"cpu\":\"4\",\"memory\":\"32Gi\"},\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}\n", i ? "," : "", i, i
    for (i = 0; i < pods; ++i)
      printf ",{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"pod-%d\",\"namespace\":\"default\"},\"spec\":{\"containers\":[{\"name\":\"pause\",\"image\":\"registry.k8s.io/pause:3.10.1\",\"resources\":{\"limits\":{\"cpu\":\"100m\",\"memory\":\"500Mi\"},\"requests\":{\"cpu\":\"100m\",\"memory\":\"500Mi\"}}}]}}\n", i
    print "]}" }'
}

# simulate_grown NODES PODS: leaves the user time in $seconds and the most memory in $peak (MiB).
simulate_grown() {
  local TIMEFORMAT=%U
  cluster_of "$1" "$2" >"$work/grown.json"
  { time with_peak "$berth" simulate "$work/grown.json" >/dev/null; } 2>"$work/time" || { cat "$work/time"; return 1; }
  seconds=$(tail -n 1 "$work/time")
}

# grown RUNS NODES PODS: of so many runs the least user time that a pod takes in $per_pod (µs), and the most memory in $peak (MiB).
# A pod's time is that of nine tenths of them, so that reading the nodes is not in it.
grown() {
  local run few= many= most=0
  for ((run = 0; run < $1; ++run)); do
    simulate_grown "$2" $(($3 / 10)) && few=$(least "$few" "$seconds") || return 1
    simulate_grown "$2" "$3" && many=$(least "$many" "$seconds") || return 1
    most=$((peak > most ? peak : most))
  done
  peak=$most
  per_pod=$(awk "BEGIN { print ($many - $few) * 1e6 / ($3 * 0.9) }")
  [[ $per_pod != [-0] && $per_pod != -* ]] || { echo "$2 nodes: too few pods to be timed"; return 1; }
}
least() { printf '%s\n' $1 $2 | sort -g | head -n 1; }
