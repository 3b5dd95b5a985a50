#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# misbehaves.sh [--write]: each way to misbehave of tests/abi/promise/misbehaves.txt, in a simulation with the basic and with the strict
# checks, ends as it says there: with that exit code, and naming the plugin. docs/misbehaving-plugins.md has the same table.
# --write writes both anew. Needs `make build` and the hostile libraries.
set -uo pipefail
. "$(dirname "$0")/../../check.sh"
table=tests/abi/promise/misbehaves.txt page=docs/misbehaving-plugins.md

# Libraries that use memory which is gone or not theirs: with the basic checks the process crashes or goes on, by chance.
export undefined='^strict_(stale_|writes_|cancellation_o|late_|[a-z_]*keeps_|[a-z_]*(over|under)run$)'

# tried CASE POINT: the line of the table. A text without what changes from run to run; `signal` is the code of a crash.
tried() {
  local case=$1 point=$2 dir=$work/$1 checks codes=()
  mkdir "$dir"
  cat >"$dir/config.yaml" <<END
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
  - plugins: {$point: {enabled: [{name: Tea}]}}
END
  for checks in basic strict; do
    out/bin/berth simulate --memory-limit 512Mi --config "$dir/config.yaml" --insecure-plugins --plugin "Tea=$PWD/build/release/tests/hostile/$case.so" \
      --plugin-checks $checks tests/simulation/scenarios/maxpods.yaml >/dev/null 2>"$dir/said"
    local code=$?
    [ $code -lt 128 ] || code=signal
    [ $checks != basic ] || [[ ! $case =~ $undefined ]] || code=undefined
    codes+=("$code")
  done
  echo "$case | $point | ${codes[0]} | ${codes[1]} | $(
    { grep -a '^berth: SIG' "$dir/said" || tail -n 1 "$dir/said"; } |
      sed -E "s|$dir/||g; s|$PWD/build/release/tests/hostile/||g; s|default/ship-[0-9]+|default/ship|g; s/^berth: //
        s/^the plugin checks found [0-9]+ violations? of the plugin ABI, the first: //"
  )"
}

all_tried() {
  export -f tried
  export work
  awk -F ' [|] ' '!/^#/ { print $1, $2 }' "$table" | xargs -P "$(nproc)" -L 1 bash -c 'tried "$@"' _ | sort
}

rows() { awk -F ' [|] ' -v low="$1" '!/^#/ && ($4 == 2) == low { gsub(/`/, "\\`"); print "| `" $5 "` | " $3 " | " $4 " |" }' "$table"; }

page_table() {
  echo '| what Berth says | basic | strict |'
  echo '|---|---|---|'
  rows "$1" | sort -u
}

# The page with its two tables as they are now.
page_now() {
  awk -v loaded="$work/loaded" -v running="$work/running" '
    /^<!-- table: / { print; while ((getline line < ($3 == "loaded" ? loaded : running)) > 0) print line; skip = 1; next }
    /^<!-- end -->/ { skip = 0 }
    !skip' "$page"
}

head_of_table() { sed -n '/^#/p' "$table"; }
write() { { head_of_table; cat "$work/tried"; } >"$table.new" && mv "$table.new" "$table"; }

all_tried >"$work/tried"
if [ "${1:-}" = --write ]; then
  write
  page_table 1 >"$work/loaded" && page_table 0 >"$work/running" && page_now >"$work/page" && cp "$work/page" "$page"
  exit
fi
same_as_before() { sed '/^#/d' "$table" | diff - "$work/tried"; }
none_is_a_success() { [ "$(sed '/^#/d' "$table" | awk -F ' [|] ' '$4 == 0' | tee "$work/successes" | wc -l)" = 0 ] || { cat "$work/successes"; return 1; }; }
each_names_the_plugin() { ! sed '/^#/d' "$table" | grep -vE 'plugin "(Tea|Sound)"|\[Tea\]|--plugin Tea=|[a-z_0-9]+\.so: |in no plugin'; }
page_is_true() { page_table 1 >"$work/loaded" && page_table 0 >"$work/running" && page_now | diff "$page" -; }
check "$(wc -l <"$work/tried") ways to misbehave end as the table says" same_as_before
check 'none is a success with the strict checks' none_is_a_success
check 'each names the plugin, or its library' each_names_the_plugin
check 'the page has the table' page_is_true
finish
