#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh [--write | N [SEED]]: the tables by which Berth reads Kubernetes' protobuf are those of Kubernetes' types, and N
# random objects of each kind, written by Kubernetes' own encoders in protobuf and in JSON, are read as the same. --write
# makes the tables anew. Ends with "N passed, N failed".
set -euo pipefail
cd "$(dirname "$0")"
. ../judge/build.sh
tables=$root/host/decode/protobuf_schema.cpp
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

build_judge protobuf protobuf protobuf
"$cache/protobuf" schema >"$work/schema.cpp"
clang-format-19 --style="file:$root/.clang-format" -i "$work/schema.cpp"
if [ "${1:-}" = --write ]; then
  cp "$work/schema.cpp" "$tables"
  exit
fi
status=0
if diff "$tables" "$work/schema.cpp"; then echo '1 passed, 0 failed'
else
  echo 'FAILED: host/decode/protobuf_schema.cpp is not what tests/oracle/protobuf/run.sh --write makes (lines with >)'
  echo '0 passed, 1 failed'
  status=1
fi

n=${1:-500} seed=${2:-$RANDOM}
echo "protobuf: $n objects of each kind, seed $seed"
build_berth berth_protobuf_check
"$cache/protobuf" -n "$n" -seed "$seed" objects | "$build/tests/berth_protobuf_check" "$seed" || status=1
exit $status
