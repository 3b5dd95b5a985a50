# SPDX-License-Identifier: Apache-2.0
# What a plugin counts and logs by itself, on a real control plane. Sourced after serving.sh, reload.sh and explain.sh.

counted() { as_admin "$ours" /metrics | sed -n "s/^plugin_counts_$1 //p"; }
of_team() { counted "pods_total{plugin=\"Counts\",profile=\"default-scheduler\",$1}"; }
attempts() { counted 'attempts_total{plugin="Counts",profile="default-scheduler"}'; }
is_counted() { [ "$(of_team "$1")" = "$2" ]; }
of_a_team() { pod "$1" 10 | sed "s/metadata: {/&labels: {team: $2}, /"; }
counts_config() {
  printf '%s\n' 'apiVersion: kubescheduler.config.k8s.io/v1' 'kind: KubeSchedulerConfiguration' 'profiles:' '- plugins:' \
    "    multiPoint: {enabled: [{name: Counts}, {name: NodeAffinity, weight: $1}]}"
}

# It is on /metrics beside the host's own, and bounded, whatever labels tenants give their pods.
a_plugin_counts() {
  local i before
  { cmake -S tests/live/end-to-end/counts -B "$work/counts" -DCMAKE_PREFIX_PATH="$PWD/out" -DCMAKE_BUILD_TYPE=Release &&
    cmake --build "$work/counts"; } >"$work/build.log" 2>&1 || { tail -n 20 "$work/build.log"; return 1; }
  new_world counting && node one 64000 | k apply -f - >/dev/null && within 60 ready_nodes || return 1
  counts_config 2 >"$work/counts.yaml"
  ours=$(free_port)
  secure_port=$ours start_berth --config "$work/counts.yaml" --plugin-dir "$work/counts" --bind-address 127.0.0.1 \
    --authentication-kubeconfig "$dir/kubeconfig/scheduler" --authorization-kubeconfig "$dir/kubeconfig/scheduler" || return 1
  for i in a b; do of_a_team "web-$i" $i | k create -n counting -f - >/dev/null && within 30 is_bound counting "web-$i"; done || return 1
  for i in c d e; do of_a_team "web-$i" $i; done | k create -n counting -f - >/dev/null && within 30 are counting 5 0 || return 1
  within 20 is_counted 'overflow="true"' 3 || { as_admin "$ours" /metrics | grep plugin_; return 1; }
  expect 'the first team' 1 "$(of_team 'team="a"')" && expect 'the third team' '' "$(of_team 'team="c"')" || return 1
  as_admin "$ours" /metrics >"$work/metrics"
  said "$work/metrics" '# HELP plugin_counts_pods_total Pods that were bound.' '# TYPE plugin_counts_pods_total counter' \
    'berth_plugin_metric_overflows_total{plugin="Counts",profile="default-scheduler",metric="plugin_counts_pods_total"} 3' || return 1
  said "$work/berth.log" 'Counts] "Counted a pod" pod="counting/web-a" team="a"' 'further ones count as one' || return 1

  before=$(attempts)
  pod dry 10 >"$work/dry.yaml"
  explain --dry-run -f "$work/dry.yaml" >"$work/dry" || { cat "$work/dry"; return 1; }
  expect 'attempts after a dry run' "$before" "$(attempts)" || return 1

  counts_config 3 >"$work/counts.yaml"
  kill -HUP "$berth" && within 20 reloaded 1 && said "$work/berth.log" 'The new configuration is in force' || return 1
  of_a_team again a | k create -n counting -f - >/dev/null && within 30 is_bound counting again || return 1
  within 20 is_counted 'team="a"' 2 || { of_team 'team="a"'; return 1; }
  expect 'what overflowed, after a reload' 3 "$(of_team 'overflow="true"')" || return 1
  stop_berth || return 1
  echo 'five teams make two series and one of what overflowed; a dry run counts nothing, and a reload goes on'
}
