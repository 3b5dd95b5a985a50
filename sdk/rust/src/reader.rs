// SPDX-License-Identifier: Apache-2.0
//! Reads of objects from the API server: get and list, for what a plugin does not watch.

use crate::answer::{answered, ApiAnswer, Awaited};
use crate::client::drop_quietly;
use crate::host::{need, Host, Loop};
use crate::raw;
use crate::uses::uses_draft;
use crate::value::{str_of, view};
use std::os::raw::c_void;

/// One object; the default is of version v1.
#[derive(Clone, Copy)]
pub struct Get<'a> {
    /// "" for the core group.
    pub group: &'a str,
    pub version: &'a str,
    /// Plural, as in "configmaps".
    pub resource: &'a str,
    /// "" for a kind without namespaces.
    pub namespace: &'a str,
    pub name: &'a str,
}

/// A page of a kind; the default is of version v1.
#[derive(Clone, Copy)]
pub struct List<'a> {
    pub group: &'a str,
    pub version: &'a str,
    pub resource: &'a str,
    /// "" for all namespaces.
    pub namespace: &'a str,
    /// As in "app=web,tier in (a,b)"; "" selects everything.
    pub label_selector: &'a str,
    /// As in "metadata.name=a".
    pub field_selector: &'a str,
    /// Of the page before: [`ApiAnswer::continue_token`].
    pub continue_token: &'a str,
    /// Items at most; 0: as many as the host gives.
    pub limit: u64,
}

impl Default for Get<'_> {
    fn default() -> Self {
        Get { group: "", version: "v1", resource: "", namespace: "", name: "" }
    }
}

impl Default for List<'_> {
    fn default() -> Self {
        let (label_selector, field_selector, continue_token) = ("", "", "");
        List { group: "", version: "v1", resource: "", namespace: "", label_selector, field_selector, continue_token, limit: 0 }
    }
}

fn raw_read(verb: u32, list: &List, name: &str) -> raw::berth_read {
    raw::berth_read {
        struct_size: std::mem::size_of::<raw::berth_read>() as u32,
        flags: 0,
        verb,
        reserved: 0,
        group: str_of(list.group),
        version: str_of(list.version),
        resource: str_of(list.resource),
        namespace_: str_of(list.namespace),
        name: str_of(name),
        label_selector: str_of(list.label_selector),
        field_selector: str_of(list.field_selector),
        continue_: str_of(list.continue_token),
        limit: list.limit,
    }
}

/// A read under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadId(u64);

impl ReadId {
    /// False in a dry run and in a shadow, where nothing is read.
    pub fn is_begun(&self) -> bool {
        self.0 != 0
    }
}

impl Loop<'_> {
    /// Reads an object that is among the plugin's `reads` (see [`plugins!`](crate::plugins)). `then` gets the answer later, on the
    /// loop, never from within this call. If the read cannot be made (it was not declared, a name is not valid, too many are
    /// pending), the error says why, and `then` is dropped. So it is if the read is cancelled or the instance ends before. In
    /// a dry run and in a shadow nothing is read: `then` is dropped at once, and the id is not begun. Panics on a host that
    /// does not offer reads, which are a draft.
    #[inline]
    pub fn get<F: FnOnce(&Loop, &ApiAnswer) + 'static>(&self, what: &Get, then: F) -> Result<ReadId, String> {
        let list = List { group: what.group, version: what.version, resource: what.resource, namespace: what.namespace, ..List::default() };
        self.read(&raw_read(raw::BERTH_READ_GET, &list, what.name), then)
    }
    /// The same for a page of a kind.
    #[inline]
    pub fn list<F: FnOnce(&Loop, &ApiAnswer) + 'static>(&self, what: &List, then: F) -> Result<ReadId, String> {
        self.read(&raw_read(raw::BERTH_READ_LIST, what, ""), then)
    }
    /// Ends a read, whose function is dropped. False if it has run already.
    #[inline]
    pub fn cancel_read(&self, id: ReadId) -> bool {
        let cancel = need(self.reader, raw::BERTH_HOST_READER_DRAFT1).cancel.expect("berth_host_reader.cancel");
        unsafe { cancel(Host::raw(self), id.0) == raw::BERTH_STATUS_SUCCESS }
    }

    fn read<F: FnOnce(&Loop, &ApiAnswer) + 'static>(&self, what: &raw::berth_read, then: F) -> Result<ReadId, String> {
        uses_draft!("berth.host.reader/draft1");
        let read = need(self.reader, raw::BERTH_HOST_READER_DRAFT1).read.expect("berth_host_reader.read");
        let begun = Box::into_raw(Box::new(Awaited { host: Host::raw(self), then }));
        let mut id = 0;
        let code = unsafe { read(Host::raw(self), what, Some(answered::<F>), begun as *mut c_void, &mut id) };
        if code == raw::BERTH_STATUS_SUCCESS {
            return Ok(ReadId(id));
        }
        drop_quietly(unsafe { Box::from_raw(begun) });
        let why = match code {
            raw::BERTH_STATUS_CANCELLED => "the instance is about to end; not read",
            raw::BERTH_STATUS_UNSUPPORTED => return Ok(ReadId(0)),
            raw::BERTH_STATUS_BUSY => "too many reads are pending",
            _ => "the read is not valid or not declared, or cannot be made here",
        };
        Err(format!("{why}: {} {}", unsafe { view(what.resource) }, unsafe { view(what.name) }))
    }
}
