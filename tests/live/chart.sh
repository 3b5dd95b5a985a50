# SPDX-License-Identifier: Apache-2.0
# The chart on a real control plane, installed by the real helm into a namespace that admits restricted pods only; what its
# Deployment states runs as a process. Sourced by every_story.sh.

helm() { "$helm_program" --kubeconfig "$dir/kubeconfig/admin" --namespace scheduling "$@"; }

# admitted N: so many pods of the release exist; Pod Security lets no others in.
admitted() { [ "$(k get pods -n scheduling -l app.kubernetes.io/instance=berth -o name | wc -l)" = "$1" ]; }

chart_is_installed() {
  helm_program=$(tests/chart/helm.sh) || return 1
  new_world scheduling && k label namespace scheduling pod-security.kubernetes.io/enforce=restricted >/dev/null &&
    k apply -f tests/cluster/nodes.yaml >/dev/null && within 60 ready_nodes || return 1
  helm install berth charts/berth --set replicas=1 >"$work/notes" || return 1
  grep -q 'schedules the pods of: berth$' "$work/notes" || { cat "$work/notes"; return 1; }
  within 30 admitted 1 || { k get events -n scheduling | tail -n 5; return 1; }
  run_deployment scheduling berth || return 1
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
  echo 'helm installs, tests, upgrades, rolls back and uninstalls; what the Deployment states runs under its rights and places pods'
}
