// SPDX-License-Identifier: Apache-2.0
//! Unit tests of a plugin without a cluster: a fake host, a cluster in YAML, and the plugin's extension points as functions. It is
//! a door to `<berth/testing.hpp>`, which is C++ and says what the fake host has; a C++20 compiler builds it.
//!
//! ```ignore
//! use berth_testing::{Cluster, Plugin};
//!
//! #[test]
//! fn a_node_with_two_pods_is_full() {
//!     let cluster = Cluster::new(
//!         "
//! kind: Node
//! metadata: {name: quay}
//! status: {allocatable: {cpu: 4, pods: 110}}
//! ---
//! kind: Pod
//! metadata: {name: web}
//! ",
//!     );
//!     let plugin = Plugin::new(&cluster, "PodsPerNode", "max: 2").unwrap();
//!     assert!(plugin.filter("web", "quay").is_ok());
//! }
//! ```
//!
//! The plugin is that of the library which [`berth::plugins!`] has made in the crate under test; the tests are within that crate
//! (`#[cfg(test)]`). What makes no sense, such as a pod that the cluster does not have, is a panic.

mod host;

use berth::raw;
use host::{told, ClusterHandle, PluginHandle, Told};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

/// Nodes, pods and objects of other kinds, in YAML without anchors, tags and block scalars. A clone is the same cluster.
#[derive(Clone)]
pub struct Cluster(Rc<ClusterHandle>);

impl Cluster {
    #[track_caller]
    pub fn new(yaml: &str) -> Self {
        let cluster = Cluster(Rc::new(ClusterHandle::new()));
        cluster.add(yaml);
        cluster
    }
    /// Adds objects. One of the kind, namespace and name of another takes its place.
    #[track_caller]
    pub fn add(&self, yaml: &str) {
        checked(told(|tell| self.0.add(yaml, tell)));
    }
    pub fn remove(&self, kind: &str, name: &str) {
        self.0.remove(kind, name)
    }
}

#[track_caller]
fn checked(told: Vec<Told>) -> Vec<Told> {
    if let Some(fault) = told.iter().find(|one| one.word == "fault") {
        panic!("{}", fault.text);
    }
    told
}

/// What a point answered. An answer that comes later is here once it has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// `raw::BERTH_STATUS_SUCCESS` and so on.
    pub code: i32,
    /// Reasons, or the text of an error.
    pub texts: Vec<String>,
    /// Of Permit: how long it may wait.
    pub timeout: Option<Duration>,
    /// Of PostFilter: the node.
    pub nominated: Option<String>,
    /// Of PostFilter: "namespace/name", as they were named, and why these.
    pub victims: Vec<String>,
    pub victims_reason: String,
    /// Of PreFilter: those it narrows to.
    pub nodes: Option<Vec<String>>,
}

impl Answer {
    pub fn is_ok(&self) -> bool {
        self.code == raw::BERTH_STATUS_SUCCESS
    }
    pub fn text(&self) -> String {
        self.texts.join(", ")
    }
    fn of(told: Vec<Told>) -> Self {
        let mut out = Answer::default();
        for Told { word, text, number } in told {
            match word.as_str() {
                "code" => out.code = number as i32,
                "timeout" => out.timeout = Some(Duration::from_millis(number as u64)),
                "nominated" => out.nominated = Some(text),
                "victim" => out.victims.push(text),
                "why" => out.victims_reason = text,
                "narrowed" => out.nodes = Some(Vec::new()),
                "node" => out.nodes.get_or_insert_with(Vec::new).push(text),
                _ => out.texts.push(text),
            }
        }
        out
    }
}

/// How a pod waits in the queue: `Pending { place: raw::BERTH_PENDING_BACKOFF, ..Default::default() }`.
#[derive(Clone, Copy, Default)]
pub struct Pending<'a> {
    /// One of `raw::BERTH_PENDING_…`.
    pub place: u32,
    pub attempts: u32,
    /// Those that last rejected it, sorted.
    pub plugins: &'a [&'a str],
    pub backoff_end_ns: i64,
    pub queued_time_ns: i64,
    pub initial_attempt_ns: i64,
    /// Name of its PodGroup, if it waits as one of a group.
    pub group: &'a str,
    pub group_priority: i32,
}

