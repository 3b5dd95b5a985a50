#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# faults.sh [NUMBER...]: plants the faults of faults.txt, one at a time, and has the judges of `make test` look for it, each with the
# seed and, at most, as many cases as there: timelines, simulated scenarios (tests/simulation/steps), queue scripts, decisions. With numbers only those faults; the first fault
# is 1. Nothing of the tree is touched: a spoiled source is compiled elsewhere, and what is made of it is linked anew. Before that an
# unspoiled Berth is linked in the same way, in which the judges have to find nothing. Prints a table and ends with
# `N passed, N failed`: a fault that nobody finds has failed.
set -euo pipefail
cd "$(dirname "$0")/../../.."
root=$PWD
build=$root/build/release
cache=$root/.cache/oracle
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go=$(tools/setup-go.sh)
export GOTOOLCHAIN=auto GOFLAGS=-buildvcs=false
mkdir -p "$cache"
"$go" -C tests/oracle/judge build -p 2 -o "$cache/oracle" .
"$go" -C tests/oracle/judge build -p 2 -o "$cache/queue" ./queue
cmake --build build/release --target product berth_timeline_play berth_queue_play berth_sim_tests >"$work/build" || { cat "$work/build" >&2; exit 1; }
ninja -C build/release -t deps >"$work/deps"

# command_of OUTPUT: how ninja makes it.
command_of() { ninja -C build/release -t commands "$1" | tail -n 1; }

# objects SOURCE: those that are made of it.
objects() {
  awk -v full="$root/$1" -v short="../../$1" '/^[^ ]/ { object = $1; sub(/:$/, "", object) }
    $1 == full || $1 == short { print object }' "$work/deps" |
    grep -e '^host/' -e '^plugins/kubernetes/' -e '^tests/oracle/'
}

# spoil SOURCE SED: the change, in $work/tree, where a whole folder of plugins stands beside its headers.
spoil() {
  local path=$work/tree/$1
  if [ ! -f "$path" ]; then
    mkdir -p "$(dirname "$path")"
    case $1 in plugins/*) cp -r "$(dirname "$1")/." "$(dirname "$path")" ;; *) cp "$1" "$path" ;; esac
  fi
  sed -i "$2" "$path"
  ! cmp -s "$1" "$path" || { echo "FAIL $1: sed changes nothing: $2" >&2; return 1; }
  objects "$1" >>"$work/objects"
}

# compile OBJECT: from the spoiled tree, as far as it has the source or a header.
compile() {
  local line source object=$work/objects.d/${1//\//_}
  line=$(command_of "$1")
  source=$(sed -E 's/.* -c ([^ ]+).*/\1/' <<<"$line")
  source=${source#"$root/"}
  line=${line/" -o $1 "/" -o $object "}
  [ ! -f "$work/tree/$source" ] || line=${line/" -c $root/$source"/" -c $work/tree/$source"}
  line=${line/"$1.d"/"$object.d"}
  (cd "$build" && sh -c "${line/" -I"/" -I$work/tree/sdk/include -I$work/tree/host -I"} -w")
}

# link OUTPUT INTO: with the spoiled objects in the place of the others: those of archives come first.
link() {
  local line object was
  line=$(command_of "$1")
  for object in "$work"/objects.d/*.o; do
    was=$(tr ' ' '\n' <<<"$line" | sed 'h; s,/,_,g; /^'"$(basename "$object")"'$/!d; x')
    if [ -n "$was" ]; then line=${line/" $was "/" $object "}
    elif [[ $object == */host_* && $1 != *.so ]]; then line=${line/" -o $1 "/" $object -o $1 "}; fi
  done
  (cd "$build" && sh -c "${line/" -o $1 "/" -o $2 "}")
}

# ask COMMAND...: 0 when it finds differences, 1 when it finds none, 2 when it could not look.
ask() {
  local status=0
  (cd tests/oracle/judge && "$@") >"$work/answer" 2>&1 || status=$?
  tail -n 1 "$work/answer" | grep -qE '^[1-9][0-9]* [a-z]+, [0-9]+ differences$' || { tail -n 20 "$work/answer" >&2; return 2; }
  [ $status = 1 ]
}

# judge TIMELINES DECISIONS SCRIPTS: leaves in $found who found something.
judge() {
  local name
  found=
  for name in timelines scenarios scripts decisions; do
    local status=0
    case $name in
    timelines) ask "$cache/oracle" timelines -play "$work/play" -plugin-dir "$work/plugins" -seed 1 -n "$1" -j 2 -first || status=$? ;;
    scenarios)
      link tests/berth_sim_tests "$work/sim"
      BERTH_PLUGIN_DIR=$work/plugins "$work/sim" --abort >"$work/answer" 2>&1 && status=1
      ;;
    decisions)
      link bin/berth "$work/berth"
      ask "$cache/oracle" run -berth "$work/berth" -plugin-dir "$work/plugins" -seed 1 -n "$2" -cases cases -first || status=$?
      ;;
    scripts)
      grep -q '/queue/' "$work/list" || continue
      link tests/berth_queue_play "$work/queue"
      ask "$cache/queue" -play "$work/queue" -n "$3" -seed 1 -scripts ../queue/scripts || status=$?
      ;;
    esac
    case $status in
    0) found=$name; return ;;
    2) return 2 ;;
    esac
  done
}

# plant: compiles what the spoiled tree changes, and links.
plant() {
  local object
  mkdir -p "$work/objects.d" "$work/plugins"
  cp "$build"/lib/berth/plugins/*.so "$work/plugins"
  sort -u "$work/objects" >"$work/list"
  while read -r object; do compile "$object"; done <"$work/list"
  link tests/berth_timeline_play "$work/play"
  ! grep -q '^plugins/' "$work/list" || link lib/berth/plugins/kubernetes.so "$work/plugins/kubernetes.so"
}

clean() {
  rm -rf "$work/tree" "$work/objects.d" "$work/plugins"
  : >"$work/objects"
}

passed=0 failed=0 number=0
echo '| # | fault | found by | time |'
# tell FAULT RESULT
tell() { printf '| %2d | %s | %s | %d s |\n' "$number" "$1" "$2" $((SECONDS - start)); }

try() {
  [ -n "$name" ] || return 0
  number=$((number + 1))
  [ -z "$wanted" ] || [[ $wanted == *" $number "* ]] || return 0
  start=$SECONDS
  clean
  local i
  for i in "${!changes[@]}"; do spoil "${sources[$i]}" "${changes[$i]}" || { failed=$((failed + 1)); return 0; }; done
  plant
  judge 200 2000 500
  if [ -n "$found" ]; then passed=$((passed + 1)); tell "$name" "$found: $(grep -m 1 -E '^([a-z0-9-]+: step|.*case|[a-z]+: )' "$work/answer" | cut -c 1-70)"
  else failed=$((failed + 1)); tell "$name" 'FAIL not found'; fi
}

wanted=${*:+" $* "}
start=$SECONDS
clean
echo host/CMakeFiles/berth_core.dir/queue/moves.cpp.o >"$work/objects"
plant
judge 20 100 20
[ -z "$found" ] || { echo "FAIL $found: a difference without a fault"; cat "$work/answer"; echo '0 passed, 1 failed'; exit 1; }
tell nothing 'no difference'

name= sources=() changes=()
while read -r word rest; do
  case $word in
  fault) try; name=$rest sources=() changes=() ;;
  in) source=$rest ;;
  sed) sources+=("$source") changes+=("$rest") ;;
  esac
done < <(grep -v '^#' tests/self/mutation/faults.txt)
try
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
