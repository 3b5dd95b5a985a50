#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The image, built from the Dockerfile by buildah (there is no container engine here) and looked at; then run, as its user
# and without a shell. What the chart makes of it: tests/live/end-to-end/chart.sh.
set -uo pipefail
. "$(dirname "$0")/../../check.sh"
export ENGINE=buildah
version=$(sed -n 's/^appVersion: "\(.*\)"/\1/p' charts/berth/Chart.yaml)
sbom=build/image/berth-$version.spdx.json

builds() { tests/packaging/image/image.sh build && root=$(tests/packaging/image/image.sh root) && echo "$root" >"$work/root"; }

# in_root COMMAND...: as the image's user, who has no capability, in a root that cannot be written.
in_root() {
  env -i unshare --mount /bin/sh -c 'mount --bind "$0" "$0" && mount --bind /proc "$0/proc" && mount -o remount,bind,ro "$0" &&
    exec /usr/sbin/chroot --userspec=65532:65532 "$0" "$@"' "$root/rootfs" "$@"
}
# libraries_of FILE: what its loader finds for it.
libraries_of() { in_root "$(readelf -l "$root/rootfs/opt/berth/bin/berth" | sed -n 's/.*interpreter: \(.*\)]/\1/p')" --list "$1"; }

runs() {
  [ "$(in_root /opt/berth/bin/berth --version | cut -d ' ' -f 1,2)" = "berth $version" ] || return 1
  in_root /opt/berth/bin/berth config rbac /opt/berth/share/berth/configs/openb.yaml >/dev/null || return 1
  local library
  for library in "$root"/rootfs/opt/berth/lib/berth/plugins/*.so; do
    libraries_of "${library#"$root/rootfs"}" >"$work/libraries" && ! grep 'not found' "$work/libraries" || return 1
  done
}

is_small() {
  local bytes
  bytes=$(gzip -6 -c "build/image/berth-$version.tar" | wc -c)
  echo "$bytes bytes compressed"
  [ "$bytes" -lt 60000000 ]
}

is_no_root() { grep -q '"User":"65532:65532"' "$root/config.json" && grep -q '"Entrypoint":\["berth"\]' "$root/config.json"; }

# Nobody but root may write a plugin or the program, and there is nothing by which a user becomes another one.
nothing_to_gain() {
  local found
  found=$(find "$root/rootfs/opt/berth" \( -not -user 0 -o -perm /022 \) -not -type l)
  [ -z "$found" ] || { echo "not root's alone: $found"; return 1; }
}

has_its_licences() {
  cmp LICENSE "$root/rootfs/usr/share/doc/berth/copyright" || return 1
  local package
  while read -r package _; do
    [ -s "$root/rootfs/usr/share/doc/berth/included/$package" ] || { echo "no licence of $package"; return 1; }
  done <"$root/rootfs/usr/share/doc/berth/included.txt"
  while read -r package; do
    [ -e "$root/rootfs/usr/share/doc/${package%%:*}/copyright" ] || { echo "no licence of $package"; return 1; }
  done < <(dpkg-query --admindir="$root/rootfs/var/lib/dpkg" -W -f '${Package}\n')
}

# Every library that the program is linked with is in the bill, by the package that has it, and it is JSON.
sbom_is_whole() {
  perl -MJSON::PP -e 'local $/; my $b = decode_json(<STDIN>); my %n = map { $_->{SPDXID} => 1 } @{$b->{packages}};
    for (@{$b->{relationships}}) { $n{$_->{relatedSpdxElement}} or die "relation to nothing" } print join("\n", map { $_->{name} } @{$b->{packages}}), "\n"' \
    <"$sbom" >"$work/names" || return 1
  local library package
  libraries_of /opt/berth/bin/berth | sed -n 's/.*=> \([^ ]*\) .*/\1/p' >"$work/libraries"
  [ "$(wc -l <"$work/libraries")" -ge 10 ] || return 1
  while read -r library; do
    package=$(dpkg-query --admindir="$root/rootfs/var/lib/dpkg" -S "*${library##*/}" | cut -d : -f 1 | head -n 1)
    grep -qx "$package" "$work/names" || { echo "$library of $package is not in the SBOM"; return 1; }
  done <"$work/libraries"
  grep -qx libboost1.74-dev "$work/names" && grep -qx libc6 "$work/names"
}

forbids_no_architecture() { ! grep -nEi 'amd64|x86|arm64|aarch64' Dockerfile .dockerignore; }

# To a real registry, by the command that a person uses; what comes back has the same configuration.
can_be_pushed() {
  local registry port pushed
  registry=$(tests/packaging/image/registry.sh) && port=$((20000 + RANDOM % 10000)) || return 1
  "$registry" -port "$port" >"$work/registry.log" 2>&1 &
  pushed=$!
  # shellcheck disable=SC2064
  trap "kill $pushed" RETURN
  local i
  for i in $(seq 50); do ! curl -fs "http://127.0.0.1:$port/v2/" >/dev/null || break; sleep 0.1; done
  PUSH_OPTIONS=--tls-verify=false make push IMAGE="127.0.0.1:$port/team/berth:$version" || { cat "$work/registry.log"; return 1; }
  curl -fs -H 'Accept: application/vnd.oci.image.manifest.v1+json, application/vnd.docker.distribution.manifest.v2+json' \
    "http://127.0.0.1:$port/v2/team/berth/manifests/$version" >"$work/manifest" || return 1
  local id
  id=$(basename "$root")
  grep -q "sha256:$id" "$work/manifest" || { cat "$work/manifest"; return 1; }
}

# With Docker it is `docker build`, and nothing of ours is asked for but what Docker can do.
docker_is_used_where_it_answers() {
  mkdir "$work/bin"
  printf '%s\n' '#!/bin/sh' 'echo "$@" >>"$0.log"' 'case "$*" in *dpkg-query*) printf "library\tlibc6\t2\n" ;; esac' >"$work/bin/docker"
  chmod +x "$work/bin/docker"
  cp "$sbom" "$work/kept"
  ENGINE='' PATH=$work/bin:$PATH tests/packaging/image/image.sh build && ENGINE='' PATH=$work/bin:$PATH tests/packaging/image/image.sh push here/berth:1
  local status=$?
  cp "$work/kept" "$sbom"
  [ $status = 0 ] && grep -qx "build -t berth:$version ." "$work/bin/docker.log" && grep -qx 'push here/berth:1' "$work/bin/docker.log"
}

check 'the Dockerfile builds' builds
root=$(cat "$work/root" 2>/dev/null)
if [ -n "$root" ]; then
  check 'it runs without rights and without a shell, and every plugin with it' runs
  check 'it is below 60 MB compressed' is_small
  check 'it is a user without rights' is_no_root
  check 'nobody but root may write what runs' nothing_to_gain
  check 'licences of all that is in it' has_its_licences
  check 'the SBOM is JSON and whole' sbom_is_whole
  check 'no architecture is forbidden' forbids_no_architecture
  check 'make push brings it to a registry' can_be_pushed
  check 'Docker is used where it answers' docker_is_used_where_it_answers
fi
finish
