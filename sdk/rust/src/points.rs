// SPDX-License-Identifier: Apache-2.0
//! The extension points, each a trait. When each is called, on which thread and what each answer does is in
//! `docs/author-guide.md` and, under the same names, in `berth/point/*.h`.
//!
//! Every method takes `&self`: Filter, Score, AddPod and RemovePod run on several threads at once. What changes lives behind an
//! atomic or a `Mutex`, which is never held while the host is asked.

use crate::call::{Answer, Call, Later, LoopCall, Restrict, State};
use crate::host::Setup;
use crate::outcome::{Nomination, Outcome};
use crate::raw;
use crate::value::{view, Args};
use crate::verdict::{Hint, Permit, Verdict, Verdicts};
use crate::view::{Node, Nodes, Pod};
use crate::watches::Declare;

/// A plugin; one value for each profile that enables it.
pub trait Plugin: Sized + Send + Sync + 'static {
    /// An `Err` refuses the profile, with its text.
    fn new(setup: &Setup, args: Args) -> Result<Self, String>;
    /// Says what this instance watches; it may depend on the arguments.
    fn declare(&self, _on: &Declare) {}
}

/// May the pod enter the queue?
pub trait PreEnqueue: Plugin {
    fn pre_enqueue(&self, call: &LoopCall, pod: Pod) -> Verdict;
}

/// Which of two pods is tried first? A strict weak ordering.
pub trait QueueSort: Plugin {
    fn less(&self, a: Pod, b: Pod) -> bool;
}

/// Which changes wake a pod that this plugin rejected? Without it any change of a pod or node does.
pub trait Events: Plugin {
    fn events(&self, on: &EventSink);
    /// For what was added with `add_hinted`.
    fn hint(&self, _call: &LoopCall, _event: Event, _pod: Pod) -> Hint {
        Hint::Queue
    }
}

/// Takes the events.
pub struct EventSink<'a> {
    pub(crate) raw: *mut raw::berth_event_sink,
    pub(crate) host: &'a crate::host::Host,
}

impl EventSink<'_> {
    /// `resource` as "Node", "AssignedPod", "Pod", "*"; `actions` are bits `raw::BERTH_EVENT_ADD` and so on.
    pub fn add(&self, resource: &str, actions: u64) {
        self.tell(resource, actions, 0)
    }
    /// The same; `hint` is asked first.
    pub fn add_hinted(&self, resource: &str, actions: u64) {
        self.tell(resource, actions, 1)
    }
    fn tell(&self, resource: &str, actions: u64, has_hint: u32) {
        let add = self.host.sinks().add_event.expect("berth_host_sinks.add_event");
        unsafe { add(self.host.raw(), self.raw, crate::value::str_of(resource), actions, has_hint) }
    }
}

/// Something that happened.
#[derive(Clone, Copy)]
pub struct Event<'a> {
    pub(crate) raw: &'a raw::berth_event,
    pub(crate) host: &'a crate::host::Host,
}

impl<'a> Event<'a> {
    pub fn resource(&self) -> &'a str {
        unsafe { view(self.raw.resource) }
    }
    /// Is it one of these `raw::BERTH_EVENT_…` actions?
    pub fn is(&self, actions: u64) -> bool {
        self.raw.action & actions != 0
    }
    fn pod(&self, pod: *const raw::berth_pod) -> Option<Pod<'a>> {
        (!pod.is_null()).then(|| unsafe { Pod::new(pod, self.host) })
    }
    fn node(&self, node: *const raw::berth_nodes) -> Option<Node<'a>> {
        (!node.is_null()).then(|| unsafe { Nodes::new(node, self.host) }.node(0))
    }
    pub fn old_pod(&self) -> Option<Pod<'a>> {
        self.pod(self.raw.old_pod)
    }
    pub fn new_pod(&self) -> Option<Pod<'a>> {
        self.pod(self.raw.new_pod)
    }
    pub fn old_node(&self) -> Option<Node<'a>> {
        self.node(self.raw.old_node)
    }
    pub fn new_node(&self) -> Option<Node<'a>> {
        self.node(self.raw.new_node)
    }
}

/// Looks at the pod before any node; skip leaves out this plugin's Filter.
pub trait PreFilter: Plugin {
    fn pre_filter(&self, call: &LoopCall, state: &mut State, pod: Pod, nodes: Nodes, only: &Restrict) -> Verdict;
}

