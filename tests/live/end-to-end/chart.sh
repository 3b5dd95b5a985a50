# SPDX-License-Identifier: Apache-2.0
# The chart on a real control plane, installed by the real helm into a namespace that admits restricted pods only; what its
# Deployment states runs as a process, from the image's files after `build_for_chart`, else from out/. Sourced after common.sh
# and systems.sh.

build_for_chart() {
  helm_program=$(tests/packaging/chart/helm.sh) || return 1
  ENGINE=buildah tests/packaging/image/image.sh build >"$work/image.log" 2>&1 && pod_image=$(ENGINE=buildah tests/packaging/image/image.sh root) ||
    { cat "$work/image.log"; return 1; }
}
helm() { "$helm_program" --kubeconfig "$dir/kubeconfig/admin" --namespace "${release_space:-scheduling}" "$@"; }

# admitted N: so many pods of the release exist; Pod Security lets no others in.
admitted() { [ "$(k get pods -n scheduling -l app.kubernetes.io/instance=berth -o name | wc -l)" = "$1" ]; }

# in_the_world: a namespace for the release, the nodes of the standard input and the release itself, with these values.
in_the_world() {
  new_world scheduling 2>/dev/null || within 30 namespace_ready scheduling || return 1
  helm uninstall berth >/dev/null 2>&1
  k label --overwrite namespace scheduling pod-security.kubernetes.io/enforce=restricted >/dev/null &&
    k apply -f - >/dev/null && within 60 ready_nodes && helm install berth charts/berth --set replicas=1 "$@" >"$work/notes" ||
    { cat "$work/notes"; return 1; }
}

# runs_as_stated: what runs is the image's program, if there is an image, with no more rights than the Deployment gives it.
runs_as_stated() {
  [ -n "${pod_image:-}" ] || return 0
  local pid field value
  pid=$(pgrep -x -P "$berth" berth) && cmp "/proc/$pid/exe" "$pod_image/rootfs/opt/berth/bin/berth" || return 1
  while read -r field value; do
    expect "$field" "$value" "$(awk -v field="$field:" '$1 == field { print $2 }' "/proc/$pid/status")" || return 1
  done <<<$'Uid 65532\nGid 65532\nCapEff 0000000000000000\nCapBnd 0000000000000000\nNoNewPrivs 1'
  awk '$5 == "/" && $6 ~ /^ro/ { found = 1 } END { exit !found }' "/proc/$pid/mountinfo" || { echo 'its root can be written'; return 1; }
}

chart_is_installed() {
  in_the_world <tests/live/cluster/nodes.yaml || return 1
  grep -q 'schedules the pods of: berth$' "$work/notes" || { cat "$work/notes"; return 1; }
  within 30 admitted 1 || { k get events -n scheduling | tail -n 5; return 1; }
  run_deployment scheduling berth && runs_as_stated || return 1
  helm test berth --timeout 60s >"$work/tested" 2>&1 || { cat "$work/tested"; tail -n 20 "$work/berth.log"; return 1; }
  grep -q '^Phase: *Succeeded' "$work/tested" || { cat "$work/tested"; return 1; }
  stop_berth || return 1
  # Another configuration by an upgrade, the first again by a rollback.
  helm upgrade berth charts/berth --set 'profiles[0].schedulerName=other' >/dev/null || return 1
  run_deployment scheduling berth && grep -q 'profiles="other"' "$work/berth.log" && stop_berth || return 1
  helm rollback berth 1 --wait=false >/dev/null || return 1
  run_deployment scheduling berth && grep -q 'profiles="berth"' "$work/berth.log" && stop_berth || return 1
  helm uninstall berth >/dev/null || return 1
  expect 'what is left' '' "$(k get clusterroles,clusterrolebindings,roles,rolebindings,deployments,configmaps,services -A -o name |
    grep -E '/berth(-|$)')" || return 1
  echo "helm installs, tests, upgrades, rolls back and uninstalls; what the Deployment states ${pod_image:+runs from the image, without rights, and }places pods"
}

