// SPDX-License-Identifier: Apache-2.0
//! Plugins of the Berth scheduler in Rust: a safe layer over the C ABI, without dependencies.
//!
//! ```ignore
//! use berth::{Args, Call, Filter, Node, Plugin, Pod, Setup, State, Verdict};
//!
//! struct PodsPerNode {
//!     max: u32,
//! }
//!
//! impl Plugin for PodsPerNode {
//!     fn new(_: &Setup, args: Args) -> Result<Self, String> {
//!         Ok(PodsPerNode { max: args.integer("max", 110)? })
//!     }
//! }
//!
//! impl Filter for PodsPerNode {
//!     fn filter(&self, _: &Call, _: &State, _: Pod, node: Node) -> Verdict {
//!         if node.pods() >= self.max {
//!             return Verdict::unschedulable("node(s) reached the maximum of PodsPerNode");
//!         }
//!         Verdict::ok()
//!     }
//! }
//!
//! berth::plugins! { PodsPerNode: "PodsPerNode", "1.0.0", [Filter] }
//! ```
//!
//! A type implements [`Plugin`] and the trait of each extension point that it works at (module [`points`]); [`plugins!`] makes the
//! library of it. A panic becomes the error of the call, with its text: the crate is to be compiled with `panic = "unwind"`, which
//! is the default. What this layer does not have (trials, the preemption evaluator of C++, changes of objects) is in [`raw`], as in C.
#![allow(clippy::missing_safety_doc)]

mod answer;
mod call;
mod client;
mod guard;
mod host;
#[doc(hidden)]
pub mod library;
mod log;
mod metrics;
mod outcome;
mod pending_pods;
pub mod points;
pub mod raw;
mod reader;
#[doc(hidden)]
pub mod rights;
mod thunks;
mod uses;
mod value;
mod verdict;
mod view;
mod watches;

pub use answer::ApiAnswer;
pub use call::{Answer, Call, Done, Later, LoopCall, Restrict, State};
pub use client::{json_quote, Request};
pub use host::{ColumnId, Host, Loop, Setup, StateKey};
pub use log::{FieldValue, Fields};
pub use metrics::{Counter, Gauge, Histogram, Labelled, Series, SECONDS_BOUNDS};
pub use outcome::{Nomination, Outcome};
pub use pending_pods::PendingPod;
pub use points::{
    Bind, Event, EventSink, Events, Filter, Normalize, PermitPoint, Plugin, PostBind, PostFilter, PreBind, PreEnqueue, PreFilter,
    PreFilterExt, PreScore, QueueSort, Reserve, Score,
};
pub use reader::{Get, List, ReadId};
pub use value::{Args, Value};
pub use verdict::{Hint, Permit, Verdict, Verdicts};
pub use view::{Column, Node, Nodes, Pod};
pub use watches::{Declare, KindId, Watch};
