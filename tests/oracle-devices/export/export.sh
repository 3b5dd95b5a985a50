#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# export.sh: writes ../upstream.jsonl anew: the cases of upstream's own test of the allocator, of the version in
# tests/oracle/go.mod. The test is internal there, so that it runs in a copy of the module.
set -euo pipefail
cd "$(dirname "$0")"
here=$PWD
go=$(../../setup-go.sh)
export GOTOOLCHAIN=auto GOFLAGS=-mod=mod
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
module=k8s.io/dynamic-resource-allocation
cp -r "$(cd ../../oracle && "$go" list -mod=mod -m -f '{{.Dir}}' $module)" "$work/module"
chmod -R u+w "$work/module"
cp record_test.go.in "$work/module/structured/record_test.go"
mkdir "$work/main"
cp ../../oracle/go.mod ../../oracle/go.sum "$work/main"
cd "$work/main"
echo 'package main' >main.go
"$go" mod edit -replace "$module=$work/module"
CASES=$here/../upstream.jsonl "$go" test -run TestRecord $module/structured
wc -l "$here/../upstream.jsonl"
