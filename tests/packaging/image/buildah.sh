# SPDX-License-Identifier: Apache-2.0
# Sourced from the top of the tree: buildah where no container engine runs, with a store of its own in .cache/image. As root.
# Its base is made by mmdebstrap from this machine's own Debian mirror, so no registry of images is needed.
store=$PWD/.cache/image

# may_buildah: brings buildah and what it needs.
may_buildah() {
  . tools/apt.sh
  by_hand='needed to make the image without Docker: buildah and mmdebstrap; install these yourself to go on'
  [ "$(id -u)" = 0 ] || fail 'without Docker an image is made as root'
  local missing=() program
  for program in buildah mmdebstrap; do command -v $program >/dev/null || missing+=($program); done
  if [ ${#missing[@]} != 0 ]; then
    may_install
    echo "setup: installing with apt, to make the image: ${missing[*]}" >&2
    apt update && apt install -y --no-install-recommends "${missing[@]}"
  fi
  mkdir -p "$store"
  echo '{"default": [{"type": "insecureAcceptAnything"}]}' >"$store/policy.json"
  [ -f "$store/driver" ] || driver_here >"$store/driver"
}

# driver_here: overlay, unless the kernel or the file system here does not do that.
driver_here() {
  local try=$store/try driver=vfs
  mkdir -p "$try"/{lower,upper,work,merged}
  if mount -t overlay overlay -o "lowerdir=$try/lower,upperdir=$try/upper,workdir=$try/work" "$try/merged" 2>/dev/null; then
    umount "$try/merged"
    driver=overlay
  fi
  rm -rf "$try"
  echo $driver
}

b() { buildah --root "$store/storage" --runroot "$store/run" --storage-driver "$(<"$store/driver")" "$@"; }
bud() { b bud --pull=never --isolation chroot --signature-policy "$store/policy.json" "$@"; }

# base: debian:bookworm-slim as the Dockerfile names it, without what that one leaves out too.
base() {
  local name=docker.io/library/debian:bookworm-slim without=() path
  ! b images -q $name >/dev/null 2>&1 || return 0
  for path in man locale info lintian doc; do without+=(--dpkgopt="path-exclude=/usr/share/$path/*"); done
  mmdebstrap --quiet --variant=apt "${without[@]}" --dpkgopt='path-include=/usr/share/doc/*/copyright' bookworm "$store/base.tar" &&
    printf '%s\n' 'FROM scratch' 'ADD base.tar /' 'CMD ["bash"]' >"$store/Base" &&
    bud -q -t $name -f "$store/Base" "$store" >/dev/null && rm "$store/base.tar"
}

# same_cache: options by which the compiler's cache of this machine serves the build as well.
same_cache() {
  local cache=${CCACHE_DIR:-$HOME/.cache/ccache}
  printf "%s\n" "--build-arg=SOURCE=$PWD" "--build-arg=LANG=${LANG:-C.UTF-8}"
  [ ! -d "$cache" ] || echo "--volume=$cache:/root/.cache/ccache"
  [ ! -d "$HOME/.config/ccache" ] || echo "--volume=$HOME/.config/ccache:/root/.config/ccache:ro"
}
