#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Simulations recorded and replayed, recordings that are broken, and what must not be in one. Needs `make build`.
set -uo pipefail
. "$(dirname "$0")/../../check.sh"
. tests/commands/record/mutant.sh
berth=out/bin/berth

# recorded DIR FILE [FLAG...]: what the simulation prints is the same as without a recording.
recorded() {
  local dir=$1 file=$2
  shift 2
  "$berth" simulate "$@" "$file" >"$work/plain" 2>&1
  "$berth" simulate "$@" --record "$dir" "$file" >"$work/with" 2>&1
  diff "$work/plain" "$work/with"
}
# says CODE WORDS COMMAND...: its exit code, and that it prints these words.
says() {
  local code=$1 words=$2 status
  shift 2
  "$@" >"$work/said" 2>&1
  status=$?
  cat "$work/said"
  [ $status = "$code" ] && grep -qF -- "$words" "$work/said" || { echo "exit code $status; expected $code and: $words"; return 1; }
}

# equal FILE [FLAG...]: recorded and replayed, every decision is there and equal.
equal() {
  local dir=$work/equal n
  rm -rf "$dir"
  recorded "$dir" "$@" || return 1
  n=$("$berth" simulate "${@:2}" --decisions - "$1" 2>/dev/null | wc -l)
  says 0 "\"decisions\": $n," "$berth" replay "$dir" -o json && says 0 '"differing": 0' "$berth" replay "$dir" -o json
}
for file in tests/simulation/scenarios/*.yaml; do check "$(basename "$file" .yaml): every decision is equal" equal "$file"; done
check 'openb: every decision is equal' equal tests/simulation/scenarios/openb --config configs/openb.yaml

with_events() {
  recorded "$work/events" tests/simulation/scenarios/affinity.yaml --decisions "$work/events.log" --detail events &&
    says 0 '        8          0' "$berth" replay "$work/events"
}
check 'affinity with its events: every decision is equal' with_events

# Two recordings for what follows.
openb=$work/openb affinity=$work/affinity
recorded "$openb" tests/simulation/scenarios/openb --config configs/openb.yaml >/dev/null
recorded "$affinity" tests/simulation/scenarios/affinity.yaml >/dev/null

without_affinity() {
  printf '%s\n' 'apiVersion: kubescheduler.config.k8s.io/v1' 'kind: KubeSchedulerConfiguration' \
    'profiles: [{plugins: {multiPoint: {disabled: [{name: InterPodAffinity}]}}}]' >"$work/without.yaml"
  says 1 'plugin InterPodAffinity made the difference, at PreFilter' "$berth" replay "$affinity" --config "$work/without.yaml"
}
check 'another configuration: the plugin that is not there is named' without_affinity
same_configuration() { says 0 '8,152          0' "$berth" replay "$openb" --config configs/openb.yaml; }
check 'the same configuration: nothing differs' same_configuration
other_weight() {
  sed 's/weight: 1$/weight: 9/' configs/openb.yaml >"$work/weights.yaml"
  says 1 'plugin RandomScore made the difference, at Score' "$berth" replay "$openb" --config "$work/weights.yaml"
}
check 'another weight: the plugin is named' other_weight
alike() {
  local i
  for ((i = 100; i < 300; ++i)); do
    echo "{apiVersion: v1, kind: Node, metadata: {name: n$i, labels: {here: n$i}}, status: {allocatable: {cpu: 4, memory: 8Gi, pods: 110}}}"
    echo ---
  done >"$work/many.yaml"
  cat >>"$work/many.yaml" <<'END'
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers: [{name: c, image: i}]
  affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 100, preference: {matchExpressions: [{key: here, operator: In, values: [n100]}]}}]}}
END
  printf '%s\n' 'apiVersion: kubescheduler.config.k8s.io/v1' 'kind: KubeSchedulerConfiguration' >"$work/all.yaml"
  echo 'percentageOfNodesToScore: 100' | cat "$work/all.yaml" - >"$work/each.yaml"
  recorded "$work/alike" "$work/many.yaml" --config "$work/each.yaml" || return 1
  says 1 'what differs: evaluatedNodes was 200, now 100' "$berth" replay "$work/alike" --config "$work/all.yaml" || return 1
  says 1 '"differing": 1,' "$berth" replay "$work/alike" --config "$work/all.yaml" -o json || return 1
  says 1 '"what": "evaluatedNodes was 200, now 100' "$berth" replay "$work/alike" --config "$work/all.yaml" -o json
}
check 'decisions that end alike: what differs is shown' alike
mutated() {
  mutant score-random random_score.cpp '\* choices_' '* (choices_ \/ 2)' &&
    says 1 'plugin RandomScore made the difference, at Score: node openb-node-' "$berth" replay "$openb" --plugin "RandomScore=$work/mutant.so"
}
check 'a plugin with another constant: the plugin is named' mutated
names_others() {
  library ballast examples/ballast.cpp || return 1
  sed 's/nomination.victims(best,.*/(void)0;/' examples/ballast.cpp >"$work/silent.cpp"
  library silent "$work/silent.cpp" || return 1
  recorded "$work/victims" examples/ballast.yaml --plugin "Ballast=$work/ballast.so" || return 1
  says 0 '' "$berth" replay "$work/victims" --plugin "Ballast=$work/ballast.so" || return 1
  says 1 'plugin Ballast made the difference, at PostFilter: then Success, node "west", victim default/stone (the fewest pods of ballast); now Success, node "west"' \
    "$berth" replay "$work/victims" --allow-recorded-plugins --plugin "Ballast=$work/silent.so"
}
check 'a plugin that names other victims is named' names_others
shows_what_waits() {
  library patience examples/patience.cpp || return 1
  recorded "$work/patience" examples/patience.yaml --plugin "Patience=$work/patience.so" || return 1
  says 0 '"differing": 0' "$berth" replay "$work/patience" -o json --plugin "Patience=$work/patience.so"
}
check 'a plugin that looks at what waits in the queue: every decision is equal' shows_what_waits
reads_what_it_read() {
  library pilotage examples/pilotage.cpp || return 1
  recorded "$work/pilotage" examples/pilotage.yaml --plugin "Pilotage=$work/pilotage.so" || return 1
  says 0 '"differing": 0' "$berth" replay "$work/pilotage" -o json --plugin "Pilotage=$work/pilotage.so"
}
check 'a plugin that reads a ConfigMap: every decision is equal' reads_what_it_read
# Of a ConfigMap that is not selected, nothing comes: the ship is tried at the start, and when its permit is selected.
sees_what_it_selects() {
  local scenario=tests/commands/record/permits.yaml permits="Permits=$work/permits.so"
  library permits tests/commands/record/permits.cpp && recorded "$work/permits" $scenario --plugin "$permits" || return 1
  "$berth" simulate --plugin "$permits" --decisions "$work/permits.log" $scenario || return 1
  [ "$(wc -l <"$work/permits.log")" = 2 ] || { cat "$work/permits.log"; return 1; }
  says 0 '"differing": 0' "$berth" replay "$work/permits" -o json --plugin "$permits"
}
check 'a plugin that watches some ConfigMaps: the others do not wake its pods, and every decision is equal' sees_what_it_selects
# A day has 2,880 times 30 seconds.
ends_after_a_day() {
  printf '%s\n' 'apiVersion: kubescheduler.config.k8s.io/v1' 'kind: KubeSchedulerConfiguration' \
    'profiles: [{plugins: {multiPoint: {enabled: [{name: Ticks}]}}}]' >"$work/ticks.yaml"
  library ticks tests/commands/record/ticks.cpp || return 1
  out/bin/berth simulate --config "$work/ticks.yaml" --insecure-plugins --plugin "Ticks=$work/ticks.so" tests/simulation/scenarios/maxpods.yaml >"$work/said" 2>&1 ||
    { tail -n 5 "$work/said"; return 1; }
  local ticks=$(grep -c 'tick$' "$work/said")
  [ "$ticks" -ge 2880 ] && [ "$ticks" -le 2890 ] || { echo "$ticks ticks"; tail -n 3 "$work/said"; return 1; }
}
check 'a timer that starts itself anew does not keep a simulation from its end' ends_after_a_day
crashes() {
  mutant score-random random_score.cpp '\* choices_' '* (__builtin_trap(), choices_)' || return 1
  local words='in plugin "RandomScore" at Score, for pod "' trap=132
  says $trap "$words" "$berth" simulate --record "$work/crashed" --config configs/openb.yaml --plugin "RandomScore=$work/mutant.so" tests/simulation/scenarios/openb || return 1
  says 1 'then: no decision' "$berth" replay "$work/crashed" --plugin RandomScore=out/lib/berth/plugins/score-random.so || return 1
  says $trap "$words" "$berth" replay "$work/crashed" --allow-recorded-plugins || return 1
  says $trap "$words" "$berth" replay "$openb" --plugin "RandomScore=$work/mutant.so"
}
check 'a plugin that crashes is named by simulate and replay' crashes
one_pod() {
  says 0 'default/web' "$berth" replay "$affinity" --pod default/web --explain || return 1
  says 0 "didn't match pod affinity rules" "$berth" replay "$affinity" --pod default/web --explain || return 1
  says 0 'Unschedulable' "$berth" replay "$affinity" --pod web || return 1
  says 2 '--pod default/nobody: nothing was decided about such a pod' "$berth" replay "$affinity" --pod default/nobody || return 1
  says 2 '--explain requires --pod' "$berth" replay "$affinity" --explain
}
check '--pod and --explain show what was decided about it' one_pod
until_then() {
  says 0 '"decisions": 2,' "$berth" replay "$affinity" -o json --until 2 || return 1
  says 0 '"to": "2026-01-01T00:00:00.000000Z"' "$berth" replay "$affinity" -o json --until 2026-01-01T00:00:00Z || return 1
  says 2 '--until noon: expected a time such as 2026-01-01T00:00:00Z or the number of a scheduling cycle' "$berth" replay "$affinity" --until noon
}
check '--until ends at a time and at a cycle' until_then
explained_alike() {
  "$berth" simulate --all --explain web tests/simulation/scenarios/affinity.yaml >"$work/one" && "$berth" replay "$affinity" --all --pod web --explain >"$work/other" && diff "$work/one" "$work/other"
}
check '--explain says what berth simulate --explain says' explained_alike

