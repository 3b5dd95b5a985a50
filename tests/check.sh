# SPDX-License-Identifier: Apache-2.0
# Sourced by scripts that check one thing after another: `check WHAT COMMAND...` runs the command and prints one line, and
# its output only if it fails; `finish` prints the count. $work is a folder that is removed at the end, $top the tree, which
# is also where the script then stands.
cd "$(dirname "${BASH_SOURCE[0]}")/.."
unset KUBECONFIG  # no test is to reach the cluster of who runs it
top=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

check() {
  local what=$1
  shift
  if "$@" >"$work/log" 2>&1; then
    passed=$((passed + 1))
    echo "ok    $what"
  else
    failed=$((failed + 1))
    echo "FAIL  $what"
    tail -n 30 "$work/log"
  fi
}

finish() {
  [ $((passed + failed)) != 0 ] || { echo 'FAIL  nothing was checked'; failed=1; }
  echo "$passed passed, $failed failed"
  [ "$failed" = 0 ]
}