/// Keeps what PreFilter left in the state true while the host tries a node with other pods on it.
pub trait PreFilterExt: PreFilter {
    fn add_pod(&self, call: &Call, state: &mut State, pod: Pod, other: Pod, node: Node) -> Verdict;
    fn remove_pod(&self, call: &Call, state: &mut State, pod: Pod, other: Pod, node: Node) -> Verdict;
}

/// Does the pod fit the node? One of the two methods.
pub trait Filter: Plugin {
    fn filter(&self, _call: &Call, _state: &State, _pod: Pod, _node: Node) -> Verdict {
        Verdict::error("the plugin has neither filter nor filter_batch")
    }
    /// All slots of a call at once: what crosses the ABI.
    fn filter_batch(&self, call: &Call, state: &State, pod: Pod, nodes: Nodes, slots: &[u32], out: &mut Verdicts) {
        for (i, slot) in slots.iter().enumerate() {
            if i % 64 == 63 && call.cancelled() {
                return;
            }
            out.set(i, self.filter(call, state, pod, nodes.node(*slot)));
        }
    }
}

/// No node took the pod: can room be made? What takes time is answered `later`.
pub trait PostFilter: Plugin {
    #[allow(clippy::too_many_arguments)]
    fn post_filter(
        &self, call: &LoopCall, state: &mut State, pod: Pod, nodes: Nodes, outcome: Outcome, nomination: &Nomination, later: Later,
    ) -> Answer;
}

/// Looks at all nodes that the pod fits before any is scored; skip leaves out this plugin's Score.
pub trait PreScore: Plugin {
    fn pre_score(&self, call: &LoopCall, state: &mut State, pod: Pod, nodes: Nodes, slots: &[u32]) -> Verdict;
}

/// How good is the node? 0 to 100, or any number if the plugin normalizes. One of the two methods.
pub trait Score: Plugin {
    fn score(&self, _call: &Call, _state: &State, _pod: Pod, _node: Node) -> Result<i64, String> {
        Err("the plugin has neither score nor score_batch".to_string())
    }
    /// All slots of a call at once; `out[i]` is for `slots[i]`.
    fn score_batch(&self, call: &Call, state: &State, pod: Pod, nodes: Nodes, slots: &[u32], out: &mut [i64]) -> Verdict {
        for (i, slot) in slots.iter().enumerate() {
            if i % 64 == 63 && call.cancelled() {
                return Verdict::cancelled();
            }
            match self.score(call, state, pod, nodes.node(*slot)) {
                Ok(score) => out[i] = score,
                Err(text) => return Verdict::error(text),
            }
        }
        Verdict::ok()
    }
}

/// Turns this plugin's scores of all feasible nodes into 0 to 100, in place.
pub trait Normalize: Score {
    fn normalize(&self, call: &LoopCall, state: &mut State, pod: Pod, nodes: Nodes, slots: &[u32], scores: &mut [i64]) -> Verdict;
}

/// The pod has been given a node: keep what it needs there, and undo it.
pub trait Reserve: Plugin {
    fn reserve(&self, call: &LoopCall, state: &mut State, pod: Pod, node: Node) -> Verdict;
    /// Idempotent; may come without `reserve`.
    fn unreserve(&self, call: &LoopCall, state: &mut State, pod: Pod, node_name: &str);
}

/// May the pod be bound now? (`Permit` is the answer.)
pub trait PermitPoint: Plugin {
    fn permit(&self, call: &LoopCall, state: &mut State, pod: Pod, node: Node) -> Permit;
}

/// What must be done before the pod is bound. Never blocks: what takes time is answered `later`.
pub trait PreBind: Plugin {
    fn pre_bind(&self, call: &LoopCall, state: &mut State, pod: Pod, node_name: &str, later: Later) -> Answer;
}

/// Binds the pod; skip asks the next plugin. Never blocks: the request's answer comes `later`.
pub trait Bind: Plugin {
    fn bind(&self, call: &LoopCall, state: &mut State, pod: Pod, node_name: &str, later: Later) -> Answer;
}

/// The pod is bound.
pub trait PostBind: Plugin {
    fn post_bind(&self, call: &LoopCall, state: &mut State, pod: Pod, node_name: &str);
}
