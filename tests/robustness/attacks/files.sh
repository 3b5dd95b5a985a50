# SPDX-License-Identifier: Apache-2.0
# Sourced by run.sh: plugin files that somebody else can write, and recordings that somebody else has written.
. tests/commands/record/mutant.sh

berth=${BERTH:-out/bin/berth}
file_tries=0

# load FILE [OPTION...]: berth loads it as plugin MaxPods; what it says is in $work/said.
load() {
  timeout 60 "$berth" config validate "$work/maxpods.yaml" --plugin "MaxPods=$1" "${@:2}" >"$work/said" 2>&1
  code=$?
  return $code
}

# refused_file WHAT MESSAGE FILE: it is not loaded, and this is said.
refused_file() {
  file_tries=$((file_tries + 1))
  if load "$3"; then echo "$1: it was loaded"; return 1; fi
  grep -qE -- "$2" "$work/said" || { echo "$1: it does not say '$2' but:"; tail -n 5 "$work/said"; return 1; }
}
# loaded_file WHAT FILE
loaded_file() {
  file_tries=$((file_tries + 1))
  load "$2" || { echo "$1: it was not loaded:"; tail -n 5 "$work/said"; return 1; }
}

# A library that leaves a mark if anything of it runs.
evil_library() {
  cat >"$work/evil.c" <<'END'
#include <stdio.h>
__attribute__((constructor)) static void begin(void) { fclose(fopen(MARK, "w")); }
END
  "${CC:-cc}" -shared -fPIC -DMARK="\"$work/evil-ran\"" -o "$work/evil.so" "$work/evil.c"
}
evil_ran() { [ -e "$work/evil-ran" ] && { echo "$1: code ran that nobody had checked"; rm "$work/evil-ran"; }; }

maxpods_yaml() {
  printf '%s\n' 'apiVersion: kubescheduler.config.k8s.io/v1' 'kind: KubeSchedulerConfiguration' 'profiles:' \
    '- plugins: {multiPoint: {enabled: [{name: MaxPods}]}}' '  pluginConfig: [{name: MaxPods, args: {maxPods: 6}}]' >"$work/maxpods.yaml"
}

# promise(user): Berth runs exactly the bytes of a plugin's file that it checked and hashed, even if the file changes
# meanwhile.
files_are_sealed() {
  local good=out/lib/berth/plugins/prefilter-maxpods.so it=$work/rewritten/it.so tries=40 i pin with code status=0
  [ -z "$LONG" ] || tries=400
  evil_library && maxpods_yaml && mkdir -m 755 "$work/rewritten" || return 1
  pin=$(sha256sum $good) && pin=${pin%% *}
  # The moment when the loader is about to be called: everything was checked, and the same inode gets another content.
  cat >"$work/moment.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <unistd.h>
static int done;
void *dlopen(const char *name, int flags) {
  void *(*real)(const char *, int) = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
  char target[4096] = "";
  if (name && !done && readlink(name, target, sizeof target - 1) > 0 && strstr(target, "it.so")) {
    done = 1;
    int from = open(getenv("EVIL"), O_RDONLY), to = open(getenv("VICTIM"), O_WRONLY | O_TRUNC);
    while (sendfile(to, from, 0, 1 << 20) > 0) {}
    close(from), close(to);
  }
  return real(name, flags);
}
END
  "${CC:-cc}" -shared -fPIC -o "$work/moment.so" "$work/moment.c" -ldl || return 1
  for with in "$it" "$it@sha256:$pin"; do
    install -m 755 $good "$it"
    EVIL=$work/evil.so VICTIM=$it LD_PRELOAD=$work/moment.so load "$with"
    evil_ran 'rewritten between the check and the loader' && status=1
    cmp -s "$it" "$work/evil.so" || { echo 'this test could not have failed: nothing was rewritten'; status=1; }
  done
  # And a writer who is as quick as he can.
  while :; do cat "$work/evil.so" >"$it"; cat $good >"$it"; done &
  local writer=$! loads=0
  for ((i = 0; i < tries; ++i)); do
    load "$it@sha256:$pin" && loads=$((loads + 1))
    [ $code -le 2 ] || { echo "start $i beside a writer ended with $code"; status=1; }
    evil_ran "a writer, start $i" && status=1
  done
  kill $writer && wait $writer 2>/dev/null
  echo "$tries starts beside a writer, of which $loads found the file whole; none ran what it had not hashed"
  return $status
}