# placed_on NODE: a pod that would like to be on the left and is not wanted there comes to the node.
placed_on() {
  local name=$RANDOM$RANDOM
  pod "choice-$name" 10 'schedulerName: berth, affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 100,
    preference: {matchExpressions: [{key: side, operator: In, values: [left]}]}}]}}' | k apply -n default -f - >/dev/null
  within 20 is_bound default "choice-$name" && [ "$(node_of default "choice-$name")" = "$1" ]
}
# says_of_itself PATH TEXT: what the running Berth answers at its port has a line like that.
says_of_itself() {
  local token
  token=$(k create token -n default scraper) &&
    curl -sk -H "Authorization: Bearer $token" "https://127.0.0.1:10259$1" >"$work/answer" && grep -q "$2" "$work/answer"
}

weights_by_upgrade() {
  { node left 64000 | sed 's/labels: {/&side: left, /'; node right 64000; } | in_the_world \
    --set 'profiles[0].plugins.NodeAffinity=100,profiles[0].plugins.TaintToleration=1' || return 1
  k taint node left avoid=me:PreferNoSchedule >/dev/null
  k create serviceaccount scraper -n default >/dev/null 2>&1
  k create clusterrole scraper --verb=get --non-resource-url=/metrics >/dev/null 2>&1
  k create clusterrolebinding scraper --clusterrole=scraper --serviceaccount=default:scraper >/dev/null 2>&1
  run_deployment scheduling berth && placed_on left || { echo 'not on the left'; return 1; }
  local pid
  pid=$(pgrep -x -P "$berth" berth)
  upgraded() { helm upgrade berth charts/berth --reuse-values --set "$1" 2>&1; }
  upgraded 'profiles[0].plugins.NodeAffinity=1,profiles[0].plugins.TaintToleration=100' >/dev/null && within 60 placed_on right || return 1
  # A wrong value does not reach the cluster.
  ! upgraded 'profiles[0].plugins.NodeAffinity=0' >"$work/refused" && grep -qF "at '/profiles/0/plugins/NodeAffinity'" "$work/refused" ||
    { cat "$work/refused"; return 1; }
  # One that only Berth can know to be wrong leaves the old one in force, and is told in three places.
  upgraded 'profiles[0].plugins.NodeAffinty=100' >/dev/null || return 1
  within 60 grep -q 'The configuration was not reloaded.*NodeAffinty' "$work/berth.log" || { tail -n 5 "$work/berth.log"; return 1; }
  within 10 says_of_itself '/readyz?verbose' 'config-reload.*NodeAffinty' || { cat "$work/answer"; return 1; }
  within 10 says_of_itself /metrics '^berth_config_reloads_total{result="refused"} 1' || { grep reloads "$work/answer"; return 1; }
  placed_on right || { echo 'the old weights are no longer in force'; return 1; }
  expect 'the process' "$pid" "$(pgrep -x -P "$berth" berth)" && stop_berth && helm uninstall berth >/dev/null || return 1
  echo "new weights without a restart; refused: $(grep -o "at '/profiles.*" "$work/refused" | head -n 1); a plugin that is none: log, readyz and metrics say so, the old weights go on"
}

# by_values SYSTEM NAME: installed by helm with its values alone, and run.
by_values() {
  new_world "values-$1" && nodes "$1" && release_space=kube-system helm install "$2" charts/berth -f "configs/$1/values.yaml" >/dev/null &&
    run_deployment kube-system "$2" || return 1
}
removed() { stop_berth && k delete deployments,pods --all -n default --grace-period=0 --force >/dev/null 2>&1; release_space=kube-system helm uninstall "$1" >/dev/null; }

systems_by_values() {
  k delete -f configs/wyq/deploy -f configs/sample/deploy -f configs/maxnum/deploy -f configs/namescore/deploy --ignore-not-found >/dev/null 2>&1
  by_values wyq test-scheduling && k apply -f configs/wyq/example/test-pod.yaml >/dev/null && within 30 is_bound default test &&
    removed test-scheduling || return 1
  by_values sample sample-scheduler && k apply -f configs/sample/example/test-scheduler.yaml >/dev/null && within 60 are default 1 0 &&
    removed sample-scheduler || return 1
  by_values maxnum test-pod-maxnum-scheduler && k apply -f configs/maxnum/example/testdep.yaml >/dev/null && within 60 are default 6 4 &&
    removed test-pod-maxnum-scheduler || return 1
  by_values namescore namescore-scheduler && k apply -f configs/namescore/example/busybox.yaml >/dev/null &&
    within 30 is_bound default busybox-test-scheduler && removed namescore-scheduler || return 1
  echo 'wyq, sample, maxnum and namescore: installed by helm with values.yaml alone, each places its example pods'
}
