# SPDX-License-Identifier: Apache-2.0
# Each hostile library of tests/abi/promise/misbehaves.txt with `berth run` and the strict checks, on a real control plane. Sourced by all.sh.
hostile_table=tests/abi/promise/misbehaves.txt

# hostile_pods CASE: how many pods it gets. Some faults need an earlier attempt; of the uses of a signature the strict checks look at one in 16.
hostile_pods() { if [[ $1 = strict_sign_* ]]; then echo 160; else echo 3; fi; }

hostile_world() {
  cmake --build build/release --target berth_hostile >"$work/build.log" 2>&1 || { tail -n 20 "$work/build.log"; return 1; }
  new_world hostile && node quay 640000 | sed 's/pods: "110"/pods: "2000"/' | k apply -f - >/dev/null && within 60 ready_nodes || return 1
  # All pods, each of its library's own scheduler, are there from the start.
  local case i
  for case in "$@"; do
    for ((i = 0; i < $(hostile_pods "$case"); ++i)); do pod "${case//_/-}-$i" 10 "schedulerName: $case"; done
  done | k create -n hostile -f - >/dev/null
}

# hostile_text CASE TEXT: what is logged of that text of the table, without what goes by its pods and positions.
hostile_text() {
  case $1 in
    filter_bad_reasons) echo 'running "Tea" filter plugin: gave reasons 4711 for node "quay"' ;;
    filter_not_evaluated) echo 'running "Tea" filter plugin: left node "quay" without a verdict' ;;
    filter_wait) echo 'running "Tea" filter plugin: answered Wait for node "quay"' ;;
    takes_memory) echo 'running "Tea" filter plugin: std::bad_alloc' ;;
    *) hostile_plain <<<"$2" | sed -E 's/^config\.yaml:[0-9:]+ profiles\[0\]\.[a-zA-Z]+[^:]*: //' ;;
  esac
}
hostile_plain() { sed -E "s|$PWD/build/release/tests/hostile/||g; s/\\\\\"/\"/g; s/,? for pod \"[^\"]*\"//g; s/(signed pod) \"[^\"]*\"/\1/; s/(since snapshot) [0-9]+/\1 N/"; }
hostile_said() { hostile_plain <"$1" | grep -aqF -- "$2"; }
hostile_waits() { kill -0 "$1" 2>/dev/null && [ $SECONDS -lt "$2" ] && sleep 0.1; }

# hostile_run CASE POINT TEXT: "CASE CODE", the exit code that the table has, of a `berth run` that is stopped once it has logged TEXT, unless it
# ends by itself before: `goes on` is one that is stopped, `signal` one that a signal ends. One that says something else shows its log.
hostile_run() {
  local case=$1 point=$2 text log=$work/hostile/$1.log pid code killed= end=$((SECONDS + 60))
  text=$(hostile_text "$case" "$3")
  printf '%s\n' 'apiVersion: kubescheduler.config.k8s.io/v1' 'kind: KubeSchedulerConfiguration' \
    "profiles: [{schedulerName: $case, plugins: {$point: {enabled: [{name: Tea}]}}}]" >"$work/hostile/$case.yaml"
  : >"$log"
  # One library takes memory until there is none.
  (
    ulimit -v 2000000 -c 0
    exec out/bin/berth run --kubeconfig "$dir/kubeconfig/scheduler" --secure-port 0 --leader-elect=false --crash-record - -v 2 \
      --config "$work/hostile/$case.yaml" --insecure-plugins --plugin "Tea=$PWD/build/release/tests/hostile/$case.so" --plugin-checks strict
  ) >"$log" 2>&1 &
  pid=$!
  # What is found when the instance ends is not said before all pods are bound.
  until hostile_said "$log" "$text" || [ "$(grep -c 'Successfully bound' "$log")" -ge "$(hostile_pods "$case")" ]; do hostile_waits $pid $end || break; done
  # One that ends because of what it has said gets the time to: before it serves, SIGTERM would end it as a signal.
  end=$((SECONDS + 2))
  while hostile_waits $pid $end; do :; done
  kill -TERM $pid 2>/dev/null
  end=$((SECONDS + 60))
  while hostile_waits $pid $end; do :; done
  kill -KILL $pid 2>/dev/null && killed=1
  wait $pid 2>/dev/null
  code=$?
  if [ -n "$killed" ]; then code=hangs; elif [ $code = 0 ]; then code='goes on'; elif [ $code -ge 128 ]; then code=signal; fi
  hostile_said "$log" "$text" || { code="$code, not named"; { echo "$case: $text"; tail -n 5 "$log"; } >&2; }
  echo "$case $code"
}

# Without LONG=1 one in eight of them, chosen by the seed; RECORD=1 writes the column of all.
# promise(plugin): With the strict checks, Berth names a plugin that breaks the ABI, and continues, or exits with a status other than 0.
hostile_libraries() {
  local every=8 seed=${SEED:-$RANDOM} chosen wrong=0
  [ -z "$LONG${RECORD:-}" ] || every=1
  echo "seed $seed"
  mkdir -p "$work/hostile"
  awk -F ' [|] ' -v every="$every" -v seed="$seed" 'BEGIN { srand(seed) } !/^#/ && int(rand() * every) == 0 { print $1 "\t" $2 "\t" $7 }' "$hostile_table" >"$work/hostile/chosen"
  hostile_world $(cut -f 1 "$work/hostile/chosen") || return 1
  export -f hostile_run hostile_said hostile_text hostile_plain hostile_waits hostile_pods
  export work dir
  tr '\n' '\0' <"$work/hostile/chosen" | xargs -0 -P 2 -n 1 bash -c 'IFS=$'"'\t'"' read -r case point text <<<"$1"; hostile_run "$case" "$point" "$text"' _ |
    sort >"$work/hostile/found"
  if [ -n "${RECORD:-}" ]; then
    awk 'NR == FNR { case_ = $1; $1 = ""; found[case_] = substr($0, 2); next } FNR == 1 { FS = " [|] "; OFS = " | " } { $0 = $0 } !/^#/ { $6 = found[$1] } { print }' \
      "$work/hostile/found" "$hostile_table" >"$work/hostile/table" && cp "$work/hostile/table" "$hostile_table"
  fi
  awk -F ' [|] ' 'NR == FNR { wanted[$1] = 1; next } !/^#/ && $1 in wanted { print $1, $6 }' <(cut -f 1 "$work/hostile/chosen") "$hostile_table" | sort |
    diff - "$work/hostile/found" && ! grep -E 'hangs|not named' "$work/hostile/found" || return 1
  holds 'libraries' "$(wc -l <"$work/hostile/found")" '>=' 10 || return 1
  echo "$(wc -l <"$work/hostile/found") of $(grep -vc '^#' "$hostile_table") hostile libraries are named by berth run: $(cut -d ' ' -f 2- "$work/hostile/found" | sort | uniq -c | sort -rn | awk '{ n = $1; $1 = ""; print n " end" ($0 == " goes on" ? " not" : " with" $0) }' | paste -sd, | sed 's/,/, /g')"
}
