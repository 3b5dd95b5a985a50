# SPDX-License-Identifier: Apache-2.0
# Sourced by run.sh: objects that Kubernetes takes and that are strange, in a real API server; and what no real one would send.

# build_strange: the plugin that says what it reads, the program that makes the objects, and Kubernetes' decoder.
build_strange() {
  local go
  go=$(tools/setup-go.sh) && mkdir -p .cache/oracle && {
    cmake -S tests/robustness/attacks/strange/plugin -B "$work/reads-all" -DCMAKE_PREFIX_PATH="$PWD/out" -DCMAKE_BUILD_TYPE=Release &&
      cmake --build "$work/reads-all" && (cd tests/robustness/attacks/strange/server && "$go" build -o "$work/strange" .) &&
      (cd tests/oracle/judge && GOTOOLCHAIN=auto GOFLAGS=-buildvcs=false "$go" build -p "$(nproc)" -o "$work/gojson" ./gojson)
  } >"$work/build-strange.log" 2>&1 || { tail -n 20 "$work/build-strange.log"; return 1; }
  printf '%s\n' 'apiVersion: kubescheduler.config.k8s.io/v1' 'kind: KubeSchedulerConfiguration' 'profiles:' '- plugins:' \
    '    multiPoint: {enabled: [{name: ReadsAll}]}' "  pluginConfig: [{name: ReadsAll, args: {out: $work/was-read}}]" >"$work/reads-all.yaml"
}

# start_strange KUBECONFIG TRANSPORT: Berth with that plugin.
start_strange() {
  rm -f "$work/berth.log" "$work/was-read"
  out/bin/berth run --kubeconfig "$1" --secure-port 0 -v 2 --leader-elect=false --transport "$2" --config "$work/reads-all.yaml" \
    --plugin-dir "$work/reads-all" >"$work/berth.log" 2>&1 &
  berth=$!
  within 60 grep -qs 'scheduling begins' "$work/berth.log" || { cut -c 1-300 "$work/berth.log" | tail -n 12; return 1; }
}

# create_all FOLDER: by POST, each byte as it is.
create_all() {
  local file path status server
  server=$(sed -n 's/.*server: *//p' "$dir/kubeconfig/admin-files" | tr -d '"')
  for file in "$work/objects/$1"/*.json; do
    path=/apis/example.com/v1/namespaces/strange/oddities
    [[ $file != */claim-* ]] || path=/apis/resource.k8s.io/v1/namespaces/strange/resourceclaims
    status=$(curl -s --cacert "$dir/pki/ca.crt" --cert "$dir/pki/admin.crt" --key "$dir/pki/admin.key" -o "$work/answer" -w '%{http_code}' \
      -H 'Content-Type: application/json' --data-binary "@$file" "$server$path")
    [ "$status" = 201 ] || { echo "$file: HTTP $status: $(head -c 300 "$work/answer")"; return 1; }
  done
}

# Every object as Kubernetes' decoder reads it, by the digests that the plugin writes.
as_go_reads() {
  { k get --raw /apis/resource.k8s.io/v1/resourceclaims | "$work/gojson" items claim &&
    k get --raw /apis/example.com/v1/oddities | "$work/gojson" items oddity; } | LC_ALL=C sort
}
# read_alike POD COUNT: the pod is bound, and what the plugin saw then is what Kubernetes' decoder reads.
read_alike() {
  pod "$1" 10 | k create -n strange -f - >/dev/null && within 60 is_bound strange "$1" || { tail -n 5 "$work/berth.log" | cut -c 1-300; return 1; }
  as_go_reads >"$work/wanted" || return 1
  expect "objects" "$2" "$(grep -c . "$work/wanted")" || return 1
  diff "$work/wanted" "$work/was-read" >"$work/differ" || { echo "$1: read in another way:"; head -n 6 "$work/differ"; return 1; }
  ! grep -m 1 -E 'cannot be read|Cannot list|Watch failed' "$work/berth.log" | cut -c 1-300 | grep . || return 1
}

