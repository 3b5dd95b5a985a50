#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kubeconform.sh VERSION: judges the manifests in its standard input by the real kubeconform, strict, with the schemas of that
# minor version of Kubernetes, made of the OpenAPI document in its Go module. Both are built when they are missing. A kind
# that is not Kubernetes' own is skipped.
set -euo pipefail
declare -A releases=([1.32]=v1.32.13 [1.36]=v1.36.3)
minor=${1:?usage: kubeconform.sh VERSION}
release=${releases[$minor]:?}
cd "$(dirname "$0")/../../.."
schemas=$PWD/.cache/chart/schemas/$release
export GOTOOLCHAIN=auto GOFLAGS=-buildvcs=false
program=$(tools/go-program.sh github.com/yannh/kubeconform/cmd/kubeconform@v0.7.0)
if [ ! -d "$schemas" ]; then
  go=$(tools/setup-go.sh)
  module=$(cd / && "$go" mod download -json "k8s.io/kubernetes@$release" | sed -n 's/^\t"Dir": "\(.*\)",/\1/p')
  rm -rf "$schemas.new"
  "$go" run -C tests/live/cluster ./schemas "$module/api/openapi-spec/swagger.json" "$schemas.new"
  mv "$schemas.new" "$schemas"
fi
exec "$program" -strict -summary -skip ServiceMonitor -schema-location "$schemas/{{.ResourceKind}}{{.KindSuffix}}.json" -
