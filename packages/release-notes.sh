#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# release-notes.sh TAG [CHANGELOG]: prints what the changelog says of the release that TAG names, for the release's page. Fails
# unless the tag is `v` and the version of this tree, and the changelog has a section `## VERSION (YYYY-MM-DD)`.
set -euo pipefail
tag=${1:?usage: release-notes.sh TAG [CHANGELOG]}
changelog=$(realpath "${2:-$(dirname "$0")/../CHANGELOG.md}")
cd "$(dirname "$0")/.."
fail() { echo "release-notes: $*" >&2; exit 1; }

version=$(sed -n 's/^#define BERTH_VERSION "\(.*\)"$/\1/p' sdk/include/berth/version.h)
[ -n "$version" ] || fail 'sdk/include/berth/version.h does not say the version'
[ "$tag" = "v$version" ] || fail "the tag is $tag; sdk/include/berth/version.h says $version, so v$version is expected"
notes=$(awk -v version="$version" '
  /^## / { on = $2 == version && $3 ~ /^\([0-9]+-[0-9][0-9]-[0-9][0-9]\)$/ && NF == 3; next }
  on' "$changelog" | sed -e '/./,$!d')
[ -n "$notes" ] || fail "CHANGELOG.md has no section \"## $version (YYYY-MM-DD)\" with text; RELEASING.md says how it gets one"
printf '%s\n' "$notes"
