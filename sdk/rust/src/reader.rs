// SPDX-License-Identifier: Apache-2.0
//! Reads of objects from the API server: get and list, for what a plugin does not watch.

use crate::client::drop_quietly;
use crate::guard::guarded;
use crate::host::{need, Host, Loop};
use crate::raw;
use crate::uses::uses_draft;
use crate::value::{str_of, view, Value};
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
    /// Of the page before: [`ReadAnswer::continue_token`].
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

/// What the API server answered; good until the function that was given it returns.
#[derive(Clone, Copy)]
pub struct ReadAnswer<'a> {
    code: i32,
    status: i32,
    text: &'a str,
    value: *const raw::berth_value,
}

impl<'a> ReadAnswer<'a> {
    /// HTTP's; 0: no answer came, and the text says why.
    pub fn status(&self) -> i32 {
        self.status
    }
    /// The object or list is there.
    pub fn ok(&self) -> bool {
        !self.value.is_null()
    }
    /// There is no such object.
    pub fn not_found(&self) -> bool {
        self.status == 404
    }
    /// The answer was longer than the host's bound: ask for fewer items.
    pub fn too_long(&self) -> bool {
        self.code == raw::BERTH_STATUS_NO_MEMORY
    }
    /// The body, which is JSON; if not `ok`, a sentence for people.
    pub fn text(&self) -> &'a str {
        self.text
    }
    /// The object or list, parsed.
    pub fn value(&self) -> Value<'a> {
        unsafe { Value::new(self.value) }
    }
    /// The objects of a list.
    pub fn items(&self) -> impl Iterator<Item = Value<'a>> {
        self.value().get("items").items()
    }
    /// Leads to the next page of a list; "" after the last one.
    pub fn continue_token(&self) -> &'a str {
        self.value().get("metadata").get("continue").as_str().unwrap_or("")
    }
}

/// A read under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadId(u64);

/// With the function that takes the answer.
struct Begun<F> {
    host: *const raw::berth_host,
    then: F,
}

unsafe extern "C" fn answered<F: FnOnce(&Loop, &ReadAnswer)>(ctx: *mut c_void, answer: *const raw::berth_read_answer) {
    let begun = Box::from_raw(ctx as *mut Begun<F>);
    let answer = &*answer;
    if answer.code == raw::BERTH_STATUS_CANCELLED {
        return drop_quietly(begun);
    }
    let host = Host::new(begun.host);
    let then = begun.then;
    let shown = ReadAnswer { code: answer.code, status: answer.http_status, text: view(answer.text), value: answer.value };
    if let Err(text) = guarded(|| then(&Loop::new(&host), &shown)) {
        host.error(&format!("the taker of a read panicked: {text}"));
    }
}

impl Loop<'_> {
    /// Reads an object that is among the plugin's `reads` (see [`plugins!`](crate::plugins)). `then` gets the answer later, on the
    /// loop, never from within this call. If the read cannot be made (it was not declared, a name is not valid, too many are
    /// pending), the error says why, and `then` is dropped. So it is if the read is cancelled or the instance ends before. Panics on a host that does not offer reads, which are a draft.
    #[inline]
    pub fn get<F: FnOnce(&Loop, &ReadAnswer) + 'static>(&self, what: &Get, then: F) -> Result<ReadId, String> {
        let list = List { group: what.group, version: what.version, resource: what.resource, namespace: what.namespace, ..List::default() };
        self.read(&raw_read(raw::BERTH_READ_GET, &list, what.name), then)
    }
    /// The same for a page of a kind.
    #[inline]
    pub fn list<F: FnOnce(&Loop, &ReadAnswer) + 'static>(&self, what: &List, then: F) -> Result<ReadId, String> {
        self.read(&raw_read(raw::BERTH_READ_LIST, what, ""), then)
    }
    /// Ends a read, whose function is dropped. False if it has run already.
    #[inline]
    pub fn cancel_read(&self, id: ReadId) -> bool {
        let cancel = need(self.reader, raw::BERTH_HOST_READER_DRAFT1).cancel.expect("berth_host_reader.cancel");
        unsafe { cancel(Host::raw(self), id.0) == raw::BERTH_STATUS_SUCCESS }
    }

    fn read<F: FnOnce(&Loop, &ReadAnswer) + 'static>(&self, what: &raw::berth_read, then: F) -> Result<ReadId, String> {
        uses_draft!("berth.host.reader/draft1");
        let read = need(self.reader, raw::BERTH_HOST_READER_DRAFT1).read.expect("berth_host_reader.read");
        let begun = Box::into_raw(Box::new(Begun { host: Host::raw(self), then }));
        let mut id = 0;
        let code = unsafe { read(Host::raw(self), what, Some(answered::<F>), begun as *mut c_void, &mut id) };
        if code == raw::BERTH_STATUS_SUCCESS {
            return Ok(ReadId(id));
        }
        drop_quietly(unsafe { Box::from_raw(begun) });
        let why = match code {
            raw::BERTH_STATUS_CANCELLED => "the instance is about to end; not read",
            raw::BERTH_STATUS_NO_MEMORY => "too many reads are pending",
            raw::BERTH_STATUS_INVALID => "the read is not valid",
            _ => "the read was not declared, or cannot be made here",
        };
        Err(format!("{why}: {} {}", unsafe { view(what.resource) }, unsafe { view(what.name) }))
    }
}
