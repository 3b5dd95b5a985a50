// SPDX-License-Identifier: Apache-2.0
//! The fake host seen from Rust, and what only it can show of the crate: room made, requests, and what comes later.

use berth::raw::*;
use berth::*;
use berth_testing::{Cluster, Pending, Sent};
use std::cell::Cell;
use std::time::Duration;

struct Quay {
    spare: i64,
    scored: Counter,
    by_node: Labelled<Counter, 1>,
    spare_pods: Gauge,
    pods: Histogram,
}

impl Plugin for Quay {
    fn new(setup: &Setup, args: Args) -> Result<Self, String> {
        args.only(&["spare", "quiet", "metric"])?;
        setup.counter(&args.string("metric", "quay_other_total")?, "Of that name.")?;
        if !args.boolean("quiet", false)? {
            setup.info_with(0, "the quay is open", &[("spare", args.integer("spare", 0)?.into()), ("of", "stone".into())]);
        }
        Ok(Quay {
            spare: args.integer("spare", 0)?,
            scored: setup.counter("quay_scored_total", "Nodes that were scored.")?,
            by_node: setup.counters("quay_by_node_total", "The same of each node.", ["node"], 0)?,
            spare_pods: setup.gauge("quay_spare", "Pods that may still come.")?,
            pods: setup.histogram("quay_pods", "Pods that a node allows.", &[10.0, 100.0])?,
        })
    }
}

impl PreFilter for Quay {
    fn pre_filter(&self, call: &LoopCall, _: &mut State, pod: Pod, _: Nodes, only: &Restrict) -> Verdict {
        if let Some(node) = pod.label("berth") {
            only.names(&[node]);
        }
        let mut waiting = Vec::new();
        assert!(call.on_loop().each_pending(BERTH_PENDING_ACTIVE | BERTH_PENDING_BACKOFF, |p| {
            assert!(p.plugins().last() != Some("Score"), "it was rejected by Score");
            waiting.push(format!("{} {} {} {}{}", p.pod().name(), p.place(), p.pod().attempts(), p.group(), p.group_priority()));
            if p.backoff_end_ns() != 0 {
                let (queued, first) = (p.pod().queued_time_ns(), p.pod().initial_attempt_ns());
                waiting.push(format!("{} after {queued} and {first}", p.backoff_end_ns()));
            }
            waiting.len() < 2
        }));
        let version = call.on_loop().pending_version();
        assert!(version.is_some() && version == call.on_loop().pending_version(), "nothing has changed");
        match call.on_loop().count_pending(BERTH_PENDING_GATED) {
            Some(0) => {}
            gated => return Verdict::unschedulable(format!("{} gated beside {}", gated.unwrap_or(99), waiting.join(", "))),
        }
        Verdict::ok()
    }
}

impl PostFilter for Quay {
    fn post_filter(
        &self, _: &LoopCall, _: &mut State, _: Pod, nodes: Nodes, outcome: Outcome, nomination: &Nomination, _: Later,
    ) -> Answer {
        let rejected = outcome.slots_with(BERTH_STATUS_UNSCHEDULABLE);
        match rejected.first() {
            Some(slot) if outcome.code(*slot) == BERTH_STATUS_UNSCHEDULABLE && outcome.plugin(*slot) == "Filter" => {
                nomination.nominate(nodes.node(*slot).name());
                nomination.victims(&[0], "it came last");
                Verdict::ok().into()
            }
            _ => Verdict::unschedulable("nobody was rejected").into(),
        }
    }
}

impl Score for Quay {
    fn score(&self, call: &Call, _: &State, _: Pod, node: Node) -> Result<i64, String> {
        let host = call.host();
        self.scored.add(host, 1.0);
        self.by_node.with(host, [node.name()]).add(host, 2.0);
        self.by_node.with(host, ["gone"]).end(host);
        self.spare_pods.set(host, (node.allocatable_pods() - self.spare) as f64);
        self.spare_pods.add(host, 1e-7);
        self.pods.observe(host, node.allocatable_pods() as f64);
        Ok(node.allocatable_pods() - self.spare)
    }
}

