#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What the first berth promised. LONG=1 also runs `make test` on the clean machine and asks the oracle for more.
set -uo pipefail
. "$(dirname "$0")/../shows.sh"

simulate() { out/bin/berth simulate "$@"; }

clean_machine() {
  cat >"$work/in-root.sh" <<'IN'
set -e
make run >run.log 2>&1 || { tail -n 30 run.log; exit 1; }
tail -n 30 run.log
grep -q MaxPods configs/openb.yaml && grep -q RunningImageLocality configs/openb.yaml && grep -q RandomScore configs/openb.yaml
grep -q 'nodes are available' run.log || { echo 'no word about why pods are pending'; exit 1; }
again=$SECONDS
make run >/dev/null
echo "the second make run took $((SECONDS - again)) s"
[ $((SECONDS - again)) -le 30 ] || { echo 'make run took more than seconds when nothing had changed'; exit 1; }
IN
  if [ -n "$LONG" ]; then
    echo 'make test' >>"$work/in-root.sh"
    echo 'echo "make run installs, builds and schedules; make test passes"' >>"$work/in-root.sh"
  else
    echo 'echo "make run installs, builds and schedules (short form: LONG=1 runs make test there too)"' >>"$work/in-root.sh"
  fi
  tools/fresh-root bash -c "$(cat "$work/in-root.sh")"
}

