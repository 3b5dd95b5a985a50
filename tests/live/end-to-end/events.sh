# SPDX-License-Identifier: Apache-2.0
# Events about pods as the API server has them, beside those of the real kube-scheduler. Sourced by all.sh.

# events_in NAMESPACE: what a scheduler wrote there, without names and times.
events_in() {
  k get events.events.k8s.io -n "$1" -o jsonpath='{range .items[?(@.reportingController=="default-scheduler")]}{.type}|{.reason}|{.action}|{.reportingInstance}|{.regarding.apiVersion}|{.regarding.kind}|{.regarding.name}|{.note}|series {.series.count}{"\n"}{end}' |
    sed "s|$1/|NS/|g" | sort
}
failed_again() { events_in "$1" | grep -q 'FailedScheduling.*|large|.*|series [2-9]'; }

# the_same_again NAMESPACE: pods that fit, and one that does not, which is tried again whenever one of them goes.
the_same_again() {
  local i
  k create namespace "$1" >/dev/null && within 30 namespace_ready "$1" || return 1
  { node only 4000; } | k apply -f - >/dev/null && within 30 ready_nodes || return 1
  for i in 1 2 3 4; do pod "small-$i" 100; done | k create -n "$1" -f - >/dev/null && within 30 are "$1" 4 0 || return 1
  pod large 8000 | k create -n "$1" -f - >/dev/null
  for i in 1 2 3 4; do
    sleep 4
    k delete pod -n "$1" "small-$i" --grace-period=0 --force >/dev/null 2>&1
  done
  within 20 failed_again "$1" || { events_in "$1"; return 1; }
  events_in "$1" >"$work/$1.events"
  k delete namespace "$1" --wait=true --timeout=60s >/dev/null 2>&1
  k delete nodes --all --wait=true >/dev/null
}

events_as_upstream() {
  new_world events || return 1
  printf '%s\n' 'apiVersion: kubescheduler.config.k8s.io/v1' 'kind: KubeSchedulerConfiguration' 'podMaxBackoffSeconds: 1' >"$work/again.yaml"
  cluster scheduler start again "$work/again.yaml" >/dev/null || return 1
  the_same_again events-theirs || { cluster scheduler stop again >/dev/null; return 1; }
  cluster scheduler stop again >/dev/null
  start_berth --config "$work/again.yaml" || return 1
  the_same_again events-ours && stop_berth || return 1
  diff "$work/events-theirs.events" "$work/events-ours.events" || return 1
  echo "$(wc -l <"$work/events-ours.events") events are kube-scheduler's, one of them a series: $(grep -o 'FailedScheduling.*series [2-9]' "$work/events-ours.events" | cut -d '|' -f 7)"
}
