# SPDX-License-Identifier: Apache-2.0
# Sourced by run.sh, once check.sh is: what the files for hosted runners, pull requests and releases say is true.

# In a clone each of them is a file of the tree.
yaml_files() { git ls-files --cached --others --exclude-standard -- '.github/*.yml' .pre-commit-config.yaml; }

# habits_are_yaml: each is read as the spec of an object beside a node, by the reader that cluster files have.
habits_are_yaml() {
  local file bad=0 n=0
  while read -r file; do
    n=$((n + 1))
    { printf '%s\n' 'apiVersion: v1' 'kind: Node' 'metadata: {name: quay}' '---' 'apiVersion: example.com/v1' 'kind: File' \
      'metadata: {name: file}' 'spec:'; sed 's/^/  /' "$file"; } >"$work/habit.yaml"
    out/bin/berth simulate "$work/habit.yaml" >"$work/read" 2>&1 || { echo "$file (8 lines further up):"; cat "$work/read"; bad=1; }
  done < <(yaml_files)
  [ $n -ge 8 ] || { echo "only $n files were found"; bad=1; }
  return $bad
}

# Every target of make, every script and every stage of tests/run.sh that a workflow or a hook names is there.
workflows_run_what_there_is() {
  local word bad=0 n=0
  missing() { echo "$1: $2"; bad=1; }
  yaml_files | xargs grep -hvE '^ *#|description:' >"$work/habits"
  while read -r word; do
    n=$((n + 1))
    grep -q "^$word:" Makefile || missing "make $word" 'no target of the Makefile'
  done < <(grep -oE '\bmake [a-z -]+' "$work/habits" | grep -vE '^make (and|or) ' | sed 's/^make //' | tr ' ' '\n' | grep . | sort -u)
  while read -r word; do
    n=$((n + 1))
    [ -x "$word" ] || missing "$word" 'no program of this tree'
  done < <(grep -oE '\b(tests|tools|packages)/[a-z/-]+\.sh' "$work/habits" | sort -u)
  while read -r word; do
    n=$((n + 1))
    grep -qE "(stage|step|begin) '?$word'? " tests/run.sh || [ -x "tests/$word/run.sh" ] || missing "$word" 'no stage of tests/run.sh'
  done < <(sed -n "s|.*tests/run.sh ||p" "$work/habits" | grep -oE "'[^']+'|[a-z/-]+" | tr -d "'" | sort -u)
  [ $n -ge 15 ] || missing 'workflows' "only $n names were found"
  return $bad
}

# Actions are GitHub's own at a major version, or anybody's at a commit; a workflow may read, and only the release's draft write.
workflows_have_few_rights() {
  local file uses bad=0 n=0
  for file in .github/workflows/*.yml; do
    grep -qx 'permissions:' "$file" && [ "$(sed -n '/^permissions:/,/^$/p' "$file" | grep -c .)" = 2 ] &&
      grep -A1 '^permissions:' "$file" | grep -qx '  contents: read' || { echo "$file: not just \"permissions: contents: read\""; bad=1; }
    grep -q 'workflow_call:' "$file" || grep -qx 'concurrency:' "$file" || { echo "$file: no concurrency group"; bad=1; }
    ! grep -nE 'pull_request_target|secrets:|run: .*\$\{\{' "$file" || { echo "$file: the above hands out rights or text of others"; bad=1; }
    while read -r uses; do
      n=$((n + 1))
      [[ $uses =~ ^actions/[a-z-]+@v[0-9]+$ || $uses =~ ^[A-Za-z0-9_./-]+@[0-9a-f]{40}$ || ($uses == ./.github/workflows/* && -f $uses) ]] ||
        { echo "$file: $uses: neither GitHub's own at a major version nor at a commit"; bad=1; }
    done < <(sed -n 's/^ *\(- \)\?uses: *\([^ ]*\).*/\2/p' "$file")
  done
  [ "$(grep -l ': write' .github/workflows/*.yml)" = .github/workflows/release.yml ] && [ "$(grep -h ': write' .github/workflows/*.yml | grep -c .)" = 1 ] ||
    { echo 'another right to write than that of the release'; bad=1; }
  [ $n -ge 8 ] || { echo "only $n uses were found"; bad=1; }
  return $bad
}

# The notes of a release are those of its version, and of no other; without a date it is none yet.
notes_are_of_the_version() {
  local version notes
  version=$(sed -n 's/^#define BERTH_VERSION "\(.*\)"$/\1/p' sdk/include/berth/version.h)
  notes() { packages/release-notes.sh "$@" 2>&1; }
  printf '%s\n' '# Changelog' '' "## $version (2026-01-31)" '' '### Added' '- A quay.' '' '## 0.0.1 (2025-01-31)' '- Older.' >"$work/dated.md"
  printf '%s\n' "## Unreleased: $version" '- A quay.' "## $version" '- A quay.' >"$work/undated.md"
  [ "$(notes "v$version" "$work/dated.md")" = "$(printf '%s\n' '### Added' '- A quay.')" ] || { notes "v$version" "$work/dated.md"; return 1; }
  ! notes "$version" "$work/dated.md" && ! notes v99.0.0 "$work/dated.md" && ! notes "v$version" "$work/undated.md"
}