# promise(user): Berth loads a plugin's file only if root or Berth's user owns the file, each directory above it and
# each symbolic link on the way, and no other user can write them. Otherwise the message names the offending path and
# its owner.
files_of_others() {
  local good=out/lib/berth/plugins/prefilter-maxpods.so d=$work/others status=0
  [ "$(id -u)" = 0 ] || { echo 'this takes root, who can give files away'; return 1; }
  maxpods_yaml && chmod 755 "$work" && mkdir -m 755 "$d" "$d"/{file,theirs,theirs/mine,open,open/mine,group,links,sticky,volume,volume/..1,mine} || return 1
  for at in file theirs theirs/mine open open/mine group sticky volume/..1 mine; do install -m 755 $good "$d/$at/it.so"; done
  loaded_file 'ours' "$d/mine/it.so" || status=1

  chown nobody "$d/file/it.so"
  refused_file 'a file of another user' "$d/file/it.so: the file belongs to nobody \\(uid 65534\\), .*; expected root as its owner: take it over \\(chown root $d/file/it.so\\)" \
    "$d/file/it.so" || status=1
  chown nobody "$d/theirs"
  refused_file 'a directory of another user' "its directory $d/theirs belongs to nobody .*chown root $d/theirs\\)" "$d/theirs/it.so" || status=1
  refused_file 'a directory above that of another user' "its directory $d/theirs belongs to nobody" "$d/theirs/mine/it.so" || status=1
  chmod 777 "$d/open"
  refused_file 'a directory that everybody writes' "its directory $d/open can be written by everybody, .*chmod go-w $d/open\\)" "$d/open/it.so" || status=1
  refused_file 'a directory above that everybody writes' "its directory $d/open can be written by everybody" "$d/open/mine/it.so" || status=1
  chgrp daemon "$d/group" && chmod 775 "$d/group"
  refused_file 'a directory that a group writes' "its directory $d/group can be written by its group daemon" "$d/group/it.so" || status=1
  # Links: each leads to a file of ours.
  ln -s ../mine/it.so "$d/links/it.so" && ln -s "$d/mine" "$d/links/dir" && ln -s ../../mine/it.so "$d/open/mine/it-link.so" &&
    ln -s "$d/mine/it.so" "$d/links/theirs.so" && chown -h nobody "$d/links/theirs.so" && ln -s theirs.so "$d/links/second.so" || return 1
  loaded_file 'a link of ours' "$d/links/it.so" && loaded_file 'a directory behind a link of ours' "$d/links/dir/it.so" || status=1
  refused_file 'a link of another user' "the symbolic link $d/links/theirs.so belongs to nobody .*chown -h root $d/links/theirs.so\\)" "$d/links/theirs.so" || status=1
  refused_file 'a link of another user behind one of ours' "the symbolic link $d/links/theirs.so belongs to nobody" "$d/links/second.so" || status=1
  refused_file 'a link in a directory that everybody writes' "its directory $d/open can be written by everybody" "$d/open/mine/it-link.so" || status=1
  ln -s loop.so "$d/links/loop.so"
  refused_file 'a link to itself' 'Too many levels of symbolic links' "$d/links/loop.so" || status=1
  # A sticky directory such as /tmp: what is ours there nobody moves; what is another user's is another user's.
  chmod 1777 "$d/sticky" && install -m 755 -o nobody $good "$d/sticky/theirs.so"
  loaded_file 'ours in a sticky directory' "$d/sticky/it.so" || status=1
  refused_file "another user's in a sticky directory" "the file belongs to nobody" "$d/sticky/theirs.so" || status=1
  # A pod's volume is a directory for all, with links; its plugins are pinned by their SHA-256.
  chmod 777 "$d/volume" && ln -s ..1 "$d/volume/..data" && ln -s ..data/it.so "$d/volume/it.so" && chown -R nobody "$d/volume"
  refused_file 'a volume' "its directory $d/volume" "$d/volume/it.so" || status=1
  pin=$(sha256sum $good) && loaded_file 'a volume, pinned' "$d/volume/it.so@sha256:${pin%% *}" || status=1
  refused_file 'a volume, pinned to something else' 'but the pin says 0' "$d/volume/it.so@sha256:$(printf '0%.0s' {1..64})" || status=1
  # As in the image: a user that owns nothing runs what root owns.
  install -D -m 755 "$berth" "$d/mine/bin/berth" && mkdir -p "$d/mine/lib/berth" && cp -r out/lib/berth/plugins "$d/mine/lib/berth/" || return 1
  berth="setpriv --reuid 65532 --regid 65532 --clear-groups $d/mine/bin/berth" as_user "$d" || status=1
  # Every command loads by the same rule.
  for command in "plugin bench" "plugin verify --test load/opens" "plugin inspect" "simulate tests/simulation/scenarios/maxpods.yaml --config $work/maxpods.yaml --plugin MaxPods="; do
    file_tries=$((file_tries + 1))
    timeout 60 "$berth" $command${command:+$([[ $command = *= ]] || echo ' ')}"$d/file/it.so" >"$work/said" 2>&1 && { echo "$command: it was loaded"; status=1; }
    grep -q 'the file belongs to nobody' "$work/said" || { echo "$command says:"; tail -n 5 "$work/said"; status=1; }
  done
  echo "$file_tries ways to lay a library, each loaded or refused with its message"
  return $status
}
as_user() {
  local berth_words=($berth) status=0
  run_as() { timeout 60 "${berth_words[@]}" config validate "$work/maxpods.yaml" --plugin "MaxPods=$1" >"$work/said" 2>&1; }
  chmod 644 "$work/maxpods.yaml"
  file_tries=$((file_tries + 2))
  run_as "$1/mine/it.so" || { echo "what root owns is not loaded by another user:"; tail -n 5 "$work/said"; status=1; }
  run_as "$1/file/it.so" && { echo "what nobody owns is loaded by uid 65532"; status=1; }
  grep -q 'expected root or ' "$work/said" || { echo 'the message does not say whose it may be:'; tail -n 5 "$work/said"; status=1; }
  return $status
}