# A waiting pod, one that was placed by scores and other pods, and one among many nodes.
scenarios() {
  local until
  for until in 2 8; do
    says 0 DECISIONS "$berth" replay "$affinity" --pod web --until $until --save-scenario "$work/web.yaml" || return 1
    says 0 'Scenario web: 1 expectation holds' "$berth" simulate "$work/web.yaml" || return 1
  done
  grep -qE '^kubernetesVersion: "?1.36"?$' "$work/web.yaml" && grep -q 'placed:' "$work/web.yaml" || { cat "$work/web.yaml"; return 1; }
  [ "$(stat -c %a "$work/web.yaml")" = 600 ] || { stat "$work/web.yaml"; return 1; }
  says 2 '--save-scenario /proc/web: cannot be written' "$berth" replay "$affinity" --pod web --save-scenario /proc/web || return 1
  says 2 '--save-scenario requires --pod' "$berth" replay "$affinity" --save-scenario "$work/web.yaml" || return 1
  says 0 DECISIONS "$berth" replay "$openb" --pod guaranteed/openb-pod-0129 --save-scenario "$work/openb.yaml" || return 1
  says 0 'Scenario openb-pod-0129: 1 expectation holds' "$berth" simulate "$work/openb.yaml"
}
check '--save-scenario: a pod in its world comes out as it did' scenarios
# A node that is promised to a pod which made another one leave it.
promised() {
  cat >"$work/promise.yaml" <<'END'
apiVersion: berth/v1alpha1
kind: Scenario
metadata: {name: promise}
objects:
- {apiVersion: v1, kind: Node, metadata: {name: n}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}}
- apiVersion: v1
  kind: Pod
  metadata: {name: leaves}
  spec: {nodeName: n, priority: 0, containers: [{name: c, image: i, resources: {requests: {cpu: "3"}}}]}
  status: {phase: Running}