/// A request that the plugin sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// As in "create v1/pods/binding".
    pub right: String,
    pub namespace: String,
    pub name: String,
    pub body: String,
}

/// A plugin instance. What it keeps for a pod lasts until the pod's next `pre_filter`.
pub struct Plugin {
    handle: PluginHandle,
    _cluster: Cluster,
}

impl Plugin {
    /// The plugin of that name, with its arguments in YAML; an `Err` says what is wrong with them.
    pub fn new(cluster: &Cluster, name: &str, args_yaml: &str) -> Result<Self, String> {
        let mut made = None;
        let told = told(|tell| made = PluginHandle::new(&cluster.0, name, args_yaml, tell));
        match made {
            Some(handle) => Ok(Plugin { handle, _cluster: cluster.clone() }),
            None => Err(told.into_iter().map(|fault| fault.text).collect()),
        }
    }

    #[track_caller]
    fn ask(&self, what: &str, names: &[&str], number: i64) -> Vec<Told> {
        checked(told(|tell| self.handle.ask(what, names, number, tell)))
    }
    #[track_caller]
    fn answer(&self, point: &str, names: &[&str]) -> Answer {
        Answer::of(self.ask(point, names, 0))
    }
    #[track_caller]
    fn texts(&self, what: &str) -> Vec<String> {
        self.ask(what, &[], 0).into_iter().map(|one| one.text).collect()
    }

    #[track_caller]
    pub fn pre_enqueue(&self, pod: &str) -> Answer {
        self.answer("pre_enqueue", &[pod])
    }
    #[track_caller]
    pub fn less(&self, a: &str, b: &str) -> bool {
        self.ask("less", &[a, b], 0)[0].number != 0
    }
    /// Begins the pod's state anew.
    #[track_caller]
    pub fn pre_filter(&self, pod: &str) -> Answer {
        self.answer("pre_filter", &[pod])
    }
    /// `other` is on the node now: the cluster shows that already.
    #[track_caller]
    pub fn add_pod(&self, pod: &str, other: &str, node: &str) -> Answer {
        self.answer("add_pod", &[pod, other, node])
    }
    #[track_caller]
    pub fn remove_pod(&self, pod: &str, other: &str, node: &str) -> Answer {
        self.answer("remove_pod", &[pod, other, node])
    }
    #[track_caller]
    pub fn filter(&self, pod: &str, node: &str) -> Answer {
        self.answer("filter", &[pod, node])
    }
    /// Every node was rejected, as `raw::BERTH_STATUS_UNSCHEDULABLE`.
    #[track_caller]
    pub fn post_filter(&self, pod: &str) -> Answer {
        self.answer("post_filter", &[pod])
    }
    #[track_caller]
    pub fn pre_score(&self, pod: &str) -> Answer {
        self.answer("pre_score", &[pod])
    }
    /// Before normalization.
    #[track_caller]
    pub fn score(&self, pod: &str, node: &str) -> i64 {
        self.ask("score", &[pod, node], 0)[0].number
    }
    /// Of all nodes by name, as they count: normalized, 0 to 100.
    #[track_caller]
    pub fn scores(&self, pod: &str) -> BTreeMap<String, i64> {
        self.ask("scores", &[pod], 0).into_iter().map(|one| (one.text, one.number)).collect()
    }
    #[track_caller]
    pub fn reserve(&self, pod: &str, node: &str) -> Answer {
        self.answer("reserve", &[pod, node])
    }
    #[track_caller]
    pub fn unreserve(&self, pod: &str, node: &str) {
        self.ask("unreserve", &[pod, node], 0);
    }
    #[track_caller]
    pub fn permit(&self, pod: &str, node: &str) -> Answer {
        self.answer("permit", &[pod, node])
    }
    #[track_caller]
    pub fn pre_bind(&self, pod: &str, node: &str) -> Answer {
        self.answer("pre_bind", &[pod, node])
    }
    #[track_caller]
    pub fn bind(&self, pod: &str, node: &str) -> Answer {
        self.answer("bind", &[pod, node])
    }
    #[track_caller]
    pub fn post_bind(&self, pod: &str, node: &str) {
        self.ask("post_bind", &[pod, node], 0);
    }
    /// Which events wake its pods: "Node 0x1", and "hinted" behind it.
    #[track_caller]
    pub fn wakes(&self) -> Vec<String> {
        self.texts("wakes")
    }
    /// Its hint (`raw::BERTH_HINT_…`) for a pod about an object that was `before` and is `after` now; "" where there is none.
    #[track_caller]
    pub fn hint(&self, pod: &str, action: u64, before_yaml: &str, after_yaml: &str) -> u32 {
        self.ask("hint", &[pod, before_yaml, after_yaml], action as i64)[0].number as u32
    }

