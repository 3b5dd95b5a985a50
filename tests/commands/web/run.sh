#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The dashboard of a simulation, asked as a browser asks: pages with their types, answers, and who is refused. Needs `make build`.
# walk.sh looks at the pages themselves, and tests/live/end-to-end/dashboard.sh at those of a live cluster.
set -uo pipefail
. "$(dirname "$0")/../../check.sh"
. tests/commands/web/simulation.sh
. tests/commands/web/planted.sh

# answers STATUS TYPE PATH [CURL-OPTION...]: and what it says is in $work/body, its head in $work/head.
answers() {
  local status=$1 type=$2 path=$3 got
  shift 3
  got=$(curl -sS --compressed -D "$work/head" -o "$work/body" -w '%{http_code} %{content_type}' "$@" "$url$path")
  [ "$got" = "$status $type" ] || { echo "$path: expected $status $type, got $got"; return 1; }
}
says() { grep -qF -- "$1" "$work/body" || { head -c 600 "$work/body"; return 1; }; }

# Of an answer to nobody, to everybody, and to those who refuse it.
compressed_for_those_who_ask() {
  local how header
  answers 200 "$(sed -n 's/^[Cc]ontent-[Tt]ype: *\([^\r]*\).*/\1/p' "$work/head" | tr -d '\r')" "$1" && mv "$work/body" "$work/inflated" || return 1
  for how in '' identity 'gzip;q=0' 'br, *;q=0.0' gzip 'br, gzip;q=0.5' '*'; do
    header=(-H "Accept-Encoding: $how")
    [ -n "$how" ] || header=(-H 'Accept-Encoding:')
    curl -sS -D "$work/head" -o "$work/body" "${header[@]}" "$url$1" && grep -qi '^vary: accept-encoding' "$work/head" || return 1
    case $how in
      gzip | *=0.5 | \*) grep -qi '^content-encoding: gzip' "$work/head" && gzip -dc <"$work/body" | cmp - "$work/inflated" ;;
      *) ! grep -qi '^content-encoding:' "$work/head" && cmp "$work/body" "$work/inflated" ;;
    esac || { echo "$1, Accept-Encoding: $how"; cat "$work/head"; return 1; }
  done
}
pages_have_their_types() {
  if grep -q 'The dashboard: [0-9]* files' build/release/web/built 2>/dev/null; then
    local asset
    answers 200 'text/html; charset=utf-8' /ui && says '<div id="app">' && grep -qi '^content-encoding: gzip' "$work/head" || return 1
    answers 200 'text/html; charset=utf-8' /ui/ && answers 200 'image/svg+xml' /ui/icon.svg &&
      answers 200 'text/plain; charset=utf-8' /ui/licenses.txt && says 'The MIT License' || return 1
    answers 200 'text/html; charset=utf-8' /ui || return 1
    for asset in $(grep -oE '/ui/assets/[^"]+' "$work/body"); do
      case $asset in
        *.js) answers 200 'text/javascript; charset=utf-8' "$asset" ;;
        *.css) answers 200 'text/css; charset=utf-8' "$asset" ;;
        *) echo "what is $asset?"; false ;;
      esac || return 1
      grep -qi '^cache-control: private, max-age=31536000, immutable' "$work/head" || { cat "$work/head"; return 1; }
      compressed_for_those_who_ask "$asset" || return 1
    done
    [ -n "${asset:-}" ]
  else
    answers 404 'text/html; charset=utf-8' /ui && says 'The dashboard is left out of this build'
  fi
}
nothing_else_is_there() {
  answers 404 'text/plain; charset=utf-8' /ui/nothing.js && answers 404 'text/plain; charset=utf-8' / &&
    answers 404 'text/plain; charset=utf-8' /ui/../etc/passwd --path-as-is && answers 405 'text/plain; charset=utf-8' /ui -X POST
}
decisions_are_answered() {
  answers 200 application/json '/apis/berth/v1alpha1/decisions?limit=5' && says '"kind":"DecisionList"' || return 1
  answers 200 application/json '/apis/berth/v1alpha1/decisions/default/ship-0?detail=nodes' && says '"times":[{"plugin":' && says '"standing"'
}
# The same sums as berth simulate prints, and of each node the devices with the pods that have them.
devices_are_answered() {
  simulation_up -o json tests/simulation/scenarios/gpu-cluster.yaml || return 1
  answers 200 application/json '/apis/berth/v1alpha1/devices?limit=5000' && says '"kind":"DeviceUse"' && says '"watched":true' || return 1
  command node -e 'const read = (file) => JSON.parse(require("fs").readFileSync(file)), assert = require("assert");
    const [answer, result] = [read(process.argv[1]), read(process.argv[2])], key = (row) => [row.node, row.driver, row.model].join("/");
    const sorted = (rows) => [...rows].sort((a, b) => (key(a) < key(b) ? -1 : 1));
    assert.ok(answer.nodes.length >= 64);
    assert.deepEqual(sorted(answer.nodes), sorted(result.devices));
    for (const m of answer.models)
      assert.equal(m.allocated, result.devices.filter((row) => row.driver === m.driver && row.model === m.model).reduce((n, row) => n + row.allocated, 0));' \
    "$work/body" "$work/simulated" || return 1
  answers 200 application/json /apis/berth/v1alpha1/devices/gpu-01 && says '"kind":"NodeDevices"' && says '"pods":["' || return 1
  answers 400 application/json '/apis/berth/v1alpha1/devices?limit=all' || return 1
  # No plugin watches them.
  echo '{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration, profiles: [{plugins: {multiPoint: {disabled: [{name: DynamicResources}]}}}]}' >"$work/without.yaml"
  simulation_up --config "$work/without.yaml" tests/simulation/scenarios/maxpods.yaml && answers 200 application/json /apis/berth/v1alpha1/devices &&
    says '"watched":false'
}
plugins_are_told() {
  local file
  answers 200 application/json /apis/berth/v1alpha1/plugins && says '"kind":"PluginList"' || return 1
  says '{"plugin":"TaintToleration","weight":3,' && says '{"plugin":"NodeResourcesFit","calls":10,"nodes":10,"rejections":0,"seconds":' || return 1
  file=$(grep -oE '"file":"[^"]+"' "$work/body" | head -n 1 | cut -d '"' -f 4)
  says "\"sha256\":\"$(sha256sum "$file" | cut -d ' ' -f 1)\""
}
# One event at once, and then nothing, as nothing happens; the connection stays.
changes_are_told() {
  answers 200 text/event-stream /apis/berth/v1alpha1/changes && says 'event: changed' || return 1
  curl -sSN -m 3 -D "$work/head" -o "$work/body" "$url/apis/berth/v1alpha1/changes?follow=true" 2>"$work/why"
  [ $? = 28 ] || { cat "$work/why"; return 1; }
  says 'event: changed' && [ "$(grep -c '^id: ' "$work/body")" = 1 ]
}
# What another configuration would come to: asked, and waited for.
tried() {
  answers 202 application/json /apis/berth/v1alpha1/whatif -X PUT -d "$1" || return 1
  for _ in $(seq 600); do
    answers 200 application/json /apis/berth/v1alpha1/whatif || return 1
    grep -q '"state":"Running"' "$work/body" || return 0
    sleep 0.1
  done
  return 1
}
another_configuration_is_tried() {
  answers 200 application/json /apis/berth/v1alpha1/whatif && says '"state":"Idle"' || return 1
  tried '{"profiles":[{"name":"default-scheduler","weights":{"NodeResourcesFit":9}}]}' && says '"state":"Done"' &&
    says '"differing":0' && says '"before":{"scheduled":10' && says '"after":{"scheduled":10' || return 1
  tried '{"profiles":[{"name":"default-scheduler","enable":["NoSuchPlugin"]}]}' && says '"state":"Failed"' && says 'NoSuchPlugin' || return 1
  answers 422 application/json /apis/berth/v1alpha1/whatif -X PUT -d '{"profiles":[{"name":"none"}]}' && says 'profiles[0].name' || return 1
  answers 422 application/json /apis/berth/v1alpha1/whatif -X PUT -d '{"addNodes":[{"like":"none","count":1}],"pods":"All"}' &&
    says 'addNodes[0].like' && says '"field": "pods"' || return 1
  answers 400 application/json /apis/berth/v1alpha1/whatif -X PUT -d '[' && says 'expected an object as JSON' || return 1
  answers 405 application/json /apis/berth/v1alpha1/whatif -X POST -d '{}'
}
# Fewer nodes: their pods go elsewhere, and stay pending where there is no place for them.
nodes_are_taken_away() {
  local node
  simulation_up "$scenario" && answers 200 application/json /apis/berth/v1alpha1/cluster || return 1
  node=$(grep -oE '"names":\["[^"]+' "$work/body" | cut -d '"' -f 4)
  tried '{"removeNodes":["'"$node"'"]}' && says '"state":"Done"' && says '"removeNodes":["'"$node"'"]' || return 1
  command node -e 'const a = JSON.parse(require("fs").readFileSync(0)), gone = process.argv[1];
    const pods = (o) => o.resources.find((r) => r.name === "pods")?.allocatable ?? 0;
    if (a.differing < 1 || a.differences.some((d) => d.after === gone) || pods(a.after) >= pods(a.before)) throw JSON.stringify(a)' "$node" <"$work/body" || return 1
  out/bin/berth simulate -o json --without-nodes "$node" "$scenario" >"$work/result"
  grep -q '"placements"' "$work/result" || return 1
  ! grep -q "\"$node\"" "$work/result" || { echo "$node is there"; return 1; }
  answers 422 application/json /apis/berth/v1alpha1/whatif -X PUT -d '{"removeNodes":["'"$node"'","none","'"$node"'",7]}' || return 1
  says 'the cluster has no node \"none\"' && says '"field": "removeNodes[1]"' && says 'Duplicate value' && says '"field": "removeNodes[3]"' || return 1
  answers 422 application/json /apis/berth/v1alpha1/whatif -X PUT -d '{"removeNodes":"'"$node"'"}' && says 'expected a list of names of nodes' || return 1
  # Those that were gone from the start are gone still.
  simulation_up "$scenario" --without-nodes "$node" && tried '{"addNodes":[{"allocatable":{"cpu":"8","memory":"8Gi","pods":"9"},"count":1}]}' &&
    says '"state":"Done"' && ! says "\"$node\"" >/dev/null
}
# More nodes, and what the answer says of them to berth simulate.
nodes_are_added() {
  local node
  answers 200 application/json /apis/berth/v1alpha1/cluster || return 1
  node=$(grep -oE '"names":\["[^"]+' "$work/body" | cut -d '"' -f 4)
  tried '{"addNodes":[{"like":"'"$node"'","count":2}]}' && says '"state":"Done"' && says '"after":{"scheduled":10' && says "name: $node-new-2" || return 1
  command node -e 'const a = JSON.parse(require("fs").readFileSync(0)); require("fs").writeFileSync(process.argv[1], a.nodes);
    require("fs").writeFileSync(process.argv[2], a.configuration); console.log(a.after.resources.find((r) => r.name === "pods").allocatable)' \
    "$work/nodes" "$work/config.yaml" <"$work/body" >"$work/pods" || return 1
  out/bin/berth simulate -o json --config "$work/config.yaml" --add-nodes "$work/nodes" "$scenario" >"$work/result" || return 1
  command node -e 'const r = JSON.parse(require("fs").readFileSync(0)); let n = 0; for (const x of r.nodes) n += x.allocatable.pods; console.log(n)' \
    <"$work/result" | cmp - "$work/pods" || return 1
  # What there was besides is there still when it is tried with more.
  simulation_up "$scenario" --add-nodes "$work/nodes" && tried '{"addNodes":[{"like":"'"$node"'-new-1","count":1}]}' || return 1
  says "name: $node-new-1-new-1" && says '"name":"pods","requested":10,"allocatable":330' && says '"name":"pods","requested":10,"allocatable":440' || return 1
  # Twice the same, and what is no node.
  ! out/bin/berth simulate --add-nodes "$scenario" "$scenario" >"$work/body" 2>&1 && says "--add-nodes $scenario: " || return 1
  sed "s/$node-new-1/$node/" "$work/nodes" >"$work/twice"
  ! out/bin/berth simulate --add-nodes "$work/twice" "$scenario" >"$work/body" 2>&1 && says "node \"$node\" is in the input already"
}
# Files that were left out at the start are left out when it is tried.
other_files_are_left_out() {
  mkdir -p "$work/folder"
  printf 'apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: i}]}\n' \
    >"$work/folder/cluster.yaml"
  echo '{"name": "web"}' >"$work/folder/package.json"
  simulation_up --skip-unknown "$work/folder" && tried '{"profiles":[{"name":"default-scheduler","weights":{"NodeResourcesFit":9}}]}' &&
    says '"state":"Done"'
}
# promise(peer): No answer of the dashboard or of `/configz` contains a Secret, a token, a private key or a pod's
# environment.
secrets_are_kept() {
  openssl ecparam -genkey -name prime256v1 -noout -out "$work/key" || return 1
  # Letters and digits alone.
  key=$(base64 -w 0 "$work/key" | grep -oE '[A-Za-z0-9]{40}' | sed -n 2p)
  { sed '/^---/,$d' "$scenario"; echo ---; planted_pod placed 100; echo ---; planted_pod pending 100000; echo ---; planted_secret; } >"$work/cluster.yaml"
  echo "{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration, extenders: [$(planted_extender "$work/key")]}" >"$work/extended.yaml"
  grep -qF "$key" "$work/extended.yaml" && simulation_up --config "$work/extended.yaml" "$work/cluster.yaml" || return 1
  get() { curl -sS --compressed -w '\n%{http_code}\n' "$url$1" "${@:2}"; }
  nothing_planted get placed pending quay /ui || return 1
  # What is searched for is found where it is.
  ! key='Insufficient cpu' nothing_planted get placed pending quay
}
# A page from elsewhere whose name leads here.
# promise(peer): A simulation's dashboard answers only requests for its own host name, so that a web page elsewhere
# cannot read it.
other_names_are_refused() { answers 421 'text/plain; charset=utf-8' /ui -H 'Host: evil.example' && answers 421 'text/plain; charset=utf-8' /apis/berth/v1alpha1/decisions -H 'Host: evil.example:80'; }
# promise(peer): A simulation's dashboard listens at the loopback address only.
only_the_loopback_listens() {
  local other
  other=$(hostname -I 2>/dev/null | cut -d ' ' -f 1)
  [ -n "$other" ] || return 0
  ! curl -s -m 2 -o "$work/body" "http://$other:${url##*:}/ui"
}
an_interruption_ends_it() { kill -INT $simulation && wait $simulation && grep -q 'Result:' "$work/simulated"; }
pages_of_a_directory() {
  mkdir -p "$work/pages" && echo '<p>ours' >"$work/pages/index.html" || return 1
  simulation_up "$scenario" --web-dir "$work/pages" || return 1
  answers 200 'text/html; charset=utf-8' /ui && says '<p>ours' && echo '<p>changed' >"$work/pages/index.html" &&
    answers 200 'text/html; charset=utf-8' /ui && says '<p>changed'
}
refusals_say_why() {
  local port=${url##*:}
  ! timeout 60 out/bin/berth simulate --ui --web-dir "$work/none" "$scenario" >"$work/body" 2>&1 && says 'expected a directory with an index.html' || return 1
  ! timeout 60 out/bin/berth simulate --ui --ui-port "$port" "$scenario" >"$work/body" 2>&1 && says "--ui-port $port" || return 1
  ! timeout 60 out/bin/berth simulate --ui-port 80 "$scenario" >"$work/body" 2>&1 && says -- '--ui-port requires --ui'
}

scenario=tests/simulation/scenarios/maxpods.yaml
check 'a simulation is shown' simulation_up "$scenario"
check 'pages have their types' pages_have_their_types
check 'there is nothing else' nothing_else_is_there
check 'decisions are answered' decisions_are_answered
check 'plugins are told' plugins_are_told
check 'changes are told' changes_are_told
check 'another configuration is tried' another_configuration_is_tried
check 'nodes are added' nodes_are_added
check 'nodes are taken away' nodes_are_taken_away
check 'other names than the own are refused' other_names_are_refused
check 'it listens on the loopback alone' only_the_loopback_listens
check 'an interruption ends it' an_interruption_ends_it
check 'devices are answered as berth simulate has them' devices_are_answered
check 'files that were left out are left out again' other_files_are_left_out
check 'secrets are kept' secrets_are_kept
check '--web-dir serves the pages of a directory' pages_of_a_directory
check 'refusals say why' refusals_say_why
simulation_down
finish
