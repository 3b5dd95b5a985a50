# SPDX-License-Identifier: Apache-2.0
# Sourced by tests/acceptance/abi.sh: four additions to the ABI, made by hand as CONTRIBUTING.md says, in a copy of the tree at $tree: a field
# of Pod (spec.runtimeClassName), a status code (TIDE), an event action (UPDATE_POD_TIDE), an extension point (PostMoor, behind
# PostBind). Each edit adds its file to `touched`.

# by_hand FILE SED: the edit; it must change something.
by_hand() {
  cp "$tree/$1" "$work/unedited" && sed -i -E "$2" "$tree/$1" || return 1
  ! cmp -s "$work/unedited" "$tree/$1" || { echo "tests/abi/promise/additions.sh: $1 has no place for the edit: $2"; return 1; }
  [[ " ${touched[*]} " == *" $1 "* ]] || touched+=("$1")
}
# new_file FILE: from standard input.
new_file() { cat >"$tree/$1" && touched+=("$1"); }

as_post_moor='s/post_bind/post_moor/g; s/PostBind/PostMoor/g; s/postBind/postMoor/g; s/POST_BIND_V1/POST_MOOR_DRAFT1/g; s|berth.post_moor/1|berth.post_moor/draft1|g'
# twin FILE FROM [TO]: behind the lines from FROM to TO (the line FROM) the same of PostMoor.
twin() {
  sed -n "/$2/${3:+,/$3/}p" "$tree/$1" | sed "$as_post_moor" >"$work/lines" && [ -s "$work/lines" ] ||
    { echo "tests/abi/promise/additions.sh: $1 has no $2"; return 1; }
  by_hand "$1" "/$2/${3:+,/$3/}{${3:+/$3/}r $work/lines
    }"
}

add_field() {
  by_hand sdk/include/berth/view/pod.h 's|^} berth_pod;|    berth_str runtime_class; /**< spec.runtimeClassName; empty: the default */\n&|' &&
    by_hand sdk/include/berth/view/pod_fields.hpp 's|^    RESERVED\(reserved\)$|& \\\n    FIELD(runtime_class, runtime_class, "spec.runtimeClassName")|'
}

add_code() {
  by_hand sdk/include/berth/status.h 's|^#define BERTH_STATUS_PENDING 6 .*|&\n#define BERTH_STATUS_TIDE 7 /**< no, until the tide turns */|; s/0 to 6/0 to 7/' &&
    by_hand host/model/status.h 's/code == BERTH_STATUS_PENDING;/code == BERTH_STATUS_PENDING || code == BERTH_STATUS_TIDE;/' &&
    by_hand host/model/status.cpp 's/string_view, 7> names/string_view, 8> names/; s/"Pending"\}/"Pending", "Tide"}/' &&
    by_hand host/plugin/call.cpp 's/code <= BERTH_STATUS_PENDING/code <= BERTH_STATUS_TIDE/; s/0 to 6/0 to 7/' &&
    by_hand sdk/include/berth/verdict.hpp 's|^inline Verdict pending\(.*|&\n/// No, until the tide turns.\ninline Verdict tide(Reason reason) { return {BERTH_STATUS_TIDE, std::move(reason)}; }|' &&
    by_hand sdk/rust/src/verdict.rs 's|^    /// No, until somebody else has acted.$|    /// No, until the tide turns.\n    pub fn tide(reason: impl Into<Cow<'"'static"', str>>) -> Self {\n        Verdict { code: raw::BERTH_STATUS_TIDE, texts: Texts::One(reason.into()) }\n    }\n&|' &&
    by_hand docs/plugin-abi.md 's/Pending 6\./Pending 6, Tide 7./; s/0 to 6/0 to 7/'
}

