#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# rights.sh: prints what charts/berth/files/rights.yaml must be, from the program that make build has installed.
set -euo pipefail
cd "$(dirname "$0")/../../.."
go=$(tools/setup-go.sh)
exec env GOTOOLCHAIN=auto GOFLAGS=-buildvcs=false "$go" run -C tests/live/cluster ./rights "$PWD/out/bin/berth" "$PWD"
