#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# dist.sh [DIR]: the release archive of HEAD, berth-VERSION.tar.gz, with its SHA-256 beside it, in build/dist or DIR. The
# same commit gives the same bytes. What is not committed is not in it.
set -euo pipefail
cd "$(dirname "$0")/.."
into=$(realpath -m "${1:-build/dist}")
version=$(sed -n 's/^#define BERTH_VERSION "\(.*\)"$/\1/p' sdk/include/berth/version.h)
[ -n "$version" ] || { echo 'dist: sdk/include/berth/version.h does not say the version' >&2; exit 1; }
git diff --quiet HEAD || echo 'dist: there are changes that are not committed; they are left out' >&2
mkdir -p "$into"
git -c core.autocrlf=false archive --format=tar --prefix="berth-$version/" HEAD | gzip -9n >"$into/berth-$version.tar.gz"
(cd "$into" && sha256sum "berth-$version.tar.gz" >"berth-$version.tar.gz.sha256")
echo "$into/berth-$version.tar.gz"
