#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# helm.sh: prints the path of the real helm.
exec "$(dirname "$0")/../../../tools/go-program.sh" helm.sh/helm/v3/cmd/helm@v3.20.2
