#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The chart, rendered by the real helm: linted, compared with what it was, refused when values are wrong, and with the rights
# that berth config rbac prints. `run.sh rights` checks the rights alone. GOLDEN=1 writes charts/berth/ci/*.golden anew. Needs `make build`.
set -uo pipefail
. "$(dirname "$0")/../../check.sh"
helm=$(tests/packaging/chart/helm.sh) || exit 1
cluster=1.36.0

render() { "$helm" template berth charts/berth --namespace scheduling --kube-version $cluster "$@"; }

lints() { "$helm" lint --strict --quiet --kube-version $cluster charts/berth "$@"; }

# as_before VALUES: the rendering is the one that stands beside the values.
as_before() {
  local golden=${1%-values.yaml}.golden
  render -f "$1" >"$work/rendered" || return 1
  [ -z "${GOLDEN:-}" ] || cp "$work/rendered" "$golden"
  diff "$golden" "$work/rendered"
}

# plain MODE: the manifests for people without Helm are what the chart renders for a namespace of that name.
plain() {
  { echo '# SPDX-License-Identifier: Apache-2.0'
    echo '# Written by GOLDEN=1 tests/packaging/chart/run.sh: what the chart renders for the namespace scheduling.'
    render --no-hooks --set "mode=$1" | grep -v -e '^ *helm.sh/chart:' -e '^ *app.kubernetes.io/managed-by:' -e '^# Source:'; } >"$work/rendered" || return 1
  [ -z "${GOLDEN:-}" ] || cp "$work/rendered" "charts/plain/$1.yaml"
  diff "charts/plain/$1.yaml" "$work/rendered" && tests/packaging/chart/kubeconform.sh 1.32 <"charts/plain/$1.yaml"
}

# Every metric that the dashboard and the operator's guide ask for is one that the program has.
metrics_exist() {
  local metric known=0
  perl -MJSON::PP -e 'local $/; decode_json(<STDIN>)' <docs/grafana-dashboard.json || return 1
  while read -r metric; do
    known=$((known + 1))
    grep -rqF "\"${metric%_bucket}\"" host || { echo "no metric $metric"; return 1; }
  done < <(grep -ohE '\b(scheduler|berth|process)_[a-z_]+_(total|seconds|bucket|bytes|pods|successful)\b' docs/grafana-dashboard.json docs/operate.md | sort -u)
  [ $known -ge 10 ]
}

# conforms VALUES: what is rendered for a version of Kubernetes has only fields that it knows.
conforms() {
  local version
  for version in 1.36 1.32; do
    "$helm" template berth charts/berth --namespace scheduling --kube-version $version.0 -f "$1" >"$work/rendered" &&
      tests/packaging/chart/kubeconform.sh $version <"$work/rendered" >"$work/judged" || { cat "$work/judged"; return 1; }
    [ "$(sed -n 's/.*Valid: \([0-9]*\),.*/\1/p' "$work/judged")" -ge 8 ] || { cat "$work/judged"; return 1; }
  done
}

# A field that only the newer version has passes there alone, one that no version has nowhere.
the_versions_are_told_apart() {
  local field
  pod_with() { printf '%s\n' 'apiVersion: v1' 'kind: Pod' 'metadata: {name: a}' 'spec:' '  containers: [{name: a, image: a}]' "  $1"; }
  pod_with 'hostnameOverride: a' | tests/packaging/chart/kubeconform.sh 1.36 || return 1
  for field in 1.32:hostnameOverride 1.36:hostnameOveride; do
    ! pod_with "${field#*:}: a" | tests/packaging/chart/kubeconform.sh "${field%:*}" >"$work/judged" &&
      grep -qF "additional properties '${field#*:}' not allowed" "$work/judged" || { cat "$work/judged"; return 1; }
  done
}

# refuses TEXT ARGUMENT...: helm renders nothing and says the text.
refuses() {
  local text=$1
  shift
  ! render "$@" >"$work/out" 2>&1 || { echo 'rendered'; return 1; }
  grep -qF -- "$text" "$work/out" || { cat "$work/out"; return 1; }
}

# ingress ARGUMENT...: what the NetworkPolicy says of it, in one line; nothing where there is none.
ingress() {
  render "$@" | awk '/^---/ { policy = on = 0 } /^kind: NetworkPolicy$/ { policy = 1 } policy && /^  ingress:/ { on = 1 } on' | tr -s ' \n' ' '
}

# The endpoints are closed unless somebody is named, and then open to those alone.
only_those_named_get_in() {
  local from='networkPolicy.from[0].ipBlock.cidr=10.0.0.0/8'
  [ "$(ingress)" = ' ingress: [] ' ] && [ -z "$(ingress --set networkPolicy.enabled=false)" ] &&
    [ "$(ingress --set "serviceMonitor.enabled=true,$from")" = ' ingress: - ports: [{port: https}] from: - ipBlock: cidr: 10.0.0.0/8 ' ]
}

