#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh: every attack of this folder against out/bin/berth (make build); LONG=1 at full length. ONLY="SA-1 SA-3" runs just these.
set -uo pipefail
. "$(dirname "$0")/../../shows.sh"
for file in tests/robustness/attacks/*.sh; do [ "$file" = tests/robustness/attacks/run.sh ] || . "$file"; done
show SA-1 names_of_tenants_cost_nothing
show SA-2 strange_objects
show SA-2-wire what_no_server_sends
show SA-3 served_under_attack
show SA-3-client answers_without_end
show SA-4 no_token_leaves
show SA-5 names_end_with_their_owners
[ -z "$LONG" ] || show SA-5-live names_end_live
show SA-7 parsers_are_linear
show SA-6 files_are_sealed
show SA-6-owners files_of_others
show SA-6-replay recordings_choose_no_library
show SA-6-size recordings_expand_to_a_bound
show SA-lists lists_are_not_multiplied
show SA-terms terms_are_added_up
show SA-budgets budgets_are_remembered
show SA-numbers numbers_wrap_around
show SA-what-if what_if_ends_first
finish
