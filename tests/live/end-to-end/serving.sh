# SPDX-License-Identifier: Apache-2.0
# What Berth serves, beside what the real kube-scheduler serves. Sourced by all.sh.

# free_port: one that nobody listens at.
free_port() {
  local port
  while port=$((20000 + RANDOM % 10000)); (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
  echo "$port"
}

# ask PORT PATH [CURL-FLAG...]: code, type and body of the answer.
ask() {
  local port=$1 path=$2
  shift 2
  curl -sk --max-time 20 -w '\n%{http_code} %{content_type}\n' "$@" "https://127.0.0.1:$port$path"
}
as_admin() { ask "$1" "$2" --cert "$dir/pki/admin.crt" --key "$dir/pki/admin.key"; }
with_token() { ask "$1" "$2" -H "Authorization: Bearer $3"; }

# both_serve: a kube-scheduler at $theirs and Berth at $ours, with the same configuration and the same flags.
both_serve() {
  cluster scheduler start ref >/dev/null || return 1
  theirs=$(cluster status | awk '$1 == "scheduler-ref" { print $4 }')
  ours=$(free_port)
  secure_port=$ours start_berth --config "$dir/schedulers/scheduler-ref.yaml" --bind-address 127.0.0.1 \
    --tls-cert-file "$dir/pki/server.crt" --tls-private-key-file "$dir/pki/server.key" \
    --authentication-kubeconfig "$dir/kubeconfig/scheduler" --authorization-kubeconfig "$dir/kubeconfig/scheduler"
}

# The kube-scheduler would place the pods of later tests.
stop_both() { stop_berth && cluster scheduler stop ref >/dev/null; }

# same_answer COMMAND PATH...: both answer the same; the lines that only Berth has are left out.
same_answer() {
  local how=$1 path theirs_says ours_says
  shift
  for path in "$@"; do
    theirs_says=$($how "$theirs" "$path") || return 1
    ours_says=$($how "$ours" "$path" | grep -vE '^\[\+\](scheduling-loop|config-reload|memory|unreadable-objects) ok$') || return 1
    expect "$how $path" "$theirs_says" "$ours_says" || return 1
  done
}
no_name() { ask "$1" "$2"; }
wrong_name() { with_token "$1" "$2" nonsense; }
# values FILE: every key and value of a JSON text, in no order.
values() { tr '{},[]' '\n' <"$1" | sed 's/^ *//; s/": /":/' | grep -v '^$' | sort; }

served_as_upstream() {
  both_serve || return 1
  same_answer no_name /readyz '/readyz?verbose' '/readyz?exclude=shutdown&verbose' '/livez?verbose&exclude=a&exclude=b' \
    /livez /healthz '/healthz?verbose' /readyz/shutdown /nothing /metrics /configz || return 1
  same_answer wrong_name /healthz /readyz /configz || return 1
  within 10 same_answer as_admin /readyz/shutdown /readyz/sched-handler-sync /livez/ping /livez/nothing /nothing / || return 1
  as_admin "$theirs" /configz >"$work/theirs.json" && as_admin "$ours" /configz >"$work/ours.json" || return 1
  values "$work/theirs.json" >"$work/theirs.values" && values "$work/ours.json" >"$work/ours.values" || return 1
  diff "$work/theirs.values" "$work/ours.values" || return 1
  # A token with the right to read one path, and no other.
  k create serviceaccount reader -n default >/dev/null 2>&1
  k delete clusterrole,clusterrolebinding reader --ignore-not-found >/dev/null
  k create clusterrole reader --verb=get --non-resource-url=/configz >/dev/null &&
    k create clusterrolebinding reader --clusterrole=reader --serviceaccount=default:reader >/dev/null || return 1
  local token
  token=$(k create token reader -n default) || return 1
  reader() { with_token "$1" "$2" "$token"; }
  [[ "$(reader "$ours" /configz)" = *'200 application/json' ]] || { reader "$ours" /configz; return 1; }
  same_answer reader /version-of-nothing /readyz/shutdown || return 1
  stop_both || return 1
  echo "health checks, their texts, refusals and the configuration are those of kube-scheduler"
}

# A second Berth at the same port ends at once and says why.
port_in_use() {
  both_serve || return 1
  timeout 30 out/bin/berth run --config "$dir/schedulers/scheduler-ref.yaml" --bind-address 127.0.0.1 --secure-port "$ours" \
    >"$work/second" 2>&1
  expect 'exit code' 2 $? && grep -q "^berth: --secure-port $ours: cannot listen at 127.0.0.1, port $ours: Address already in use" \
    "$work/second" || { cat "$work/second"; return 1; }
  stop_both || return 1
  grep -h '^berth: ' "$work/second"
}

# A stopped process answers nothing; one that is asked to end says so to whoever asks whether it is ready.
ready_until_the_end() {
  both_serve || return 1
  expect 'ready' 'ok' "$(curl -sk "https://127.0.0.1:$ours/readyz")" || return 1
  cluster stop kube-apiserver >/dev/null || return 1
  expect 'alive without an API server' 'ok' "$(curl -sk "https://127.0.0.1:$ours/livez")" || return 1
  local answer
  answer=$(with_token "$ours" /configz something)
  [[ $answer = *'401 application/json' ]] || { echo "$answer"; return 1; }
  cluster start kube-apiserver >/dev/null || return 1
  stop_both || return 1
  echo 'alive while the API server is away; an unknown token is nobody then'
}

# some_work NAMESPACE: five pods that fit, two that do not, and the scheduler has looked at each.
some_work() {
  local i
  { node one 4000; node two 4000; } | k apply -f - >/dev/null || return 1
  k create namespace "$1" >/dev/null && within 30 namespace_ready "$1" || return 1
  within 30 ready_nodes || return 1
  { for i in 1 2 3 4 5; do pod "fits-$i" 100; done; pod large-1 8000; pod large-2 8000; } | k apply -n "$1" -f - >/dev/null
  within 60 are "$1" 5 2
}
# scraped PORT FILE
scraped() { as_admin "$1" /metrics | sed '$d' >"$2" && grep -q '^scheduler_schedule_attempts_total.*"unschedulable"} 2' "$2"; }

metrics_as_upstream() {
  k delete pods --all -A --wait=true --grace-period=0 --force >/dev/null 2>&1
  k delete nodes --all --wait=true >/dev/null 2>&1
  GOFLAGS=-buildvcs=false "$(tools/setup-go.sh)" build -C tests/live/cluster -o "$work/metrics" ./metrics || return 1
  printf '%s\n' 'apiVersion: kubescheduler.config.k8s.io/v1' 'kind: KubeSchedulerConfiguration' 'leaderElection: {leaderElect: true}' \
    >"$work/counts.yaml"
  cluster scheduler start counts "$work/counts.yaml" >/dev/null || return 1
  local theirs
  theirs=$(cluster status | awk '$1 == "scheduler-counts" { print $4 }')
  some_work counts-theirs && within 20 scraped "$theirs" "$work/theirs.metrics" || return 1
  cluster scheduler stop counts
  k delete namespace counts-theirs --wait=true --timeout=60s >/dev/null 2>&1
  k delete pods --all -A --wait=true --grace-period=0 --force >/dev/null 2>&1
  k delete nodes --all --wait=true >/dev/null
  ours=$(free_port)
  secure_port=$ours start_berth --leader-elect=true || return 1
  some_work counts-ours && within 20 scraped "$ours" "$work/ours.metrics" || return 1
  expect 'without a name' 403 "$(ask "$ours" /metrics | tail -n 1 | cut -d ' ' -f 1)" || return 1
  stop_berth || return 1
  [ -z "${KEEP:-}" ] || cp "$work"/*.metrics "$KEEP/"
  "$work/metrics" "$work/theirs.metrics" "$work/ours.metrics"
}

serving_stories() {
  show endpoints served_as_upstream
  show port-in-use port_in_use
  show alive ready_until_the_end
  show LV-4 metrics_as_upstream
}
