# SPDX-License-Identifier: Apache-2.0
# Which release of Kubernetes is decided as. Sourced by run.sh.

# messages FLAG...: those of the first attempts.
messages() { "$berth" simulate $here/early.yaml --decisions - "$@" | sed -n 's/.*"message":"\([^"]*\)".*/\1/p' | head -1; }

a_release_decides() {
  local common='0/1 nodes are available: 1 Insufficient cpu.' silent='no new claims to deallocate,'
  [[ "$(messages)" == "$common $silent preemption: "* ]] && [[ "$(messages --kubernetes-version 1.36.3)" == "$common $silent preemption: "* ]] &&
    [[ "$(messages --kubernetes-version=v1.37)" == "$common preemption: "* ]] || { messages; messages --kubernetes-version 1.37; return 1; }
}

# A recording is replayed as its release, unless another one is named.
a_recording_has_its_release() {
  rm -rf "$work/recorded"
  messages --kubernetes-version 1.37 --record "$work/recorded" >/dev/null
  "$berth" replay "$work/recorded" && "$berth" replay "$work/recorded" --kubernetes-version 1.37 || return 1
  "$berth" replay "$work/recorded" --kubernetes-version 1.36 >"$work/out"
  [ $? = 1 ] && grep -q '^  now:  Unschedulable: 0/1 .* no new claims to deallocate,' "$work/out" || { cat "$work/out"; return 1; }
}

releases_are_refused() {
  local command
  for command in "simulate $here/early.yaml" "run --write-config-to $work/out" "--write-config-to $work/out" 'config view' 'version --feature-gates'; do
    # shellcheck disable=SC2086  # a command and its arguments
    "$berth" $command --kubernetes-version 1.35 >"$work/err" 2>&1
    [ $? = 2 ] && grep -qF -- '--kubernetes-version: expected 1.36 or 1.37, got 1.35' "$work/err" || { cat "$work/err"; return 1; }
  done
}

# The default profile, and the plugins that are called.
a_release_has_its_profile() {
  local expanded
  "$berth" config view | grep podGroupPostFilter && return 1
  "$berth" config view --kubernetes-version 1.37 | grep podGroupPostFilter >/dev/null &&
    "$berth" run --kubernetes-version 1.37 --write-config-to "$work/written" && grep -q 'shape:' "$work/written" || return 1
  "$berth" config validate "$work/written" >"$work/out" && return 1
  grep -q 'podGroupPostFilter: unknown field' "$work/out" && "$berth" config validate --kubernetes-version 1.37 "$work/written" || return 1
  for release in 1.36 1.37; do
    expanded=$("$berth" config view --expanded --kubernetes-version $release | sed -n '/preFilter:/,/preScore:/p')
    grep -q 'name: NodeName' <<<"$expanded" && [ $release = 1.36 ] && return 1
    grep -q 'name: NodeAffinity' <<<"$expanded" || return 1
  done
  grep -q 'name: NodeName' <<<"$expanded"
}

# What no release has any more is missing in the one that decides.
a_release_is_named_by_messages() {
  for release in 1.36 1.37; do
    "$berth" config convert --kubernetes-version $release tests/commands/old-configs/v1beta3.yaml 2>&1 >/dev/null |
      grep -F "\"CinderLimits\" is dropped: not in Kubernetes $release;" || return 1
  done
}

lists_gates_of_a_release() {
  listed '^StorageCapacityScoring +false +false +ALPHA +honoured' --feature-gates &&
    listed '^StorageCapacityScoring +true +true +BETA +honoured' --feature-gates --kubernetes-version 1.37
}

# Which releases there are, and which one has decided.
releases_are_told() {
  [ "$("$berth" version | sed -n 2p)" = 'decides as Kubernetes 1.36 or 1.37' ] && [ "$("$berth" --version | wc -l)" = 1 ] || return 1
  for release in 1.36 1.37; do
    "$berth" simulate $here/early.yaml --kubernetes-version $release -o json | grep -F "\"kubernetesVersion\": \"$release\"" >/dev/null || return 1
  done
}

check_release() {
  check 'a release decides' a_release_decides
  check 'a recording is replayed as its release' a_recording_has_its_release
  check 'a release that Berth does not know is refused' releases_are_refused
  check 'a release has its default profile' a_release_has_its_profile
  check 'messages name the release' a_release_is_named_by_messages
  check 'berth version lists the gates of a release' lists_gates_of_a_release
  check 'the releases are listed, and a result names its own' releases_are_told
}