formats() {
  local format nodes=60 pods=400 file
  for format in yaml yaml-list json-list; do
    tests/made-up-cluster.sh "$format" $nodes $pods >"$work/cluster.${format%%-*}.$format" || return 1
  done
  mv "$work/cluster.yaml.yaml" "$work/documents.yaml"
  mv "$work/cluster.yaml.yaml-list" "$work/list.yaml"
  mv "$work/cluster.json.json-list" "$work/list.json"
  mkdir "$work/directory"
  awk -v dir="$work/directory" 'BEGIN { n = 10000 } /^---$/ { close(file); n++; next } { file = dir "/" n ".yaml"; print >file }' \
    "$work/documents.yaml"
  for file in documents.yaml list.yaml list.json directory; do
    simulate --seed 7 --decisions "$work/$file.decisions" --detail nodes "$work/$file" >/dev/null || return 1
  done
  simulate --seed 7 --decisions "$work/stdin.decisions" --detail nodes - <"$work/list.json" >/dev/null || return 1
  [ "$(grep -c '"Scheduled"' "$work/list.json.decisions")" -gt 300 ] || { echo 'hardly a pod was scheduled'; return 1; }
  same 'the same cluster in another form' "$work/documents.yaml.decisions" "$work"/*.decisions || return 1

  tests/made-up-cluster.sh yaml 100 30000 3200 1 >"$work/big.yaml"
  tests/made-up-cluster.sh json-list 100 30000 3200 1 >"$work/big.json"
  local yaml_peak
  with_peak out/bin/berth simulate "$work/big.yaml" >/dev/null || return 1
  yaml_peak=$peak
  with_peak out/bin/berth simulate "$work/big.json" >/dev/null || return 1
  [ "$yaml_peak" -lt 1024 ] && [ "$peak" -lt 1024 ] && [ "$yaml_peak" -gt 4 ] && [ "$peak" -gt 4 ] ||
    { echo "100 MB needed $yaml_peak MiB as YAML, $peak MiB as JSON"; return 1; }
  echo "five forms, the same $(wc -l <"$work/list.json.decisions") decisions; 100 MB: $yaml_peak MiB as YAML, $peak MiB as JSON"
}

# node NAME CPU, pod NAME CPU IMAGE [NODE]: one object as YAML.
node() {
  printf -- '---\napiVersion: v1\nkind: Node\nmetadata: {name: %s}\nstatus: {allocatable: {cpu: "%s", memory: 64Gi, pods: "110"}}\n' "$@"
}
pod() {
  printf -- '---\napiVersion: v1\nkind: Pod\nmetadata: {name: %s, namespace: default}\nspec:\n%s  containers: [{name: main, image: %s, resources: {requests: {cpu: "%s"}}}]\n' \
    "$1" "${4:+  nodeName: $4$'\n'}" "$3" "$2"
}

# score_config PLUGIN WEIGHT: the default profile with one more score plugin.
score_config() {
  cat <<CONFIG
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
  - schedulerName: default-scheduler
    plugins:
      score:
        enabled:
          - {name: $1, weight: $2}
CONFIG
}

three_plugins() {
  local i seeds='POD数量超过，不能调度，最多只能调度6'
  { node quay 16; for i in 0 1 2 3 4 5 6 7 8 9; do pod "ship-$i" 100m nginx; done; } >"$work/ten.yaml"
  simulate --config configs/maxpods.yaml --decisions "$work/ten" "$work/ten.yaml" || return 1
  expect 'placed pods' 6 "$(placements "$work/ten" | wc -l)" || return 1
  expect 'pending pods with the message' 4 "$(grep -c "$seeds" "$work/ten")" || return 1

  # The image is in use on the fuller node, which the defaults alone would not choose.
  { node used 16; node empty 16; pod running 4 builder:1 used; pod job 1 docker.io/library/builder:1; } >"$work/two.yaml"
  simulate --config configs/image-affinity.yaml --decisions "$work/with" "$work/two.yaml" >/dev/null || return 1
  simulate --config configs/default.yaml --decisions "$work/without" "$work/two.yaml" >/dev/null || return 1
  expect 'with RunningImageLocality' 'job used' "$(placements "$work/with")" || return 1
  expect 'without it' 'job empty' "$(placements "$work/without")" || return 1
  for i in 0 1; do
    score_config RunningImageLocality $i >"$work/weight-$i.yaml"
    simulate --config "$work/weight-$i.yaml" --decisions "$work/weight-$i" --detail nodes "$work/two.yaml" >/dev/null || return 1
  done
  grep -q RunningImageLocality "$work/weight-0" || { echo 'at weight 0 it does not count'; return 1; }
  same 'weight 0 and weight 1' "$work/weight-0" "$work/weight-1" || return 1

  { node full 16; pod load 8 other full; for i in 1 2 3 4; do node "free-$i" 16; done
    for i in 0 1 2 3 4 5 6 7 8 9; do pod "ship-$i" 10m "image-$i"; done; } >"$work/five.yaml"
  for i in 1 1-again 2; do
    simulate --seed "${i%-*}" --config configs/random.yaml --decisions "$work/seed-$i" "$work/five.yaml" >/dev/null || return 1
  done
  same 'the same seed' "$work/seed-1" "$work/seed-1-again" || return 1
  ! cmp -s "$work/seed-1" "$work/seed-2" || { echo 'another seed gave the same decisions'; return 1; }
  simulate --config configs/default.yaml --decisions "$work/plain" "$work/five.yaml" >/dev/null || return 1
  expect 'default placements on the fullest node' 0 "$(placements "$work/plain" | grep -c ' full$')" || return 1
  placements "$work/seed-1" | cat - <(placements "$work/seed-2") | grep -q ' full$' ||
    { echo 'RandomScore at weight 300 never chose the fullest node'; return 1; }
  echo "6 placed and 4 pending: $seeds; builds follow their image, weight 0 is 1; chance outvotes and repeats"
}

broken_input() {
  local what files
  cmake --build build/release >"$work/build" 2>&1 || { tail -n 30 "$work/build"; return 1; }
  for what in berth.abi broken; do
    ctest --test-dir build/release -V -R "$what" --no-tests=error >"$work/$what" || { cat "$work/$what"; return 1; }
  done
  tests/robustness/invalid-input/run.sh >"$work/files" || { cat "$work/files"; return 1; }
  files=$(find tests/robustness/invalid-input -name '*.expected' | wc -l)
  [ "$files" -ge 30 ] || { echo "only $files broken files"; return 1; }
  echo "hostile libraries: $(assertions berth.abi); $files broken files word for word; given to berth, cut and filled with" \
    "noise too: $(tail -n 1 "$work/files")"
}
assertions() { sed -n 's/.*All tests passed (\(.*\))/\1/p' "$work/$1" | paste -sd';'; }

agreement() {
  tools/setup.sh test && tests/oracle/decisions/run.sh "$([ -n "$LONG" ] && echo 20000 || echo 2000)" 42
}

outside() {
  tests/abi/out-of-tree/run.sh >"$work/outside" || { cat "$work/outside"; return 1; }
  echo "the smallest plugin builds against out/ and runs in berth simulate; our own build there too: $(tail -n 1 "$work/outside")"
}

speed() {
  local start before took nodes=5000 pods=10000
  tests/made-up-cluster.sh json-list $nodes $pods >"$work/large.json"
  cat >"$work/all-nodes.yaml" <<'CONFIG'
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
percentageOfNodesToScore: 100
CONFIG
  start=$(date +%s%N)
  children_cpu && before=$cpu_ms
  with_peak out/bin/berth simulate --config "$work/all-nodes.yaml" --decisions "$work/large" "$work/large.json" >/dev/null || return 1
  took=$((($(date +%s%N) - start) / 1000000))
  children_cpu
  expect 'pods placed, all but every 50th' $((pods - pods / 50)) "$(placements "$work/large" | wc -l)" || return 1
  # Far from what it takes, however much else the machine does.
  holds 'CPU time for 1,000 pods in ms' $(((cpu_ms - before) * 1000 / pods)) '<=' 1500 && holds MiB "$peak" "<" 256 || return 1
  echo "$nodes nodes, $pods pods: $((pods * 1000 / took)) pods/s, reading included, $((cpu_ms - before)) ms of CPU; at most $peak MiB"
}

show FB-1 clean_machine
show FB-2 formats
show FB-3 three_plugins
show FB-4 broken_input
show FB-5 agreement
show FB-6 outside
show FB-7 speed
finish