impl PermitPoint for Quay {
    fn permit(&self, call: &LoopCall, _: &mut State, pod: Pod, _: Node) -> Permit {
        let uid = pod.uid().to_string();
        call.on_loop().after(Duration::from_secs(3), move |on_loop| {
            on_loop.allow(&uid);
        });
        Permit::Wait(Duration::from_millis(2500))
    }
}

thread_local! {
    static DROPPED: Cell<u32> = Cell::new(0);
}

/// Counts that it was dropped.
struct Counted;
impl Drop for Counted {
    fn drop(&mut self) {
        DROPPED.with(|n| n.set(n.get() + 1))
    }
}

/// Nothing is to be done before the pod is bound on the pier; elsewhere it waits until it is cancelled.
impl PreBind for Quay {
    fn pre_bind(&self, call: &LoopCall, _: &mut State, _: Pod, node_name: &str, later: Later) -> Answer {
        let counted = Counted;
        if node_name == "pier" {
            assert!(call.after_cancellation(move |on_loop| {
                drop(counted);
                on_loop.info(0, "cancelled after its end");
            }));
            return Verdict::ok().into();
        }
        let (done, answer) = later.start();
        assert!(call.after_cancellation(move |on_loop| {
            drop(counted);
            on_loop.info(0, "cancelled");
            done.complete(Verdict::cancelled());
        }));
        answer
    }
}

impl Bind for Quay {
    fn bind(&self, call: &LoopCall, _: &mut State, pod: Pod, node_name: &str, later: Later) -> Answer {
        let (resource, subresource) = if node_name == "nowhere" { ("nodes", "") } else { ("pods", "binding") };
        let body = format!("{{\"on\":{}}}", json_quote(node_name));
        let request = Request { resource, subresource, namespace: pod.namespace(), name: pod.name(), body: &body, ..Request::default() };
        let (done, answer) = later.start();
        if node_name == "taken" {
            call.on_loop().send_for_answer(&request, move |_, it| {
                let kind = it.value().get("details").get("kind").as_str().unwrap_or("");
                done.complete(Verdict::error(format!("{} of {}: {}", it.reason(), kind, it.text())));
            });
            return answer;
        }
        call.on_loop().send(&request, move |on_loop, status, text| {
            assert!(status != 418, "the taker has no cups");
            if status == 201 {
                on_loop.info(0, "bound");
                done.complete(Verdict::ok());
            } else {
                done.complete(Verdict::error(text.to_string()));
            }
        });
        answer
    }
}

impl Events for Quay {
    fn events(&self, on: &EventSink) {
        on.add_hinted("Node", BERTH_EVENT_ADD);
    }
    fn hint(&self, _: &LoopCall, event: Event, _: Pod) -> Hint {
        match event.new_node() {
            Some(node) if node.name() == "new" => Hint::Queue,
            _ => Hint::Skip,
        }
    }
}

berth::plugins! {
    Quay: "Quay", "1.0.0", [PreFilter, PostFilter, Score, PermitPoint, PreBind, Bind, Events], writes ["create v1/pods/binding"]
}

const YAML: &str = "
kind: Node
metadata: {name: quay}
status: {allocatable: {cpu: 4, pods: 10}}
---
kind: Pod
metadata: {name: web, uid: uid-web, namespace: harbour}
---
kind: Pod
metadata: {name: tied, labels: {berth: quay}}
---
kind: Pod
metadata: {name: on-quay}
spec: {nodeName: quay}
";

fn quay(args: &str) -> berth_testing::Plugin {
    berth_testing::Plugin::new(&Cluster::new(YAML), "Quay", args).unwrap()
}

#[test]
fn wrong_arguments_are_told() {
    let refused = |args: &str| berth_testing::Plugin::new(&Cluster::new(YAML), "Quay", args).err().unwrap();
    assert_eq!(refused("spread: 1"), "spread: unknown field; the arguments are spare, quiet, metric");
    assert_eq!(refused("spare: much"), "spare: expected a whole number");
    assert_eq!(quay("quiet: true").log(), Vec::<String>::new());
    let open = quay("spare: 3");
    assert_eq!(open.log(), ["\"the quay is open\" spare=3 of=\"stone\""]);
    assert_eq!(open.log_fields().into_iter().collect::<Vec<_>>(), [
        ("of".to_string(), "\"stone\"".to_string()),
        ("spare".to_string(), "3".to_string())
    ]);
}

