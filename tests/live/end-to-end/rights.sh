# SPDX-License-Identifier: Apache-2.0
# What a plugin watches and is not there, or may not be seen: berth ends, and its message is enough to put it right. Sourced by
# all.sh.

# refused [FLAG...]: berth ends before it schedules anything; what it said is in $work/refused.
refused() {
  [ $# -gt 0 ] || set -- --leader-elect=false --secure-port 0
  timeout 40 out/bin/berth run --kubeconfig "${kubeconfig:-$dir/kubeconfig/scheduler}" --config "$work/mooring.config" \
    --plugin-dir build/examples "$@" >"$work/refused" 2>&1
  local code=$?
  [ $code = 2 ] && ! grep -q 'scheduling begins' "$work/refused" || { echo "exit code $code"; cat "$work/refused"; return 1; }
}
says() { grep -qF "$1" "$work/refused" || { echo "not said: $1"; cat "$work/refused"; return 1; }; }

a_kind_that_may_not_be_seen() {
  new_world rights || return 1
  echo '{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration,' \
    'profiles: [{plugins: {multiPoint: {enabled: [{name: Mooring}]}}}]}' >"$work/mooring.config"
  k delete clusterrolebinding berth --ignore-not-found >/dev/null
  k delete crd moorings.example.com --ignore-not-found >/dev/null
  # Of a group that it does not know the server tells a scheduler without rights nothing but that.
  refused && says 'plugin Mooring: watching example.com/v1/moorings' || return 1
  awk '/kind: CustomResourceDefinition/ { on = 1; print "apiVersion: apiextensions.k8s.io/v1" } /^  - &node/ { on = 0 } on' \
    examples/mooring.yaml | sed 's/^    //' | k apply -f - >/dev/null || return 1
  k wait --for=condition=established crd/moorings.example.com --timeout=30s >/dev/null || return 1
  # It may lead, and leaves that to those that can schedule.
  refused --leader-elect --secure-port 0 || return 1
  ! grep 'acquired lease' "$work/refused" || return 1
  says 'plugin Mooring: watching example.com/v1/moorings, as declared, is not possible: HTTP 403' &&
    says '{apiGroups: ["example.com"], resources: [moorings], verbs: [list, watch]}' || return 1
  # Just what the message says.
  k create clusterrole moorings --verb=list,watch --resource=moorings.example.com >/dev/null &&
    k create clusterrolebinding moorings --clusterrole=moorings --user=system:kube-scheduler >/dev/null || return 1
  within 10 start_berth --config "$work/mooring.config" --plugin-dir build/examples && stop_berth || return 1
  k delete clusterrolebinding,clusterrole moorings >/dev/null
  echo "without the right to see a plugin's kind berth ends: $(grep -oE 'add to the .*' "$work/refused" | tail -n 1)"
}

# Whoever may do nothing is told of every rule at once: as many as berth config rbac prints, in order, and the CRD too.
everything_that_is_missing() {
  new_world rights-none || return 1
  echo '{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration,' \
    'profiles: [{plugins: {multiPoint: {enabled: [{name: Mooring}]}}}]}' >"$work/mooring.config"
  k create serviceaccount nobody -n rights-none >/dev/null || return 1
  local token kubeconfig=$work/nobody.kubeconfig
  token=$(k create token -n rights-none nobody) || return 1
  sed -n '/^users:/q;p' "$dir/kubeconfig/token" | sed 's/user: token/user: u/' >"$kubeconfig"
  printf 'users: [{name: u, user: {token: "%s"}}]\n' "$token" >>"$kubeconfig"
  refused --leader-elect --secure-port "$(free_port)" --bind-address 127.0.0.1 || return 1
  says ' things are missing (berth config rbac prints every right):' || return 1
  sed '1,/ things are missing /d' "$work/refused" | grep 'add to the scheduler' >"$work/told"
  LC_ALL=C sort -c "$work/told" || return 1
  grep -o '{apiGroups.*' "$work/told" | tr -d '"' | sed 's/, verbs.*//' | sort -u >"$work/told.rules"
  out/bin/berth config rbac --plugin-dir build/examples -o json --config "$work/mooring.config" >"$work/rbac.json" || return 1
  expect 'rules' "$(grep -c '"apiGroups"' "$work/rbac.json")" "$(wc -l <"$work/told.rules")" || { cat "$work/refused"; return 1; }
  says 'plugin VolumeBinding may not' && says 'leader election may not' && says 'events may not create, patch events' &&
    says 'plugin Mooring: watching example.com/v1/moorings, as declared, is not possible' || return 1
  echo "without any right Berth ends and names $(wc -l <"$work/told") rules at once, such as: $(grep -m 1 'VolumeBinding may' "$work/told")"
}
