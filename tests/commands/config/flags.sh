# SPDX-License-Identifier: Apache-2.0
# kube-scheduler's own command line starts berth as it is. Sourced by run.sh. kube-scheduler.flags has the flags of
# `kube-scheduler --help` with the types it names; tests/live/end-to-end compares the list with the real program.

# value_of NAME TYPE: one that kube-scheduler takes.
value_of() {
  case $1 in
    tls-min-version) echo VersionTLS12 ;;
    leader-elect-resource-lock) echo leases ;;
    logging-format) echo text ;;
    leader-elect-lease-duration) echo 16s ;;
    secure-port) echo 0 ;;
    emulated-version) echo kube=1.36 ;;
    min-compatibility-version) echo 1.35 ;;
    *)
      case $2 in
        bool) echo true ;;
        int | int32 | float32 | Level) echo 7 ;;
        int32Slice) echo 29,23 ;;
        duration) echo 9s ;;
        ip) echo 127.0.0.1 ;;
        quantity) echo 4Ki ;;
        colonSeparated*) echo kube:OpportunisticBatching=false ;;
        *) echo "some-$1" ;;
      esac
      ;;
  esac
}

# What is tested by itself below, or reads a file.
apart=' config kubeconfig write-config-to help version '
each_flag() { # each_flag: "name type" of the others
  local name type
  while read -r name type; do [[ "$apart" == *" $name "* ]] || echo "$name $type"; done <$here/kube-scheduler.flags
}

takes() { "$berth" "$@" --write-config-to "$work/taken" >"$work/err" 2>&1 || { echo "refused: $*"; cat "$work/err"; return 1; }; }

flags_are_taken() {
  local name type value joined=() apart_from=() twice=()
  while read -r name type; do
    value=$(value_of "$name" "$type")
    joined+=("--$name=$value")
    if [ "$type" = bool ]; then apart_from+=("--$name") && twice+=("--$name=F" "--$name=true")
    else
      apart_from+=("--$name" "$value") twice+=("--$name=$value")
      # kube-scheduler wants no second version of a component.
      case $name in emulated-version | min-compatibility-version) ;; *) twice+=("--$name=$value") ;; esac
    fi
  done < <(each_flag)
  [ ${#joined[@]} -gt 50 ] && takes "${joined[@]}" && takes "${apart_from[@]}" && takes "${twice[@]}" || return 1
  "$berth" --version=raw | grep '^berth ' >/dev/null && takes --version=false
}

# Of each flag that changes nothing there is a line in the log, and of no other.
flags_without_effect_are_named() {
  local name type all=() pid
  printf '%s\n' 'apiVersion: v1' 'kind: Config' 'current-context: c' 'clusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]' \
    'users: [{name: u, user: {}}]' 'contexts: [{name: c, context: {cluster: c, user: u}}]' >"$work/kubeconfig"
  while read -r name type; do all+=("--$name=$(value_of "$name" "$type")"); done < <(each_flag | grep -v '^master ')
  # What others of Berth's flags read must be there.
  "$berth" "${all[@]}" --kubeconfig "$work/kubeconfig" --leader-elect=false "$@" >"$work/log.idle" 2>&1 &
  pid=$!
  for _ in {1..50}; do
    ! grep -q 'Starting Berth' "$work/log.idle" || break
    sleep 0.1
  done
  sleep 0.3
  kill "$pid"
  wait "$pid"
  sed -n 's/.*"Flag has no effect" flag="--\([a-z0-9-]*\)".*/\1/p' "$work/log.idle" | sort >"$work/named"
  [ -z "$(uniq -d "$work/named")" ] || { echo 'named twice:'; uniq -d "$work/named"; return 1; }
  for name in vmodule feature-gates requestheader-group-headers; do
    grep -qx $name "$work/named" || { echo "not named: $name"; cat "$work/log.idle"; return 1; }
  done
  ! grep -qx -e v -e kube-api-qps -e profiling "$work/named"
}

written() { grep -qx " *$1" "$work/taken" || { echo "not written: $1"; cat "$work/taken"; return 1; }; }
precedence() {
  takes --kube-api-qps=7.5 --kube-api-burst=9 --profiling=false --contention-profiling=false --kube-api-content-type=application/json &&
    written 'qps: 7.5' && written 'burst: 9' && written 'enableProfiling: false' && written 'enableContentionProfiling: false' &&
    written 'contentType: application/json' || return 1
  # With a file the file counts.
  takes --config $here/few.yaml --kube-api-qps=7.5 --kube-api-burst=9 --profiling=false && written 'qps: 50' && written 'burst: 100' &&
    written 'enableProfiling: true' || return 1
  # That goes for the kubeconfig too; Berth's own command takes what it is given.
  "$berth" --config $here/few.yaml --kubeconfig "$work/no-such" >"$work/err" 2>&1
  [ $? = 2 ] && grep -q 'kubeconfig is ignored beside --config' "$work/err" || { cat "$work/err"; return 1; }
  "$berth" run --config $here/few.yaml --kubeconfig "$work/no-such" >"$work/err" 2>&1
  [ $? = 2 ] && grep -q 'no-such: cannot be read' "$work/err" || { cat "$work/err"; return 1; }
}

wrong_values() {
  local flag
  for flag in --kube-api-qps=many --kube-api-burst=1.5 --pod-max-in-unschedulable-pods-duration=long --profiling=maybe --leader-elect=maybe --no-such-flag=1; do
    "$berth" "$flag" --write-config-to "$work/taken" >"$work/err" 2>&1
    [ $? = 2 ] && grep -qe "${flag%=*}" "$work/err" || { echo "$flag"; cat "$work/err"; return 1; }
  done
}

check_flags() {
  check 'every flag of kube-scheduler is taken, in each way to write it' flags_are_taken
  check 'those that change nothing are named in the log' flags_without_effect_are_named
  check 'those that count do so with the precedence of kube-scheduler' precedence
  check 'wrong values are refused by the name of the flag' wrong_values
}
