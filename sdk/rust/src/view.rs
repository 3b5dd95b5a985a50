// SPDX-License-Identifier: Apache-2.0
//! Pods, nodes and columns: pointer-sized views, good until the call returns.

use crate::host::{ColumnId, Host};
use crate::raw;
use crate::value::{lent, str_of, view, Value};
use std::marker::PhantomData;

/// A field of a struct of the host's, or what stands in for it on a host that is older than the field.
macro_rules! known {
    ($raw:expr, $field:ident, $absent:expr) => {{
        let raw: *const _ = $raw;
        #[allow(unused_unsafe)] // where it stands in an unsafe block
        let found = unsafe {
            let at = std::ptr::addr_of!((*raw).$field);
            if (*raw).struct_size as usize >= at as usize - raw as usize + size_behind(at) {
                *at
            } else {
                $absent
            }
        };
        found
    }};
}
/// Without a reference: on an older host there may be nothing behind it.
fn size_behind<T>(_: *const T) -> usize {
    std::mem::size_of::<T>()
}
const NO_TEXT: raw::berth_str = raw::berth_str { ptr: std::ptr::null(), len: 0 };
static NOTHING: Nothing =
    Nothing(raw::berth_resources { cpu: 0, memory: 0, ephemeral: 0, scalars: std::ptr::null(), scalars_len: 0 });
struct Nothing(raw::berth_resources);
// Its pointer is null.
unsafe impl Sync for Nothing {}

#[path = "pod_fields.rs"]
mod pod_fields;

/// The pod at hand, with a method for each field of `berth_pod`.
#[derive(Clone, Copy)]
pub struct Pod<'a> {
    raw: *const raw::berth_pod,
    host: &'a Host,
}

impl<'a> Pod<'a> {
    pub(crate) unsafe fn new(raw: *const raw::berth_pod, host: &'a Host) -> Self {
        Pod { raw, host }
    }
    pub fn raw(&self) -> &'a raw::berth_pod {
        unsafe { &*self.raw }
    }
    pub fn terminating(&self) -> bool {
        known!(self.raw, pod_flags, 0) & raw::BERTH_FLAG_POD_TERMINATING != 0
    }
    pub fn annotation(&self, key: &str) -> Option<&'a str> {
        self.at("/metadata/annotations").get(key).as_str()
    }
    /// "Guaranteed", "Burstable" or "BestEffort"; empty if the API server has not said it.
    pub fn qos_class(&self) -> &'a str {
        self.at("/status/qosClass").as_str().unwrap_or("")
    }
    /// milli-CPU, as NodeResourcesFit counts it.
    pub fn requested_cpu(&self) -> i64 {
        self.requests().cpu
    }
    /// Bytes.
    pub fn requested_memory(&self) -> i64 {
        self.requests().memory
    }
    /// Of any other resource, such as `nvidia.com/gpu`; 0 if it asks for none.
    pub fn requested(&self, resource: &str) -> i64 {
        let requests = self.requests();
        let scalars = unsafe { lent(requests.scalars, requests.scalars_len) };
        scalars.iter().find(|s| unsafe { view(s.name) } == resource).map_or(0, |s| s.value)
    }
    /// Sorted by key.
    pub fn labels(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let n = known!(self.raw, labels_len, 0);
        let labels = unsafe { lent(known!(self.raw, labels, std::ptr::null()), n) };
        labels.iter().map(|l| unsafe { (view(l.key), view(l.value)) })
    }
    pub fn label(&self, key: &str) -> Option<&'a str> {
        self.labels().find(|(k, _)| *k == key).map(|(_, value)| value)
    }
    /// Any other field, by JSON pointer, as in `at("/spec/affinity")`.
    pub fn at(&self, pointer: &str) -> Value<'a> {
        unsafe { self.host.field(self.raw().obj, pointer) }
    }
}

/// The nodes of a snapshot. A slot belongs to a node for as long as the node lives.
#[derive(Clone, Copy)]
pub struct Nodes<'a> {
    raw: *const raw::berth_nodes,
    host: &'a Host,
}

