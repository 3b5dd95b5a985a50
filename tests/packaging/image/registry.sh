#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# registry.sh: prints the path of a registry for images.
exec "$(dirname "$0")/../../../tools/go-program.sh" github.com/google/go-containerregistry/cmd/registry@v0.20.6
