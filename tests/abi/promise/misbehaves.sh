#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# misbehaves.sh [--write]: each way to misbehave of tests/abi/promise/misbehaves.txt, in a simulation with the basic and with the strict
# checks, ends as it says there: with that exit code, and naming the plugin; and `berth plugin verify` fails the test that stands
# there, and names the plugin and the point. docs/misbehaving-plugins.md has the same table. --write writes both anew, but for the
# column of `berth run`, which is that of tests/live/end-to-end/hostile.sh. Needs `make build` and the hostile libraries.
set -uo pipefail
. "$(dirname "$0")/../../check.sh"
table=tests/abi/promise/misbehaves.txt page=docs/misbehaving-plugins.md

# Libraries that use memory which is gone or not theirs: with the basic checks the process crashes or goes on, by chance.
export undefined='^strict_(stale_|writes_|cancellation_o|late_|[a-z_]*keeps_|[a-z_]*(over|under)run$)'

# The tests of `berth plugin verify` that find what these libraries do, in the order in which they are tried. A sound library passes them.
export finds='load/opens create/configured threads/strict-checks semantics/filter-answers'
# What `berth plugin verify` does not see, and why.
declare -A unseen=(
  [strict_sign_forgets_in_filter]='its generated pods have no two with the same signature and different names'
)

# fails LIBRARY TEST: that test of `berth plugin verify` fails, in $dir/verify. One library takes memory until there is none.
fails() {
  (ulimit -v 4000000 && out/bin/berth plugin verify --insecure-plugins --time-limit 10s --test "$2" "$1") >"$dir/verify" 2>&1
  [ $? = 1 ] && sed -n "\\|^FAIL  $2 |,/^      again: /p" "$dir/verify" >"$dir/failure" && [ -s "$dir/failure" ]
}
# verified CASE TEXT TEST...: the first of these tests that fails. It names the plugin, or its library where it is not loaded; and the point that
# TEXT names, but where the test is about one point.
verified() {
  local case=$1 text=$2 test library=$PWD/build/release/tests/hostile/$1.so point
  for test in "${@:3}"; do
    fails "$library" "$test" || continue
    point=$(grep -oE ' at (create|declare|[A-Z][A-Za-z]+)' <<<"$text" | head -n 1 | sed 's/.* //')
    grep -qE "^FAIL  $test [A-Z]|$case\.so: |--plugin " "$dir/failure" || test="$test, unnamed"
    [ -z "$point" ] || [[ $test == semantics/* ]] || grep -qw "$point" "$dir/failure" || test="$test, without $point"
    echo "$test"
    return
  done
  echo missed
}

# tried CASE POINT TEST RUN: the line of the table; TEST and RUN are what stands there, or -. A text without what changes from run to run; `signal`
# is the code of a crash.
tried() {
  local case=$1 point=$2 test=$3 run=$4 dir=$work/$1 checks codes=() text
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
  text=$(
    { grep -a '^berth: SIG' "$dir/said" || tail -n 1 "$dir/said"; } |
      sed -E "s|$dir/||g; s|$PWD/build/release/tests/hostile/||g; s|default/ship-[0-9]+|default/ship|g; s/^berth: //
        s/^the plugin checks found [0-9]+ violations? of the plugin ABI, the first: //"
  )
  [[ " $finds " == *" $test "* ]] || test=$finds
  echo "$case | $point | ${codes[0]} | ${codes[1]} | $(verified "$case" "$text" $test) | $run | $text"
}

all_tried() {
  export -f tried verified fails
  export work
  # Written anew, every test of `berth plugin verify` is tried.
  awk -F ' [|] ' -v write="$1" '!/^#/ { gsub(/ /, "_", $6); print $1, $2, write || NF < 7 ? "-" : $5, NF < 7 ? "-" : $6 }' "$table" |
    xargs -P "$(nproc)" -L 1 bash -c 'tried "$@"' _ | sed 's/goes_on/goes on/' | sort
}

# rows LOADED: one for each message; where libraries with the same message differ, each.
rows() {
  awk -F ' [|] ' -v low="$1" '
    !/^#/ && ($4 == 2) == low { gsub(/`/, "\\`"); print "| `" $7 "` | " $3 " | " $4 " | " ($5 == "missed" ? "–" : "`" $5 "`") " | " $6 " |" }' "$table"
}

page_table() {
  echo '| what Berth says | basic | strict | verify | run |'
  echo '|---|---|---|---|---|'
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

all_tried "${1:-}" >"$work/tried"
if [ "${1:-}" = --write ]; then
  write
  page_table 1 >"$work/loaded" && page_table 0 >"$work/running" && page_now >"$work/page" && cp "$work/page" "$page"
  exit
fi
same_as_before() { sed '/^#/d' "$table" | diff - "$work/tried"; }
none_is_a_success() { [ "$(sed '/^#/d' "$table" | awk -F ' [|] ' '$4 == 0' | tee "$work/successes" | wc -l)" = 0 ] || { cat "$work/successes"; return 1; }; }
each_names_the_plugin() { ! sed '/^#/d' "$table" | grep -vE 'plugin "(Tea|Sound)"|\[Tea\]|--plugin Tea=|[a-z_0-9]+\.so: |in no plugin'; }
# But what is known, with its reason.
verify_misses_none() {
  local case wrong=0
  for case in $(awk -F ' [|] ' '$5 == "missed" { print $1 }' "$work/tried"); do [ -n "${unseen[$case]:-}" ] || { echo "$case"; wrong=1; }; done
  for case in "${!unseen[@]}"; do grep -q "^$case |.* | missed | " "$work/tried" || { echo "$case is found; it is no exception any more"; wrong=1; }; done
  ! grep -E ', (unnamed|without [A-Za-z]+) [|]' "$work/tried" && return $wrong
}
# It is the fault that the tests find: the sound library of each source passes them.
sound_ones_pass() {
  local case test dir=$work
  for case in sound $(cd build/release/tests/hostile && ls strict_*sound.so | sed 's|\.so$||'); do
    for test in $finds; do
      ! fails "$PWD/build/release/tests/hostile/$case.so" "$test" && grep -qE '^[1-9][0-9]* passed, 0 failed|has not the points' "$dir/verify" || { cat "$dir/verify"; return 1; }
    done
  done
}
page_is_true() { page_table 1 >"$work/loaded" && page_table 0 >"$work/running" && page_now | diff "$page" -; }
check "$(wc -l <"$work/tried") ways to misbehave end as the table says" same_as_before
check 'none is a success with the strict checks' none_is_a_success
check 'each names the plugin, or its library' each_names_the_plugin
check "verify finds all of them but ${#unseen[@]}, and names plugin and point" verify_misses_none
check 'verify finds nothing in sound ones' sound_ones_pass
check 'the page has the table' page_is_true
finish
