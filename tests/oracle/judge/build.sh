# SPDX-License-Identifier: Apache-2.0
# Sourced by the run.sh of each stage that compares Berth with Kubernetes' own code, from its folder: $root is the tree, $cache
# where the programs lie, $build the build of Berth. `build_judge STAGE PROGRAM [FOLDER]` builds tests/oracle/judge/FOLDER (all of it
# without one) as $cache/PROGRAM, and fails if it is not formatted or vetted; `build_berth TARGET` builds a program of ours.
# KUBERNETES=1.37 takes that release of Kubernetes instead of 1.36: its module file, its files of tests/oracle/judge/release, and a
# folder of its own for $cache.
root=$(cd ../../.. && pwd)
release=${KUBERNETES:-1.36}
cache=$root/.cache/oracle
build=$root/build/release
go=$(../../../tools/setup-go.sh)
export GOTOOLCHAIN=auto GOFLAGS=-buildvcs=false
case $release in
  1.36) ;;
  1.37)
    cache+=-1.37
    GOFLAGS+=" -modfile=$root/tests/oracle/judge/go-1.37.mod -tags=kube137"
    ;;
  *)
    echo "KUBERNETES: expected 1.36 or 1.37, got $release" >&2
    exit 2
    ;;
esac
mkdir -p "$cache"

build_judge() (
  stage=$1 program=$2 folder=./${3:-}
  cd "$root/tests/oracle/judge"
  [ -x "$cache/$program" ] || echo "$stage: building Kubernetes' own code, which takes some minutes the first time"
  "$go" build -p "$(nproc)" -o "$cache/$program" "$folder"
  unformatted=$("$("$go" env GOROOT)/bin/gofmt" -l "$folder")
  [ -z "$unformatted" ] || { echo "$stage: gofmt would change: $unformatted" >&2; exit 1; }
  "$go" vet "$folder"
)

build_berth() {
  [ -f "$build/build.ninja" ] || (cd "$root" && cmake --preset release >/dev/null)
  cmake --build "$build" --target "$1" >/dev/null
}
