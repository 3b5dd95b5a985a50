#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# build.sh DIRECTORY AUTO|ON: builds the dashboard in DIRECTORY, and there web_assets.cpp of it. Where npm cannot bring
# what package-lock.json names (without a network, say), AUTO leaves the dashboard out, and ON is an error.
set -euo pipefail
web=$(cd "$(dirname "$0")" && pwd)
to=${1:?usage: web/build.sh DIRECTORY AUTO|ON}
how=${2:-ON}

mkdir -p "$to"
cd "$to"
rm -rf src public dist built
cp -r "$web"/{src,public,index.html,package.json,package-lock.json,tsconfig.json,vite.config.ts} .

if ! cmp -s package-lock.json node_modules/.berth-lock; then
  rm -rf node_modules
  if ! npm ci --ignore-scripts --no-audit --no-fund --prefer-offline --fetch-retries=1 --fetch-timeout=30000 >npm.log 2>&1; then
    tail -n 5 npm.log >&2
    [ "$how" = AUTO ] || exit 1
    echo "The dashboard is left out, as npm could not bring what it is built with: $to/npm.log" >&2
    rm -rf node_modules
    cp "$web/../host/api/no_web_assets.cpp" web_assets.cpp
    exit 0
  fi
  cp package-lock.json node_modules/.berth-lock
fi
npm run --silent build
node "$web/embed.mjs" dist web_assets.cpp | tee built
