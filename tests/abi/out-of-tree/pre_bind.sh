# SPDX-License-Identifier: Apache-2.0
# Sourced: 2,000 pods that wait in PreBind while others are bound. The plugin is examples/inspection.cpp.

# inspection SECONDS: a configuration that holds back the pods that are inspected so long, in flow style.
inspection() {
  printf '{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration, profiles: [{plugins: {multiPoint: %s}, %s}]}\n' \
    '{enabled: [{name: Inspection}]}' "pluginConfig: [{name: Inspection, args: {seconds: $1}}]"
}
# ships NAME COUNT [METADATA [SPEC]]: so many pods, a line each; the fields end with a comma each.
ships() {
  local i
  for i in $(seq "$2"); do
    echo "- {apiVersion: v1, kind: Pod, metadata: {${3:-}name: $1-$i}, spec: {${4:-}containers: [{name: main, image: \"example/main:1\"}]}}"
  done
}
# berths COUNT: so many nodes, a line each.
berths() {
  local i
  for i in $(seq "$1"); do
    echo "- {apiVersion: v1, kind: Node, metadata: {name: n$i}, status: {capacity: {cpu: \"64\", memory: 64Gi, pods: \"110\"}," \
      "allocatable: {cpu: \"64\", memory: 64Gi, pods: \"110\"}}}"
  done
}
# every NAME COUNT: a map of so many pods that says nothing of them.
every() {
  local i
  echo -n '{'
  for i in $(seq "$2"); do echo -n "$1-$i: , "; done
  echo '}'
}
threads_of() { awk '/^Threads/ { print $2 }' "/proc/$1/status" 2>/dev/null; }

# others_do_not_wait PLUGINS: in a simulation 2,000 inspected pods, which come first, are bound after half a minute, and 2,000
# others at once. The process has one thread, and the watchdog's.
others_do_not_wait() {
  local pid now most=0
  {
    printf '%s\n' 'apiVersion: berth/v1alpha1' 'kind: Scenario' 'metadata: {name: many in PreBind}'
    echo "configuration: $(inspection 30)" && echo objects:
    berths 50 && ships cargo 2000 'labels: {inspection: "true"}, ' 'priority: 10, ' && ships mail 2000
    printf '%s\n' expect: '- at: 0s' "  placed: $(every mail 2000)" '- at: 29s' "  pending: $(every cargo 2000)" \
      '- at: 30s' "  placed: $(every cargo 2000)"
  } >"$work/many.yaml"
  out/bin/berth simulate --plugin-dir "$1" "$work/many.yaml" >"$work/many" 2>&1 &
  pid=$!
  while now=$(threads_of $pid) && [ -n "$now" ]; do
    [ "$now" -le "$most" ] || most=$now
    sleep 0.05
  done
  wait $pid || { tail -n 5 "$work/many"; return 1; }
  [ "$most" = 2 ] || { echo "threads: $most"; return 1; }
  grep -qx 'Scenario many in PreBind: 6,000 expectations hold' "$work/many" || { tail -n 5 "$work/many"; return 1; }
  echo '2,000 pods are bound at once while 2,000 wait 30 s in PreBind, on one thread beside the watchdog'
}
