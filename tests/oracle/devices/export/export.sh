#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# [KUBERNETES=1.37] export.sh: writes ../upstream-1.36.jsonl anew, or that of the other release: the cases of upstream's own test
# of the allocator, of the version in the release's module file. The test is internal there, so that it runs in a copy of the
# module. Of later releases only those cases are kept that 1.36's table lacks.
set -euo pipefail
cd "$(dirname "$0")/.."
. ../judge/build.sh
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
module=k8s.io/dynamic-resource-allocation
cp -r "$(cd ../judge && "$go" list -m -f '{{.Dir}}' $module)" "$work/module"
chmod -R u+w "$work/module"
cp export/record_test.go.in "$work/module/structured/record_test.go"
mkdir "$work/main"
versions=../judge/go
[ "$release" = 1.36 ] || versions+=-$release
cp "$versions.mod" "$work/main/go.mod"
cp "$versions.sum" "$work/main/go.sum"
cd "$work/main"
echo 'package main' >main.go
export GOFLAGS=-mod=mod
"$go" mod edit -replace "$module=$work/module"
CASES=$work/cases "$go" test -run TestRecord $module/structured
cd "$root/tests/oracle/devices"
if [ "$release" = 1.36 ]; then cp "$work/cases" upstream-1.36.jsonl
else LC_ALL=C comm -13 upstream-1.36.jsonl "$work/cases" >"upstream-$release.jsonl"
fi
wc -l "upstream-$release.jsonl"