# One version everywhere where RELEASING.md says that it stands, one Kubernetes in the policy and in what tests compare with.
versions_agree() {
  local version kubernetes file bad=0 n=0
  version=$(sed -n 's/^#define BERTH_VERSION "\(.*\)"$/\1/p' sdk/include/berth/version.h)
  while read -r file; do
    n=$((n + 1))
    grep -qF "$version" "$file" || { echo "$file: not $version"; bad=1; }
  done < <(sed -n '/^## The version/,/^## /s/^- `\([^`]*\)`.*/\1/p' RELEASING.md)
  [ $n -ge 5 ] || { echo "RELEASING.md names only $n files"; bad=1; }
  kubernetes=$(sed -n 's/^| Kubernetes | [^|0-9]*\([0-9.]*[0-9]\).*/\1/p' docs/versions.md)
  [ -n "$kubernetes" ] || { echo 'docs/versions.md: no Kubernetes'; bad=1; }
  for file in tests/oracle/judge/go.mod tests/live/cluster/go.mod tests/live/kubernetes-e2e/go.mod; do
    grep -qE "^[[:space:]](k8s.io/kubernetes) v$kubernetes$" "$file" || { echo "$file: not v$kubernetes"; bad=1; }
  done
  return $bad
}

# items: of CONTRIBUTING's checklists, one line each.
items() {
  awk '/^## / { on = $0 == "## Checklists"; next }
    on && /^- / { if (item) print item; item = $0; next }
    on && /^  / && item { sub(/^ +/, ""); item = item " " $0; next }
    item { print item; item = "" }
    END { if (item) print item }' CONTRIBUTING.md
}