# notes ARGUMENT...: what helm tells the person who installs; helm itself renders it beside a cluster alone.
notes() {
  rm -rf "$work/chart" && cp -r charts/berth "$work/chart" || return 1
  { echo 'notes: |'; sed 's/^/  /' charts/berth/templates/NOTES.txt; } >"$work/chart/templates/notes.yaml"
  "$helm" template berth "$work/chart" --namespace scheduling --kube-version $cluster --show-only templates/notes.yaml "$@"
}

# Who looks for the reason of a pending pod is led to the leader.
notes_lead_to_explain() {
  local mode lease
  for mode in second:scheduling/berth replace:kube-system/kube-scheduler; do
    lease=${mode#*:}
    notes --set "mode=${mode%:*}" >"$work/notes" && grep -qF "get lease ${lease#*/} -o jsonpath" "$work/notes" &&
      grep -qF -- "-n ${lease%/*} get lease" "$work/notes" && grep -q '^ *berth explain POD -n NAMESPACE$' "$work/notes" || { cat "$work/notes"; return 1; }
  done
}

# In the place of kube-scheduler Berth would schedule its own pods, and lost all at once they would not come back: whoever installs it so
# is told, unless each replica has its node from the start, and then each has a Deployment that selects no other's pod.
replicas_can_come_back() {
  local told='no scheduler is left to place new ones'
  notes --set mode=replace >"$work/notes" && grep -qF "$told" "$work/notes" && grep -qF '"nodeName":"NODE"' "$work/notes" || { cat "$work/notes"; return 1; }
  notes --set mode=second >"$work/notes" && ! grep -qF "$told" "$work/notes" || { cat "$work/notes"; return 1; }
  notes --set mode=replace --set 'nodeNames={one,two}' >"$work/notes" && ! grep -qF "$told" "$work/notes" || { cat "$work/notes"; return 1; }
  render --set mode=replace --set 'nodeNames={one,two.example}' >"$work/rendered" || return 1
  [ "$(sed -n 's/^      nodeName: //p' "$work/rendered" | sort | tr '\n' ' ')" = 'one two.example ' ] &&
    [ "$(grep -c '^  replicas: 1$' "$work/rendered")" = 2 ] &&
    [ "$(sed -n 's/^      app.kubernetes.io\/component: node-//p' "$work/rendered" | sort -u | wc -l)" = 2 ] &&
    [ "$(sed -n 's/^        app.kubernetes.io\/component: node-//p' "$work/rendered" | sort -u | wc -l)" = 2 ] || { cat "$work/rendered"; return 1; }
}

# Request and limit are what the formula of docs/operate.md says of the cluster's size; whoever gives resources has those alone.
memory_follows_from_the_size() {
  local base of_node of_pod nodes pods wanted
  read -r base of_node of_pod < <(sed -nE 's/^ +([0-9]+) MiB \+ ([0-9]+) KiB × nodes \+ ([0-9]+) KiB × pods$/\1 \2 \3/p' docs/operate.md)
  while read -r nodes pods; do
    wanted=$(((base * 1024 + of_node * nodes + of_pod * pods + 1023) / 1024))Mi
    render --set "clusterSize.nodes=$nodes,clusterSize.pods=$pods" >"$work/rendered" || return 1
    grep -qF "requests: {cpu: 100m, memory: $wanted}" "$work/rendered" && grep -qF "limits: {memory: $wanted}" "$work/rendered" ||
      { echo "$nodes nodes, $pods pods: not $wanted"; return 1; }
  done <<<$'1 1\n500 10000\n5000 150000\n100000 10000000'
  render --set resources.requests.cpu=2 >"$work/rendered" && grep -qF 'cpu: 2' "$work/rendered" && ! grep -E 'limits:|memory:' "$work/rendered"
}

gates_are_an_argument() {
  render --set featureGates.SchedulerPopFromBackoffQ=false,featureGates.OpportunisticBatching=true >"$work/rendered" &&
    grep -qxF '        - --feature-gates=OpportunisticBatching=true,SchedulerPopFromBackoffQ=false' "$work/rendered" &&
    render >"$work/rendered" && ! grep -F feature-gates "$work/rendered"
}

the_release_is_an_argument() {
  render --set-string kubernetesVersion=1.37 >"$work/rendered" && grep -qxF '        - --kubernetes-version=1.37' "$work/rendered" &&
    render >"$work/rendered" && ! grep -F kubernetes-version "$work/rendered"
}

# rules: of the roles in the standard input, under "ClusterRole" or "Role NAMESPACE", in order; names and labels left out.
rules() {
  awk '/^---/ { on = 0; next } /^kind: / { kind = $2; space = "" } /^  namespace: / { space = $2 }
    /^rules:/ { if (kind ~ /^(Cluster)?Role$/) { on = 1; print kind, space } next } /^[^ -]/ { on = 0 } on' | tr -d '"'
}

# rights_are_those_of VALUES PLUGIN-OPTION...: what berth config rbac prints for the configuration that is rendered.
rights_are_those_of() {
  local values=$1 release
  shift
  render -f "$values" >"$work/rendered" || return 1
  release=$(sed -n 's/^ *- \(--kubernetes-version=.*\)/\1/p' "$work/rendered")
  [ -z "$release" ] || set -- "$release" "$@"
  awk '/^  scheduler.yaml: \|/ { on = 1; next } on && /^(---|[^ ])/ { exit } on' "$work/rendered" | sed 's/^    //' >"$work/scheduler.yaml"
  out/bin/berth config rbac "$@" "$work/scheduler.yaml" 2>"$work/err" | rules >"$work/wanted"
  [ -s "$work/wanted" ] || { cat "$work/err"; return 1; }
  rules <"$work/rendered" | diff "$work/wanted" -
}

# with_config TEXT: values whose configuration it is, in one line of YAML.
with_config() { echo "config: $1" >"$work/values.yaml"; }
as_release() { sed -i '/^kubernetesVersion/d' "$work/values.yaml" && echo "kubernetesVersion: \"$1\"" >>"$work/values.yaml"; }

# Plugins that are disabled at each of their points, or by *, and those that are only enabled at some.
rights_follow_what_is_enabled() {
  local head='apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration' plugins release
  while read -r plugins; do
    with_config "{$head, profiles: [{schedulerName: a, plugins: $plugins}]}"
    rights_are_those_of "$work/values.yaml" || { echo "plugins: $plugins"; return 1; }
    for release in 1.37 v1.37 1.37.2 v1.37.2; do
      as_release $release
      rights_are_those_of "$work/values.yaml" || { echo "as $release, plugins: $plugins"; return 1; }
    done
  done <<'END'
{multiPoint: {disabled: [{name: InterPodAffinity}, {name: DefaultPreemption}]}}
{preFilter: {disabled: [{name: InterPodAffinity}]}, filter: {disabled: [{name: InterPodAffinity}]}, preScore: {disabled: [{name: '*'}]}, score: {disabled: [{name: '*'}]}}
{preFilter: {disabled: [{name: InterPodAffinity}]}, filter: {disabled: [{name: InterPodAffinity}]}}
{multiPoint: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}, {name: DefaultBinder}]}, filter: {enabled: [{name: VolumeZone}]}}
{postFilter: {disabled: [{name: '*'}]}, preEnqueue: {disabled: [{name: '*'}]}}
{multiPoint: {disabled: [{name: VolumeBinding}, {name: DynamicResources}]}}
END
}

