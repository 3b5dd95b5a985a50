#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh [PAGE]: what the pages say is true, or just docs/PAGE.md: links lead somewhere, commands run, examples load, options are
# those of the program, and the README's plugin is built and run as the README says, with the output that it shows. Needs
# `make build`.
set -uo pipefail
. "$(dirname "$0")/../../check.sh"
. tests/live/end-to-end/shown.sh
. tests/commands/docs/troubleshooting.sh
. tests/commands/docs/reference.sh
. tests/commands/docs/source_index.sh
. tests/commands/docs/promises.sh
. tests/commands/docs/habits.sh
. tests/commands/docs/words.sh

only=${1:-*}
pages() { if [ "$only" = '*' ]; then git ls-files -- '*.md'; else echo "docs/$only.md"; fi; }

# block FILE LANGUAGE N: the Nth block of that language.
block() {
  awk -v fence='```'"$2" -v wanted="$3" '
    /^```/ { if (inside) inside = shown = 0; else { inside = 1; shown = $0 == fence && ++n == wanted } next }
    shown' "$1"
}

# anchors FILE: what its headings are called in links.
anchors() {
  awk '/^```/ { code = !code }
    !code && /^#+ / { sub(/^#+ /, ""); $0 = tolower($0); gsub(/[^a-z0-9 _-]/, ""); gsub(/ /, "-"); print }' "$1"
}