# promise(editor): 200 unusual objects of a real API server (claims and custom resources) stop neither the start nor the
# watch, and Berth reads each value as Kubernetes' decoder does.
strange_objects() {
  local transport
  . tests/live/end-to-end/common.sh
  trap 'stop_berth; cluster down >/dev/null 2>&1' EXIT
  tests/live/cluster/cluster.sh build && build_strange && cluster up --bare >"$work/up.log" 2>&1 || { tail -n 5 "$work/up.log"; return 1; }
  "$work/strange" objects "$work/objects" && k create namespace strange >/dev/null || return 1
  k apply -f - >/dev/null <<'END'
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: oddities.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: oddities, singular: oddity, kind: Oddity}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {x-kubernetes-preserve-unknown-fields: true}}}}
END
  k wait --for=condition=Established crd/oddities.example.com --timeout=30s >/dev/null && node quay 4000 | k apply -f - >/dev/null || return 1
  create_all first && start_strange "$dir/kubeconfig/admin" mixed && read_alike first 100 || return 1
  create_all later && read_alike later 200 && stop_berth || return 1
  for transport in beast cpprest; do
    start_strange "$dir/kubeconfig/admin" $transport && read_alike $transport 200 && stop_berth || return 1
  done
  echo "200 strange objects, at the start and later, by three transports: pods are bound, and every value is as Kubernetes reads it"
}

# hostile QUERY...: tells the server, and prints what it says.
hostile() { curl -s "http://127.0.0.1:$(cat "$work/port")/$1"; }
hostile_bound() { [[ "$(hostile bound)" == *"\"$1\":\"quay\""* ]]; }
# named_once TRANSPORT: the pods, claims and oddities that nobody can read, the node and the nameless ones.
named_once() {
  grep -oE 'cannot be read and is left out" resource="[^"]*" object="[^"]*"' "$work/berth.log" | sort | uniq -c >"$work/named"
  ! grep -vE '^ *1 ' "$work/named" || { echo "$1: named more than once"; return 1; }
  expect "$1: how many are named" $((50 + 1 + 2 * (50 + 3))) "$(grep -c . "$work/named")"
}
hostile_story() {
  local what=$1 transport=$2
  start_strange "$work/kubeconfig" "$transport" && within 30 hostile_bound waits && named_once "$what" || return 1
  expect "$what: what is left is read" 100 "$(grep -c . "$work/was-read")" || return 1
  # A placed pod that nobody can read any more keeps its room until it is deleted, be that readable or not.
  hostile 'event?type=MODIFIED&name=placed&more=%22priority%22:99999999999,' >/dev/null
  within 10 grep -q 'what was known of it stays in force" resource="pods" object="strange/placed"' "$work/berth.log" || return 1
  hostile 'event?type=ADDED&name=third' >/dev/null
  within 10 grep -q 'strange/third.*Insufficient cpu' "$work/berth.log" || { tail -n 3 "$work/berth.log" | cut -c 1-300; return 1; }
  ! hostile_bound third || { echo "$what: its room was given away"; return 1; }
  hostile 'event?type=MODIFIED&name=odd-3' >/dev/null
  within 10 grep -q 'can be read again" resource="pods" object="strange/odd-3"' "$work/berth.log" || return 1
  hostile 'event?type=DELETED&name=placed&more=%22tolerations%22:7,' >/dev/null
  within 30 bash -c "grep -q 'bound.*strange/\(third\|odd-3\)' '$work/berth.log'" || { tail -n 3 "$work/berth.log" | cut -c 1-300; return 1; }
  stop_berth
}

# promise(editor): Berth skips unreadable objects in lists and watches, logs each once, and continues to bind pods.
what_no_server_sends() {
  local transport list
  . tests/live/end-to-end/common.sh
  trap 'stop_berth; kill $server 2>/dev/null' EXIT
  build_strange || return 1
  for transport in beast cpprest; do
    for list in streamed unstreamed; do
      rm -f "$work/port"
      "$work/strange" serve "$work/port" 2>"$work/server.log" &
      server=$!
      within 10 test -s "$work/port" || return 1
      printf '%s\n' 'kind: Config' 'current-context: c' 'contexts: [{name: c, context: {cluster: c, user: u}}]' \
        "clusters: [{name: c, cluster: {server: 'http://127.0.0.1:$(cat "$work/port")'}}]" 'users: [{name: u, user: {}}]' >"$work/kubeconfig"
      [ $list = streamed ] || hostile unstreamed
      hostile_story "$transport, $list" $transport || return 1
      kill $server
      wait $server 2>/dev/null
    done
  done
  echo '157 objects that no reader takes, in pages and streams, by two transports: each is named once, and pods are bound'
}
