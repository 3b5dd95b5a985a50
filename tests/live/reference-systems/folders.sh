# SPDX-License-Identifier: Apache-2.0
# What every folder of plugins/ has, but kubernetes, which is the defaults of Kubernetes in one library. Sourced.

# plugin_in FOLDER: the name that configurations use.
plugin_in() { sed -n 's/^BERTH_PLUGIN([A-Za-z]*, "\([^"]*\)".*/\1/p' "$1"/*.cpp; }
# arguments_in FOLDER: those that its default_args reads.
arguments_in() {
  sed -nE 's/.*args\.(integer|string|strings|boolean|one_of|field)(<[^>]*>)?\("([^"]*)".*/\3/p; s/.*::read\(args, "([^"]*)".*/\1/p' "$1"/*.cpp |
    sort -u
}
# strangers_in FOLDER: what it includes beside the SDK, the standard library and its own headers.
strangers_in() {
  local include own
  while read -r include; do
    case $include in
      '<berth/'*) ;;
      '<'*[/.]*) echo "$include" ;;
      '"'*) own=${include//\"/} && [ -f "$1/$own" ] || echo "$include" ;;
    esac
  done < <(sed -n 's/^ *# *include *\([<"][^>"]*[>"]\).*/\1/p' "$1"/*.{cpp,h} 2>/dev/null)
}

# folder_keeps_the_rules FOLDER: says what it lacks.
folder_keeps_the_rules() {
  local folder=$1 name file argument lines wrong=0
  lacks() { echo "$folder: $*"; wrong=1; }
  name=$(plugin_in "$folder")
  [ -n "$name" ] || lacks 'no BERTH_PLUGIN with a name'
  for file in "$folder"/*.{cpp,h}; do
    [ -f "$file" ] || continue
    lines=$(grep -c . "$file")
    [ "$lines" -le 100 ] || lacks "$(basename "$file") has $lines lines that are not empty; at most 100"
  done
  [ -z "$(strangers_in "$folder")" ] || lacks "includes $(strangers_in "$folder" | tr '\n' ' ')beside the SDK"
  [ -f "$folder/README.md" ] || { lacks 'no README.md'; return 1; }
  for argument in $(arguments_in "$folder"); do
    grep -q "^| \`$argument\` |" "$folder/README.md" || lacks "the table of its README.md lacks the argument $argument"
  done
  grep -q '^out/bin/berth simulate ' "$folder/README.md" || lacks 'its README.md has no command to try it'
  grep -rqwF -e "$name" tests || lacks "no test has $name"
  return $wrong
}

plugin_folders() {
  local folder n=0 wrong=0
  for folder in plugins/*/; do
    [ "$folder" != plugins/kubernetes/ ] || continue
    n=$((n + 1))
    folder_keeps_the_rules "${folder%/}" || wrong=1
  done
  [ $wrong = 0 ] && [ $n -ge 8 ] && echo "$n folders: at most 100 lines a source, nothing but the SDK, arguments as a table, a command to try, a test"
}
