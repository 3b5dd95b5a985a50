# SPDX-License-Identifier: Apache-2.0
# A plugin that the image does not have reaches a running release, by each way of the chart. Sourced after chart.sh.

# plugin_to_ship: the smallest plugin, built from nothing but the installed package, as its author would ship it: a file, and an
# image that holds it. Leaves $library, $pin and $plugin_image.
plugin_to_ship() {
  local build=$work/ours
  mkdir -p "$build" && cp -r tests/abi/out-of-tree/plugin "$build/source" &&
    cmake -S "$build/source" -B "$build/build" -DCMAKE_PREFIX_PATH="$PWD/out" -DCMAKE_BUILD_TYPE=Release >"$build/log" 2>&1 &&
    cmake --build "$build/build" >>"$build/log" 2>&1 || { tail -n 20 "$build/log"; return 1; }
  mkdir -p "$build/image/plugins" && strip -o "$build/image/plugins/pods-per-node.so" "$build/build/pods-per-node.so" || return 1
  library=$build/image/plugins/pods-per-node.so
  pin=$(sha256sum <"$library" | cut -d ' ' -f 1)
  (
    # With a shell, so that clusters without image volumes can copy from it too.
    printf '%s\n' 'FROM debian:bookworm-slim' 'COPY plugins /plugins' >"$build/image/Dockerfile"
    . tests/packaging/image/buildah.sh && may_buildah && bud -q -t example/ours:1 "$build/image" >/dev/null
  ) && plugin_image=$(ENGINE=buildah tests/packaging/image/image.sh root example/ours:1)
}

# source_values WAY PIN: of a release with two pods per node, by the plugin.
source_values() {
  local from
  case $1 in
    volume | init) from='image: {reference: "example/ours:1", path: /plugins}' ;;
    claim) from='claim: {name: plugins, path: lib}' ;;
    files) from="files: {pods-per-node.so: $(base64 -w 0 "$library")}" ;;
  esac
  printf '%s\n' "imageVolumes: $([ "$1" = volume ] && echo true || echo false)" \
    'profiles: [{plugins: {PodsPerNode: true}, args: {PodsPerNode: {max: 2}}}]' 'pluginSources:' '- name: ours' "  $from" \
    "  plugins: [{name: PodsPerNode, file: pods-per-node.so, sha256: \"$2\"}]" >"$work/source.yaml"
}
by_way() { source_values "$@" && helm upgrade berth charts/berth --set replicas=1 -f "$work/source.yaml" >"$work/upgraded" 2>&1 || { cat "$work/upgraded"; return 1; }; }
begun_times() { [ "$(grep -c 'scheduling begins' "$work/berth.log")" -ge "$1" ]; }

# two_per_node SPACE: of three pods on one node one waits, and says because of whom.
two_per_node() {
  k create namespace "$1" >/dev/null 2>&1
  within 30 namespace_ready "$1" || return 1
  local i
  for i in 1 2 3; do pod "p$i" 10 'schedulerName: berth'; done | k apply -n "$1" -f - >/dev/null
  within 30 are "$1" 2 1 || { pods "$1"; tail -n 5 "$work/berth.log"; return 1; }
  told() { k get events -n "$1" --field-selector reason=FailedScheduling | grep 'reached the maximum of PodsPerNode' >/dev/null; }
  within 20 told "$1" && k delete pods --all -n "$1" --force --grace-period=0 >/dev/null 2>&1
}

third_party_plugins() {
  local library pin plugin_image way begun=1 wrong
  plugin_to_ship || return 1
  mkdir -p "$work/claim/lib" && cp "$library" "$work/claim/lib/" && chmod 755 "$work/claim/lib" || return 1
  node only 64000 | in_the_world || return 1
  run_deployment scheduling berth -pulled "example/ours:1=$plugin_image" -claim "plugins=$work/claim" || return 1
  for way in volume init claim files; do
    by_way $way "$pin" || return 1
    begun=$((begun + 1))
    within 60 begun_times $begun || { echo "$way:"; tail -n 5 "$work/berth.log"; return 1; }
    two_per_node "by-$way" || { echo "$way does not bring the plugin"; return 1; }
  done
  stop_berth || return 1
  wrong=${pin//[0-8]/9}
  for way in volume init claim files; do
    by_way $way "$wrong" || return 1
    ! run_deployment scheduling berth -pulled "example/ours:1=$plugin_image" -claim "plugins=$work/claim" >/dev/null ||
      { echo "$way: a wrong pin is taken"; return 1; }
    grep -q "pods-per-node.so: its SHA-256 is $pin, but the pin says $wrong" "$work/berth.log" || { cat "$work/berth.log"; return 1; }
    stop_berth >/dev/null # It has ended by itself, and not well.
  done
  helm uninstall berth >/dev/null
  echo "by an image as a volume, an image that is copied, a claim and binaryData: it runs with its pin, and with another Berth does not begin and names both"
}
