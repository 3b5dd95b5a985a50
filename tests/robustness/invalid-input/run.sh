#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Gives broken files to the program itself. A file of config/, profile/ (a configuration that its plugins object to), shadow/
# (one of --shadow) or cluster/ must be refused with exit code 2 and, word for word, the text in its .expected file; whatever
# a file is cut or filled with, nothing crashes. Needs `make build`.
set -uo pipefail
shopt -s nullglob
cd "$(dirname "$0")"
berth=$PWD/../../../out/bin/berth
cluster=$PWD/../../abi/out-of-tree/cluster.yaml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

ok() { passed=$((passed + 1)); }
bad() {
  failed=$((failed + 1))
  echo "FAIL  $1"
  tail -n 5 "$work/err" | cut -c 1-300
}

# refused NAME EXPECTED ARGUMENTS...: exit code 2, nothing on stdout, and EXPECTED on stderr after the program's name.
refused() {
  local name=$1 expected=$2 status
  shift 2
  "$berth" simulate "$@" >"$work/out" 2>"$work/err" </dev/null
  status=$?
  sed '1s/^berth: //' "$work/err" >"$work/said"
  if [ $status = 2 ] && [ ! -s "$work/out" ] && cmp -s "$work/said" "$expected"; then ok; else
    bad "$name: exit code $status; expected 2 and: $(cat "$expected")"
  fi
}

# survives NAME ARGUMENTS...: scheduled or refused in few words, but not crashed and not hanging.
survives() {
  local name=$1 status
  shift
  timeout 60 "$berth" simulate "$@" >/dev/null 2>"$work/err" </dev/null
  status=$?
  if [ $status -le 2 ] && [ "$(wc -c <"$work/err")" -lt 10000 ]; then ok; else bad "$name: exit code $status"; fi
}

for kind in config profile shadow cluster; do
  for expected in "$kind"/*.expected; do
    file=$(basename "${expected%.expected}")
    cd "$kind" || exit 1
    case $kind in
      config | profile) refused "$kind/$file" "$file.expected" --config "$file" "$cluster" ;;
      shadow) refused "$kind/$file" "$file.expected" --shadow "$file" "$cluster" ;;
      cluster) refused "$kind/$file" "$file.expected" "$file" ;;
    esac
    cd ..
  done
done

size=$(wc -c <"$cluster")
for ((cut = 0; cut < size; cut += 7)); do
  head -c "$cut" "$cluster" >"$work/cut.yaml"
  survives "a cluster cut after $cut bytes" "$work/cut.yaml"
done
../../made-up-cluster.sh json-list 2 3 >"$work/whole.json"
size=$(wc -c <"$work/whole.json")
for ((cut = 0; cut < size; cut += 23)); do
  head -c "$cut" "$work/whole.json" >"$work/cut.json"
  survives "a JSON list cut after $cut bytes" "$work/cut.json"
done
head -c 10000000 /dev/urandom >"$work/garbage.yaml"
survives '10 MB of noise as a cluster' "$work/garbage.yaml"
survives '10 MB of noise as a configuration' --config "$work/garbage.yaml" "$cluster"
awk 'BEGIN { for (n = 0; n < 2500000; ++n) printf "[{\"" }' >"$work/deep.json"
survives '10 MB of opening brackets as a cluster' "$work/deep.json"
survives '10 MB of opening brackets as a configuration' --config "$work/deep.json" "$cluster"
head -c 10000000 /dev/zero >"$work/zero.yaml"
survives '10 MB of zeros as a cluster' "$work/zero.yaml"
awk 'BEGIN { for (n = 0; n < 3000; ++n)
  printf "apiVersion: v1\nkind: Pod\nmetadata: {name: p%d}\nspec: {containers: [{name: c, image: i}]}\n---\n", n }' >"$work/pods.yaml"
survives '3,000 pods and not one node to try' "$work/pods.yaml"
mkdir "$work/empty"
survives 'an empty directory' "$work/empty"
survives 'a file that is not there' "$work/absent.yaml"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
