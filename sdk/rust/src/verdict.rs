// SPDX-License-Identifier: Apache-2.0
//! What a plugin answers.

use crate::host::Host;
use crate::raw;
use crate::value::str_of;
use std::borrow::Cow;

enum Texts {
    None,
    One(Cow<'static, str>),
    Many(Vec<String>),
}

/// An answer: yes, or a code with reasons. A reason that is a literal costs nothing.
#[must_use]
pub struct Verdict {
    code: i32,
    texts: Texts,
}

impl Verdict {
    pub const fn ok() -> Self {
        Verdict { code: raw::BERTH_STATUS_SUCCESS, texts: Texts::None }
    }
    /// No, and evicting pods from the node might help.
    pub fn unschedulable(reason: impl Into<Cow<'static, str>>) -> Self {
        Verdict { code: raw::BERTH_STATUS_UNSCHEDULABLE, texts: Texts::One(reason.into()) }
    }
    /// No, and evicting pods would not help.
    pub fn unresolvable(reason: impl Into<Cow<'static, str>>) -> Self {
        Verdict { code: raw::BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE, texts: Texts::One(reason.into()) }
    }
    /// No, until somebody else has acted.
    pub fn pending(reason: impl Into<Cow<'static, str>>) -> Self {
        Verdict { code: raw::BERTH_STATUS_PENDING, texts: Texts::One(reason.into()) }
    }
    /// Something broke: the attempt fails and is tried again later.
    pub fn error(text: impl Into<Cow<'static, str>>) -> Self {
        Verdict { code: raw::BERTH_STATUS_ERROR, texts: Texts::One(text.into()) }
    }
    /// This plugin has nothing to say for this pod.
    pub const fn skip() -> Self {
        Verdict { code: raw::BERTH_STATUS_SKIP, texts: Texts::None }
    }
    /// PreBind: how a call ends that was cancelled; the host has the reason.
    pub const fn cancelled() -> Self {
        Verdict { code: raw::BERTH_STATUS_CANCELLED, texts: Texts::None }
    }
    /// The same answer with several reasons.
    pub fn with_reasons(self, reasons: Vec<String>) -> Self {
        Verdict { code: self.code, texts: Texts::Many(reasons) }
    }
    pub(crate) const fn of_code(code: i32) -> Self {
        Verdict { code, texts: Texts::None }
    }
    /// One of `raw::BERTH_STATUS_SUCCESS` and so on.
    pub fn code(&self) -> i32 {
        self.code
    }
    pub fn is_ok(&self) -> bool {
        self.code == raw::BERTH_STATUS_SUCCESS
    }
    /// The reasons, or an error's text.
    pub fn reasons(&self) -> Vec<&str> {
        match &self.texts {
            Texts::None => Vec::new(),
            Texts::One(text) => vec![text],
            Texts::Many(texts) => texts.iter().map(String::as_str).collect(),
        }
    }

    pub(crate) unsafe fn write(&self, host: &Host, status: *mut raw::berth_status) {
        (*status).code = self.code;
        let texts: Vec<raw::berth_str> = self.reasons().into_iter().map(str_of).collect();
        if texts.is_empty() {
            return;
        }
        if self.code == raw::BERTH_STATUS_ERROR {
            host.call().set_error.expect("berth_host_call.set_error")(host.raw(), status, texts[0]);
        } else {
            let set = host.call().set_reasons.expect("berth_host_call.set_reasons");
            set(host.raw(), status, texts.as_ptr(), texts.len() as u64);
        }
    }
}

/// Where Filter's batch form writes its verdicts; `i` is the index in the call's slots.
pub struct Verdicts<'a> {
    call: *const raw::berth_call,
    host: &'a Host,
    code: &'a mut [i32],
    reasons: &'a mut [u32],
    last: Option<(*const str, u32)>,
}

impl<'a> Verdicts<'a> {
    pub(crate) fn new(call: *const raw::berth_call, host: &'a Host, code: &'a mut [i32], reasons: &'a mut [u32]) -> Self {
        Verdicts { call, host, code, reasons, last: None }
    }
    pub fn set(&mut self, i: usize, verdict: Verdict) {
        self.code[i] = verdict.code;
        // The same literal again has the same id, so it need not be asked for.
        let literal = match &verdict.texts {
            Texts::One(Cow::Borrowed(text)) => Some(*text as *const str),
            _ => None,
        };
        if let (Some(at), Some((known, id))) = (literal, self.last) {
            if std::ptr::eq(at, known) {
                self.reasons[i] = id;
                return;
            }
        }
        let texts: Vec<raw::berth_str> = verdict.reasons().into_iter().map(str_of).collect();
        if texts.is_empty() {
            return;
        }
        let intern = self.host.call().intern_reasons.expect("berth_host_call.intern_reasons");
        self.reasons[i] = unsafe { intern(self.host.raw(), self.call, texts.as_ptr(), texts.len() as u64) };
        self.last = literal.map(|at| (at, self.reasons[i]));
    }
    /// Every slot that has no answer yet gets this one.
    pub(crate) fn set_rest(&mut self, text: &str) {
        for i in 0..self.code.len() {
            if self.code[i] == raw::BERTH_STATUS_NOT_EVALUATED {
                self.set(i, Verdict::error(text.to_string()));
            }
        }
    }
}

/// What Permit answers.
pub enum Permit {
    Now(Verdict),
    /// Hold the pod, so long at most; `Loop::allow` lets it go.
    Wait(std::time::Duration),
}

impl From<Verdict> for Permit {
    fn from(verdict: Verdict) -> Self {
        Permit::Now(verdict)
    }
}

/// What a hint answers for a pod that this plugin rejected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hint {
    /// This event does not help it.
    Skip,
    /// Try it again.
    Queue,
}
