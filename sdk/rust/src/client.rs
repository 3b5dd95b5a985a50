// SPDX-License-Identifier: Apache-2.0
//! Requests to the API server.

use crate::guard::guarded;
use crate::host::{need, Host, Loop};
use crate::raw;
use crate::value::{str_of, view};
use std::os::raw::c_void;

/// A request to the API server; the default creates something of version v1.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// `raw::BERTH_VERB_…`
    pub verb: u32,
    /// "" for the core group.
    pub group: &'a str,
    pub version: &'a str,
    /// Plural, as in "pods".
    pub resource: &'a str,
    pub namespace: &'a str,
    pub name: &'a str,
    /// As in "binding", or empty.
    pub subresource: &'a str,
    /// Of a patch; empty otherwise.
    pub content_type: &'a str,
    /// JSON; see [`json_quote`].
    pub body: &'a str,
}

impl Default for Request<'_> {
    fn default() -> Self {
        let verb = raw::BERTH_VERB_CREATE;
        let (group, version, resource, namespace, name) = ("", "v1", "", "", "");
        Request { verb, group, version, resource, namespace, name, subresource: "", content_type: "", body: "" }
    }
}

impl Request<'_> {
    fn raw(&self) -> raw::berth_request {
        raw::berth_request {
            struct_size: std::mem::size_of::<raw::berth_request>() as u32,
            flags: 0,
            verb: self.verb,
            reserved: 0,
            group: str_of(self.group),
            version: str_of(self.version),
            resource: str_of(self.resource),
            namespace_: str_of(self.namespace),
            name: str_of(self.name),
            subresource: str_of(self.subresource),
            content_type: str_of(self.content_type),
            body: str_of(self.body),
        }
    }
}

/// Ends what is not called any more.
pub(crate) fn drop_quietly<T>(what: T) {
    let _ = guarded(|| drop(what));
}

/// A request under way, and the function that takes its answer.
struct Sent<F> {
    host: *const raw::berth_host,
    then: F,
}

unsafe extern "C" fn answered<F: FnOnce(&Loop, i32, &str)>(ctx: *mut c_void, code: i32, status: i32, text: raw::berth_str) {
    let sent = Box::from_raw(ctx as *mut Sent<F>);
    if code == raw::BERTH_STATUS_CANCELLED {
        return drop_quietly(sent);
    }
    let host = Host::new(sent.host);
    let then = sent.then;
    if let Err(text) = guarded(|| then(&Loop::new(&host), status, view(text))) {
        host.error(&format!("the taker of an answer panicked: {text}"));
    }
}

impl Loop<'_> {
    /// Sends a request that is among the plugin's `writes` (see [`plugins!`](crate::plugins)). `then` gets the answer's HTTP status
    /// and its text, which is the API's message of a request that failed. If none came, and at once if the request was not
    /// declared, the status is 0 and the text says why. It runs on the loop; it is dropped without having run if the instance
    /// ends before.
    pub fn send<F: FnOnce(&Loop, i32, &str) + 'static>(&self, request: &Request, then: F) {
        let send = need(self.client, raw::BERTH_HOST_CLIENT_V1).send.expect("berth_host_client.send");
        let sent = Box::into_raw(Box::new(Sent { host: Host::raw(self), then }));
        let code = unsafe { send(Host::raw(self), &request.raw(), Some(answered::<F>), sent as *mut c_void) };
        if code == raw::BERTH_STATUS_SUCCESS {
            return;
        }
        let sent = unsafe { Box::from_raw(sent) };
        if code == raw::BERTH_STATUS_CANCELLED {
            return drop_quietly(sent);
        }
        (sent.then)(self, 0, &format!("the request was not declared: {}", request.resource));
    }
}

/// The text as JSON has it, in its quotes.
pub fn json_quote(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c < ' ' => out += &format!("\\u{:04x}", c as u32),
            c => out.push(c),
        }
    }
    out + "\""
}
