#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# `berth config` and --write-config-to, as a person uses them. Needs `make build`, or BERTH for another program.
set -uo pipefail
. "$(dirname "$0")/../../check.sh"
berth=${BERTH:-$top/out/bin/berth}
here=tests/commands/config
. $here/flags.sh
. $here/gates.sh
. $here/release.sh

pins=()
for pin in defalut=EveryPoint filteringNode=OnlyFilter filteringPod=OnlyPreFilter randScore=OnlyScore; do
  pins+=(--plugin "${pin%=*}=$work/points.so#${pin#*=}")
done

plugins_build() {
  local source
  for source in $here/points tests/commands/record/permits; do
    "${CXX:-c++}" -std=c++20 -shared -fPIC -fvisibility=hidden -Isdk/include -o "$work/${source##*/}.so" $source.cpp || return 1
  done
}

# What kube-scheduler 1.23 printed for this configuration, and what is gone since.
dump_of_an_old_scheduler() {
  "$berth" config view "${pins[@]}" $here/wyq.yaml 2>"$work/err" | diff $here/wyq.expected - || return 1
  grep -q '"EBSLimits", "GCEPDLimits", "AzureDiskLimits" are dropped' "$work/err"
}

expand() { "$berth" config view "${pins[@]}" --expanded --api-version v1 "$1"; }

# The old file and what it is converted to are the same in the end.
converts() {
  "$berth" config convert $here/wyq.yaml >"$work/v1.yaml" 2>"$work/err" &&
    "$berth" config validate "${pins[@]}" "$work/v1.yaml" $here/wyq.yaml 2>/dev/null &&
    expand $here/wyq.yaml 2>/dev/null >"$work/a" && expand "$work/v1.yaml" >"$work/b" && diff "$work/a" "$work/b"
}

# The plugins per extension point but those that older versions have no place for.
points() {
  awk '/^  plugins:/ { on = 1 } /^    [a-zA-Z]+:/ { skip = /^    (preEnqueue|postFilter):/ } on && !skip'
}

# The default configuration, printed in each version and read again, calls the same plugins with the same weights.
every_version() {
  local version
  "$berth" config view --expanded | points >"$work/today"
  grep -q 'weight: 3' "$work/today" || return 1
  for version in v1 v1beta3 v1beta2 v1beta1 v1alpha2 v1alpha1; do
    "$berth" config view --api-version $version -o json >"$work/$version.json" 2>"$work/err" || return 1
    grep -q "kubescheduler.config.k8s.io/$version\"" "$work/$version.json" || return 1
    "$berth" config view --expanded --api-version v1 "$work/$version.json" 2>"$work/err" |
      points >"$work/again"
    diff "$work/today" "$work/again" || { echo "$version"; cat "$work/err"; return 1; }
  done
}

lists_every_error() {
  "$berth" config validate $here/broken.yaml >"$work/errors"
  [ $? = 1 ] && diff $here/broken.expected "$work/errors"
}

# What `berth run` and `berth simulate` refuse is refused here in the same words.
addresses_of_extenders() {
  local url said
  printf '%s\n' 'apiVersion: v1' 'kind: List' 'items: []' >"$work/none.yaml"
  for url in 'not a url' '' ftp://x/y http:// https://x:99999 'http://[::1'; do
    printf '%s\n' 'apiVersion: kubescheduler.config.k8s.io/v1' 'kind: KubeSchedulerConfiguration' 'extenders:' \
      "- urlPrefix: '$url'" '  filterVerb: filter' >"$work/extender.yaml"
    "$berth" config validate "$work/extender.yaml" >"$work/errors"
    [ $? = 1 ] && said=$(cat "$work/errors") || { echo "$url"; return 1; }
    [[ $said = "$work/extender.yaml:4:"*"$url"* ]] || { echo "$said"; return 1; }
    "$berth" simulate --config "$work/extender.yaml" "$work/none.yaml" 2>"$work/err"
    echo "berth: $said" | diff - "$work/err" || return 1
  done
}

helps() {
  local command
  for command in simulate 'config view' 'plugin verify' ''; do
    "$berth" help $command | diff - <("$berth" ${command:+$command }--help) || return 1
  done
  "$berth" -v 2 help 2>"$work/help"
  [ $? = 2 ] && grep -qxF 'berth: help comes first: berth help, or berth help COMMAND' "$work/help" || return 1
  "$berth" help simulat 2>"$work/help"
  [ $? = 2 ] && grep -qxF 'berth: there is no command "simulat"; did you mean "simulate"?' "$work/help"
}

least_rights() { "$berth" config rbac $here/few.yaml | diff $here/few.rbac -; }

