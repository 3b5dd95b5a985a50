# SPDX-License-Identifier: Apache-2.0
# 2,000 pods wait in PreBind while others are bound, on a real control plane. Sourced by all.sh.
. tests/abi/out-of-tree/pre_bind.sh

as_list() { printf '%s\n' 'apiVersion: v1' 'kind: List' items:; }
bound_now() { grep -c "Successfully bound.*pod=\"waiting/$1-" "$work/berth.log"; }
all_are_bound() { [ "$(bound_now "$1")" = 2000 ]; }
decided() { [ "$(grep -c "\"name\":\"$1-.*\"result\":\"Scheduled\"" "$work/decisions")" = 2000 ]; }

# create NAME [METADATA [SPEC]]: 2,000 pods, by four at a time.
create() {
  local part
  ships "$1" 2000 "${@:2}" | split -n r/4 - "$work/part-"
  for part in "$work"/part-*; do
    { as_list && cat "$part"; } | k create -n waiting -f - >/dev/null &
  done
  wait $(jobs -p | grep -vx "${berth:-0}")
  rm "$work"/part-*
}

# rate_of NAME: pods per second, from the first to the last that berth's log says was bound.
rate_of() {
  grep "Successfully bound.*pod=\"waiting/$1-" "$work/berth.log" | awk '
    { split($2, t, ":"); now = t[1] * 3600 + t[2] * 60 + t[3]; if (NR == 1) first = now; last = now }
    END { if (last < first) last += 86400; printf "%d", (NR - 1) / (last - first + 0.001) }'
}

# bound_together NAME [METADATA]: 2,000 pods that berth finds all at once.
bound_together() {
  kill -STOP "$berth"
  create "$@"
  kill -CONT "$berth"
  within 120 all_are_bound "$1" || { bound_now "$1"; return 1; }
}

many_wait_in_pre_bind() {
  local plain beside threads most
  new_world waiting || return 1
  { as_list && berths 60; } | k create -f - >/dev/null || return 1
  within 90 ready_nodes || return 1
  inspection 180 >"$work/inspection.yaml"
  start_berth --config "$work/inspection.yaml" --plugin-dir build/examples --decisions "$work/decisions" || return 1
  bound_together mail || return 1
  plain=$(rate_of mail)
  threads=$(threads_of "$berth")
  create cargo 'labels: {inspection: "true"}, ' || return 1
  within 90 decided cargo || return 1
  bound_together letter || return 1
  most=$(threads_of "$berth")
  expect 'cargo bound too early' 0 "$(bound_now cargo)" || return 1
  beside=$(rate_of letter)
  within 200 all_are_bound cargo || { bound_now cargo; return 1; }
  stop_berth || return 1
  echo "2,000 pods waited in PreBind: others were bound at $beside pods/s ($plain before), with $most threads ($threads before)"
  [ "$most" -le $((threads + 2)) ] && [ $((beside * 2)) -ge "$plain" ]
}