# The files of each item, which stand before its colon, are there. A name after it is another file or stands in one of them.
checklists_name_what_there_is() {
  local item files word bad=0 n=0
  while read -r item; do
    files=()
    while read -r word; do
      n=$((n + 1))
      if [ -e "$word" ]; then files+=("$word"); else echo "CONTRIBUTING.md: $word: there is no such file"; bad=1; fi
    done < <(grep -o '`[^`]*`' <<<"${item%%: *}" | tr -d '`')
    [ ${#files[@]} != 0 ] || { echo "CONTRIBUTING.md: no file before the colon: $item"; bad=1; continue; }
    while read -r word; do
      n=$((n + 1))
      [ -e "$word" ] || grep -rqF -e "$word" -- "${files[@]}" || { echo "CONTRIBUTING.md: ${files[*]}: nothing called $word"; bad=1; }
    done < <(grep -o '`[^`]*`' <<<"${item#*: }" | tr -d '`')
  done < <(items)
  [ "$(sed -n '/^## Checklists/,/^## [^C]/p' CONTRIBUTING.md | grep -c '^### ')" = 8 ] || { echo 'not eight checklists'; bad=1; }
  [ $n -ge 60 ] || { echo "only $n names were found"; bad=1; }
  return $bad
}

# has WHAT PATTERN FILE...: one of the files has it.
has() { grep -qE -e "$2" -- "${@:3}" || { echo "$1: not in ${*:3}"; return 1; }; }

# What the checklists ask for was done for all that is there already.
checklists_were_followed() {
  local name number last= bad=0 n=0
  # Status codes of the framework, and actions of events, none of which a compiler misses.
  while read -r name; do
    n=$((n + 1))
    has "$name" "case BERTH_$name: return \"[A-Za-z]+\"" host/queue/event.cpp || bad=1
    has "$name" "\b${name#EVENT_}\b" docs/plugin-abi.md || bad=1
  done < <(sed -n 's/^BERTH_\(EVENT_[A-Z_]*\) .*/\1/p' tests/abi/promise/layout.lock)
  while read -r name; do
    n=$((n + 1))
    has "the words of $name" "\{\"$name\", \"" host/report/explanation_text.cpp || bad=1
  done < <(sed -n 's/^ *case BERTH_EVENT_[A-Z_]*: return "\(.*\)";/\1/p' host/queue/event.cpp)
  while read -r name number; do
    n=$((n + 1)) last=$name
    name=$(tr A-Z a-z <<<"$name" | sed -E 's/(^|_)([a-z])/\u\2/g')
    has "the code $name" "\"$name\"" host/model/status.cpp || bad=1
    tr '\n' ' ' <docs/plugin-abi.md | grep -q "\b$name $number\b" || { echo "$name $number: not in docs/plugin-abi.md"; bad=1; }
  done < <(sed -n 's/^BERTH_STATUS_\([A-Z_]*\) \([0-9]*\)$/\1 \2/p' tests/abi/promise/layout.lock | sort -k 2n)
  has "the last code, $last" "code <= BERTH_STATUS_$last\b" host/plugin/call.cpp || bad=1
  # Interfaces of extension points.
  while read -r name; do
    n=$((n + 1))
    has "$name" "\b$name\b" host/plugin/interfaces.cpp || bad=1
    has "$name" "\b$name\b" sdk/include/berth/detail/point/*.hpp || bad=1
    has "$name" "\b$name\b" sdk/rust/src/raw.rs || bad=1
  done < <(sed -n 's/^#define \(BERTH_PLUGIN_[A-Z_]*_\(V\|DRAFT\)[0-9]*\) "berth\..*/\1/p' sdk/include/berth/{point,draft}/*.h)
  # Their tables: taken from the library, and checked by the strict layer.
  while read -r name; do
    n=$((n + 1))
    has "Instance::$name" "it\.$name = tables\.as<" host/plugin/instance.cpp || bad=1
    has "Instance::$name" "put\(instance\.$name, " host/plugin/strict_points.cpp || bad=1
  done < <(sed -n 's/^ *const berth_plugin_[a-z_]* \*\([a-z_]*\) = nullptr;/\1/p' host/plugin/profile.h)
  # Extension points of the C++ wrapper.
  while read -r name; do
    n=$((n + 1))
    has "$name" "\b$name\b[,>]" sdk/include/berth/detail/points.hpp || bad=1
  done < <(grep -ohE '^struct [A-Za-z]+Point\b' sdk/include/berth/detail/point/*.hpp | sed 's/^struct //')
  # Default plugins.
  while read -r name; do
    n=$((n + 1))
    has "$name" "BERTH_CODE_ELSEWHERE\(k::$name\)" plugins/kubernetes/library.cpp || bad=1
    has "$name" "entry<k::$name>\(\"$name\"" plugins/kubernetes/library.cpp || bad=1
    has "$name" "\b$name\b" plugins/kubernetes/README.md || bad=1
  done < <(sed -n 's/^    - {name: \([A-Za-z]*\).*/\1/p' configs/defaults/1.36/v1.yaml)
  # Metrics.
  while read -r name; do
    n=$((n + 1))
    has "the metric $name" "\b$name\b" docs/serving.md || bad=1
  done < <(grep -ohE '"(berth|scheduler|leader_election)_[a-z_]+(_total|_seconds|_bytes|_pods|_asked|_waiting|_status|_size|_attempts|_victims|_objects|_goroutines)"' \
    host/report/*.cpp | tr -d '"' | sort -u)
  # Endpoints.
  while read -r name; do
    n=$((n + 1))
    has "the endpoint $name" "(/|\`|…)$name\b" docs/explain.md docs/serving.md docs/shadow.md docs/dashboard.md || bad=1
  done < <(grep -ohE '(explain_base \+ |routes\.add(_below)?\(|add_(json|health)\()"[^"]+"' host/api/*.cpp | sed 's/^[^"]*"\/\?\([a-z]*\).*/\1/' | sort -u)
  # Commands.
  while read -r name; do
    n=$((n + 1))
    has "the command $name" "berth (config |plugin )?$name\b" README.md docs/*.md || bad=1
  done < <(grep -ohE '(add_subcommand|[ (]add)\("[a-z]+"' host/cli/{command_line,config_commands,plugin_commands}.cpp | sed 's/.*"\(.*\)"/\1/' | sort -u)
  [ $n -ge 110 ] || { echo "only $n names were found"; bad=1; }
  return $bad
}

# The lines of Markdown are as short as .editorconfig says, but for those that cannot be shorter: tables, code, a picture, a
# single word. `make format` wraps them.
markdown_is_within_the_editorconfig() {
  local page most bad=0 n=0
  most=$(sed -n 's/^max_line_length = \([0-9]*\)$/\1/p' .editorconfig | head -n 1)
  [ -n "$most" ] || { echo '.editorconfig has no max_line_length'; return 1; }
  while read -r page; do
    n=$((n + 1))
    ! awk '/^ *```/ { code = !code } { print code || /^([|<]|    |!\[)/ || !/[^ ] +[^ ]/ ? "" : $0 }' "$page" |
      LC_ALL=C.UTF-8 grep -nE ".{$((most + 1)),}" | sed "s|^\([0-9]*\):.*|$page:\1: longer than $most characters|" | grep . || bad=1
  done < <(tools/style.sh pages)
  [ $n -ge 20 ] || { echo "only $n pages were found"; bad=1; }
  return $bad
}

# What wrapping must leave alone.
wrapping_parts_only_lines() {
  printf '%s\n' '# A heading of many words that is longer than it should be' '' '- An item of `code that stays whole` and' '  goes on with — three words' \
    '' '| a | table of many words that is longer than it should be |' '' '```' 'code of many words that is longer than it should be' '```' '' \
    'Short as' 'it is.' '' 'A paragraph whose wrap has 1. at a start' '' '    indented code of many words that is longer' >"$work/page.md"
  sed -e 's/^- An item.*/- An item of\n  `code that stays whole`/; s/^  goes on with.*/  and goes on with — three\n  words/' "$work/page.md" >"$work/wrapped.md"
  tests/commands/docs/wrap.pl 26 "$work/page.md" && diff "$work/page.md" "$work/wrapped.md" || return 1
  tests/commands/docs/wrap.pl 26 "$work/page.md" && cmp "$work/page.md" "$work/wrapped.md"
}
