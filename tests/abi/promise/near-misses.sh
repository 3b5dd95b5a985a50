#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A plugin class that is nearly right is a compile error that says what would be right; an unusual one that is right
# compiles. All classes go through one run of the compiler.
set -uo pipefail
cd "$(dirname "$0")/../../../sdk/include"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0
wrong=$work/wrong.cc
right=$work/right.cc
entries='' messages=()
printf '#include <berth/plugin.hpp>\nusing namespace berth;\nusing sv = std::string_view;\n' | tee "$wrong" >"$right"
filter='Verdict filter(Pod, Node) const { return ok; }'

# miss MEMBERS MESSAGE [final]: a class with these public members is refused with this message.
miss() {
  messages+=("$2")
  echo "class M${#messages[@]} ${3:-} { public: $1 };" >>"$wrong"
  entries+="${entries:+, }entry<M${#messages[@]}>(\"M${#messages[@]}\", \"1\")"
}

miss 'Verdict Filter(Pod, Node) const { return ok; }' 'write filter, not Filter'
miss 'Verdict filter(Node, Pod) const { return ok; }' 'filter must be'
miss "$filter Verdict prefilter(Pod) { return ok; }" 'write pre_filter'
miss 'Verdict score(Pod, Node) const { return ok; }' 'score must be'
miss "$filter double score(Pod, Node) const { return 0.5; }" 'score must be'
miss "$filter void normalize(Scores) {}" 'normalize needs score beside it'
miss "$filter Verdict reserve(Pod, sv) { return ok; }" 'reserve and unreserve come together'
miss "$filter Verdict Reserve(Pod, sv) { return ok; }" 'write reserve, unreserve'
miss "$filter Permit permit(Pod) { return ok; }" 'permit must be'
miss "$filter Verdict PreBind(Pod, sv) { return ok; }" 'write pre_bind'
miss "$filter void PostBind(Pod, sv) {}" 'write post_bind'
miss "$filter void postBind(Pod, sv) {}" 'write post_bind'
miss "$filter Verdict post_filter(Pod) { return ok; }" 'post_filter must be'
miss "$filter Verdict add_pod(Call, State, Pod, Pod, Node) { return ok; }" 'add_pod and remove_pod come together'
miss "$filter Hint hint(Event, Pod) const { return Hint::Queue; }" 'hint must be'
miss "$filter static void default_args(Args) {}" 'default_args must be'
miss "$filter void default_args(ArgsReader &) {}" 'default_args must be'
miss "$filter int declare = 1;" 'declare must be'
miss "$filter int prepare(Pod) const { return 1; }" 'prepare must be'
miss "$filter bool sign(Pod) const { return true; }" 'sign must be'
miss "$filter Verdict remedy(Pod, Node) const { return ok; }" 'remedy must be'
miss "Remedy remedy(Pod, Node) const { return {}; } std::int64_t score(Pod, Node) const { return 0; }" 'remedy must be'
miss "$filter Remedy remedies(Pod, Node) const { return {}; }" 'write remedy'
miss "$filter bool placement_feasible(PodGroup) const { return true; }" 'placement_feasible must be'
miss "$filter Verdict PlacementFeasible(PodGroup) const { return ok; }" 'write placement_feasible'
miss "$filter bool sign_pod(Pod, Nodes, Signature) const { return true; }" 'write sign'
miss 'Verdict filter(Node, Pod) const { return ok; }' 'filter must be' final
miss "$filter Verdict Reserve(Pod, sv) { return ok; }" 'write reserve, unreserve' final
miss "$filter void unreserve(Pod) {}" 'reserve and unreserve come together'
miss '' 'the class has no public method of any extension point'
miss 'Verdict fliter(Pod, Node) const { return ok; }' 'the class has no public method of any extension point'
miss 'Verdict filter(Pod, Node) { return ok; }' 'filter must be public and const'
miss 'int score(Pod, Node) { return 1; }' 'score must be public and const'
miss 'private: Verdict filter(Pod, Node) const { return ok; }' 'filter must be public and const'
miss 'private: Verdict pre_filter(Pod) const { return ok; }' 'pre_filter must be a public '
miss "$filter Verdict pre_filter(Pod) { return ok; } Verdict add_pod(Call, State, Pod, Pod, Node) { return ok; } Verdict remove_pod(Call, State, Pod, Pod, Node) { return ok; }" 'add_pod and remove_pod come together, public and const'
echo "BERTH_PLUGINS($entries)" >>"$wrong"

cat >>"$right" <<'CLASSES'
class Final final {
public:
    Verdict filter(const Pod &, const Node &node) const {
        char text[16] = "full";
        if (node.pods() > 9) return unschedulable(text);
        const char *why = node.pods() > 5 ? "many" : "some";
        return node.pods() ? unschedulable(why) : ok;
    }
    Verdict pre_filter(Pod) const { return ok; }
    Verdict add_pod(Call, State, Pod, Pod, Node) const { return ok; }
    Verdict remove_pod(Call, State, Pod, Pod, Node) const { return ok; }
};
class Whole {
public:
    static constexpr const char *description = "a \"tab\"\t and a line\n";
    static void default_args(ArgsReader &args) { args.integer("a" + std::to_string(1), 1, 0, 2); }
    int score(Pod, Node) const { return 1; }
    void declare(Declare) const {}
};
BERTH_PLUGINS(entry<Final>("Final", "1"), entry<Whole>("Whole", "1"))
CLASSES

compile=(g++ -std=c++20 -fsyntax-only -fmax-errors=0 -Wall -Wextra -I.)
"${compile[@]}" "$wrong" 2>"$work/said" && echo 'FAILED: the wrong classes compile'
for i in "${!messages[@]}"; do
  # The classes are instantiated in their order; each names itself before what it lacks.
  if awk -v class="M$((i + 1))" -v text="${messages[$i]}" '
      /required from|In instantiation/ { here = index($0, "[with T = " class "]") || index($0, "T = " class ";") || here && !index($0, "T = M") }
      index($0, "static assertion failed") && index($0, text) && here { found = 1 }
      END { exit !found }' "$work/said"; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    echo "FAILED: M$((i + 1)): expected: ${messages[$i]}"
  fi
done
if "${compile[@]}" -Werror "$right" 2>"$work/said"; then passed=$((passed + 1)); else
  failed=$((failed + 1))
  echo 'FAILED: right classes do not compile'
  head -n 20 "$work/said"
fi
# The first line that an older standard gets says what to do.
g++ -std=c++17 -fsyntax-only -I. "$right" >"$work/said" 2>&1
if [[ $(grep -m 1 'error:' "$work/said") == *'need C++20: compile with -std=c++20'* ]]; then passed=$((passed + 1)); else
  failed=$((failed + 1))
  echo 'FAILED: C++17 is not refused in one sentence'
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
