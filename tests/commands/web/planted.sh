# SPDX-License-Identifier: Apache-2.0
# Sourced: a pod with secrets in every field where people put them, and whether what Berth answers holds one of them. Each
# begins with "planted".

# planted_pod NAME CPU-MILLI: as JSON, of $namespace.
planted_pod() {
  cat <<END
{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "$1", "namespace": "${namespace:-default}", "annotations": {
   "kubectl.kubernetes.io/last-applied-configuration": "{\"spec\":{\"containers\":[{\"env\":[{\"name\":\"TOKEN\",\"value\":\"planted-applied\"}]}]}}",
   "example.com/token": "planted-annotation"}},
 "spec": {"imagePullSecrets": [{"name": "planted-pull"}], "volumes": [{"name": "s", "secret": {"secretName": "planted-volume"}}],
  "initContainers": [{"name": "first", "image": "example/i:1", "env": [{"name": "PASSWORD", "value": "planted-init"}]}],
  "containers": [{"name": "main", "image": "example/main:1", "command": ["run"], "args": ["--token=planted-argument"],
   "env": [{"name": "TOKEN", "value": "planted-environment"}], "envFrom": [{"secretRef": {"name": "planted-reference"}}],
   "resources": {"requests": {"cpu": "${2}m", "memory": "64Mi"}}}]}}
END
}
planted_secret() {
  echo "{\"apiVersion\": \"v1\", \"kind\": \"Secret\", \"metadata\": {\"name\": \"planted-volume\", \"namespace\": \"${namespace:-default}\"},
    \"data\": {\"password\": \"$(printf planted-secret | base64)\"}}"
}
# planted_extender KEY-FILE: of a configuration. It is asked about no pod, and its key is as secret as the rest.
planted_extender() {
  echo "{urlPrefix: 'http://127.0.0.1:1/', filterVerb: f, managedResources: [{name: example.com/none}], tlsConfig: {keyData: $(base64 -w 0 "$1")}}"
}

# nothing_planted GET PLACED PENDING NODE PATH...: every path under /apis/berth/v1alpha1 that the sources name, and these others,
# answer, and hold nothing that was planted, nor $key. `GET PATH [CURL-FLAG...]` writes the answer and, in a line of its own, its
# status. Both pods are planted.
nothing_planted() {
  local get=$1 api=/apis/berth/v1alpha1 in=${namespace:-default} n=0 route path word how
  local paths=("decisions?limit=1000" "decisions/$in/$2?detail=nodes&nodes=100" "decisions/$in/$3?detail=nodes&nodes=100" cluster
    "nodes/$4" devices "devices/$4" pending plugins memory changes dryrun whatif shadow "shadow/$in/$3")
  for route in $(grep -ohE 'explain_base \+ "[a-z]+' host/api/*.cpp | sed 's/.*"//' | sort -u); do
    [[ " ${paths[*]} " =~ \ $route[\ ?/] ]] || { echo "$route is not searched"; return 1; }
  done
  $get $api/whatif -X PUT -d '{"addNodes":[{"like":"'"$4"'","count":1}]}' | grep -q '^202' || { echo 'What if does not begin'; return 1; }
  for _ in $(seq 600); do
    $get $api/whatif >"$work/answer"
    grep -q '"state":"Running"' "$work/answer" || break
    sleep 0.2
  done
  grep -q '"state":"Done"' "$work/answer" || { cat "$work/answer"; return 1; }
  planted_pod another 100 >"$work/planted.json"
  for path in "${paths[@]/#/$api/}" "${@:5}"; do
    how=()
    [[ $path != */dryrun ]] || how=(-X POST -d "@$work/planted.json")
    $get "$path" "${how[@]}" >"$work/answer" || return 1
    # Without a shadow there is nothing to tell of one.
    [[ $path = */shadow* ]] && grep -q '^404' <(tail -n 1 "$work/answer") || grep -q '^200' <(tail -n 1 "$work/answer") || { echo "$path:"; tail -n 3 "$work/answer"; return 1; }
    for word in planted "$(printf planted | base64 | cut -c 1-8)" "${key:-planted}"; do
      ! grep -ioE -- ".{0,60}$word.{0,60}" "$work/answer" || { echo "is told by $path"; return 1; }
    done
    n=$((n + 1))
  done
  echo "$n answers hold nothing that was planted"
}