# sees RESOURCE ARGUMENT...: a rule of the rendering names it.
sees() {
  local resource=$1
  shift
  render -f "$work/values.yaml" "$@" >"$work/rendered" && grep -qx " *- $resource" "$work/rendered"
}

# A gate makes a plugin look at more, or at less: what the release has on from the start, what it has not, and all of a stage.
rights_follow_the_gates() {
  local wanted resource arguments
  with_config "{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration, profiles: [{schedulerName: a,
    plugins: {multiPoint: {disabled: [{name: VolumeBinding}]}}}]}"
  while read -r wanted resource arguments; do
    # shellcheck disable=SC2086
    sees "$resource" $arguments
    [ $? = "$wanted" ] || { echo "$resource with $arguments"; return 1; }
  done <<'END'
1 csidrivers
0 csidrivers --set featureGates.VolumeLimitScaling=true
0 csidrivers --set featureGates.AllAlpha=true
1 csidrivers --set featureGates.AllAlpha=true,featureGates.VolumeLimitScaling=false
1 csidrivers --set featureGates.SchedulerPopFromBackoffQ=false
0 csidrivers --set-string kubernetesVersion=v1.37.2
1 csidrivers --set-string kubernetesVersion=1.37 --set featureGates.AllBeta=false
1 podgroups --set-string kubernetesVersion=1.37
0 podgroups --set-string kubernetesVersion=1.37 --set featureGates.GenericWorkload=true
0 podgroups/status --set-string kubernetesVersion=1.37 --set featureGates.GenericWorkload=true
1 podgroups --set featureGates.SchedulerPopFromBackoffQ=false
1 csidrivers --set-string kubernetesVersion=1.37 --set featureGates.VolumeLimitScaling=false
1 devicetaintrules --set featureGates.AllBeta=true
1 devicetaintrules --set featureGates.VolumeLimitScaling=true
0 devicetaintrules --set-string kubernetesVersion=1.37 --set featureGates.AllBeta=false
1 devicetaintrules --set-string kubernetesVersion=1.37 --set featureGates.DRADeviceTaintRules=false
END
}