#[test]
#[should_panic(expected = "no pod nobody")]
fn a_pod_that_there_is_not_is_a_panic() {
    quay("").pre_filter("nobody");
}

#[test]
#[should_panic(expected = "kind")]
fn what_is_no_object_is_a_panic() {
    Cluster::new("metadata: {name: nothing}");
}

#[test]
fn a_cluster_changes_beneath_a_plugin() {
    let cluster = Cluster::new(YAML);
    let plugin = berth_testing::Plugin::new(&cluster, "Quay", "spare: 3").unwrap();
    assert_eq!(plugin.score("web", "quay"), 7);
    cluster.add("kind: Node\nmetadata: {name: pier}\nstatus: {allocatable: {cpu: 4, pods: 20}}");
    let scores: Vec<_> = plugin.scores("web").into_iter().collect();
    assert_eq!(scores, [("pier".to_string(), 17), ("quay".to_string(), 7)]);
    cluster.remove("Node", "quay");
    assert_eq!(plugin.scores("web").len(), 1);
    assert_eq!(plugin.metric("quay_scored_total"), Some(4.0));
    assert_eq!(plugin.metric("quay_by_node_total{node=\"pier\"}"), Some(4.0));
    assert_eq!(plugin.metric("quay_by_node_total{node=\"quay\"}"), Some(4.0));
    assert_eq!(plugin.metric("quay_spare"), Some(17.0000001));
    assert_eq!(plugin.metric("quay_pods_bucket{le=\"10\"}"), Some(2.0));
    assert_eq!(plugin.metric("quay_pods_bucket{le=\"100\"}"), Some(4.0));
    assert_eq!(plugin.metric("quay_pods_sum"), Some(60.0));
    assert_eq!(plugin.metric("quay_pods_count"), Some(4.0));
    assert_eq!(plugin.metric("quay_other_total"), None);
}

#[test]
fn a_metric_that_is_none_is_refused() {
    let refused = |name: &str| {
        let cluster = Cluster::new("kind: Node\nmetadata: {name: quay}");
        berth_testing::Plugin::new(&cluster, "Quay", &format!("metric: {}", name)).err().unwrap_or_default()
    };
    assert_eq!(refused("quay_others"), "metric quay_others is refused; the log says why");
    assert_eq!(refused("quay_scored_total"), "metric quay_scored_total is refused; the log says why");
}

#[test]
fn nodes_are_narrowed_and_nominated() {
    let plugin = quay("");
    assert_eq!(plugin.pre_filter("web").nodes, None);
    assert_eq!(plugin.pre_filter("tied").nodes, Some(vec!["quay".to_string()]));
    let made = plugin.post_filter("web");
    assert!(made.is_ok());
    assert_eq!(made.nominated.as_deref(), Some("quay"));
    assert_eq!((made.victims, made.victims_reason.as_str()), (vec!["default/on-quay".to_string()], "it came last"));
}

#[test]
fn pods_that_wait_in_the_queue_are_visited_until_it_is_enough() {
    let plugin = quay("");
    let active = Pending { place: BERTH_PENDING_ACTIVE, ..Default::default() };
    let times = Pending { backoff_end_ns: 9, queued_time_ns: 5, initial_attempt_ns: 3, ..Default::default() };
    plugin.pends("on-quay", Pending { place: BERTH_PENDING_BACKOFF, attempts: 4, ..times });
    plugin.pends("tied", Pending { place: BERTH_PENDING_GATED, plugins: &["Gate"], ..Default::default() });
    // What is being tried does not wait.
    plugin.pends("web", active);
    assert_eq!(plugin.pre_filter("web").text(), "1 gated beside on-quay 2 4 0, 9 after 5 and 3");
    plugin.pends("tied", Pending { group: "pair", group_priority: -7, ..active });
    assert_eq!(plugin.pre_filter("web").text(), "1 gated beside tied 1 0 pair-7, on-quay 2 4 0, 9 after 5 and 3");
    let other = quay("");
    other.pends("tied", Pending { plugins: &["Filter", "Score"], ..active });
    let failed = other.pre_filter("web");
    assert_eq!((failed.code, failed.text().as_str()), (BERTH_STATUS_ERROR, "it was rejected by Score"));
}