timeline:
- at: 1s
  apply:
  - {apiVersion: v1, kind: Pod, metadata: {name: first}, spec: {priority: 10, containers: [{name: c, image: i, resources: {requests: {cpu: "2"}}}]}}
  - {apiVersion: v1, kind: Pod, metadata: {name: next}, spec: {priority: 5, containers: [{name: c, image: i, resources: {requests: {cpu: "3"}}}]}}
END
  recorded "$work/promise" "$work/promise.yaml" || return 1
  says 0 Unschedulable "$berth" replay "$work/promise" --pod next --until 2 --save-scenario "$work/next.yaml" || return 1
  says 0 'Scenario next: 1 expectation holds' "$berth" simulate "$work/next.yaml"
}
check '--save-scenario: a node that is promised to another pod is' promised
# As the release, and with the gates, that decided.
same_release() {
  recorded "$work/rules" tests/simulation/scenarios/taint-rules.yaml || return 1
  says 0 DECISIONS "$berth" replay "$work/rules" --pod training --save-scenario "$work/training.yaml" || return 1
  grep -qE '^kubernetesVersion: "1.37"$' "$work/training.yaml" && grep -A1 '^featureGates:' "$work/training.yaml" | grep -qx ' *DRADeviceTaintRules: false' ||
    { cat "$work/training.yaml"; return 1; }
  says 0 'Scenario training: 1 expectation holds' "$berth" simulate "$work/training.yaml"
}
check '--save-scenario: the release and its gates' same_release