impl<'a> Nodes<'a> {
    pub(crate) unsafe fn new(raw: *const raw::berth_nodes, host: &'a Host) -> Self {
        Nodes { raw, host }
    }
    /// All columns.
    pub fn raw(&self) -> &'a raw::berth_nodes {
        unsafe { &*self.raw }
    }
    /// Entries of every column; some may be empty.
    pub fn slots(&self) -> u32 {
        self.raw().slots
    }
    /// The slots of the nodes, in the order in which the scheduler visits them.
    pub fn order(&self) -> &'a [u32] {
        unsafe { lent(self.raw().order, u64::from(self.raw().count)) }
    }
    /// Panics if there is no such slot.
    pub fn node(&self, slot: u32) -> Node<'a> {
        assert!(slot < self.slots(), "there is no slot {slot}");
        Node { nodes: *self, slot: slot as usize }
    }
    pub fn find(&self, name: &str) -> Option<Node<'a>> {
        let find = self.host.nodes().find.expect("berth_host_nodes.find");
        let slot = unsafe { find(self.host.raw(), self.raw, str_of(name)) };
        (slot != raw::BERTH_NO_SLOT).then(|| self.node(slot))
    }
    /// A column that was asked for when the plugin was made.
    pub fn column(&self, id: ColumnId) -> Column<'a> {
        let mut out: raw::berth_column = unsafe { std::mem::zeroed() };
        out.struct_size = std::mem::size_of_val(&out) as u32;
        let fill = self.host.nodes().column.expect("berth_host_nodes.column");
        let code = unsafe { fill(self.host.raw(), self.raw, id.0, &mut out) };
        assert!(code == raw::BERTH_STATUS_SUCCESS, "a column that was not declared");
        Column { raw: out, life: PhantomData }
    }
}

/// One node of a snapshot.
#[derive(Clone, Copy)]
pub struct Node<'a> {
    nodes: Nodes<'a>,
    slot: usize,
}

macro_rules! columns {
    ($($(#[$doc:meta])* $name:ident: $type:ty = $field:ident;)+) => {
        $($(#[$doc])* pub fn $name(&self) -> $type { unsafe { *self.nodes.raw().$field.add(self.slot) } })+
    };
}

impl<'a> Node<'a> {
    pub fn slot(&self) -> u32 {
        self.slot as u32
    }
    pub fn name(&self) -> &'a str {
        unsafe { view(*self.nodes.raw().name.add(self.slot)) }
    }
    columns! {
        /// How many pods are placed on it.
        pods: u32 = pod_count;
        /// milli-CPU.
        allocatable_cpu: i64 = allocatable_cpu;
        /// Bytes.
        allocatable_memory: i64 = allocatable_memory;
        allocatable_pods: i64 = allocatable_pods;
        requested_cpu: i64 = requested_cpu;
        requested_memory: i64 = requested_memory;
    }
    /// spec.unschedulable.
    pub fn unschedulable(&self) -> bool {
        unsafe { *self.nodes.raw().node_flags.add(self.slot) & raw::BERTH_FLAG_NODE_UNSCHEDULABLE != 0 }
    }
    /// Any field, by JSON pointer. For what runs often declare a column instead.
    pub fn at(&self, pointer: &str) -> Value<'a> {
        unsafe { self.nodes.host.field(*self.nodes.raw().obj.add(self.slot), pointer) }
    }
    pub fn label(&self, key: &str) -> Option<&'a str> {
        self.at("/metadata/labels").get(key).as_str()
    }
}

/// A declared column of nodes.
pub struct Column<'a> {
    raw: raw::berth_column,
    life: PhantomData<&'a ()>,
}

impl<'a> Column<'a> {
    /// Does the row have a value?
    pub fn has(&self, row: u32) -> bool {
        let valid = self.raw.validity;
        let word = (row / 64) as usize;
        row < self.raw.rows && (valid.is_null() || unsafe { *valid.add(word) } >> (row % 64) & 1 == 1)
    }
    /// Of a column of numbers; 0 where there is none.
    pub fn number(&self, row: u32) -> i64 {
        assert!(self.raw.type_ == raw::BERTH_COLUMN_TYPE_INT64, "this is no column of numbers");
        if row < self.raw.rows {
            unsafe { *(self.raw.data as *const i64).add(row as usize) }
        } else {
            0
        }
    }
    /// Of a label or annotation: the code of the text and the code's generation. Together they name that text for ever,
    /// so they are a key for what a plugin keeps of it; a code alone is given to another text when no node has the first.
    pub fn code(&self, row: u32) -> Option<(u32, u64)> {
        assert!(self.raw.type_ == raw::BERTH_COLUMN_TYPE_CODE, "this is no column of texts");
        if !self.has(row) {
            return None;
        }
        let code = unsafe { *(self.raw.data as *const u32).add(row as usize) };
        let generations = self.raw.dict_generation;
        let generation = if generations.is_null() { 0 } else { unsafe { *generations.add(code as usize) } };
        Some((code, generation))
    }
    /// Of a label or annotation.
    pub fn text(&self, row: u32) -> Option<&'a str> {
        let (code, _) = self.code(row)?;
        unsafe { lent(self.raw.dict as *const raw::berth_str, self.raw.dict_len) }
            .get(code as usize)
            .map(|text| unsafe { view(*text) })
    }
}