# replay WHAT CODE MESSAGE ARGUMENT...: what replay ends with and says.
replay() {
  local what=$1 code=$2 message=$3 status
  shift 3
  MARK=$work/stranger-ran timeout 120 "$berth" replay "$@" >"$work/said" 2>&1
  status=$?
  file_tries=$((file_tries + 1))
  [ $status = "$code" ] && grep -qE -- "$message" "$work/said" ||
    { echo "$what: exit code $status, expected $code and '$message':"; tail -n 8 "$work/said"; return 1; }
}
ran() { [ -e "$work/stranger-ran" ] && rm "$work/stranger-ran"; }

# promise(recording): A recording cannot choose a library: a replay loads only libraries that the command line names or
# allows, and those of this Berth's own plugin directory.
recordings_choose_no_library() {
  local d=$work/stranger source=plugins/score-random/random_score.cpp status=0 all
  mkdir -m 755 "$d" && printf '%s\n' 'apiVersion: kubescheduler.config.k8s.io/v1' 'kind: KubeSchedulerConfiguration' 'profiles:' \
    '- plugins: {multiPoint: {enabled: [{name: RandomScore}]}}' >"$d/config.yaml" || return 1
  { printf '%s\n' '#include <cstdio>' '#include <cstdlib>' \
    'static const bool ran = [] { if (const char *mark = std::getenv("MARK")) std::fclose(std::fopen(mark, "w")); return true; }();' && cat $source; } >"$work/marks.cpp"
  library marks "$work/marks.cpp" && mv "$work/marks.so" "$d/score-random.so" || return 1
  "$berth" simulate --record "$d/recording" --config "$d/config.yaml" --plugin "RandomScore=$d/score-random.so" tests/simulation/scenarios/affinity.yaml >"$work/said" 2>&1
  [ -s "$d/recording/000001.tape" ] || { cat "$work/said"; return 1; }
  all='[0-9]          0$'
  replay 'a recording that names a library' 2 'plugin "RandomScore" was recorded with .*, and a recording does not choose what is loaded here:' "$d/recording" || status=1
  grep -q -- '--allow-recorded-plugins takes it from where the recording says' "$work/said" || { echo 'the message does not say how to allow it'; status=1; }
  ran && { echo 'the library that a recording names was loaded'; status=1; }
  replay 'a recording whose library was named' 0 "$all" "$d/recording" --plugin "RandomScore=$d/score-random.so" && ran || { echo 'this test could not have failed'; status=1; }
  replay 'a recording whose directory was named' 0 "$all" "$d/recording" --plugin-dir "$d" && ran || status=1
  replay 'a recording that is trusted' 0 "$all" "$d/recording" --allow-recorded-plugins && ran || status=1
  replay 'another library' 0 'is not the library that it was recorded with: its sha256 is ' "$d/recording" --plugin RandomScore=score-random.so || status=1
  ran && { echo 'naming one library has loaded another'; status=1; }
  # Trusted or not, the file has to be ours.
  chown nobody "$d/score-random.so"
  replay "a trusted recording that names another user's library" 2 'the file belongs to nobody' "$d/recording" --allow-recorded-plugins || status=1
  ran && { echo 'a library of another user was loaded'; status=1; }
  echo "a recording that names a library: refused with its message, and one flag away"
  return $status
}

