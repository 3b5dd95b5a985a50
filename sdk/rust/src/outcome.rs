// SPDX-License-Identifier: Apache-2.0
//! What PostFilter sees and says beside the pod and the nodes.

use crate::host::Host;
use crate::uses::uses_draft;
use crate::raw;
use crate::value::{lent, str_of, view};

/// Why no node took the pod.
#[derive(Clone, Copy)]
pub struct Outcome<'a> {
    pub(crate) raw: &'a raw::berth_outcome,
    pub(crate) slots: u32,
    pub(crate) host: &'a Host,
}

impl<'a> Outcome<'a> {
    /// The code of the plugin that rejected the node; of one that was not judged `absent_code`. Panics if there is no such slot.
    pub fn code(&self, slot: u32) -> i32 {
        assert!(slot < self.slots, "there is no slot {slot}");
        unsafe { *self.raw.code.add(slot as usize) }
    }
    pub fn absent_code(&self) -> i32 {
        self.raw.absent_code
    }
    pub fn reasons(&self, slot: u32) -> Vec<&'a str> {
        let mut texts = std::ptr::null();
        let of = self.host.call().outcome_reasons.expect("berth_host_call.outcome_reasons");
        let n = unsafe { of(self.host.raw(), self.raw, slot, &mut texts) };
        unsafe { lent(texts, n) }.iter().map(|text| unsafe { view(*text) }).collect()
    }
    /// The name of the plugin that rejected the node; empty of one that was not judged.
    pub fn plugin(&self, slot: u32) -> &'a str {
        let of = self.host.call().outcome_plugin.expect("berth_host_call.outcome_plugin");
        unsafe { view(of(self.host.raw(), self.raw, slot)) }
    }
    /// The nodes of that code, in the order in which the scheduler visits them.
    pub fn slots_with(&self, code: i32) -> &'a [u32] {
        let mut slots = std::ptr::null();
        let of = self.host.call().outcome_slots.expect("berth_host_call.outcome_slots");
        let n = unsafe { of(self.host.raw(), self.raw, code, &mut slots) };
        unsafe { lent(slots, n) }
    }
}

/// PostFilter's word about the pod's nomination; without one it stays as it is.
pub struct Nomination<'a> {
    pub(crate) raw: *mut raw::berth_nomination,
    pub(crate) host: &'a Host,
}

impl Nomination<'_> {
    pub fn nominate(&self, node_name: &str) {
        let nominate = self.host.call().nominate.expect("berth_host_call.nominate");
        unsafe { nominate(self.host.raw(), self.raw, str_of(node_name)) }
    }
    pub fn clear(&self) {
        self.nominate("")
    }
    /// For people: the pods in these rows would give way, the most important one first, and why these; see `berth_host_victims`. It
    /// evicts no pod. Panics for what are no such pods. On a host that does not offer this, which is a draft, nothing is named.
    #[inline]
    pub fn victims(&self, rows: &[u32], reason: &str) {
        uses_draft!("berth.host.victims/draft1");
        if let Some(table) = self.host.victims {
            let name = table.name.expect("berth_host_victims.name");
            let code = unsafe { name(self.host.raw(), self.raw, rows.as_ptr(), rows.len() as u64, str_of(reason)) };
            assert!(code == raw::BERTH_STATUS_SUCCESS, "what was named as victims are not 1 to 10,000 different pods on nodes");
        }
    }
}