no_recording() {
  says 2 "$work/nothing: No such file or directory" "$berth" replay "$work/nothing" || return 1
  mkdir -p "$work/empty"
  says 2 "$work/empty: holds no recording; expected files such as 000001.tape" "$berth" replay "$work/empty" || return 1
  says 2 'configs/openb.yaml: is no recording; expected a file that `berth run --record` wrote' "$berth" replay configs/openb.yaml || return 1
  head -c 13 "$affinity/000001.tape" >"$work/short.tape"
  says 2 'ends before scheduling began' "$berth" replay "$work/short.tape" || return 1
  head -c 100 "$affinity/000001.tape" >"$work/short.tape"
  says 2 'the last 87 of 100 bytes are left out: a block was not written to its end' "$berth" replay "$work/short.tape" || return 1
  says 2 '--record: expected a directory, got ""' "$berth" simulate --record '' tests/simulation/scenarios/affinity.yaml
}
check 'what is no recording is refused' no_recording
torn() {
  local size cut
  size=$(wc -c <"$openb/000001.tape")
  for cut in 1 1000 $((size / 2)); do
    head -c $((size - cut)) "$openb/000001.tape" >"$work/torn.tape"
    says 0 'a block was not written to its end' "$berth" replay "$work/torn.tape" || return 1
  done
}
check 'a torn recording is replayed as far as it goes' torn
damaged() {
  local i at seed=$RANDOM size
  RANDOM=$seed
  size=$(wc -c <"$affinity/000001.tape")
  for ((i = 0; i < 50; ++i)); do
    cp "$affinity/000001.tape" "$work/bad.tape"
    at=$(((RANDOM * 32768 + RANDOM) % size))
    printf "\\x$(printf %02x $((RANDOM % 256)))" | dd of="$work/bad.tape" bs=1 seek=$at conv=notrunc status=none
    timeout 60 "$berth" replay "$work/bad.tape" >"$work/said" 2>&1
    [ $? -le 2 ] || { echo "seed $seed, byte $at"; cat "$work/said"; return 1; }
  done
}
check 'a recording with a wrong byte does no harm' damaged
other_file() {
  mkdir -p "$work/plugins" && cp out/lib/berth/plugins/score-random.so "$work/plugins/" &&
    recorded "$work/moved" tests/simulation/scenarios/openb --config configs/openb.yaml --plugin-dir "$work/plugins" || return 1
  says 0 '8,152          0' "$berth" replay "$work/moved" || return 1
  mutant score-random random_score.cpp '\* choices_' '* (choices_ \/ 2)' && cp "$work/mutant.so" "$work/plugins/score-random.so" &&
    recorded "$work/others" tests/simulation/scenarios/openb --config configs/openb.yaml --plugin-dir "$work/plugins" || return 1
  says 2 'a recording does not choose what is loaded here' "$berth" replay "$work/others" || return 1
  says 2 'lib/berth/plugins/score-random.so has sha256' "$berth" replay "$work/others" || return 1
  says 0 '8,152          0' "$berth" replay "$work/others" --plugin-dir "$work/plugins" || return 1
  says 0 '8,152          0' "$berth" replay "$work/others" --allow-recorded-plugins || return 1
  says 1 'which plugin made the difference cannot be said' "$berth" replay "$work/others" --plugin RandomScore=score-random.so || return 1
  says 1 'plugin RandomScore made the difference' "$berth" replay "$work/others" --plugin RandomScore=score-random.so --allow-recorded-plugins || return 1
  says 1 'score-random.so is not the library that it was recorded with' "$berth" replay "$work/others" --plugin RandomScore=score-random.so || return 1
  cp out/lib/berth/plugins/score-random.so "$work/plugins/new" && mv "$work/plugins/new" "$work/plugins/score-random.so"
  says 2 "$work/plugins/score-random.so has sha256" "$berth" replay "$work/others" --allow-recorded-plugins
}
check 'a recording does not choose its libraries, and says which one it wants' other_file
limits() {
  says 2 'Value 1024 not in range' "$berth" simulate --record "$work/l" --record-limit 1k tests/simulation/scenarios/affinity.yaml || return 1
  says 0 'Nothing is recorded any more' "$berth" simulate --record "$work/l" --record-limit 1Mi --config configs/openb.yaml tests/simulation/scenarios/openb || return 1
  [ "$(du -sb "$work/l" | cut -f 1)" -le $((1024 * 1024)) ] || { du -b "$work/l"; return 1; }
  says 0 '          0' "$berth" replay "$work/l" || return 1
  says 2 '--record' "$berth" simulate --record /proc/berth tests/simulation/scenarios/affinity.yaml || return 1
  says 2 '--record shows one simulation' "$berth" simulate --record "$work/l" --config configs/openb.yaml --config configs/openb.yaml tests/simulation/scenarios/openb
}
check '--record-limit bounds it, and what is there is good' limits

# What is planted says so in every place of it: SECRET followed by where it stands.
secrets() {
  library keyhole tests/commands/record/keyhole.cpp || return 1
  "$berth" simulate --record "$work/planted" --plugin "Keyhole=$work/keyhole.so" --config tests/commands/record/planted.yaml tests/commands/record/planted-cluster.yaml >"$work/said" 2>&1 || { cat "$work/said"; return 1; }
  if grep -aoE 'SECRET[-A-Za-z]*|U0VDUkVU' "$work"/planted/*.tape; then return 1; fi
  grep -qa 'planted-pod' "$work"/planted/*.tape && [ "$(grep -c SECRET tests/commands/record/planted-cluster.yaml)" -ge 15 ] || return 1
  grep -q 'Result: 2 placed, 0 pending' "$work/said" || { cat "$work/said"; return 1; }
    says 0 '"differing": 0' "$berth" replay "$work/planted" -o json --allow-recorded-plugins
}
check 'no Secret, value of the environment or token is in a recording' secrets
finish
