#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# manifests.sh DIR: writes deploy/rights.yaml and deploy/configmap.yaml of each system of configs/ into DIR/SYSTEM/deploy; with
# DIR configs these are the files of the tree. Rights are those that `berth config rbac` prints for its configuration.
set -euo pipefail
dir=$(realpath "${1:?usage: tests/live/reference-systems/manifests.sh DIR}")
cd "$(dirname "$0")/../../.."
plugins=${BERTH_PLUGIN_DIR:-out/lib/berth/plugins}

# name_of SYSTEM: of its Deployment, which everything else of it is called by too.
name_of() { sed -n 's/^  name: //p' "configs/$1/deploy/deployment.yaml" | head -n 1; }
# arguments_of SYSTEM: the options for plugins that its Deployment gives.
arguments_of() { sed -n 's/^ *- \(--plugin=.*\)/\1/p' "configs/$1/deploy/deployment.yaml"; }

bound() {
  local kind=$1 name=$2 namespace=${3:+, namespace: $3}
  printf '%s\n' '---' 'apiVersion: rbac.authorization.k8s.io/v1' "kind: ${kind}Binding" \
    "metadata: {name: $name$namespace}" "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: $kind, name: $name}" \
    "subjects: [{kind: ServiceAccount, name: $name, namespace: kube-system}]"
}

for deployment in configs/*/deploy/deployment.yaml; do
  system=$(basename "$(dirname "$(dirname "$deployment")")")
  name=$(name_of "$system")
  mapfile -t arguments < <(arguments_of "$system")
  mkdir -p "$dir/$system/deploy"
  {
    echo '# SPDX-License-Identifier: Apache-2.0'
    echo '# Written by tests/live/reference-systems/manifests.sh: what berth config rbac prints for scheduler.yaml.'
    printf '%s\n' 'apiVersion: v1' 'kind: ServiceAccount' "metadata: {name: $name, namespace: kube-system}" '---'
    out/bin/berth config rbac --plugin-dir "$plugins" "${arguments[@]}" "configs/$system/scheduler.yaml" 2>/dev/null |
      sed "s/^  name: berth$/  name: $name/"
    bound ClusterRole "$name"
    bound Role "$name" kube-system
  } >"$dir/$system/deploy/rights.yaml.new"
  {
    echo '# SPDX-License-Identifier: Apache-2.0'
    echo '# Written by tests/live/reference-systems/manifests.sh from scheduler.yaml.'
    printf '%s\n' 'apiVersion: v1' 'kind: ConfigMap' "metadata: {name: $name, namespace: kube-system}" 'data:' '  scheduler.yaml: |'
    sed 's/^\(.\)/    \1/' "configs/$system/scheduler.yaml"
  } >"$dir/$system/deploy/configmap.yaml.new"
  for file in rights configmap; do mv "$dir/$system/deploy/$file.yaml.new" "$dir/$system/deploy/$file.yaml"; done
done