# The commands of docs/admin-quick-start.md, with a folder in the place of the node's: one line of kubeadm's manifest differs then, and
# back none; and the program starts under the name and with the flags that are there. (There is no crictl.)
one_line_of_the_manifest() {
  local node=$work/node manifest=$work/node/etc/kubernetes/manifests/kube-scheduler.yaml command
  mkdir -p "$node/root" "$(dirname "$manifest")" && cp tests/commands/docs/kube-scheduler.yaml "$manifest" || return 1
  # steps HEADING: the commands on files below it.
  steps() { sed -n "/^## $1/,/^## /p" docs/admin-quick-start.md | grep -E '^    (cp|sed|chmod|mv) ' | sed "s|/etc/kubernetes|$node&|g; s|/root/|$node&|g"; }
  [ "$(steps '3' | wc -l)" = 4 ] && [ "$(steps 'Back' | wc -l)" = 2 ] && eval "$(steps '3')" || return 1
  diff tests/commands/docs/kube-scheduler.yaml "$manifest" >"$work/changed"
  [ "$(grep -c '^>' "$work/changed")" = 1 ] && grep -qx '>     image: REGISTRY/kube-scheduler-berth:0.1.0' "$work/changed" || { cat "$work/changed"; return 1; }
  cp "$manifest" "$work/manifest.yaml" && eval "$(steps 'Back')" && diff tests/commands/docs/kube-scheduler.yaml "$manifest" || return 1
  mkdir -p "$work/image" && ln -s "$top/out/bin/berth" "$work/image/kube-scheduler" || return 1
  mapfile -t command < <(sed -n 's/^    - \(--.*\|kube-scheduler\)$/\1/p' "$work/manifest.yaml")
  [ ${#command[@]} = 6 ] && ! env -u KUBECONFIG PATH="$work/image:$PATH" "${command[@]/#--kubeconfig=*/--kubeconfig=$work/none}" >"$work/out" 2>&1 || return 1
  [ "$(cat "$work/out")" = "berth: $work/none: cannot be read: No such file or directory" ] || { cat "$work/out"; return 1; }
}
links_lead_somewhere() {
  local page link file anchor bad=0
  while read -r page; do
    while read -r link; do
      case $link in http:* | https:* | mailto:*) continue ;; esac
      file=${link%%#*} anchor=
      [ "$link" = "$file" ] || anchor=${link#*#}
      if [ -z "$file" ]; then file=$page; else file=$(dirname "$page")/$file; fi
      if [ ! -e "$file" ]; then echo "$page: $link: there is no such file"; bad=1; fi
      if [ -n "$anchor" ] && ! anchors "$file" | grep -qxF -- "$anchor"; then
        echo "$page: $link: there is no such heading"
        bad=1
      fi
    done < <(awk '/^```/ { code = !code } !code' "$page" | grep -oE '\]\([^) ]+\)' | sed 's/^](//; s/)$//')
  done < <(pages)
  return $bad
}

# As examples/README.md says it, so that the commands after it find them.
examples_build() {
  sed -n 's/^    \(cmake .*\)/\1/p' examples/README.md >"$work/examples.sh"
  [ "$(wc -l <"$work/examples.sh")" = 4 ] && bash -e "$work/examples.sh"
}

# Every command of a page that begins with out/bin/berth, with nodes, a cluster and a pod of ours for the placeholders.
commands_run() {
  local page line bad=0 n=0
  while read -r page; do
    while read -r line; do
      line=${line//CLUSTER.yaml/tests/simulation/scenarios/maxpods.yaml}
      line=${line//NODES.yaml/configs/namescore/example/nodes.yaml}
      line=${line//POD/default/ship-0}
      line=${line//PLOT.svg/$work/plot.svg}
      n=$((n + 1))
      (set -o noglob; $line) >"$work/out" 2>&1 || { echo "$page: $line"; tail -n 5 "$work/out"; bad=1; }
    done < <(sed -e ':more' -e '/\\$/N; s/\\\n *//; t more' "$page" | sed -n 's/^ *\(out\/bin\/berth .*\)/\1/p')
  done < <(pages)
  [ $n -ge 4 ] || { echo "only $n commands were found"; bad=1; }
  return $bad
}

# loads CONFIG: berth accepts it.
loads() { out/bin/berth simulate --config "$1" tests/simulation/scenarios/maxpods.yaml; }

header() {
  printf '%s\n' 'apiVersion: kubescheduler.config.k8s.io/v1' 'kind: KubeSchedulerConfiguration' 'profiles:'
}

examples_load() {
  local page
  block README.md yaml 3 >"$work/readme.yaml"
  loads "$work/readme.yaml" || return 1
  block docs/configuration.md yaml 1 >"$work/configuration.yaml"
  loads "$work/configuration.yaml" || return 1
  { header; echo '- schedulerName: default-scheduler'; block plugins/kubernetes/README.md yaml 1 | sed 's/^/  /'; } \
    >"$work/kubernetes.yaml"
  loads "$work/kubernetes.yaml" || return 1
  { header; printf '%s\n' '- plugins: {multiPoint: {enabled: [{name: MaxPods}]}}'
    block plugins/prefilter-maxpods/README.md yaml 1 | sed 's/^/  /'; } >"$work/maxpods.yaml"
  loads "$work/maxpods.yaml" || return 1
  { header | head -n 2; block plugins/score-imagelocality/README.md yaml 1; } >"$work/image.yaml"
  loads "$work/image.yaml" || return 1
  for page in configs/*.yaml; do loads "$page" || return 1; done
}

# The options of `berth simulate --help` and those of the page.
options_are_described() {
  out/bin/berth simulate --help | grep -oE -- '--[a-z][a-z-]+|^ +-[a-z][ ,]' | sed 's/[ ,]*$//; s/^ *//' |
    grep -vxE -- '--help|-h' | sort -u >"$work/program"
  sed -n '/^## Options/,/^## /p' docs/simulate.md | grep '^|' | cut -d '|' -f 2 |
    grep -oE -- '(--[a-z][a-z-]+|`-[a-z])' | tr -d '`' | sort -u >"$work/page"
  diff "$work/program" "$work/page"
}

# The kinds that the pages dump are those that the default plugins watch, and the two that simulations read besides.
pages_dump_what_plugins_watch() {
  local page bad=0
  out/bin/berth config rbac | awk '
    function end() { if (list && watch) print resource; list = watch = 0 }
    /^---$/ { exit }
    /^- / { end(); part = "" }
    /^  [a-zA-Z]+:$/ { part = $1 }
    part == "resources:" && /^  - / { resource = $2 }
    part == "verbs:" && /^  - list$/ { list = 1 }
    part == "verbs:" && /^  - watch$/ { watch = 1 }
    END { end() }' >"$work/watched"
  [ "$(wc -l <"$work/watched")" -gt 10 ] || { cat "$work/watched"; return 1; }
  printf '%s\n' priorityclasses resourceclaimtemplates >>"$work/watched"
  for page in README.md docs/simulate.md; do
    sed -n 's/^ *kinds=//p' $page | tr , '\n' | grep -vxF '$kinds' >"$work/dumped"
    diff <(sort "$work/watched") <(sort "$work/dumped") || { echo "$page: other kinds"; bad=1; }
  done
  return $bad
}

# Every option of every command stands on some page.
options_stand_somewhere() {
  local commands=(run simulate replay upgrade explain) group command option bad=0 n=0
  for group in config plugin; do
    while read -r command; do commands+=("$group $command"); done < <(out/bin/berth $group --help |
      sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
  done
  for command in "${commands[@]}"; do
    out/bin/berth $command --help >"$work/help" || return 1
    while read -r option; do
      n=$((n + 1))
      git grep -qF --untracked -- "$option" -- 'docs/*.md' README.md || { echo "no page has $option of berth $command"; bad=1; }
    done < <(grep -oE -- '--[a-z][a-z-]+' "$work/help" | grep -vx -- --help | sort -u)
  done
  [ $n -gt 60 ] || { echo "only $n options were found"; bad=1; }
  return $bad
}

# The chart's values that its schema knows, two levels deep: each is told of in its values.yaml or on its page. `global` is Helm's own.
chart_values_are_described() {
  local key bad=0 n=0
  while read -r key; do
    n=$((n + 1))
    grep -qw -- "$key" charts/berth/README.md charts/berth/values.yaml || { echo "charts/berth: nothing says what $key is"; bad=1; }
  done < <(grep -oE '^( {4}| {8})"[A-Za-z]+": \{$' charts/berth/values.schema.json | tr -d ' ":{' | grep -vxE 'global|properties|items' | sort -u)
  [ $n -gt 40 ] || { echo "only $n values were found"; bad=1; }
  return $bad
}

# The section of the README: a block after `FILE`: becomes that file, the sh block runs, the text block is its output.
readme_plugin() {
  mkdir -p "$work/plugin" && cd "$work/plugin" || return 1
  sed -n '/^## A plugin in five minutes/,/^## /p' "$top/README.md" >"$work/section.md"
  awk '/^`[^`]+`:?$/ { gsub(/[`:]/, ""); file = $0; next }
    /^```/ { if (inside) { inside = 0; file = "" } else inside = 1; next }
    inside && file != "" { print >file }' "$work/section.md"
  block "$work/section.md" sh 1 >"$work/commands.sh"
  block "$work/section.md" text 1 >"$work/expected"
  [ -s pods_per_node.cpp ] && [ -s CMakeLists.txt ] && [ -s "$work/commands.sh" ] && [ -s "$work/expected" ] || return 1
  BERTH=$top bash -e "$work/commands.sh" >"$work/printed" 2>&1 || { cat "$work/printed"; return 1; }
  # What the compiler prints comes first and is not shown.
  tail -n "$(wc -l <"$work/expected")" "$work/printed" | diff "$work/expected" -
}

# The page's plugin in C, in the place of the one in C++: the same output.
plugin_in_c() {
  mkdir "$work/c" && cp "$work"/plugin/*.yaml "$work/c" && cd "$work/c" || return 1
  block "$top/docs/plugin-abi.md" c 1 >pods_per_node.c
  sed 's/CXX/C/; s/\.cpp/.c/' "$work/plugin/CMakeLists.txt" >CMakeLists.txt
  sed 's/^cmake -S/cmake -DCMAKE_C_FLAGS="-Wall -Wextra -Wpedantic -Werror" -S/' "$work/commands.sh" >commands.sh
  BERTH=$top bash -e commands.sh >printed 2>&1 || { cat printed; return 1; }
  tail -n "$(wc -l <"$work/expected")" printed | diff "$work/expected" -
}

# And the one in Rust, with the Cargo.toml of the crate's page: the same output again.
plugin_in_rust() {
  mkdir -p "$work/rust/src" "$work/rust/build" && cd "$work/rust" || return 1
  block "$top/sdk/rust/README.md" toml 1 | sed "s|/usr/share|$top/out/share|" >Cargo.toml
  block "$top/docs/plugin-abi.md" rust 1 >src/lib.rs
  # And the test of that page passes.
  block "$top/sdk/rust/README.md" toml 2 | sed "s|/usr/share|$top/out/share|" >>Cargo.toml
  block "$top/sdk/rust/README.md" rust 1 >>src/lib.rs
  export RUSTC=/usr/bin/rustc
  /usr/bin/cargo build --offline --release --quiet && /usr/bin/cargo test --offline --quiet | grep '^test result: ok. 1 passed' || return 1
  cp target/release/libpods_per_node.so build/pods-per-node.so && grep -v '^cmake' "$work/commands.sh" >commands.sh
  cp "$work"/plugin/*.yaml . && BERTH=$top bash -e commands.sh >printed 2>&1 || { cat printed; return 1; }
  tail -n "$(wc -l <"$work/expected")" printed | diff "$work/expected" -
}

# The README shows a part of the output: every line of it is there. Marks of what was left out are not.
readme_output() {
  out/bin/berth simulate --config configs/openb.yaml tests/simulation/scenarios/openb >"$work/real" || return 1
  block README.md '' 1 | grep -v '^ *…\?$' | grep -vxFf "$work/real" >"$work/invented"
  cat "$work/invented"
  [ ! -s "$work/invented" ]
}

# Blocks of real output (tests/live/end-to-end/shown.sh): each is not empty and is left by a test, which `make systems` and `make shows
# ISSUE=live-cluster` compare with the page.
output_is_from_tests() {
  local page name rest bad=0 n=0
  while read -r page name rest; do
    n=$((n + 1))
    [ -n "$(block_of "$page" "$name")" ] || { echo "$page: $name shows nothing"; bad=1; }
    grep -qE "(see|keep) $name( |\$)" tests/live/end-to-end/*.sh || { echo "$page: no test leaves $name"; bad=1; }
  done < <(marked)
  [ $n -ge 13 ] || { echo "only $n were found"; bad=1; }
  return $bad
}

# Blocks of code that are files (`<!-- code: FILE -->`): all of the file but its SPDX line. RECORD=1 writes them.
code_is_of_the_tree() {
  local page file bad=0
  while read -r page file; do
    sed '1,2d' "$file" >"$work/code" || { bad=1; continue; }
    if block_of "$page" "$file" | cmp -s - "$work/code"; then continue; fi
    if [ -n "${RECORD:-}" ]; then write_block "$page" "$file" "$work/code"; continue; fi
    echo "$page: the page (<) and $file (>) differ; RECORD=1 tests/commands/docs/run.sh writes the file's"
    block_of "$page" "$file" | diff - "$work/code"
    bad=1
  done < <(git grep -n --untracked '^<!-- code: .* -->$' -- '*.md' | sed 's/:[0-9]*:<!-- code: / /; s/ -->$//')
  return $bad
}

# Blocks of what a command of the page prints (`<!-- printed: NAME -->`): `$ ` and the command, then all that it says. RECORD=1 writes
# them. A picture that it draws is the one of the tree.
printed_is_what_is_printed() {
  local page name command picture bad=0 n=0
  while read -r page name; do
    n=$((n + 1))
    command=$(block_of "$page" "$name" | sed -n '1s/^\$ //p')
    picture=$(sed -n 's/.* --plot \([^ ]*\).*/\1/p' <<<"$command")
    [ -z "$picture" ] || [ -n "${RECORD:-}" ] || command=${command/"$picture"/"$work/${picture##*/}"}
    { block_of "$page" "$name" | head -n 1; (set -o noglob; eval "$command") 2>&1; } >"$work/seen"
    [ -z "$picture" ] || [ -n "${RECORD:-}" ] || cmp "$picture" "$work/${picture##*/}" || bad=1
    if block_of "$page" "$name" | cmp -s - "$work/seen"; then continue; fi
    if [ -n "${RECORD:-}" ]; then write_block "$page" "$name" "$work/seen"; continue; fi
    echo "$page: $name: the page (<) and what is printed (>) differ; RECORD=1 tests/commands/docs/run.sh writes what is printed"
    block_of "$page" "$name" | diff - "$work/seen"
    bad=1
  done < <(git grep -n --untracked '^<!-- printed: .* -->$' -- '*.md' | sed 's/:[0-9]*:<!-- printed: / /; s/ -->$//')
  [ $n -ge 1 ] || { echo 'none was found'; bad=1; }
  return $bad
}

# measured_of MARK: the lines of docs/performance.md between the marks.
measured_of() {
  awk -v mark="<!-- measured: $1 -->" '/^<!-- measured end -->$/ { inside = 0 } inside; $0 == mark { inside = 1 }' docs/performance.md
}
# The tables of docs/performance.md, its short answers and the rows of the README are what the command makes of docs/performance.csv.
measurements_are_those_of_the_command() {
  local what line bad=0
  for what in live simulated; do
    tests/bench/schedulers/performance.sh table $what >"$work/table" && [ "$(grep -c '^| ' "$work/table")" -ge 4 ] || return 1
    measured_of $what | diff - "$work/table" || { echo "docs/performance.md, $what: the page (<) and the command (>) differ"; bad=1; }
  done
  for what in answers readme; do
    tests/bench/schedulers/performance.sh table $what >"$work/table" && [ "$(wc -l <"$work/table")" = 2 ] || return 1
    while read -r line; do
      grep -qxF -- "$line" docs/performance.md README.md || { echo "no page has: $line"; bad=1; }
    done <"$work/table"
  done
  [ $bad = 0 ] || { echo 'tests/bench/schedulers/performance.sh write puts the lines right'; return 1; }
}

# Every extension point's example stands in the guide.
guide_has_every_example() {
  local file bad=0
  for file in examples/points/*.cpp; do
    grep -qxF "<!-- code: $file -->" docs/author-guide.md || { echo "docs/author-guide.md lacks $file"; bad=1; }
  done
  return $bad
}

same_plugin_everywhere() {
  diff <(block README.md cpp 1) <(block docs/plugin-abi.md cpp 1) &&
    diff <(block README.md cmake 1) <(block docs/plugin-abi.md cmake 1)
}

check 'links lead to files and headings that are there' links_lead_somewhere
if [ "$only" != '*' ]; then
  check 'the commands of the page run' commands_run
  finish
  exit
fi
check 'the examples are built as their page says' examples_build
check 'the commands of the pages run' commands_run
check 'the example configurations load' examples_load
check 'docs/simulate.md has the options of the program' options_are_described
check 'every option of every command stands on a page' options_stand_somewhere
check 'the pages dump the kinds that the default plugins watch' pages_dump_what_plugins_watch
check "the chart's page or values.yaml describes each value of its schema" chart_values_are_described
check 'docs/abi-reference.md is made of the headers' reference_is_the_headers
check 'docs/architecture.md has a row for every file' every_file_has_its_row
check 'what the README shows of make run is what it prints' readme_output
check "docs/threat-model.md has the tests' promises" promises_are_those_of_the_tests
check 'what is shown of kubectl and the log is left by a test' output_is_from_tests
check 'what is shown of a command is what it prints' printed_is_what_is_printed
check 'Markdown is within the editorconfig' markdown_is_within_the_editorconfig
check 'wrapping a page parts lines and nothing else' wrapping_parts_only_lines
check 'workflows, forms and hooks are YAML' habits_are_yaml
check 'workflows and hooks run targets, scripts and stages of this tree' workflows_run_what_there_is
check 'workflows use pinned actions and have few rights' workflows_have_few_rights
check "the administrators' page changes one line of kubeadm's manifest" one_line_of_the_manifest
check "a release's notes are the section of its version" notes_are_of_the_version
check 'RELEASING.md, docs/versions.md and the tree agree on versions' versions_agree
check "the checklists' files and names are there" checklists_name_what_there_is
check 'fields, points, plugins, metrics, endpoints and commands are where the checklists say' checklists_were_followed
check 'private words that standard terms replaced stay gone' private_words_stay_gone
check 'a private word in an identifier or on a page is found' private_words_are_found
check 'code that is shown is that of the tree' code_is_of_the_tree
check "docs/performance.md and the README have the bench's measurements" measurements_are_those_of_the_command
check "the author's guide has every example" guide_has_every_example
check 'docs/troubleshooting.md has every message about a plugin' every_message_is_on_the_page
check 'docs/troubleshooting.md has no message that Berth has not' every_message_is_of_the_sources
check "the README's plugin is built and run as it says" readme_plugin
check "the page's plugin in C does the same" plugin_in_c
check "the page's plugin in Rust does the same" plugin_in_rust
check 'the README and the page on the ABI show the same plugin' same_plugin_everywhere

finish