add_action() {
  by_hand sdk/include/berth/point/queue.h 's|^#define BERTH_EVENT_UPDATE_POD_GENERATED_CLAIM .*|&\n#define BERTH_EVENT_UPDATE_POD_TIDE (UINT64_C(1) << 15)|' &&
    by_hand host/queue/event.cpp 's|^( *)case BERTH_EVENT_UPDATE: return.*|\1case BERTH_EVENT_UPDATE_POD_TIDE: return "UpdatePodTide";\n&|; s|^( *)if \(events.empty\(\)\) add\(true.*|\1add(!same_field(a, b, "/metadata/annotations/tide"), BERTH_EVENT_UPDATE_POD_TIDE);\n&|' &&
    by_hand host/report/explanation_text.cpp 's|^( *)\{"UpdatePodScaleDown", .*|&\n\1{"UpdatePodTide", "tide turned"},|' &&
    by_hand docs/plugin-abi.md 's/^\| `UPDATE_POD_TOLERATION` .*/&\n| `UPDATE_POD_TIDE` | Pod | its annotation `tide` changed |/'
}

add_point() {
  local point=sdk/include/berth/detail/point
  sed "$as_post_moor; s|^#include <berth/detail/names.hpp>|&\n#include <berth/draft/post_moor.h>|" "$tree/$point/post_bind.hpp" >"$work/point" &&
    new_file $point/post_moor.hpp <"$work/point" && new_file sdk/include/berth/draft/post_moor.h <<'END' &&
/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * PostMoor: the pod is bound, and every PostBind has returned.
 */
#ifndef BERTH_DRAFT_POST_MOOR_H
#define BERTH_DRAFT_POST_MOOR_H

#include <berth/host.h>
#include <berth/view/pod.h>

#define BERTH_PLUGIN_POST_MOOR_DRAFT1 "berth.post_moor/draft1"

typedef struct berth_plugin_post_moor {
    uint32_t struct_size;
    uint32_t flags;
    /** The pod is bound, and every PostBind has returned. Owner: the host's, until return. Thread: bind. */
    void (*post_moor)(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                      berth_str node_name); /* [bind] */
} berth_plugin_post_moor;

#endif /* BERTH_DRAFT_POST_MOOR_H */
END
    by_hand host/plugin/interfaces.h 's/^    PlacementFeasible,$/&\n    PostMoor,/; s/Interface::PlacementFeasible\) \+ 1/Interface::PostMoor) + 1/' &&
    by_hand host/plugin/interfaces.cpp 's|^#include <berth/draft/remedy.h>|#include <berth/draft/post_moor.h>\n&|; s|^ *BERTH_END_OF\(berth_plugin_placement_feasible.*|&\n    {Interface::PostMoor, BERTH_PLUGIN_POST_MOOR_DRAFT1, BERTH_END_OF(berth_plugin_post_moor, post_moor), post_moor},|' &&
    twin host/plugin/interfaces.cpp '^constexpr std::array post_bind' &&
    by_hand host/plugin/profile.h 's|^#include <berth/draft/remedy.h>|#include <berth/draft/post_moor.h>\n&|; s|^ *std::vector<Instance \*> placement_feasible;.*|&\n    std::vector<Instance *> post_moor;|' &&
    twin host/plugin/profile.h 'const berth_plugin_post_bind ' &&
    by_hand host/plugin/profile.cpp 's|^( *)for \(const auto &instance : profile_.instances\)$|\1for (const auto \&instance : profile_.instances)\n\1    if (instance->post_moor) profile_.post_moor.push_back(instance.get());\n&|' &&
    twin host/plugin/instance.cpp 'it.post_bind = ' &&
    by_hand host/plugin/called_point.h 's/^( *)PostFilter,$/&\n\1PostMoor,/; s/"PostFilter",/& "PostMoor",/' &&
    twin host/plugin/strict_bind.cpp '^void checked_post_bind' '^[}]' &&
    twin host/plugin/strict_points.h '^void checked_post_bind' ';$' &&
    twin host/plugin/strict_points.cpp '^constexpr berth_plugin_post_bind ' && twin host/plugin/strict_points.cpp 'put.instance.post_bind' &&
    twin host/bind/binding_cycle.cpp 'p.profile->post_bind' '^    [}]' &&
    twin host/verify/stand_in.cpp 'at.profile.post_bind' &&
    twin sdk/include/berth/detail/points.hpp 'point.post_bind.hpp' &&
    by_hand sdk/include/berth/detail/points.hpp 's/PlacementFeasiblePoint>;/PlacementFeasiblePoint, PostMoorPoint>;/' &&
    twin sdk/include/berth/testing/plugin.hpp '^    void post_bind' '^    [}]' &&
    by_hand sdk/include/berth/testing/plugin.hpp '0,/^#include <berth\/testing/s||#include <berth/draft/post_moor.h>\n&|' &&
    twin sdk/rust/src/points.rs '^pub trait PostBind' '^[}]' && twin sdk/rust/src/thunks.rs 'fn post_bind' '^[}]' &&
    twin sdk/rust/src/library.rs 'table!.PostBind' && twin sdk/rust/src/library.rs '.PostBind. =>' &&
    by_hand sdk/rust/src/lib.rs 's/\bPostBind, /&PostMoor, /' &&
    twin sdk/rust/testing/src/lib.rs 'pub fn post_bind' '^    [}]' && twin sdk/rust/testing/src/host.cpp '"post_bind"' &&
    twin docs/plugin-abi.md '^. PostBind .'
}

