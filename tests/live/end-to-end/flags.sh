# SPDX-License-Identifier: Apache-2.0
# kube-scheduler's own command line. Sourced after common.sh.

# The list that tests/commands/config holds Berth against is that of the real program.
flags_of_kube_scheduler() {
  .cache/cluster/bin/kube-scheduler --help |
    sed -nE 's/^ +(-[a-z], )?--([a-z0-9-]+)( ([^ ]+))?( .*)?$/\2 \4/p' | sed 's/ $/ bool/; s/^version .*/version bool/'
}

# As kubeadm writes it, but for the port, of which this machine may have no other.
started_like_kube_scheduler() {
  diff <(flags_of_kube_scheduler) tests/commands/config/kube-scheduler.flags || return 1
  new_world flags && k apply -f tests/live/cluster/nodes.yaml >/dev/null && within 60 ready_nodes 3 || return 1
  local identity=$dir/kubeconfig/scheduler
  rm -f "$work/berth.log"  # See start_berth.
  out/bin/berth --authentication-kubeconfig="$identity" --authorization-kubeconfig="$identity" --bind-address=127.0.0.1 \
    --kubeconfig="$identity" --leader-elect=true --secure-port=0 --feature-gates=OpportunisticBatching=false >"$work/berth.log" 2>&1 &
  berth=$!
  trap stop_berth EXIT
  pod one 10 | k create -n flags -f - >/dev/null || return 1
  within 60 is_bound flags one || { tail -n 20 "$work/berth.log"; return 1; }
  grep -q '"Flag has no effect" flag="--feature-gates" value="OpportunisticBatching=false"' "$work/berth.log" || return 1
  stop_berth || return 1
  # The address of --master counts, whatever the kubeconfig says.
  sed 's|server: .*|server: https://127.0.0.1:1|' "$identity" >"$work/nowhere"
  rm -f "$work/berth.log"
  out/bin/berth --kubeconfig="$work/nowhere" --master="$(sed -n 's/ *server: "*\(https[^"]*\)"*/\1/p' "$identity")" --secure-port=0 \
    --leader-elect=false >"$work/berth.log" 2>&1 &
  berth=$!
  within 20 grep -qs 'scheduling begins' "$work/berth.log" || { cat "$work/berth.log"; return 1; }
  stop_berth || return 1
  echo 'the command line that kubeadm writes starts berth, which schedules; --master counts'
}
