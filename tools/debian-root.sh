# SPDX-License-Identifier: Apache-2.0
# Sourced from the top of the tree: a clean Debian 12 root, and commands in it as on a machine of its own; only the network is
# this machine's. As root.
. tools/apt.sh

# may_make_roots: brings what making a root needs.
may_make_roots() {
  by_hand='a clean Debian 12 root is made by root, with mmdebstrap; install that yourself where apt cannot'
  [ "$(id -u)" = 0 ] || fail 'this is not root'
  may_install
  command -v mmdebstrap >/dev/null && return
  echo 'setup: installing with apt, to make a clean Debian 12 root: mmdebstrap' >&2
  apt update
  apt install -y --no-install-recommends mmdebstrap
}

# debian_sources: where this machine's apt has Debian 12 from, one source a line.
debian_sources() {
  # shellcheck disable=SC2016  # apt puts the values in
  apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' |
    grep -E ' bookworm(-updates|-security)? ' | sort -u
}

# new_root DIR PACKAGE...: a minimal Debian 12 with these packages in DIR, from where this machine's apt has its own, and by the
# same proxies. It is made once and kept in .cache/root.
new_root() {
  local into=$1 sources=() kept log=build/logs/mmdebstrap.log
  shift
  # Nobody minds if a root that is thrown away does not outlive a power cut.
  local how=(--variant=minbase --dpkgopt=force-unsafe-io "${@/#/--include=}")
  mapfile -t sources < <(debian_sources)
  if [ ${#sources[@]} = 0 ]; then
    apt update
    mapfile -t sources < <(debian_sources)
  fi
  [ ${#sources[@]} != 0 ] || fail "this machine's apt has no source of Debian 12 (bookworm)"
  mkdir -p .cache/root
  apt-config dump | grep -E '^Acquire::(https?::|Check-|Retries|ForceIPv)' >.cache/root/apt.$$ || true
  kept=.cache/root/$({ printf '%s\n' "${how[@]}" "${sources[@]}"; cat .cache/root/apt.$$; } | sha256sum | cut -c 1-16).tar
  if [ ! -f "$kept" ]; then
    mkdir -p build/logs
    mmdebstrap --logfile=$log "${how[@]}" --aptopt=".cache/root/apt.$$" --format=tar bookworm "$kept.$$" "${sources[@]}" </dev/null ||
      { rm -f "$kept.$$" .cache/root/apt.$$; tail -n 15 $log >&2; fail "mmdebstrap did not work (above is the end of $log)"; }
    mv "$kept.$$" "$kept"
  fi
  rm .cache/root/apt.$$
  mkdir -p "$into"
  tar -x --exclude='./dev/*' -f "$kept" -C "$into"
  chmod 755 "$into"
}

# in_root DIR COMMAND...: what the command leaves running ends with it. It sees this machine's control groups. With $caches, a folder, what compilers, Go and cargo keep
# for the next time is kept there.
in_root() {
  local root=$1 name file kept=(CI="${CI:-}")
  shift
  mkdir -p "$root/root/.cache" ${caches:+"$caches"}
  cp /etc/resolv.conf /etc/hosts "$root/etc/"
  # Certificate authorities and proxies of this machine, so that package clients inside reach what they reach outside.
  for name in SSL_CERT_FILE CURL_CA_BUNDLE GIT_SSL_CAINFO; do
    file=${!name:-}
    [ -f "$file" ] || continue
    mkdir -p "$root$(dirname "$file")"
    cp -L "$file" "$root$file"
  done
  file=/etc/ssl/certs/ca-certificates.crt
  [ ! -f "$file" ] || { mkdir -p "$root$(dirname "$file")" && cp -L "$file" "$root$file"; }
  for name in SSL_CERT_FILE CURL_CA_BUNDLE GOPROXY GONOSUMDB GOFLAGS http_proxy https_proxy; do
    [ -z "${!name:-}" ] || kept+=("$name=${!name}")
  done
  env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 TERM=dumb \
    DEBIAN_FRONTEND=noninteractive "${kept[@]}" \
    unshare --mount --pid --fork --kill-child bash -c \
    'mount --bind "$0" "$0" && mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" &&
     { [ ! -d /sys/fs/cgroup ] || { mkdir -p "$0/sys/fs/cgroup" && mount --rbind /sys/fs/cgroup "$0/sys/fs/cgroup"; }; } &&
     { [ -z "$1" ] || mount --bind "$1" "$0/root/.cache"; } && shift && exec chroot "$0" "$@"' "$root" "${caches:-}" "$@"
}