# promise(recording): A forged recording of a few bytes takes no more memory than a valid recording of that size may
# take. The error names the offset of the invalid byte.
recordings_expand_to_a_bound() {
  local kind message status=0 most=0
  "$berth" simulate --record "$work/honest" tests/simulation/scenarios/affinity.yaml >"$work/said" 2>&1 || { cat "$work/said"; return 1; }
  while IFS='|' read -r kind message; do
    perl tests/robustness/attacks/forge.pl "$work/honest/000001.tape" "$kind" >"$work/$kind.tape" || return 1
    with_peak "$berth" replay "$work/$kind.tape" >"$work/said" 2>&1
    [ $? = "$([ "$kind" = honest ] && echo 0 || echo 2)" ] && grep -qE -- "$message" "$work/said" ||
      { echo "$kind: expected '$message':"; tail -n 5 "$work/said"; status=1; }
    [ "$peak" -lt 1000 ] || { echo "$kind: $(stat -c %s "$work/$kind.tape") bytes took $peak MiB"; status=1; }
    [ "$peak" -le $most ] || most=$peak
  done <<END
honest|        8          0
bomb|bomb.tape: byte [0-9]+: it tells of an object that takes more memory than one can
flood|flood.tape: byte [0-9]+: its objects would take more memory than those of a recording of its size do
deep|deep.tape: byte [0-9]+: it holds what is no entry
long|long.tape: byte [0-9]+: it holds what is no entry
text|text.tape: byte [0-9]+: it holds what is no entry
time|time.tape: byte [0-9]+: it tells of a time that no clock shows
early|early.tape: byte [0-9]+: it tells of a cluster before anybody looks at it
unused|unused.tape: byte [0-9]+: it uses profiles that it has not told of
END
  echo "$most MiB at most, for recordings that say a gigabyte in some kilobytes"
  return $status
}
