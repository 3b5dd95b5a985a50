#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# changes.sh: headers that were changed without the lock do not pass. Each change of the ABI, made to a copy of the headers,
# is seen by layout.sh (offsets, sizes, constants), by anchor.sh (types) and by fit.sh (what data leads to), those that should; what
# only adds to the end passes anchor.sh, for it is allowed, and not layout.sh, for the lock must say so. Ends with `N passed, N failed`.
set -uo pipefail
. "$(dirname "$0")/../../check.sh"

# says WANTED layout|anchor|fit
says() {
  local wanted=$1 who=$2 got=passes
  INCLUDE=$work/include "tests/abi/promise/$who.sh" >"$work/said" 2>&1 || got=fails
  [ $got = "$wanted" ] || { cat "$work/said"; echo "$who.sh $got, expected that it ${wanted}"; return 1; }
}
# change FILE SED
change() {
  rm -rf "$work/include" && cp -r sdk/include "$work/include" && sed -i "$2" "$work/include/berth/$1" || return 1
  [ -z "$2" ] || ! cmp -s "sdk/include/berth/$1" "$work/include/berth/$1" || { echo 'the change changes nothing'; return 1; }
}
# changed FILE SED LAYOUT ANCHOR: what the two say of it.
changed() { change "$1" "$2" && says "$3" layout && says "$4" anchor; }
# unfit FILE SED: what is given to a plugin could not be given to one in another process.
unfit() { change "$1" "$2" && says fails fit; }

check 'nothing changed' changed status.h '' passes passes
check 'a comment' changed status.h 's/the plugin writes/the plugin wrote/' passes passes
check 'a field at the end of a struct' changed host.h 's/^} berth_host;/    uint64_t tide;\n} berth_host;/' fails passes
check 'a field within a struct' changed status.h 's/^    const uint32_t \*cancel;/    uint64_t tide;\n&/' fails fails
check 'a field in the place of a reserved one' changed host.h 's/^    uint32_t reserved;/    float tide;/' fails fails
check 'two fields that change places' changed text.h 's/const char \*ptr;/uint64_t len;/; t; s/uint64_t len;/const char *ptr;/' fails fails
check 'a field that is gone' changed view/pod.h '/int64_t queued_time_ns;/d' fails fails
check 'the value of a constant' changed status.h 's/define BERTH_STATUS_SKIP 5/define BERTH_STATUS_SKIP 7/' fails passes
check 'an id' changed point/filter.h 's|"berth.filter/1"|"berth.filter/2"|' fails passes
check 'a field of a draft' changed draft/remedy.h 's/int64_t amount;/int32_t amount;/' fails fails
check 'a parameter more' changed point/score.h 's/(\*score)(void \*self,/& int32_t tide,/' passes fails
check 'a parameter of another type' changed point/queue.h 's/uint8_t \*out);/uint32_t *out);/' passes fails
check 'a column of another type' changed view/nodes.h 's/const int64_t \*requested_cpu;/const double *requested_cpu;/' passes fails
check 'a result of another type' changed host.h 's/const void \*(\*get_service)/const char *(*get_service)/' passes fails

check 'a function in data' unfit view/pod.h 's/^    int32_t priority;/    int32_t (*tide)(void);\n&/'
check 'data that leads to a table' unfit point/queue.h 's/^    uint64_t action;/    const berth_host *tide;\n&/'
check 'data that may be written' unfit view/nodes.h 's/^    const uint32_t \*order;/    uint32_t *order;/'
check 'a pointer to anything' unfit view/nodes.h 's/^    const uint32_t \*order;/    const void *tide;\n&/'
check 'a parameter that may be written' unfit point/score.h 's/const berth_pod \*pod/berth_pod *pod/'

finish
