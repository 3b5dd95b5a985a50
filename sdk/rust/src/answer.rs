// SPDX-License-Identifier: Apache-2.0
//! The API server's answer to a request or a read.

use crate::client::drop_quietly;
use crate::guard::guarded;
use crate::host::{Host, Loop};
use crate::raw;
use crate::value::{view, Value};
use std::os::raw::c_void;

/// What the API server answered; good until the function that was given it returns.
#[derive(Clone, Copy)]
pub struct ApiAnswer<'a> {
    code: i32,
    status: i32,
    text: &'a str,
    value: *const raw::berth_value,
}

impl<'a> ApiAnswer<'a> {
    /// None came.
    pub(crate) fn none(code: i32, text: &'a str) -> Self {
        ApiAnswer { code, status: 0, text, value: std::ptr::null() }
    }
    /// HTTP's; 0: no answer came, and the text says why.
    pub fn status(&self) -> i32 {
        self.status
    }
    /// It was done, or the object or list is there.
    pub fn ok(&self) -> bool {
        (200..300).contains(&self.status)
    }
    /// There is no such object.
    pub fn not_found(&self) -> bool {
        self.status == 404
    }
    /// The answer was longer than the host allows: ask for less.
    pub fn too_long(&self) -> bool {
        self.code == raw::BERTH_STATUS_LIMIT_EXCEEDED
    }
    /// The body; if not `ok`, a sentence for people.
    pub fn text(&self) -> &'a str {
        self.text
    }
    /// The object or list; of a refusal Kubernetes' Status. A null value after a binding, and where no JSON came.
    pub fn value(&self) -> Value<'a> {
        unsafe { Value::new(self.value) }
    }
    /// Why the API server refuses, in a word, as in "Conflict", "AlreadyExists", "Expired"; or "".
    pub fn reason(&self) -> &'a str {
        if self.ok() {
            return "";
        }
        self.value().get("reason").as_str().unwrap_or("")
    }
    /// The objects of a list.
    pub fn items(&self) -> impl Iterator<Item = Value<'a>> {
        self.value().get("items").items()
    }
    /// Leads to the next page of a list; "" after the last one. Of a refusal with the reason "Expired" it leads to the rest
    /// of the list as it is now, if there is one.
    pub fn continue_token(&self) -> &'a str {
        self.value().get("metadata").get("continue").as_str().unwrap_or("")
    }
}

/// What is under way, and the function that takes its answer.
pub(crate) struct Awaited<F> {
    pub(crate) host: *const raw::berth_host,
    pub(crate) then: F,
}

/// Calls the function of an `Awaited`, which `ctx` is in its box.
pub(crate) unsafe extern "C" fn answered<F: FnOnce(&Loop, &ApiAnswer)>(ctx: *mut c_void, answer: *const raw::berth_answer) {
    let awaited = Box::from_raw(ctx as *mut Awaited<F>);
    let answer = &*answer;
    if answer.code == raw::BERTH_STATUS_CANCELLED {
        return drop_quietly(awaited);
    }
    let host = Host::new(awaited.host);
    let then = awaited.then;
    let shown = ApiAnswer { code: answer.code, status: answer.http_status, text: view(answer.text), value: answer.value };
    if let Err(text) = guarded(|| then(&Loop::new(&host), &shown)) {
        host.error(&format!("the taker of an answer panicked: {text}"));
    }
}
