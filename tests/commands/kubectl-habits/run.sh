#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What berth's commands have in common with kubectl's: kubeconfigs and contexts, suggestions, completion. Needs `make build`, or
# BERTH for another program.
set -uo pipefail
. "$(dirname "$0")/../../check.sh"
berth=${BERTH:-$top/out/bin/berth}
export HOME=$work/home
mkdir "$HOME"
unset KUBECONFIG

# refuses TEXT ARGUMENT...: exit code 2, and that is all it says.
refuses() {
  "$berth" "${@:2}" >"$work/out" 2>&1
  [ $? = 2 ] && echo "$1" | diff - "$work/out"
}

commands_are_suggested() {
  refuses 'berth: there is no command "simulat"; did you mean "simulate"?' simulat x &&
    refuses 'berth: there is no command "explian"; did you mean "explain"?' help explian &&
    refuses 'berth config: there is no command "validat"; did you mean "validate"?' config validat x &&
    refuses 'berth plugin: there is no command "zzz"; berth plugin --help lists them' plugin zzz &&
    refuses 'berth: there is no command "zzz"; berth --help lists them' zzz
}

# A name that is misspelt under enabled is an error, one under disabled a warning: kube-scheduler takes any name there.
plugins_are_suggested() {
  local profile='apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins:'
  echo "$profile
    score: {disabled: [{name: ImageLocalty}, {name: NobodyHasThis}]}" >"$work/disabled.yaml"
  "$berth" config validate "$work/disabled.yaml" >"$work/out" 2>"$work/err" && grep -q ': valid$' "$work/out" || return 1
  echo "warning: $work/disabled.yaml:5:24: profiles[0].plugins.score.disabled[0]: there is no plugin \"ImageLocalty\" to disable; did you mean \"ImageLocality\"?" |
    diff - "$work/err" || return 1
  echo "$profile
    filter: {enabled: [{name: NodeResourcesFitt}]}" >"$work/enabled.yaml"
  "$berth" config validate "$work/enabled.yaml" >"$work/out" 2>&1
  [ $? = 1 ] && grep -q '"NodeResourcesFitt" does not exist: .*; did you mean "NodeResourcesFit"?$' "$work/out" || { cat "$work/out"; return 1; }
}

pending_stands_alone() {
  local alone='berth: --pending tells of all pods; expected neither POD nor another of these: --diff, --dry-run, --shadow'
  refuses "$alone" explain --pending web && refuses "$alone" explain --pending --shadow || return 1
  "$berth" explain --all >"$work/out" 2>&1
  [ $? = 2 ] && grep -qx -- '--all requires --pending' "$work/out"
}

version_is_json() {
  "$berth" version -o json >"$work/out" || return 1
  [ "$("$berth" version | head -n 1)" = "berth $(sed -n 's/.*"version": "\(.*\)".*/\1/p' "$work/out") (plugin ABI $(sed -n 's/.*"pluginABI": "\(.*\)".*/\1/p' "$work/out"))" ] &&
    tr -d ' \n' <"$work/out" | grep '"kubernetesVersions":\["1\.36",' >/dev/null || { cat "$work/out"; return 1; }
  ! "$berth" version -o json --feature-gates >"$work/out" 2>&1 && ! "$berth" version -o yaml >"$work/out" 2>&1
}

# offers EXPECTED WORD...: exactly these words, without their descriptions.
offers() { "$berth" __complete "${@:2}" | cut -f 1 | tr '\n' ' ' | sed 's/ $//' | diff <(printf %s "$1") -; }

words_are_offered() {
  offers 'simulate :nothing' sim && offers 'config completion :nothing' c && offers 'view validate :nothing' config v &&
    offers '--without-nodes --web-dir :nothing' simulate --w &&
    offers '--feature-gates :nothing' config rbac --f && offers '--feature-gates :nothing' config validate --f || return 1
  offers 'json table yaml :nothing' simulate x.yaml -o '' && offers 'text :nothing' explain web --output t &&
    offers ':files' simulate '' && offers ':files' simulate --config '' && offers ':directories' simulate --plugin-dir '' &&
    offers ':directories' replay '' && offers ':nothing' simulate --seed '' && offers 'bash zsh fish :nothing' completion '' &&
    offers 'simulate :nothing' help si && offers ':files' run --kubeconfig '' && offers ':nothing' explain --context '' &&
    offers ':files' simulate -- --c && offers '--context :nothing' explain --con
}
# Everything that --help lists, of every command.
nothing_is_missing() {
  local command option n=0
  for command in '' run simulate replay upgrade explain version 'config view' 'config convert' 'config validate' 'config rbac' \
    'plugin list' 'plugin inspect' 'plugin verify' 'plugin bench' 'plugin new' completion; do
    "$berth" __complete $command - | cut -f 1 >"$work/offered"
    for option in $("$berth" $command --help | grep -oE '^  (-[a-z],)?--[a-z0-9-]+' | grep -oE '\-\-.*'); do
      n=$((n + 1))
      grep -qx -- "$option" "$work/offered" || { echo "berth $command: $option is missing"; return 1; }
    done
  done
  [ $n -gt 150 ] || { echo "only $n options were compared"; return 1; }
}

