# SPDX-License-Identifier: Apache-2.0
# Kubernetes' own e2e specs of devices that need no kubelet, once with Berth as the default scheduler and, with LONG=1, before
# that with kube-scheduler. Sourced by all.sh. The specs' own logs stay in build/device-specs.

# The gate is off by default, and its controller, of the controller manager, is all that its specs ask about.
specs_that_need_no_kubelet=(-ginkgo.focus '\[DRA\].*control plane' -ginkgo.skip 'FeatureGate:DRAResourcePoolStatus')

# run_specs NAME: on eight nodes, as many as a spec asks for. Leaves "STATE SPEC" of each in $work/NAME.specs.
run_specs() {
  # Each run has nodes of other names: nodes that were deleted and made again became NotReady every 56 seconds.
  local name=$1 n logs=build/device-specs
  mkdir -p "$logs"
  new_world "specs-of-$name" && { for n in 1 2 3 4 5 6 7 8; do node "$name-$n" 8000; done; } | k apply -f - >/dev/null && within 60 ready_nodes || return 1
  rm -f "$logs/$name.results"
  # It fails when a spec does; what each did is in the results.
  .cache/kubernetes-e2e/kubernetes-e2e -kubeconfig "$dir/kubeconfig/admin" -results "$PWD/$logs/$name.results" \
    "${specs_that_need_no_kubelet[@]}" -ginkgo.timeout 30m -ginkgo.no-color -ginkgo.v >"$logs/$name.log" 2>&1
  [ -s "$logs/$name.results" ] || { echo "no spec ran with $name"; tail -n 20 "$logs/$name.log"; return 1; }
  cut -f 1,2 "$logs/$name.results" >"$work/$name.specs"
}

# as_expected NAME: the run had the specs of the list, each with the state that it has there.
as_expected() {
  diff "$specs_with_kube_scheduler" "$work/$1.specs" >"$work/$1.diff" && return
  echo "with kube-scheduler, as listed (<), and in the run with $1 (>):"
  cat "$work/$1.diff"
  sed -n 's/^failed\t//p' "build/device-specs/$1.results"
  return 1
}

# The list is what kube-scheduler's own run gives. LONG=1 makes that run too; with RECORD=1 it writes the list.
specs_with_kube_scheduler=tests/live/kubernetes-e2e/specs
device_specs() {
  local runs=Berth
  tests/live/kubernetes-e2e/build.sh && control_plane_up || return 1
  if [ -n "$LONG" ]; then
    runs='kube-scheduler and Berth'
    cluster scheduler start upstream >/dev/null && run_specs kube-scheduler || return 1
    cluster scheduler stop upstream >/dev/null || return 1
    [ -z "${RECORD:-}" ] || cp "$work/kube-scheduler.specs" "$specs_with_kube_scheduler"
    as_expected kube-scheduler || return 1
  fi
  start_berth && run_specs berth && stop_berth || return 1
  as_expected berth || return 1
  echo "$(grep -c '^passed' "$work/berth.specs") specs of $(wc -l <"$specs_with_kube_scheduler") pass, as with kube-scheduler; run with $runs"
}
