# SPDX-License-Identifier: Apache-2.0
# The flight recorder on a real control plane. Sourced after tests/live/end-to-end/all.sh.
. tests/commands/record/mutant.sh

# replayed DIR: every decision of every recording is equal; how many there are is in $decisions.
replayed() {
  out/bin/berth replay "$1" -o json >"$work/replayed.json" || { out/bin/berth replay "$1"; return 1; }
  decisions=$(awk -F '[:,]' '/"decisions":/ { n += $2 } END { print n + 0 }' "$work/replayed.json")
}

random_score() {
  printf '%s\n' 'apiVersion: kubescheduler.config.k8s.io/v1' 'kind: KubeSchedulerConfiguration' \
    'profiles: [{plugins: {score: {enabled: [{name: RandomScore}]}}}]' >"$work/random.yaml"
}

# SR-3. Leaders are killed with -9 while everything goes wrong.
faults_replayed() {
  local minutes=1 kill=20s killed=1 found
  [ -z "$LONG" ] || minutes=10 kill=50s killed=5
  random_score
  SCHEDULER="out/bin/berth run -v 2 --secure-port 0 --seed ${SEED:-1} --config $work/random.yaml --record $work/faults" \
    tests/live/cluster/faults.sh $minutes "${SEED:-1}" -kill $kill "-at-least=leader killed=$killed" || return 1
  replayed "$work/faults" || return 1
  [ "$decisions" -ge $((minutes * 500)) ] || { echo "only $decisions decisions"; return 1; }
  mutant score-random random_score.cpp '\* choices_' '* (choices_ \/ 2)' || return 1
  out/bin/berth replay "$work/faults" --plugin "RandomScore=$work/mutant.so" >"$work/mutated"
  expect 'exit code with a mutated plugin' 1 $? || return 1
  grep -q 'plugin RandomScore made the difference, at Score: node ' "$work/mutated" || { cat "$work/mutated"; return 1; }
  found=$(grep -c 'The first difference: pod ' "$work/mutated")
  echo "$minutes min of faults, $(ls "$work/faults" | wc -l) recordings: $decisions decisions, all equal; a constant of RandomScore changed: named in $found"
}

# One process, killed with -9 in the middle of a load: what its log says of its decisions, the recording has.
killed_and_replayed() {
  local lines
  new_world recorded || return 1
  { node left 64000; node right 64000; } | sed 's/pods: "110"/pods: "2000"/' | k apply -f - >/dev/null && within 60 ready_nodes || return 1
  random_score
  start_berth --config "$work/random.yaml" --record "$work/recording" --decisions "$work/decisions" || return 1
  k create deployment -n recorded load --image=load --replicas=200 >/dev/null && k set env -n recorded deployment/load TOKEN=SECRET-value >/dev/null || return 1
  within 60 eval '[ "$(wc -l <"$work/decisions")" -ge 100 ]' || return 1
  sed -i 's/{name: RandomScore}/{name: RandomScore, weight: 3}/' "$work/random.yaml"
  within 10 grep -q 'The new configuration is in force' "$work/berth.log" || return 1
  k scale deployment -n recorded load --replicas=400 >/dev/null && sleep 2
  kill -KILL "$berth"
  wait "$berth"
  berth=
  replayed "$work/recording" || return 1
  lines=$(wc -l <"$work/decisions")
  # The one is written a moment before the other.
  [ "$decisions" -ge "$lines" ] || { echo "$decisions decisions were replayed, $lines are in the log"; return 1; }
  if grep -aoE 'SECRET[-A-Za-z]*' "$work"/recording/*.tape; then return 1; fi
  if grep -oE '(client-key-data|token): .{40}' "$dir/kubeconfig/scheduler" | sed 's/.*: //' | grep -aoFf - "$work"/recording/*.tape; then return 1; fi
  [ -z "$LONG" ] || k delete deployment -n recorded load >/dev/null
  echo "killed with -9 after $lines decisions and a reload: $decisions replayed, all equal; none of its environment is in it"
}

# within_limit DIR BYTES: what a recording takes; two files of one run or more are there.
within_limit() {
  local bytes
  bytes=$(cat "$1"/*.tape | wc -c)
  [ "$bytes" -le "$2" ] && [ "$(ls "$1" | wc -l)" -ge 2 ] || { ls -l "$1"; return 1; }
}
rotations() { grep -c 'The recording goes on in another file' "$work/berth.log"; }
# bound_once NAMESPACE PODS: so many are there, each on a node, and each was decided to be placed once.
bound_once() {
  [ "$(pods "$1" | awk '$3 != "-"' | wc -l)" = "$2" ] || { pods "$1" | awk '$3 == "-"'; return 1; }
  # Decisions restate a pod's uid; a pod that was placed twice would be there twice.
  sed -n 's/.*"uid":"\([^"]*\)".*"result":"Scheduled".*/\1/p' "$work/decisions" | sort | uniq -d >"$work/twice"
  [ ! -s "$work/twice" ] || { echo "placed more than once:"; grep -Ff "$work/twice" "$work/decisions"; return 1; }
}

