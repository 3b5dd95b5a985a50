// SPDX-License-Identifier: Apache-2.0
//! The pods that wait in the scheduling queue.

use crate::guard::guarded;
use crate::host::Loop;
use crate::raw;
use crate::uses::uses_draft;
use crate::value::{lent, view};
use crate::view::Pod;
use std::os::raw::c_void;

/// A pending pod; good until the function that was given it returns.
#[derive(Clone, Copy)]
pub struct PendingPod<'a> {
    raw: &'a raw::berth_pending_pod,
    host: &'a crate::host::Host,
}

impl<'a> PendingPod<'a> {
    pub fn pod(&self) -> Pod<'a> {
        unsafe { Pod::new(self.raw.pod, self.host) }
    }
    /// One of `raw::BERTH_PENDING_…`.
    pub fn place(&self) -> u32 {
        self.raw.place
    }
    /// The plugins that last rejected it, by name; of a gated pod the one that gates it.
    pub fn plugins(&self) -> impl Iterator<Item = &'a str> {
        unsafe { lent(self.raw.plugins, self.raw.plugins_len) }.iter().map(|one| unsafe { view(*one) })
    }
    /// When it becomes active at the latest, in nanoseconds since the epoch; 0: it is not in backoff.
    pub fn backoff_end_ns(&self) -> i64 {
        self.raw.backoff_end_ns
    }
    /// Name of its PodGroup, if it waits as one of a group; else "".
    pub fn group(&self) -> &'a str {
        unsafe { view(self.raw.group) }
    }
    /// By which the host sorts the group.
    pub fn group_priority(&self) -> i32 {
        self.raw.group_priority
    }
}

struct Visitor<'h, F> {
    host: &'h crate::host::Host,
    visit: F,
    panicked: Option<String>,
}

unsafe extern "C" fn visit<F: FnMut(PendingPod) -> bool>(ctx: *mut c_void, pod: *const raw::berth_pending_pod) -> i32 {
    let visitor = &mut *(ctx as *mut Visitor<F>);
    let pod = PendingPod { raw: &*pod, host: visitor.host };
    let visit = &mut visitor.visit;
    match guarded(|| visit(pod)) {
        Ok(more) => more.into(),
        Err(text) => {
            visitor.panicked = Some(text);
            0
        }
    }
}

impl Loop<'_> {
    /// How many pods wait in these places (`raw::BERTH_PENDING_…`) of the queue. Panics where `berth_host_pending_pods` may not be
    /// called. `None` on a host that does not offer this, which is a draft.
    #[inline]
    pub fn count_pending(&self, places: u32) -> Option<u64> {
        uses_draft!("berth.host.pending_pods/draft1");
        let count = self.pending_pods?.count?;
        let mut n = 0;
        let code = unsafe { count(self.raw(), places, &mut n) };
        assert!(code == raw::BERTH_STATUS_SUCCESS, "pending pods cannot be counted here, or not in the places {places}");
        Some(n)
    }
    /// As long as it is the same, so are the pending pods. Panics, and is `None`, as `count_pending`.
    #[inline]
    pub fn pending_version(&self) -> Option<u64> {
        uses_draft!("berth.host.pending_pods/draft1");
        let version = self.pending_pods?.version?;
        let mut now = 0;
        let code = unsafe { version(self.raw(), &mut now) };
        assert!(code == raw::BERTH_STATUS_SUCCESS, "pending pods have no version here");
        Some(now)
    }
    /// Calls `each` for the pods in these places, the active ones first, until it returns false. Panics where
    /// `berth_host_pending_pods` may not be called, and if `each` activates a pod: collect the UIDs, and activate the pods
    /// afterwards. False on a host that does not offer this, which is a draft.
    pub fn each_pending<F: FnMut(PendingPod) -> bool>(&self, places: u32, each: F) -> bool {
        uses_draft!("berth.host.pending_pods/draft1");
        let call = match self.pending_pods.and_then(|t| t.visit) {
            Some(call) => call,
            None => return false,
        };
        let mut visitor = Visitor { host: self, visit: each, panicked: None };
        let code = unsafe { call(self.raw(), places, Some(visit::<F>), &mut visitor as *mut Visitor<F> as *mut c_void) };
        if let Some(text) = visitor.panicked {
            panic!("{}", text);
        }
        assert!(code != raw::BERTH_STATUS_CANCELLED, "the queue changed within a visit of pending pods");
        assert!(code == raw::BERTH_STATUS_SUCCESS, "pending pods cannot be visited here, or not in the places {places}");
        true
    }
}