# As bash itself calls it.
bash_completes() {
  local offered
  "$berth" completion bash >"$work/completion.bash" && bash -n "$work/completion.bash" || return 1
  mkdir -p "$work/files" && touch "$work/files/cluster one.yaml" || return 1
  completed() { # LAST WORD of the line, and the words before it
    (
      cd "$work/files" && . "$work/completion.bash" || exit 1
      COMP_WORDS=("$berth" "${@:2}" "$1")
      COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
      _berth "$berth" "$1" && printf '%s\n' "${COMPREPLY[@]}"
    )
  }
  offered=$(completed sim) && [ "$offered" = simulate ] && offered=$(completed clu simulate) && [ "$offered" = 'cluster one.yaml' ] &&
    offered=$(completed j explain -o) && [ "$offered" = json ]
}
other_shells_read_it() {
  local shell
  for shell in zsh fish; do
    "$berth" completion $shell >"$work/completion.$shell" && grep -q '__complete' "$work/completion.$shell" || return 1
    ! command -v $shell >/dev/null || $shell -n "$work/completion.$shell" || return 1
  done
  ! "$berth" completion tcsh >"$work/out" 2>&1 && grep -q 'tcsh not in' "$work/out"
}

# answers PATH: from there on a server of TLS answers a question for the path, and nothing else.
answers() {
  local i
  [ -z "${server:-}" ] || { kill "$server"; wait "$server"; }
  mkdir -p "$work/www/$(dirname "$1")" || return 1
  body='{"kind":"Explanation","decisions":[]}'
  printf 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s' ${#body} "$body" >"$work/www/$1"
  (cd "$work/www" && exec openssl s_server -quiet -accept "127.0.0.1:$port" -cert "$work/tls.crt" -key "$work/tls.key" -HTTP) >"$work/served" 2>&1 &
  server=$!
  for i in $(seq 50); do
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && return
    sleep 0.1
  done
  cat "$work/served"
  return 1
}
# Of a context: its name, its namespace.
context() { echo "- {name: $1, context: {cluster: c, user: u${2:+, namespace: $2}}}"; }
kubeconfigs_are_merged() {
  local api=apis/berth/v1alpha1/decisions said
  openssl req -x509 -newkey rsa:2048 -nodes -keyout "$work/tls.key" -out "$work/tls.crt" -days 2 -subj /CN=127.0.0.1 -addext 'subjectAltName=IP:127.0.0.1' 2>"$work/err" || return 1
  port=$((20000 + RANDOM % 10000))
  { echo 'kind: Config'; echo 'contexts:'; context one docks; context two; } >"$work/contexts"
  { echo 'kind: Config'; echo 'current-context: one'; echo 'contexts:'; context one other; context three quays
    echo "clusters: [{name: c, cluster: {server: 'https://h', insecure-skip-tls-verify: true}}]"; echo 'users: [{name: u, user: {}}]'; } >"$work/rest"
  asks() { "$berth" explain --server "https://127.0.0.1:$port" -o json "$@" >"$work/out" 2>&1; [ $? != 2 ] || { cat "$work/out"; return 1; }; }
  export KUBECONFIG=$work/none:$work/contexts:$work/rest
  answers "$api/docks/web?detail=nodes" && asks web && asks pod/web && asks docks/web --context two || return 1
  ! asks web --context two >/dev/null && ! asks -n elsewhere web >/dev/null || { echo 'another namespace is asked for'; return 1; }
  answers "$api/quays/web?detail=nodes" && asks web --context three && asks web --kubeconfig "$work/rest" --context three || return 1
  answers "$api/default/web?detail=nodes" && asks web --context two && asks -n default web || return 1
  said=$("$berth" explain --server "https://127.0.0.1:$port" --context thre web 2>&1)
  [[ $said = *'contexts: expected an entry named "thre", which --context names; there is none; did you mean "three"?'* ]] || { echo "$said"; return 1; }
  # A live scheduler takes $KUBECONFIG, but not ~/.kube/config, which may be of any cluster.
  said=$("$berth" run --context thre 2>&1)
  [[ $said = *"$work/contexts:"*'which --context names'* ]] || { echo "$said"; return 1; }
  said=$(KUBECONFIG=$work/none "$berth" run 2>&1)
  [ "$said" = "berth: \$KUBECONFIG names $work/none, of which no file is there; expected kubeconfig files with colons between; --kubeconfig names one" ] || { echo "$said"; return 1; }
  unset KUBECONFIG
  mkdir -p "$HOME/.kube" && cp "$work/rest" "$HOME/.kube/config"
  said=$("$berth" run 2>&1)
  [[ $said = *'no kubeconfig was given'* ]] || { echo "$said"; return 1; }
  said=$("$berth" run --context one 2>&1)
  [ "$said" = 'berth: --context one: there is no kubeconfig that has contexts; --kubeconfig names one' ] || { echo "$said"; return 1; }
  answers "$api/other/web?detail=nodes" && asks web
}

check 'commands are suggested' commands_are_suggested
check 'plugins are suggested' plugins_are_suggested
check 'explain --pending tells of all pods' pending_stands_alone
check 'the version is JSON' version_is_json
check 'words are offered' words_are_offered
check 'no option is missing' nothing_is_missing
check 'bash completes' bash_completes
check 'zsh and fish read their scripts' other_shells_read_it
check 'kubeconfigs are merged and contexts chosen' kubeconfigs_are_merged
[ -z "${server:-}" ] || kill "$server"
finish