# A long run with a small limit goes from file to file, under load, until it is killed with -9.
rotated_and_replayed() {
  local limit=1048576 round rounds=2 seen last
  [ -z "$LONG" ] || rounds=12
  new_world rotated || return 1
  { node left 64000; node right 64000; } | sed 's/pods: "110"/pods: "2000"/' | k apply -f - >/dev/null && within 60 ready_nodes || return 1
  random_score
  sed 's/^profiles/clientConnection: {qps: -1}\n&/' "$work/random.yaml" >"$work/rotated.yaml"
  start_berth --config "$work/rotated.yaml" --record "$work/rotated" --record-limit 1Mi --decisions "$work/decisions" || return 1
  k create deployment -n rotated load --image=load --replicas=1 >/dev/null || return 1
  for ((round = 0; round < rounds; ++round)); do
    k scale deployment -n rotated load --replicas=400 >/dev/null && within 60 are rotated 400 0 || return 1
    bound_once rotated 400 && within_limit "$work/rotated" $limit || return 1
    k scale deployment -n rotated load --replicas=1 >/dev/null && within 60 are rotated 1 0 || return 1
  done
  seen=$(rotations)
  [ "$seen" -ge "$rounds" ] || { echo "only $seen rotations"; ls -l "$work/rotated"; return 1; }
  k scale deployment -n rotated load --replicas=300 >/dev/null && sleep 1
  kill -KILL "$berth"
  wait "$berth"
  berth=
  within_limit "$work/rotated" $limit && replayed "$work/rotated" || return 1
  # The end is there: the last decision of the log is one of the recording, unless it is the moment's.
  last=$(tail -n 2 "$work/decisions" | sed -n '1s/.*"cycle":\([0-9]*\),.*/\1/p')
  out/bin/berth replay "$(ls -d "$work"/rotated/*.tape | tail -n 1)" --until "$((last + 1))" -o json | grep '"differing": 0' >/dev/null || return 1
  echo "$seen rotations within 1 MiB, then killed with -9: $decisions decisions replayed, all equal; every pod was placed once"
}

flight_recorder() {
  rotated_and_replayed >"$work/rotations" || { cat "$work/rotations"; return 1; }
  killed_and_replayed >"$work/killed" || { cat "$work/killed"; return 1; }
  faults_replayed >"$work/survived" || { cat "$work/survived"; return 1; }
  echo "$(tail -n 1 "$work/survived"); $(tail -n 1 "$work/killed"); $(tail -n 1 "$work/rotations")"
}

# instructions FLAG... FILE: how many a simulation takes, which are nearly the same every time.
instructions() {
  valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file="$work/cachegrind" out/bin/berth simulate "$@" 2>&1 >/dev/null |
    sed -n 's/.*I *refs: *//p' | tr -d ,
}
# SR-4, the recorder's half: what recording adds to each pod, beside the digests of the plugins, which are made once.
recording_costs() {
  local one=(--config configs/openb.yaml tests/abi/out-of-tree/cluster.yaml) all=(--config configs/openb.yaml tests/simulation/scenarios/openb)
  local start started without with
  start=$(instructions "${one[@]}") && started=$(instructions --record "$work/cost" "${one[@]}") || return 1
  without=$(instructions "${all[@]}") && with=$(instructions --record "$work/cost" "${all[@]}") || return 1
  awk -v s="$start" -v t="$started" -v a="$without" -v b="$with" 'BEGIN {
    r = (b - t + s) / a
    printf "8,152 pods recorded: %.3f times the instructions\n", r
    exit !(r > 1 && r <= 1.03)
  }'
}