# A plugin that uses all four, and its tests with the testing kits of C++ and Rust.
write_users() {
  cat >"$work/tide.cpp" <<'END'
#include <berth/plugin.hpp>
struct Tide {
    const berth::Host &host;
    explicit Tide(const berth::Host &h) : host(h) {}
    berth::Verdict filter(berth::Pod pod, berth::Node) const {
        return pod.runtime_class() == "deep" ? berth::tide("no water") : berth::Verdict(berth::ok);
    }
    void events(berth::Events on) const { on.add("Pod", BERTH_EVENT_UPDATE_POD_TIDE); }
    void post_moor(berth::Pod pod, std::string_view node) const {
        host.info(0, "moored " + std::string(pod.name()) + " of " + std::string(pod.runtime_class()) + " at " + std::string(node));
    }
};
BERTH_PLUGIN(Tide, "Tide", "1.0.0")
END
  cat >"$work/tide_test.cpp" <<'END'
#include "tide.cpp"
#include <berth/testing.hpp>
BERTH_TEST("all four") {
    berth::testing::Cluster cluster("{kind: Node, metadata: {name: quay}}\n---\n{kind: Pod, metadata: {name: a}, spec: {runtimeClassName: deep}}\n"
                                    "---\n{kind: Pod, metadata: {name: b}}");
    berth::testing::Plugin plugin(cluster, *berth_plugins_abi1());
    BERTH_CHECK_EQUAL(plugin.filter("a", "quay").code(), BERTH_STATUS_TIDE);
    BERTH_CHECK_EQUAL(plugin.filter("b", "quay").code(), BERTH_STATUS_SUCCESS);
    plugin.post_moor("a", "quay");
    BERTH_CHECK_EQUAL(plugin.host.log.at(0), "moored a of deep at quay");
}
BERTH_TEST_MAIN()
END
  cat >"$tree/sdk/rust/testing/tests/tide.rs" <<'END'
use berth::raw::*;
use berth::*;
use berth_testing::Cluster;
struct Tide;
impl Plugin for Tide {
    fn new(_: &Setup, _: Args) -> Result<Self, String> { Ok(Tide) }
}
impl Filter for Tide {
    fn filter(&self, _: &Call, _: &State, pod: Pod, _: Node) -> Verdict {
        if pod.runtime_class() == "deep" { Verdict::tide("no water") } else { Verdict::ok() }
    }
}
impl Events for Tide {
    fn events(&self, on: &EventSink) { on.add("Pod", BERTH_EVENT_UPDATE_POD_TIDE); }
}
impl PostMoor for Tide {
    fn post_moor(&self, call: &LoopCall, _: &mut State, pod: Pod, node: &str) {
        call.host().info(0, &format!("moored {} of {} at {}", pod.name(), pod.runtime_class(), node));
    }
}
berth::plugins! { Tide: "Tide", "1.0.0", [Filter, Events, PostMoor] }
#[test]
fn all_four() {
    let cluster = Cluster::new("{kind: Node, metadata: {name: quay}}\n---\n{kind: Pod, metadata: {name: a}, spec: {runtimeClassName: deep}}");
    let plugin = berth_testing::Plugin::new(&cluster, "Tide", "{}").unwrap();
    assert_eq!(plugin.filter("a", "quay").code, BERTH_STATUS_TIDE);
    plugin.post_moor("a", "quay");
    assert_eq!(plugin.log(), ["moored a of deep at quay"]);
}
END
}
