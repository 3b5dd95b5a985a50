# SPDX-License-Identifier: Apache-2.0
# The configuration changes while Berth runs, as a mounted ConfigMap does: by the swap of a symbolic link. Sourced by
# all.sh.

# weights AFFINITY TAINT: a configuration that makes the one or the other decide.
weights() {
  printf '%s\n' 'apiVersion: kubescheduler.config.k8s.io/v1' 'kind: KubeSchedulerConfiguration' \
    "profiles: [{plugins: {multiPoint: {enabled: [{name: NodeAffinity, weight: $1}, {name: TaintToleration, weight: $2}]}}}]"
}
# broken N: one of the ways in which a configuration can be wrong.
broken() {
  case $(($1 % 4)) in
    0) weights 1 2 | sed 's/NodeAffinity/NoSuchPlugin/' ;;
    1) weights 1 2 | sed 's/profiles/prophets/' ;;
    2) weights 1 2 | head -c 120 ;;
    3) weights 1 2 && echo 'podMaxBackoffSeconds: -5' ;;
  esac
}

# mount: standard input is what the configuration is now.
mounts=0
mount() {
  mounts=$((mounts + 1))
  mkdir -p "$work/mount/..$mounts" && cat >"$work/mount/..$mounts/scheduler.yaml" &&
    ln -s "..$mounts" "$work/mount/..data_tmp" && mv -T "$work/mount/..data_tmp" "$work/mount/..data" || return 1
  [ -L "$work/mount/scheduler.yaml" ] || ln -s ..data/scheduler.yaml "$work/mount/scheduler.yaml"
}

reloads() { grep -cE 'The new configuration is in force|The configuration was not reloaded' "$work/berth.log"; }
reloaded() { [ "$(reloads)" -ge "$1" ]; }

# probe N: a pod that would like to be on the left and is not wanted there.
probe() {
  pod "probe-$1" 10 'affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 100, preference:
    {matchExpressions: [{key: side, operator: In, values: [left]}]}}]}}' | k apply -n reload -f - >/dev/null
  within 20 is_bound reload "probe-$1"
}

# placed_after AFFINITY TAINT NODE: within ten seconds of the change the pods that come go to that node.
placed_after() {
  local began=$EPOCHREALTIME n=0
  weights "$1" "$2" | mount || return 1
  until probes=$((probes + 1)) && probe $probes && [ "$(node_of reload probe-$probes)" = "$3" ]; do
    n=$((n + 1))
    [ $n -lt 40 ] || { echo "pods never came to $3"; return 1; }
  done
  took=$(awk -v a="$began" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')
  awk -v t="$took" 'BEGIN { exit t > 10 }' || { echo "it took $took s until pods came to $3"; return 1; }
}

# reload_under_load RELOADS PODS
reload_under_load() {
  local count=$1 pods=$2 i slowest=0 probes=0 took before
  new_world reload || return 1
  { node left 64000 | sed 's/labels: {/&side: left, /'; node right 64000; } | sed 's/pods: "110"/pods: "2000"/' |
    k apply -f - >/dev/null && within 60 ready_nodes && k taint node left avoid=me:PreferNoSchedule >/dev/null || return 1
  weights 100 1 | mount && start_berth --config "$work/mount/scheduler.yaml" || return 1
  probe 0 && expect 'with the weights that it began with' left "$(node_of reload probe-0)" || return 1
  k create deployment -n reload load --image=load --replicas="$pods" >/dev/null || return 1
  placed_after 1 100 right && slowest=$took && placed_after 100 1 left || return 1
  [[ "$took" < "$slowest" ]] || slowest=$took
  before=$(reloads)
  for i in $(seq "$count"); do
    if [ $((i % 2)) = 0 ]; then weights "$i" 1 | mount; else broken $((i / 2)) | mount; fi || return 1
    kill -HUP "$berth"
    within 10 reloaded $((before + i)) || { tail -n 5 "$work/berth.log"; return 1; }
  done
  within 120 are reload $((pods + probes + 1)) 0 || { pods reload | awk '{ print $2 }' | sort | uniq -c; return 1; }
  expect 'bindings that were refused' 0 "$(grep -cE 'already assigned|Operation cannot be fulfilled' "$work/berth.log")" || return 1
  local refused taken
  refused=$(grep -c 'The configuration was not reloaded' "$work/berth.log")
  taken=$(grep -c 'The new configuration is in force' "$work/berth.log")
  expect 'reloads that were refused' $(((count + 1) / 2)) "$refused" || return 1
  stop_berth || return 1
  echo "new weights counted after $slowest s at most; then $taken reloads taken and $refused refused while $pods pods came: all run"
}

# A library is replaced by a rename, and one that is overwritten in place is refused.
library_replaced() {
  mkdir -p "$work/libraries" && cp out/lib/berth/plugins/score-random.so "$work/libraries/random.so" || return 1
  printf '%s\n' 'apiVersion: kubescheduler.config.k8s.io/v1' 'kind: KubeSchedulerConfiguration' \
    'profiles: [{plugins: {score: {enabled: [{name: RandomScore}]}}}]' >"$work/random.yaml"
  local port
  port=$(free_port)
  secure_port=$port start_berth --config "$work/random.yaml" --plugin-dir "$work/libraries" || return 1
  printf x >>"$work/libraries/random.so"
  within 10 reloaded 1 && grep -q 'random.so: was overwritten in place' "$work/berth.log" || { tail -n 3 "$work/berth.log"; return 1; }
  ask "$port" '/readyz?verbose' | grep -q '^\[+\]config-reload ok: configuration 1 is in force; the last change was refused: .*overwritten' ||
    { ask "$port" '/readyz?verbose'; return 1; }
  cp "$work/libraries/random.so" "$work/libraries/new" && mv "$work/libraries/new" "$work/libraries/random.so"
  within 10 reloaded 2 && grep -q 'The new configuration is in force' "$work/berth.log" || { tail -n 3 "$work/berth.log"; return 1; }
  in_configz() { as_admin "$port" /configz | grep -q "$1"; }
  in_configz '"name":"RandomScore","weight":7' && { echo 'the weight of tomorrow'; return 1; }
  sed -i 's/{name: RandomScore}/{name: RandomScore, weight: 7}/' "$work/random.yaml"
  within 10 in_configz '"name":"RandomScore","weight":7' || { as_admin "$port" /configz; return 1; }
  stop_berth
}

some_reloads() { library_replaced && reload_under_load 20 100; }
a_hundred_reloads() { library_replaced && reload_under_load 100 300; }
