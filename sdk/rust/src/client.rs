// SPDX-License-Identifier: Apache-2.0
//! Requests to the API server.

use crate::answer::{answered, ApiAnswer, Awaited};
use crate::guard::guarded;
use crate::host::{need, Host, Loop};
use crate::raw;
use crate::value::str_of;
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

impl Loop<'_> {
    /// Sends a request that is among the plugin's `writes` (see [`plugins!`](crate::plugins)). `then` gets the answer's HTTP status
    /// and its text, which is the API's message of a request that failed. If none came, and at once if the request was not
    /// declared or cannot be sent here, the status is 0 and the text says why. It runs on the loop; it is dropped without having
    /// run if the instance ends before.
    pub fn send<F: FnOnce(&Loop, i32, &str) + 'static>(&self, request: &Request, then: F) {
        self.send_for_answer(request, move |on_loop, answer| then(on_loop, answer.status(), answer.text()))
    }
    /// The same with all of the answer, such as the reason of a refusal.
    pub fn send_for_answer<F: FnOnce(&Loop, &ApiAnswer) + 'static>(&self, request: &Request, then: F) {
        let send = need(self.client, raw::BERTH_HOST_CLIENT_V1).send.expect("berth_host_client.send");
        let sent = Box::into_raw(Box::new(Awaited { host: Host::raw(self), then }));
        let code = unsafe { send(Host::raw(self), &request.raw(), Some(answered::<F>), sent as *mut c_void) };
        if code == raw::BERTH_STATUS_SUCCESS {
            return;
        }
        let sent = unsafe { Box::from_raw(sent) };
        if code == raw::BERTH_STATUS_CANCELLED {
            return drop_quietly(sent);
        }
        let text = format!("the request was not declared, or cannot be sent here: {}", request.resource);
        (sent.then)(self, &ApiAnswer::none(code, &text));
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