    /// The lines it logged, with "error: " or "warning: " before them if they are.
    pub fn log(&self) -> Vec<String> {
        self.texts("log")
    }
    /// The fields of the last line that it logged with some, as the line has them.
    pub fn log_fields(&self) -> BTreeMap<String, String> {
        let texts = self.texts("log_fields");
        texts.chunks(2).map(|one| (one[0].clone(), one[1].clone())).collect()
    }
    /// What it counted, as Prometheus has it but for "plugin_" and the host's labels: `gang_waiting{group="a"}`; of a histogram
    /// `…_sum`, `…_count` and, with the label `le`, `…_bucket`. `None` if nothing was counted.
    #[track_caller]
    pub fn metric(&self, series: &str) -> Option<f64> {
        self.ask("metric", &[series], 0).first().map(|one| one.text.parse().expect("a number"))
    }
    /// Its requests to the API server.
    pub fn sent(&self) -> Vec<Sent> {
        let texts = self.texts("sent");
        let one = |of: &[String]| Sent {
            right: of[0].clone(),
            namespace: of[1].clone(),
            name: of[2].clone(),
            body: of[3].clone(),
        };
        texts.chunks(4).map(one).collect()
    }
    /// What the API server answers from now on; 201 and `{}` without it.
    pub fn api_answers(&self, status: i32, text: &str) {
        self.ask("api", &[text], status.into());
    }
    /// Its reads: "get v1/configmaps default/limits". The cluster's objects answer them.
    pub fn read(&self) -> Vec<String> {
        self.texts("read")
    }
    /// What reads are answered from now on instead, with a status of 400 or above, or 0 for no answer.
    pub fn no_reads(&self, status: i32, text: &str) {
        self.ask("no_reads", &[text], status.into());
    }
    /// The pod waits in Permit from now on.
    pub fn waits(&self, pod: &str, node: &str) {
        self.ask("waits", &[pod, node], 0);
    }
    /// The pod waits in the queue from now on, but not while the plugin is called about it.
    pub fn pends(&self, pod: &str, how: Pending) {
        let numbers = format!(
            "{} {} {} {} {} {}",
            how.attempts, how.backoff_end_ns, how.queued_time_ns, how.initial_attempt_ns, how.group_priority, how.group
        );
        self.ask("pends", &[pod, &how.plugins.join("\n"), &numbers], how.place.into());
    }
    /// The UIDs of waiting pods that it let go.
    pub fn allowed(&self) -> Vec<String> {
        self.texts("allowed")
    }
    pub fn rejected(&self) -> Vec<String> {
        self.texts("rejected")
    }
    /// Cancels the calls that are not answered yet, as a host does with a PreBind whose pod is deleted or preempted.
    pub fn cancel_calls(&self) {
        self.ask("cancel_calls", &[], 0);
    }
    /// Lets time pass: the clock stands still otherwise.
    pub fn pass(&self, time: Duration) {
        self.ask("pass", &[], time.as_nanos() as i64);
    }
}
