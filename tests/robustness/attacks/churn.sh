# SPDX-License-Identifier: Apache-2.0
# Sourced by run.sh: what has names of its own comes and goes over a cluster of constant size.

# most_of TENTH FILE: the greatest of the numbers that stand in the file, a line each, in that tenth of them (1 to 10).
most_of() { awk -v tenth="$1" '{ n[NR] = $1 } END { for (i = int(NR * (tenth - 1) / 10) + 1; i <= NR * tenth / 10; ++i) if (n[i] > most) most = n[i]; print most }' "$2"; }

# stays SECOND LAST: the last tenth's memory is at most 1.1 times the second tenth's.
stays() { awk -v second="$1" -v last="$2" 'BEGIN { exit !(second > 0 && last <= 1.1 * second) }'; }

# promise(tenant): Memory does not grow while a million pods with their own labels, namespaces, images, host ports and
# selectors, and 100,000 nodes with their own names, come and go. (The short form has 50,000 pods and 5,000 nodes.)
names_end_with_their_owners() {
  local pods=50000 nodes=5000 second last
  [ -z "$LONG" ] || { pods=1000000 nodes=100000; }
  { [ -f build/release/build.ninja ] || cmake --preset release; } >/dev/null && cmake --build build/release --target berth_churn >/dev/null || return 1
  build/release/tests/berth_churn $pods $nodes >"$work/churn" || { cat "$work/churn"; return 1; }
  cat "$work/churn"
  read -r second last < <(sed -nE 's/^second tenth ([0-9.]+) MiB, last tenth ([0-9.]+) MiB.*/\1 \2/p' "$work/churn")
  stays "$second" "$last" || { echo "memory grew from $second MiB to $last MiB"; return 1; }
  echo "$pods pods and $nodes nodes came and went: $second MiB in the second tenth, $last MiB in the last"
}

# The same for ten minutes with a real API server.
names_end_live() {
  local go dir berth client resident second last minutes=10
  dir=$(mktemp -d)
  cluster() { tests/live/cluster/cluster.sh --dir "$dir" "$@"; }
  # shellcheck disable=SC2064
  trap "tests/live/cluster/cluster.sh --dir '$dir' down; rm -rf '$dir'" EXIT
  go=$(tools/setup-go.sh) && GOTOOLCHAIN=auto GOFLAGS=-buildvcs=false "$go" build -C tests/live/cluster -o "$work/client" ./churn || return 1
  cluster up --bare || return 1
  out/bin/berth run --kubeconfig "$dir/kubeconfig/admin" --secure-port 0 --leader-elect=false --kube-api-qps -1 >"$work/live" 2>&1 &
  berth=$!
  "$work/client" -kubeconfig "$dir/kubeconfig/admin" -for ${minutes}m >"$work/made" &
  client=$!
  while kill -0 $client 2>/dev/null; do
    resident=$(awk '$1 == "VmRSS:" { print $2 / 1024 }' "/proc/$berth/status") || break
    echo "$resident" >>"$work/resident"
    sleep 1
  done
  wait $client && kill $berth && wait $berth || { tail -n 5 "$work/live" "$work/made"; return 1; }
  ! grep -E '^[EF]' "$work/live" || return 1
  second=$(most_of 2 "$work/resident") last=$(most_of 10 "$work/resident")
  stays "$second" "$last" || { echo "memory grew from $second MiB to $last MiB"; return 1; }
  echo "$minutes minutes, $(cat "$work/made"): $second MiB in the second tenth, $last MiB in the last"
}
