#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# convert.sh [FROM [TO]]: the trace's CSV files in FROM (default: this folder) become nodes.json and pods.json in TO
# (default: FROM), Kubernetes Lists with one object a line. What becomes what is said in README.md.
set -eu
from=${1:-$(dirname "$0")}
to=${2:-$from}

LC_ALL=C awk -F, '
function quantity(milli) { return milli % 1000 ? milli "m" : milli / 1000 "" }
NR == 1 {
  if ($0 != "sn,cpu_milli,memory_mib,gpu,model") { print FILENAME ": unexpected header: " $0 >"/dev/stderr"; exit 1 }
  printf "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":["
  next
}
{
  labels = "\"kubernetes.io/hostname\":\"" $1 "\""
  if ($5 != "") labels = labels ",\"alibabacloud.com/gpu-card-model\":\"" $5 "\""
  resources = "\"cpu\":\"" quantity($2) "\",\"memory\":\"" $3 "Mi\",\"pods\":\"110\""
  if ($4) resources = resources ",\"nvidia.com/gpu\":\"" $4 "\",\"alibabacloud.com/gpu-milli\":\"" $4 * 1000 "\""
  printf "%s\n{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"%s\",\"labels\":{%s}}," \
    "\"status\":{\"capacity\":{%s},\"allocatable\":{%s}}}", (NR == 2 ? "" : ","), $1, labels, resources, resources
}
END { print "\n]}" }' "$from/openb_node_list_all_node.csv" >"$to/nodes.json"

LC_ALL=C awk -F, '
BEGIN {
  split("31 28 31 30 31 30 31 31 30 31 30 31", days, " ")
  priority["Guaranteed"] = 4000; priority["LS"] = 3000; priority["Burstable"] = 2000; priority["BE"] = 1000
}
function quantity(milli) { return milli % 1000 ? milli "m" : milli / 1000 "" }
# The trace begins at 0; here that is the first second of 2023.
function timestamp(seconds,    day, month) {
  day = int(seconds / 86400)
  for (month = 1; day >= days[month]; ++month) day -= days[month]
  seconds %= 86400
  return sprintf("2023-%02d-%02dT%02d:%02d:%02dZ", month, day + 1, seconds / 3600, seconds % 3600 / 60, seconds % 60)
}
function affinity(models) {
  gsub(/\|/, "\",\"", models)
  return "\"affinity\":{\"nodeAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":{\"nodeSelectorTerms\":" \
    "[{\"matchExpressions\":[{\"key\":\"alibabacloud.com/gpu-card-model\",\"operator\":\"In\"," \
    "\"values\":[\"" models "\"]}]}]}}},"
}
NR == 1 {
  if ($0 !~ /^name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time(,|$)/) {
    print FILENAME ": unexpected header: " $0 >"/dev/stderr"; exit 1
  }
  printf "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":["
  next
}
{
  if (!($7 in priority)) { print FILENAME ":" NR ": unknown qos " $7 >"/dev/stderr"; exit 1 }
  qos = tolower($7)
  gpus = ""
  if ($4) gpus = "\"alibabacloud.com/gpu-milli\":\"" $4 * $5 "\""
  if ($4 && $5 == 1000) gpus = "\"nvidia.com/gpu\":\"" $4 "\"," gpus
  metadata = sprintf("{\"name\":\"%s\",\"namespace\":\"%s\",\"creationTimestamp\":\"%s\",\"labels\":{\"qos\":\"%s\"}}",
    $1, qos, timestamp($9), qos)
  image = sprintf("registry.example/%s:c%d-m%d-g%dx%d", qos, $2, $3, $4, $5)
  resources = sprintf("{\"requests\":{\"cpu\":\"%s\",\"memory\":\"%sMi\"%s}%s}", quantity($2), $3,
    gpus == "" ? "" : "," gpus, gpus == "" ? "" : ",\"limits\":{" gpus "}")
  printf "%s\n{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":%s,\"spec\":{\"priority\":%d," \
    "\"priorityClassName\":\"%s\",%s\"containers\":[{\"name\":\"main\",\"image\":\"%s\",\"resources\":%s}]}}",
    (NR == 2 ? "" : ","), metadata, priority[$7], qos, $6 == "" ? "" : affinity($6), image, resources
}
END { print "\n]}" }' "$from/openb_pod_list_default.csv" >"$to/pods.json"