rights_of_every_version() {
  local version
  for version in v1alpha1 v1alpha2 v1beta1 v1beta2 v1beta3 v1; do
    with_config "{apiVersion: kubescheduler.config.k8s.io/$version, kind: KubeSchedulerConfiguration}"
    rights_are_those_of "$work/values.yaml" || { echo "$version"; return 1; }
  done
}

what_the_chart_knows_is_true() { tests/packaging/chart/rights.sh | diff charts/berth/files/rights.yaml -; }

# The configuration of a system's values is that of its file, and the rights are those of its manifests.
values_of_the_systems() {
  local system options
  for system in wyq sample maxnum namescore; do
    lints -f configs/$system/values.yaml || return 1
    mapfile -t options < <(sed -n 's/^ *- \(--plugin=.*\)/\1/p' configs/$system/deploy/deployment.yaml)
    rights_are_those_of configs/$system/values.yaml "${options[@]}" || { echo "$system"; return 1; }
    out/bin/berth config view "${options[@]}" configs/$system/scheduler.yaml 2>/dev/null >"$work/wanted" &&
      out/bin/berth config view "${options[@]}" "$work/scheduler.yaml" 2>/dev/null | diff "$work/wanted" - || return 1
  done
}

if [ "${1:-}" != rights ]; then
  check 'the chart is clean' lints
  for values in charts/berth/ci/*-values.yaml; do
    check "$(basename "$values") renders as before" as_before "$values"
    check "$(basename "$values") conforms to Kubernetes 1.36 and 1.32" conforms "$values"
  done
  for mode in second replace; do check "charts/plain/$mode.yaml is what the chart renders" plain $mode; done
  check 'the metrics of the dashboard and of the guide exist' metrics_exist
  check 'a field that a version does not have is found' the_versions_are_told_apart
  check 'nobody gets in but those who are named' only_those_named_get_in
  check 'a scrape that nobody lets in is refused' refuses 'serviceMonitor.enabled: networkPolicy.from lets no pod in' --set serviceMonitor.enabled=true
  check 'without a policy there is a scrape' render --set serviceMonitor.enabled=true,networkPolicy.enabled=false
  check 'a typo is named' refuses "additional properties 'replica' not allowed" --set replica=3
  check 'so is one further down' refuses "at '/image': additional properties 'repo' not allowed" --set image.repo=x
  check 'in the place of kube-scheduler, replicas that were lost can come back' replicas_can_come_back
  check 'the notes lead to berth explain' notes_lead_to_explain
  check 'a node that is named twice is refused' refuses "at '/nodeNames': items at 0 and 1 are equal" --set 'nodeNames={one,one}'
  check 'memory follows from the size of the cluster' memory_follows_from_the_size
  check 'a cluster without pods is refused' refuses "at '/clusterSize/pods': minimum: got 0, want 1" --set clusterSize.pods=0
  check 'a dashboard that is neither on nor off is refused' refuses "at '/dashboard/enabled': got string, want boolean" --set-string dashboard.enabled=yes
  check 'feature gates become one argument' gates_are_an_argument
  check 'a feature gate that is neither on nor off is refused' refuses "at '/featureGates/AllBeta': got string, want boolean" \
    --set-string featureGates.AllBeta=yes
  check 'the release of Kubernetes becomes an argument' the_release_is_an_argument
  check 'a release that is not there is refused' refuses "at '/kubernetesVersion'" --set-string kubernetesVersion=1.35
  check 'a weight of 0 is refused' refuses "at '/profiles/0/plugins/MaxPods'" --set 'profiles[0].plugins.MaxPods=0'
  check 'another kind of configuration is refused' refuses "at '/config/apiVersion'" --set config.apiVersion=v2 --set config.kind=KubeSchedulerConfiguration
  check 'a source without a pin is refused' refuses "missing property 'sha256'" \
    --set 'pluginSources[0].name=a,pluginSources[0].claim.name=c,pluginSources[0].plugins[0].name=A,pluginSources[0].plugins[0].file=a.so'
  check 'config and profiles at once are refused' refuses 'config and profiles are both given' -f charts/berth/ci/profiles-values.yaml \
    --set config.apiVersion=kubescheduler.config.k8s.io/v1 --set config.kind=KubeSchedulerConfiguration
fi
check 'what the chart knows of the plugins is what the program says' what_the_chart_knows_is_true
check 'rights follow what is enabled' rights_follow_what_is_enabled
check 'rights follow the feature gates' rights_follow_the_gates
check 'rights are the least for every version of the configuration' rights_of_every_version
check 'rights of profiles in short' rights_are_those_of charts/berth/ci/profiles-values.yaml
check 'the four systems have values' values_of_the_systems

finish
