# SPDX-License-Identifier: Apache-2.0
# Sourced by run.sh: clients that cost much and give little, while the kubelet probes, Prometheus scrapes and pods are scheduled.

# people: a client certificate of system:masters, so that who asks is known without the API server, which never says it.
people() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$work/people.key" -out "$work/people.crt" -days 2 \
    -subj /CN=authority 2>/dev/null &&
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$work/scraper.key" -out "$work/scraper.csr" \
      -subj /O=system:masters/CN=scraper 2>/dev/null &&
    openssl x509 -req -in "$work/scraper.csr" -CA "$work/people.crt" -CAkey "$work/people.key" -CAcreateserial -days 2 \
      -extfile <(echo extendedKeyUsage=clientAuth) -out "$work/scraper.crt" 2>/dev/null
}

# number FILE NAME: the last one that the file has as NAME=NUMBER.
number() { grep -oE "(^| )$2=[0-9]+" "$1" | tail -n 1 | cut -d = -f 2; }

# attacked SECONDS ADDRESSES PAUSE: a thousand clients of six kinds, who come again so soon, and what others see meanwhile.
attacked() {
  local seconds=$1 addresses=$2 pause=$3 lead=5 port clients probe status=0 before bound slowest lines
  port=$(grep -o 'Serving securely.*port=[0-9]*' "$work/berth.log" | grep -o '[0-9]*$')
  before=$(number "$work/api.log" bound)
  nice -n 10 "$work/hostile" clients -target "127.0.0.1:$port" -count 1000 -addresses "$addresses" -seconds $((seconds + lead)) \
    -pause "$pause" >"$work/clients.log" 2>&1 &
  clients=$!
  sleep $lead
  "${ahead[@]}" "$work/hostile" probe -url "https://127.0.0.1:$port/livez" -seconds "$seconds" >"$work/probe.log" 2>&1 &
  probe=$!
  "${ahead[@]}" "$work/hostile" probe -url "https://127.0.0.1:$port/metrics" -every 3s -patience 5s -seconds "$seconds" \
    -cert "$work/scraper.crt" -key "$work/scraper.key" >"$work/scrape.log" 2>&1 || status=1
  wait $probe || status=1
  wait $clients || status=1
  bound=$(($(number "$work/api.log" bound) - before))
  slowest=$(grep -oE ' slowest_ms=[0-9]+' "$work/api.log" | cut -d = -f 2 | sort -n | tail -n 1)
  echo "from $addresses addresses, every $pause: livez $(tail -n 1 "$work/probe.log"); metrics $(tail -n 1 "$work/scrape.log"); $bound pods bound"
  cat "$work/clients.log"
  [ $status = 0 ] || return 1
  # Otherwise this was no attack.
  [ "$(grep -cE ': opened=[0-9]{3}' "$work/clients.log")" = 6 ] || { echo 'expected six kinds of clients'; return 1; }
  [ "$bound" -ge $((20 * seconds)) ] && [ "$slowest" -lt 1000 ] || { echo "$bound pods bound, the slowest in $slowest ms"; return 1; }
  lines=$(grep -cvE '"Successfully bound pod|"Attempting to schedule' "$work/berth.log")
  [ "$lines" -lt 200 ] || { echo "$lines lines in the log"; tail -n 5 "$work/berth.log"; return 1; }
}

# promise(peer): Berth answers each probe within a second while a thousand hostile connections (slow heads, slow bodies,
# unread answers, pipelines, endless handshakes, unknown tokens that the API server does not answer) are open and
# reopened, from the probe's address or another. Authorized clients get answers, and Berth schedules pods.
served_under_attack() {
  local seconds=${LONG:+60} from total=0 ahead=() status=0
  seconds=${seconds:-8}
  # The attackers' machine would not be the scheduler's.
  [ "$(nice -n -20 nice 2>/dev/null)" = "$(nice)" ] || ahead=(nice -n -20)
  GOFLAGS=-buildvcs=false "$(tools/setup-go.sh)" build -C tests/robustness/attacks/hostile -o "$work/hostile" . && people || return 1
  "${ahead[@]}" "$work/hostile" apiserver -rate 30 -seconds 600 -kubeconfig "$work/hostile.kubeconfig" >"$work/api.log" 2>&1 &
  api=$! berth=
  trap 'kill $api $berth 2>/dev/null || true' EXIT
  for _ in $(seq 50); do [ ! -s "$work/hostile.kubeconfig" ] || break; sleep 0.1; done
  "${ahead[@]}" out/bin/berth run --kubeconfig "$work/hostile.kubeconfig" --secure-port "$((20000 + RANDOM % 10000))" --bind-address 127.0.0.1 \
    --leader-elect=false --client-ca-file "$work/people.crt" -v 2 >"$work/berth.log" 2>&1 &
  berth=$!
  for _ in $(seq 100); do ! grep -q 'scheduling begins' "$work/berth.log" || break; sleep 0.1; done
  sleep 2
  # Who comes again after 200 ms from the address of the probes takes their turns, too: that takes most of a core.
  for from in '1 1s' '40 200ms' ${LONG:+'1 200ms' '250 200ms'}; do
    # shellcheck disable=SC2086
    attacked "$seconds" $from || { status=1; break; }
    total=$((total + $(number "$work/probe.log" asked)))
  done
  echo "memory at most $(awk '$1 == "VmHWM:" { print int($2 / 1024) }' "/proc/$berth/status") MiB"
  kill $berth && wait $berth || { echo "berth ended with $?"; tail -n 3 "$work/berth.log"; status=1; }
  echo "1,000 hostile connections of six kinds: $total probes, the slowest in $(number "$work/probe.log" slowest_ms) ms; scrapes go on"
  return $status
}
