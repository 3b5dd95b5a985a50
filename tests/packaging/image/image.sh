#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# image.sh build | push IMAGE | root [IMAGE]: builds the image berth:VERSION and its SBOM, build/image/berth-VERSION.spdx.json; or
# pushes it under another name; or prints a folder with its files (rootfs) and its configuration (config.json). With Docker
# if its daemon answers, else with buildah, which also leaves an archive that docker load reads. ENGINE=docker|buildah chooses.
set -euo pipefail
cd "$(dirname "$0")/../../.."
version=$(sed -n 's/^appVersion: "\(.*\)"/\1/p' charts/berth/Chart.yaml)
image=berth:$version
out=build/image
if [ -z "${ENGINE:-}" ]; then
  ENGINE=buildah
  ! timeout 10 docker info >/dev/null 2>&1 || ENGINE=docker
fi
[ "$ENGINE" != buildah ] || { . tests/packaging/image/buildah.sh && may_buildah; }

# in_image COMMAND...: its output, run in the image.
in_image() {
  if [ "$ENGINE" = docker ]; then
    docker run --rm --network none --entrypoint "$1" "$image" "${@:2}"
  else
    local container status=0
    container=$(b from --pull-never "localhost/$image")
    b run --isolation chroot "$container" -- "$@" || status=$?
    b rm "$container" >/dev/null
    return $status
  fi
}

build() {
  mkdir -p $out
  if [ "$ENGINE" = docker ]; then
    docker build -t "$image" .
  else
    b rm --all >/dev/null # What a build that was stopped left behind.
    base
    local options
    mapfile -t options < <(same_cache)
    bud --layers "${options[@]}" -t "$image" . >$out/build.log 2>&1 || { tail -n 40 $out/build.log; return 1; }
    rm -rf "$out/berth-$version.tar" "$store/roots" # Those of older images.
    b push -q --signature-policy "$store/policy.json" "localhost/$image" "docker-archive:$out/berth-$version.tar:$image"
  fi
  { in_image dpkg-query -W -f 'library\t${Package}\t${Version}\n'
    in_image sed 's/^/included\t/' /usr/share/doc/berth/included.txt; } | tests/packaging/image/sbom.sh "$version" >"$out/berth-$version.spdx.json"
  echo "image $image, SBOM $out/berth-$version.spdx.json"
}

push() {
  local to=${1:?usage: make push IMAGE=REGISTRY/NAME:TAG}
  if [ "$ENGINE" = docker ]; then
    docker tag "$image" "$to" && docker push "$to"
  else
    # shellcheck disable=SC2086
    b push -q ${PUSH_OPTIONS:-} --signature-policy "$store/policy.json" "localhost/$image" "docker://$to"
  fi
  echo "pushed $image as $to"
}

# root [IMAGE]
root() {
  [ "$ENGINE" = buildah ] || { echo 'image.sh root: only with ENGINE=buildah' >&2; return 2; }
  local name=localhost/${1:-$image} id container dir config
  id=$(b images -q --no-trunc "$name") && dir=$store/roots/${id#sha256:}
  if [ ! -d "$dir" ]; then
    rm -rf "$dir.new" && mkdir -p "$dir.new"
    container=$(b from --pull-never "$name")
    cp -a "$(b mount "$container")" "$dir.new/rootfs"
    b umount "$container" >/dev/null && b rm "$container" >/dev/null
    b push -q --signature-policy "$store/policy.json" "$name" "docker-archive:$dir.new/tar:$name"
    config=$(tar -xOf "$dir.new/tar" manifest.json | sed 's/.*"Config":"\([^"]*\)".*/\1/')
    tar -xOf "$dir.new/tar" "$config" >"$dir.new/config.json"
    rm "$dir.new/tar" && mv "$dir.new" "$dir"
  fi
  echo "$dir"
}

case ${1:-} in
  build | push | root) "$@" ;;
  *) echo "usage: $0 build | push IMAGE | root [IMAGE]" >&2; exit 2 ;;
esac
