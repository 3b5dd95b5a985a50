#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# test.sh: the control plane itself is tested: started, used, broken, mended and stopped, two at once. Ends with
# `N passed, N failed`. It builds what is missing first, which takes some minutes once.
set -uo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
first=$work/first
second=$work/second
passed=0
failed=0

cluster() { ./cluster.sh --dir "$first" "$@"; }
bare() { ./cluster.sh --dir "$second" "$@"; }
clean_up() {
  cluster down
  bare down
  rm -rf "$work"
}
trap clean_up EXIT

# check SENTENCE COMMAND...: its output is shown only when it fails.
check() {
  local sentence=$1
  shift
  if "$@" >"$work/said" 2>&1 </dev/null; then
    passed=$((passed + 1))
    echo "ok    $sentence"
  else
    failed=$((failed + 1))
    echo "FAIL  $sentence"
    tail -n 20 "$work/said"
  fi
}
# becomes SECONDS EXPECTED COMMAND...: until the command prints just that.
becomes() {
  local limit=$((SECONDS + $1)) expected=$2 now=
  shift 2
  while now=$("$@" 2>&1); [ "$now" != "$expected" ]; do
    [ $SECONDS -lt $limit ] || { echo "expected: $expected"; echo "after the time given: $now"; return 1; }
    sleep 0.3
  done
}
refuses() { # refuses CODE TEXT COMMAND...
  local code=$1 text=$2 status=0
  shift 2
  "$@" >"$work/refused" 2>&1 || status=$?
  cat "$work/refused"
  [ $status = "$code" ] && grep -qF -e "$text" "$work/refused"
}
# processes DIR: the pids of what carries the mark of that directory.
processes() { grep -lzxF "BERTH_CLUSTER=$1" /proc/[0-9]*/environ 2>/dev/null | cut -d / -f 3; }
none_left() { [ -z "$(processes "$1")" ]; }
# ended PID...: of one that its parent has yet to notice, nothing but the number is left.
ended() {
  local pid
  [ $# -gt 0 ] || return 1
  for pid; do ! tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline" | grep . || return 1; done
}
node_ready='{range .items[*]}{.metadata.name}={.status.conditions[?(@.type=="Ready")].status},{.spec.taints} {end}'
running() { cluster kubectl get pods -o jsonpath='{range .items[*]}{.status.phase}{"\n"}{end}' | grep -cx Running; }
as() { cluster kubectl --kubeconfig "$(cluster kubeconfig "$1")" "${@:2}"; }
loopback_only() {
  local name pid
  while read -r name _ pid _; do
    # The kernel writes an address as hexadecimal digits; state 0A is listening.
    find "/proc/$pid/fd" -lname 'socket:*' -printf '%l\n' | tr -dc '0-9\n' >"$work/sockets"
    awk -v name="$name" 'NR == FNR { ours[$1] = 1; next }
      $4 == "0A" && ($10 in ours) { print name, $2; if ($2 ~ /^0100007F:/) ++loopback; else ++elsewhere }
      END { exit !(loopback && !elsewhere) }' "$work/sockets" "/proc/$pid/net/tcp" "/proc/$pid/net/tcp6" || return 1
  done < <(cluster status)
}
# interrupted SIGNAL: to a start that has got as far as the API server.
interrupted() {
  local starting
  ./cluster.sh --dir "$first" up &
  starting=$!
  until [ -s "$first/log/kube-apiserver.log" ] && [ "$(processes "$first" | wc -l)" = 2 ]; do
    kill -0 $starting || return 1
    sleep 0.05
  done
  kill "-$1" $starting
  ! wait $starting
}
same_data() { [ "$(cluster kubectl get namespace default -o jsonpath='{.metadata.uid}')" = "$uid" ]; }
gofmt_agrees() { local unformatted; unformatted=$("$("$go" env GOROOT)/bin/gofmt" -l .); echo "$unformatted"; [ -z "$unformatted" ]; }

./cluster.sh build || exit 1
go=$(../../../tools/setup-go.sh) || exit 1
check 'the sources are as gofmt wants them' gofmt_agrees
check 'go vet finds nothing' env GOTOOLCHAIN=auto GOFLAGS=-buildvcs=false "$go" vet . ./etcd

check 'there is no cluster before one is started' refuses 1 'no cluster is up' cluster status
check 'a control plane starts' cluster up
check 'all of its processes run' cluster status
check 'all of it listens on 127.0.0.1 only' loopback_only
check 'starting it again says that it is up' bash -c "./cluster.sh --dir $first up | grep -q '^already up'"
check 'starting it with other flags is refused' refuses 1 'take it down first' cluster up --bare
check 'the API server tells its version' bash -c "./cluster.sh --dir $first kubectl version | grep -q 'Server Version: v1.36.3'"
for kind in admin admin-files token token-file; do
  check "the kubeconfig $kind is that of an administrator" becomes 5 yes as $kind auth can-i create deployments
done
check 'the kubeconfig scheduler may bind pods' becomes 5 yes as scheduler auth can-i create pods --subresource binding
check 'the kubeconfig scheduler may not create pods' becomes 5 no as scheduler auth can-i create pods
check 'who shows a wrong token is refused' refuses 1 'Unauthorized' cluster kubectl --kubeconfig /dev/null --token wrong \
  --server "https://127.0.0.1:$(cluster status | awk '$1 == "kube-apiserver" {print $4}')" \
  --certificate-authority "$first/pki/ca.crt" get --raw /api/v1/pods

check 'kubectl creates nodes' cluster kubectl apply -f nodes.yaml
check 'they become Ready and lose their taint' becomes 60 'node-1=True, node-2=True, node-3=True, ' \
  cluster kubectl get nodes -o jsonpath="$node_ready"
check 'a Deployment is created' cluster kubectl create deployment web --image=web --replicas=6
check 'its pods wait without a scheduler' becomes 60 'Pending Pending Pending Pending Pending Pending' \
  cluster kubectl get pods -o jsonpath='{.items[*].status.phase}'
check 'the real kube-scheduler starts' cluster scheduler start one
check 'a second one of that name is refused' refuses 1 'already' cluster scheduler start one
check 'its pods become Running' becomes 60 6 running
check 'each has its Scheduled event' becomes 30 6 bash -c \
  "./cluster.sh --dir $first kubectl get events -o name --field-selector reason=Scheduled | wc -l"
check 'they are on every node' becomes 5 3 bash -c \
  "./cluster.sh --dir $first kubectl get pods -o jsonpath='{range .items[*]}{.spec.nodeName}{\"\n\"}{end}' | sort -u | wc -l"

cat >"$work/other.yaml" <<'END'
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: other
END
check 'a second kube-scheduler has a configuration of its own' cluster scheduler start two "$work/other.yaml"
check 'a pod for it is created' cluster kubectl run lonely --image=web --overrides='{"spec":{"schedulerName":"other"}}'
check 'it becomes Running' becomes 60 Running cluster kubectl get pod lonely -o jsonpath='{.status.phase}'
printf 'kind: [\n' >"$work/broken.yaml"
check 'a broken configuration is refused' refuses 1 'broken.yaml' cluster scheduler start three "$work/broken.yaml"
sed 's/^kind.*/kind: Other/' "$work/other.yaml" >"$work/broken.yaml"
check 'one that kube-scheduler refuses shows its log' refuses 1 'ended before it was ready' \
  cluster scheduler start three "$work/broken.yaml"
check 'neither is left behind' cluster status
check 'a scheduler stops' cluster scheduler stop two

check 'a second control plane, bare, starts beside it' bare up --bare
check 'it has two processes' becomes 5 2 bash -c "./cluster.sh --dir $second status | wc -l"
check 'its nodes have no taint, and a pod needs no service account' bash -c "
  ./cluster.sh --dir $second kubectl apply -f nodes.yaml &&
  [ -z \"\$(./cluster.sh --dir $second kubectl get nodes -o 'jsonpath={.items[*].spec.taints}')\" ] &&
  ./cluster.sh --dir $second kubectl run bare --image=web"
check 'a kube-scheduler runs against it too' bare scheduler start one
check 'and binds the pod' becomes 60 True bare kubectl get pod bare \
  -o 'jsonpath={.status.conditions[?(@.type=="PodScheduled")].status}'
pids=$(processes "$second")
check 'it stops, scheduler and all' bare down
check 'no process of it is left' none_left "$second"
check 'nor any of the pids it had' ended $pids
check 'the first one is not touched' cluster status

uid=$(cluster kubectl get namespace default -o jsonpath='{.metadata.uid}')
check 'the API server is killed' cluster kill kube-apiserver
check 'which shows' refuses 1 'kube-apiserver             stopped' cluster status
check 'it starts again' cluster start kube-apiserver
check 'with the data kept' same_data
check 'and controllers and scheduler go on' cluster kubectl scale deployment web --replicas=8
check 'so that new pods become Running' becomes 90 9 running
check 'etcd is stopped' cluster stop etcd
check 'etcd starts again' cluster start etcd
check 'with the data kept, too' becomes 60 9 running

echo '{ cut' >"$first/cluster.json"
kill -9 "$(processes "$first" | head -n 1)"
check 'after a crash, with a spoiled file and some processes left, a new one starts' cluster up
check 'it is empty' becomes 10 '' cluster kubectl get nodes -o name
check 'it is whole' cluster status
check 'it stops' cluster down
check 'no process is left' none_left "$first"
check 'a start that is interrupted fails' interrupted TERM
check 'and leaves no process' none_left "$first"
check 'a start that is killed fails, too' interrupted KILL
check 'and is cleared away' cluster down
check 'without a process left' none_left "$first"
check 'only logs are left' becomes 1 'lock log ' bash -c "ls '$first' | tr '\n' ' '"
check 'stopping what is not there is no error' cluster down
touch "$first/mine"
check 'a directory that holds something else is left alone' refuses 1 'which no cluster made' cluster up
rm "$first/mine"
check 'a command that does not exist is refused' refuses 2 'usage:' cluster sideways

echo "$passed passed, $failed failed"
[ $failed = 0 ]
