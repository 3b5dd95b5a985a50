# SPDX-License-Identifier: Apache-2.0
# Sourced by run.sh: extenders that answer without end, in HTTP/1.1 and HTTP/2.

# promise(peer): Endless answers, lines and headers and floods of HTTP/2 frames from extenders do not fill the memory.
# The log names the server and the exceeded limit, and Berth continues to bind pods.
answers_without_end() {
  local peak bound kind missing=0 seconds=${LONG:+120}
  seconds=${seconds:-25}
  GOFLAGS=-buildvcs=false "$(tools/setup-go.sh)" build -C tests/robustness/attacks/hostile -o "$work/hostile" . || return 1
  "$work/hostile" apiserver -rate 5 -seconds 600 -kubeconfig "$work/api.kubeconfig" >"$work/api.log" 2>&1 &
  api=$!
  "$work/hostile" extenders -config "$work/extenders.yaml" -timeout 300ms -seconds 600 >"$work/extenders.log" 2>&1 &
  extenders=$! berth=
  trap 'kill $api $extenders $berth 2>/dev/null || true' EXIT
  for _ in $(seq 100); do [ ! -s "$work/api.kubeconfig" ] || [ ! -s "$work/extenders.yaml" ] || break; sleep 0.1; done
  out/bin/berth run --kubeconfig "$work/api.kubeconfig" --config "$work/extenders.yaml" --secure-port 0 --leader-elect=false -v 2 \
    >"$work/berth.log" 2>&1 &
  berth=$!
  sleep "$seconds"
  peak=$(awk '$1 == "VmHWM:" { print int($2 / 1024) }' "/proc/$berth/status") || { tail -n 5 "$work/berth.log"; return 1; }
  bound=$(number "$work/api.log" bound)
  tail -n 11 "$work/extenders.log"
  kill $berth && wait $berth || { echo "berth ended with $?"; tail -n 3 "$work/berth.log"; return 1; }
  # Otherwise this was no attack.
  for kind in $(sed -n 's/.*127.0.0.1:[0-9]*\/\([a-z0-9-]*\).*/\1/p' "$work/extenders.yaml"); do
    [ "$(grep "^$kind: " "$work/extenders.log" | tail -n 1 | grep -cE ' connections=[1-9]')" = 1 ] || { echo "$kind: not asked"; missing=1; }
  done
  [ $missing = 0 ] || return 1
  grep -qE 'err=.*the server 127.0.0.1:[0-9]+ sent headers or a line of more than 64 KiB' "$work/berth.log" &&
    grep -qE 'err=.*the server 127.0.0.1:[0-9]+ asked for more than 1000 acknowledgements' "$work/berth.log" ||
    { echo 'no error names the server and the limit'; grep err= "$work/berth.log" | tail -n 11; return 1; }
  [ "$bound" -ge 2 ] && [ "$peak" -lt 500 ] || { echo "$bound pods bound, memory at most $peak MiB"; tail -n 5 "$work/berth.log"; return 1; }
  echo "$(grep -c urlPrefix "$work/extenders.yaml") extenders that answer without end: $bound pods bound, memory at most $peak MiB"
}
