#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# That a newcomer finds places in the source tree, that its words are the field's, and that it decides as it did before its rooms were
# made. LONG=1 builds that earlier tree, for which the clone needs its history.
set -uo pipefail
. "$(dirname "$0")/../shows.sh"

# The last commit before host/ got the rooms scheduler, live, api and offline.
before=e2b300d

# Of each place that newcomers were asked for: the row of the architecture page, the file it names, and what is there.
places_are_named() {
  local row file pattern line bad=0 n=0
  while IFS='|' read -r row file pattern; do
    n=$((n + 1))
    line=$(grep -F "| $row |" docs/architecture.md) || { echo "docs/architecture.md has no row '$row'"; bad=1; continue; }
    [[ $line == *"$file"* ]] || { echo "'$row' does not name $file"; bad=1; }
    file=$(git ls-files -- "$file" "*/$file" | head -n 1)
    grep -qE -- "$pattern" "$file" || { echo "'$row': ${file:-no file} has no $pattern"; bad=1; }
  done <<'END'
the defaults of backoff and of the flush of unschedulable pods|host/config/configuration.h|unschedulable
the flush of unschedulable pods itself|host/queue/moves.cpp|::flush
how a backoff grows|host/queue/backoff.h|duration
a field of Pod|sdk/include/berth/view/pod.h|struct berth_pod
a metric|host/report/metric_definitions.cpp|schedule_attempts_total
the text of FailedScheduling|sdk/include/berth/fit_message.hpp|nodes are available
a column or line of `berth simulate`|host/report/simulation.cpp|UTILISATION
a default plugin|plugins/kubernetes/taint_toleration.h|score
an HTTP endpoint|serving.cpp|/configz
how many nodes are evaluated (`percentageOfNodesToScore`)|host/cycle/nodes_to_find.h|nodes_to_find
leader election, and the loss of the lease|host/kube/election.cpp|renew
the message for a field that is unknown or wrong|host/decode/fields.cpp|unknown field
how a library is checked|host/plugin/library_check.cpp|check_minor
an entry of a recording|host/record/entry.h|enum
what a plugin may read and write at the API server|host/live/needed_rights.cpp|verbs
which event requeues a pod|host/queue/hints.cpp|[Hh]int
END
  [ $bad = 0 ] && echo "$n places: each has a row of docs/architecture.md, which names the file that has it"
}

rooms_are_rooms() {
  local longest
  cmake --build build/release --target berth_unit_tests >"$work/build" 2>&1 || { tail -n 20 "$work/build"; return 1; }
  build/release/tests/berth_unit_tests 'rooms: *' >"$work/rooms" || { tail -n 20 "$work/rooms"; return 1; }
  expect 'what sees every room' 'top main *' "$(sed -n 's/^\(room\|top\) *\([a-z]*\) *\*$/\1 \2 */p' host/rooms.txt)" || return 1
  longest=$(wc -l host/*/*.cpp host/*/*.h | grep -v ' total$' | sort -n | tail -n 1 | awk '{ print $2 " (" $1 " lines)" }')
  echo "$(grep -c '^room ' host/rooms.txt) rooms, each includes and names what host/rooms.txt lets it, and uses all of that, '*' for main alone; the longest file is $longest"
}

# decided BERTH PLUGIN-DIR NAME ARGUMENT...: each attempt's pod, result, node and message, in $work/NAME.
decided() {
  local berth=$1 plugins=$2 name=$3
  shift 3
  "$berth" simulate --plugin-dir "$plugins" --decisions "$work/$name.log" "$@" >"$work/$name.out" 2>&1 || { tail -n 5 "$work/$name.out"; return 1; }
  grep -oE '^.*"uid"|"(result|node|message)":("[^"]*"|[^,]*)' "$work/$name.log" | sed 's/^{"seq":[0-9]*,//' >"$work/$name"
  [ -s "$work/$name" ]
}

# least_time COMMAND...: the least user time of three runs, in ms, in $least.
least_time() {
  local at run
  least=
  for run in 1 2 3; do
    children_cpu; at=$cpu_ms
    "$@" >/dev/null 2>&1 || return 1
    children_cpu
    [ -n "$least" ] && [ $((cpu_ms - at)) -ge "$least" ] || least=$((cpu_ms - at))
  done
}

