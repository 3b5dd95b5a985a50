#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# show.sh NAME: runs NAME.sh of this folder. The names of the issues that asked for the promises are accepted too.
set -euo pipefail
cd "$(dirname "$0")"
case ${1:-} in
abi-1.0) name=abi ;;
author-kit) name=plugin-authors ;;
fast) name=speed ;;
first-berth) name=first-steps ;;
framework) name=default-plugins ;;
house) name=source-tree ;;
judges) name=tests-can-fail ;;
live) name=live-cluster ;;
real-api-server) name=api-server ;;
seed-systems) name=reference-systems ;;
seen-and-replayed) name=dashboard-and-replay ;;
sound-under-attack) name=security ;;
*) name=${1:-} ;;
esac
if [ "$name" = show ] || [ ! -f "$name.sh" ] || [[ $name == */* ]]; then
  echo "there is no promise called '$name'; there are: $(ls ./*.sh | sed 's|^\./||; s|\.sh$||; /^show$/d' | paste -sd ' ')" >&2
  exit 2
fi
exec "./$name.sh"
