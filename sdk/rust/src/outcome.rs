// SPDX-License-Identifier: Apache-2.0
//! What PostFilter sees and says beside the pod and the nodes.

use crate::raw;
use crate::value::{lent, str_of, view};

/// Why no node took the pod.
#[derive(Clone, Copy)]
pub struct Outcome<'a>(pub(crate) &'a raw::berth_outcome, pub(crate) u32);

impl<'a> Outcome<'a> {
    /// The code of the plugin that rejected the node; of one that was not judged `absent_code`. Panics if there is no such slot.
    pub fn code(&self, slot: u32) -> i32 {
        assert!(slot < self.1, "there is no slot {slot}");
        unsafe { *self.0.code.add(slot as usize) }
    }
    pub fn absent_code(&self) -> i32 {
        self.0.absent_code
    }
    pub fn reasons(&self, slot: u32) -> Vec<&'a str> {
        let mut texts = std::ptr::null();
        let n = unsafe { self.0.reasons.expect("berth_outcome.reasons")(self.0, slot, &mut texts) };
        unsafe { lent(texts, n) }.iter().map(|text| unsafe { view(*text) }).collect()
    }
    /// The name of the plugin that rejected the node; empty of one that was not judged.
    pub fn plugin(&self, slot: u32) -> &'a str {
        unsafe { view(self.0.plugin.expect("berth_outcome.plugin")(self.0, slot)) }
    }
    /// The nodes of that code, in the order in which the scheduler visits them.
    pub fn slots_with(&self, code: i32) -> &'a [u32] {
        let mut slots = std::ptr::null();
        let n = unsafe { self.0.slots_with.expect("berth_outcome.slots_with")(self.0, code, &mut slots) };
        unsafe { lent(slots, n) }
    }
}

/// PostFilter's word about the pod's nomination; without one it stays as it is.
pub struct Nomination<'a>(pub(crate) &'a raw::berth_nomination);

impl Nomination<'_> {
    pub fn nominate(&self, node_name: &str) {
        unsafe { self.0.nominate.expect("berth_nomination.nominate")(self.0.ctx, str_of(node_name)) }
    }
    pub fn clear(&self) {
        self.nominate("")
    }
}