#[test]
fn a_pod_waits_until_it_is_let_go() {
    let plugin = quay("");
    let answer = plugin.permit("web", "quay");
    assert_eq!((answer.code, answer.timeout), (BERTH_STATUS_WAIT, Some(Duration::from_millis(2500))));
    plugin.waits("web", "quay");
    plugin.pass(Duration::from_secs(2));
    assert_eq!(plugin.allowed(), Vec::<String>::new());
    plugin.pass(Duration::from_secs(2));
    assert_eq!(plugin.allowed(), ["uid-web"]);
}

#[test]
fn a_call_that_is_cancelled_is_told_once_and_one_that_ends_is_not() {
    let cluster = Cluster::new(YAML);
    cluster.add("kind: Node\nmetadata: {name: pier}\nstatus: {allocatable: {cpu: 4, pods: 20}}");
    let plugin = berth_testing::Plugin::new(&cluster, "Quay", "quiet: true").unwrap();
    assert!(plugin.pre_bind("web", "pier").is_ok());
    assert_eq!(DROPPED.with(Cell::get), 1);
    assert_eq!(plugin.pre_bind("web", "quay").code, BERTH_STATUS_IN_PROGRESS);
    assert_eq!(plugin.log(), Vec::<String>::new());
    plugin.cancel_calls();
    plugin.cancel_calls();
    assert_eq!(plugin.log(), ["cancelled"]);
    assert_eq!(DROPPED.with(Cell::get), 2);
    assert_eq!(plugin.pre_bind("web", "quay").code, BERTH_STATUS_IN_PROGRESS);
    drop(plugin);
    assert_eq!(DROPPED.with(Cell::get), 3);
}

#[test]
fn a_request_is_answered_later() {
    let plugin = quay("quiet: true");
    assert!(plugin.bind("web", "quay \"9\"").is_ok());
    let sent = Sent {
        right: "create v1/pods/binding".to_string(),
        namespace: "harbour".to_string(),
        name: "web".to_string(),
        body: r#"{"on":"quay \"9\""}"#.to_string(),
    };
    assert_eq!(plugin.sent(), [sent]);
    assert_eq!(plugin.log(), ["bound"]);
    plugin.api_answers(409, "taken");
    let answer = plugin.bind("web", "quay");
    assert_eq!((answer.code, answer.text()), (BERTH_STATUS_ERROR, "taken".to_string()));
    assert_eq!(plugin.bind("web", "taken").text(), "Conflict of pods: taken");
}

#[test]
fn a_request_that_was_not_declared_and_a_taker_that_panics_are_errors() {
    let plugin = quay("quiet: true");
    let answer = plugin.bind("web", "nowhere");
    assert_eq!((answer.code, answer.text().as_str()), (BERTH_STATUS_ERROR, "the request was not declared, or cannot be sent here: nodes"));
    assert_eq!(plugin.sent(), []);
    plugin.api_answers(418, "");
    // The Done goes with the taker.
    assert_eq!(plugin.bind("web", "quay").text(), "the plugin dropped its Done without an answer");
    assert_eq!(plugin.log(), ["error: the taker of an answer panicked: the taker has no cups"]);
}

#[test]
fn events_and_hints() {
    let plugin = quay("");
    assert_eq!(plugin.wakes(), ["Node 0x1 hinted"]);
    let node = |name: &str| format!("kind: Node\nmetadata: {{name: {name}}}");
    assert_eq!(plugin.hint("web", BERTH_EVENT_ADD, "", &node("new")), BERTH_HINT_QUEUE);
    assert_eq!(plugin.hint("web", BERTH_EVENT_ADD, "", &node("old")), BERTH_HINT_SKIP);
}