# What a plugin selects is all that it may see: in which namespace (a Role there, or the ClusterRole), and by which name.
rights_of_selections() {
  local args names space rules
  while IFS='|' read -r args space names; do
    printf '%s\n' 'apiVersion: kubescheduler.config.k8s.io/v1' 'kind: KubeSchedulerConfiguration' \
      "profiles: [{plugins: {preFilter: {enabled: [{name: Permits}]}}, pluginConfig: [{name: Permits, args: {$args}}]}]" >"$work/permits.yaml"
    "$berth" config rbac -o json --plugin "Permits=$work/permits.so" "$work/permits.yaml" >"$work/rules.json" || return 1
    rules=$(tr -d ' \n' <"$work/rules.json" | sed 's/{"apiVersion":"rbac/\n&/g' | grep -F "$space")
    # Beside it there is the ConfigMap with which clients are authenticated.
    [ "$(tr -d ' \n' <"$work/rules.json" | grep -oF '"resources":["configmaps"]' | wc -l)" = 2 ] &&
      grep -qF "{\"apiGroups\":[\"\"],\"resources\":[\"configmaps\"],$names\"verbs\":[\"list\",\"watch\"]}" <<<"$rules" ||
      { echo "$args: expected $space $names, found:"; cat "$work/rules.json"; return 1; }
  done <<'END'
|"ClusterRole"|
labels: permit|"ClusterRole"|
namespace: harbour, labels: permit|"namespace":"harbour"|
namespace: harbour, name: tides|"namespace":"harbour"|"resourceNames":["tides"],
fields: metadata.name=tides|"ClusterRole"|"resourceNames":["tides"],
END
}

# A gate may make a plugin need more, and gives others arguments.
gates_of_a_file() {
  printf '%s\n' 'apiVersion: kubescheduler.config.k8s.io/v1' 'kind: KubeSchedulerConfiguration' \
    'profiles: [{plugins: {multiPoint: {disabled: [{name: VolumeBinding}]}}}]' >"$work/gates.yaml"
  ! "$berth" config rbac "$work/gates.yaml" | grep -F csidrivers &&
    "$berth" config rbac --feature-gates=VolumeLimitScaling=true "$work/gates.yaml" | grep -F csidrivers >/dev/null &&
    "$berth" config validate --feature-gates=VolumeLimitScaling=true "$work/gates.yaml" | grep -F ": valid" >/dev/null || return 1
  ! "$berth" config view | grep -F shape: && "$berth" config view --feature-gates=StorageCapacityScoring=true | grep -F shape: >/dev/null || return 1
  # A gate that Berth refuses is wrong with the command, and it is said once; as is a gate that changes nothing.
  "$berth" config validate --emulated-version 1.35 "$work/gates.yaml" "$work/gates.yaml" >"$work/out" 2>"$work/errors"
  [ $? = 2 ] && [ ! -s "$work/out" ] && [ "$(grep -c '^berth: --emulated-version: ' "$work/errors")" = 1 ] &&
    [ "$(sort "$work/errors" | uniq -d | wc -l)" = 0 ] || { cat "$work/out" "$work/errors"; return 1; }
  "$berth" config validate --feature-gates OpportunisticBatching=false "$work/gates.yaml" "$work/gates.yaml" >"$work/out" 2>"$work/errors"
  [ $? = 0 ] && [ "$(grep -c ': valid$' "$work/out")" = 2 ] && [ "$(grep -c 'OpportunisticBatching changes nothing' "$work/errors")" = 1 ] || return 1
  # What a gate forbids is wrong with the file; a gate that is not known, with the command.
  printf '%s\n' 'apiVersion: kubescheduler.config.k8s.io/v1' 'kind: KubeSchedulerConfiguration' \
    'profiles: [{pluginConfig: [{name: DynamicResources, args: {filterTimeout: 7s}}]}]' >"$work/timeout.yaml"
  "$berth" config validate --feature-gates=DRASchedulerFilterTimeout=false "$work/gates.yaml" "$work/timeout.yaml" >"$work/errors"
  [ $? = 1 ] && grep -q 'gates.yaml: valid' "$work/errors" && grep -q 'timeout.yaml:3:.*filterTimeout: Forbidden' "$work/errors" || { cat "$work/errors"; return 1; }
  for command in view validate rbac; do
    "$berth" config $command --feature-gates=Nothing=true "$work/gates.yaml" >"$work/out" 2>"$work/errors"
    [ $? = 2 ] && [ ! -s "$work/out" ] && grep -qF -- 'berth: --feature-gates: unrecognized feature gate: Nothing' "$work/errors" || return 1
  done
}

# The library of default plugins is known by what it has.
another_file_name() {
  mkdir -p "$work/renamed" && cp "$(dirname "$berth")/../lib/berth/plugins/kubernetes.so" "$work/renamed/other.so" &&
    "$berth" config view --expanded --kubernetes-version=1.36 >"$work/usual" &&
    "$berth" config view --expanded --kubernetes-version=1.36 --plugin-dir "$work/renamed" | diff "$work/usual" -
}

writes_its_configuration() {
  "$berth" run --config $here/few.yaml --write-config-to "$work/written" 2>"$work/err" &&
    "$berth" config view $here/few.yaml | diff - "$work/written" &&
    "$berth" config view "$work/written" | diff - "$work/written"
}

check 'the plugins of the tests are built' plugins_build
check 'a v1beta2 file is printed as the scheduler of its time printed it' dump_of_an_old_scheduler
check 'a v1beta2 file and what it is converted to are the same' converts
check 'every version is printed and read' every_version
check 'everything wrong with a file is listed' lists_every_error
check 'addresses of extenders are refused as elsewhere' addresses_of_extenders
check 'the help of a command' helps
check 'the least rights' least_rights
check 'the rights of a plugin that watches some objects' rights_of_selections
check 'feature gates of view, validate and rbac' gates_of_a_file
check 'the library of default plugins may have any name' another_file_name
check '--write-config-to writes what view prints' writes_its_configuration

check_flags
check_gates
check_release

finish
