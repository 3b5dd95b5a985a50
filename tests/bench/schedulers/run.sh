#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh: what of the bench can be tested without a control plane.
exec "$(dirname "$0")/bench.sh" --test -short