# The tree of before in $old, beside this one: the same decisions of a production cluster and of three scenarios, at the same speed.
before_is_as_now() {
  local old=$work/before/build/release world ratio
  local -a worlds=("--config configs/openb.yaml tests/simulation/scenarios/openb" tests/simulation/scenarios/{affinity,spread,volumes}.yaml)
  trap 'git worktree remove --force "$work/before"; trap - RETURN' RETURN
  git worktree add -q --detach "$work/before" $before || return 1
  (cd "$work/before" && cmake --preset release && cmake --build build/release --target product) >"$work/build" 2>&1 || { tail -n 20 "$work/build"; return 1; }
  for world in "${worlds[@]}"; do
    decided "$old/bin/berth" "$old/lib/berth/plugins" old $world && decided out/bin/berth out/lib/berth/plugins new $world || return 1
    same "decisions of $world" "$work/old" "$work/new" || { diff "$work/old" "$work/new" | head -n 20; return 1; }
  done
  least_time "$old/bin/berth" simulate --plugin-dir "$old/lib/berth/plugins" ${worlds[0]} || return 1
  ratio=$least
  least_time out/bin/berth simulate ${worlds[0]} || return 1
  ratio=$(awk -v now="$least" -v then="$ratio" 'BEGIN { printf "%.3f", now / then }')
  holds "user time of openb, to that of $before" "$ratio" '<=' 1.03 || return 1
  echo "openb and three scenarios as in $before, at $ratio of its user time"
}

decisions_are_as_before() {
  local n=${LONG:+10000} seed=${SEED:-1} said
  n=${n:-1000}
  tests/oracle/decisions/run.sh "$n" "$seed" >"$work/decisions" || { tail -n 40 "$work/decisions"; return 1; }
  said="seed $seed: $(grep -E '^[1-9][0-9]* decisions, 0 differences$' "$work/decisions")" || return 1
  [ -z "$LONG" ] || { before_is_as_now >"$work/compared" || { cat "$work/compared"; return 1; }; said+="; $(tail -n 1 "$work/compared")"; }
  echo "$said"
}

# The table is of the words that the glossary keeps: how often each stands in the sources, as a word or as a part of an identifier.
words_are_the_fields() {
  . tests/commands/docs/words.sh
  local top=$PWD gone word words
  private_words_stay_gone && private_words_are_found || return 1
  gone=$(grep -cv -e '^#' -e '^$' tests/commands/docs/words.txt)
  words=$(sed -n '/^## Words that have a standard term/,/^Some of/s/^| \([a-z][a-z ,]*\) |.*/\1/p' docs/glossary.md | grep -v '^word$' | sed -E 's,^(golden|promised) .*,\1,' | tr -d ' ' | tr , '\n')
  for word in $words; do
    echo "| $word | $(for part in host sdk plugins docs; do grep -rhoiE "(^|[^a-z])$word" $part --include=*.{h,hpp,cpp,c,rs,md} | wc -l; done | paste -sd '|' | sed 's/|/ | /g') |"
  done >"$work/HO-4.table"
  echo "$gone lines of private words: none in host, sdk, plugins and docs; $(wc -l <"$work/HO-4.table") more are argued in docs/glossary.md"
}

pages_have_subjects() {
  local found
  found=$(git ls-files -- 'docs/*.md' README.md CONTRIBUTING.md SECURITY.md RELEASING.md 'charts/*.md' | grep -vx docs/threat-model.md |
    xargs grep -nwiE 'nobody|whoever|is told of|is asked for' | grep -v '`[^`]*\(nobody\|whoever\)[^`]*`') || true
  [ -z "$found" ] || { echo "$found"; return 1; }
  echo "$(git ls-files -- 'docs/*.md' | wc -l) pages without 'nobody', 'whoever', 'is told of' and 'is asked for'"
}

one_thread_local() {
  cmake --build build/release --target berth_unit_tests >"$work/build" 2>&1 || { tail -n 20 "$work/build"; return 1; }
  local name
  for name in 'tree: *' 'plugin names: *'; do
    build/release/tests/berth_unit_tests "$name" >"$work/tree" || { tail -n 20 "$work/tree"; return 1; }
  done
  echo "$(grep -rn thread_local host | wc -l) thread-local in host ($(grep -rl thread_local host)); no literal there is the name of a plugin, and none in cycle, scheduler, queue and bind is a sentence of one"
}

show HO-1 places_are_named
show HO-2 rooms_are_rooms
show HO-3 decisions_are_as_before
show HO-4 words_are_the_fields
table HO-4
show HO-5 pages_have_subjects
show HO-6 one_thread_local
finish
