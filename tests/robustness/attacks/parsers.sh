# SPDX-License-Identifier: Apache-2.0
# Sourced by run.sh: every parser on input that is made to be slow (tests/robustness/attacks/parsers).

# promise(editor): Berth reads or refuses a text of ten times the size in at most thirty times the time: YAML, JSON,
# protobuf, selectors, patches, quantities, HTTP, configurations, scenarios.
parsers_are_linear() {
  local program=build/release/tests/berth_parser_attacks
  cmake --build build/release --target berth_parser_attacks >"$work/build.log" 2>&1 || { tail -n 20 "$work/build.log"; return 1; }
  "$program" >"$work/shapes" || { grep -v '^ok ' "$work/shapes"; return 1; }
  # The measure itself tells a reader that is quadratic.
  ! "$program" --quadratic >"$work/quadratic" && grep -q 'more than 30 times as long' "$work/quadratic" || { cat "$work/quadratic"; return 1; }
  echo "$(grep -c '^ok ' "$work/shapes") shapes of input at n, 10 n and 100 n: time grows with the size, or a bound refuses them"
}
