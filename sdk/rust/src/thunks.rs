// SPDX-License-Identifier: Apache-2.0
//! The C functions behind the traits: no panic leaves them. Not for plugin authors.

use crate::call::{Answer, AnswerKind, Call, Later, LoopCall, Restrict, State};
use crate::guard::guarded;
use crate::host::{Host, Setup};
use crate::library::Described;
use crate::outcome::{Nomination, Outcome};
use crate::points::*;
use crate::raw;
use crate::rights;
use crate::value::{lent, view, Args, Value};
use crate::verdict::{Hint, Permit, Verdict, Verdicts};
use crate::view::{Nodes, Pod};
use crate::watches::Declare;
use std::os::raw::c_void;

/// What `self` points to. The plugin is dropped first: what it holds may use the host until then.
struct Instance<T> {
    plugin: T,
    host: Host,
}

unsafe fn instance<'a, T>(self_: *mut c_void) -> &'a Instance<T> {
    &*(self_ as *const Instance<T>)
}

unsafe fn answer(host: &Host, status: *mut raw::berth_status, work: impl FnOnce() -> Verdict) {
    guarded(work).unwrap_or_else(Verdict::error).write(host, status)
}

pub unsafe extern "C" fn create<T: Plugin>(
    host: *const raw::berth_host, info: *const raw::berth_create_info, self_: *mut *mut c_void, status: *mut raw::berth_status,
) {
    let reporter = Host::new(host);
    answer(&reporter, status, || {
        let host = Host::new(host);
        let args = Args(Value::new((*info).args_value));
        match T::new(&Setup::new(&host, &*info), args) {
            Ok(plugin) => {
                *self_ = Box::into_raw(Box::new(Instance { host, plugin })) as *mut c_void;
                Verdict::ok()
            }
            Err(text) => Verdict::error(text),
        }
    })
}

pub unsafe extern "C" fn declare<T: Described + Plugin>(
    self_: *mut c_void, sink: *mut raw::berth_declare_sink, status: *mut raw::berth_status,
) {
    let it = instance::<T>(self_);
    rights::declare(T::WRITES, T::READS, &it.host, sink);
    answer(&it.host, status, || {
        it.plugin.declare(&Declare { raw: sink, host: &it.host });
        Verdict::ok()
    })
}

pub unsafe extern "C" fn destroy<T: Plugin>(self_: *mut c_void) {
    // No caller is left to report a panic to.
    let _ = guarded(|| drop(Box::from_raw(self_ as *mut Instance<T>)));
}

pub unsafe extern "C" fn pre_enqueue<T: PreEnqueue>(
    self_: *mut c_void, call: *const raw::berth_call, pod: *const raw::berth_pod, status: *mut raw::berth_status,
) {
    let it = instance::<T>(self_);
    answer(&it.host, status, || it.plugin.pre_enqueue(&LoopCall::new(call, &it.host), Pod::new(pod, &it.host)))
}

pub unsafe extern "C" fn less<T: QueueSort>(self_: *mut c_void, a: *const raw::berth_pod, b: *const raw::berth_pod) -> i32 {
    let it = instance::<T>(self_);
    match guarded(|| it.plugin.less(Pod::new(a, &it.host), Pod::new(b, &it.host))) {
        Ok(before) => i32::from(before),
        Err(text) => {
            it.host.error(&format!("less panicked: {text}"));
            -1
        }
    }
}

pub unsafe extern "C" fn events<T: Events>(self_: *mut c_void, sink: *mut raw::berth_event_sink, status: *mut raw::berth_status) {
    let it = instance::<T>(self_);
    answer(&it.host, status, || {
        it.plugin.events(&EventSink { raw: sink, host: &it.host });
        Verdict::ok()
    })
}

pub unsafe extern "C" fn hint<T: Events>(
    self_: *mut c_void, call: *const raw::berth_call, event: *const raw::berth_event, pods: *const *const raw::berth_pod, n: u64,
    out: *mut u8,
) {
    let it = instance::<T>(self_);
    for i in 0..n as usize {
        let event = Event { raw: &*event, host: &it.host };
        let pod = Pod::new(*pods.add(i), &it.host);
        *out.add(i) = match guarded(|| it.plugin.hint(&LoopCall::new(call, &it.host), event, pod)) {
            Ok(Hint::Skip) => raw::BERTH_HINT_SKIP as u8,
            Ok(Hint::Queue) => raw::BERTH_HINT_QUEUE as u8,
            Err(text) => {
                it.host.error(&format!("hint panicked: {text}"));
                raw::BERTH_HINT_ERROR as u8
            }
        }
    }
}

pub unsafe extern "C" fn pre_filter<T: PreFilter>(
    self_: *mut c_void, call: *const raw::berth_call, state: *mut raw::berth_state, pod: *const raw::berth_pod,
    nodes: *const raw::berth_nodes, restrict: *mut raw::berth_restrict, status: *mut raw::berth_status,
) {
    let it = instance::<T>(self_);
    let h = &it.host;
    answer(h, status, || {
        let only = Restrict { raw: restrict, host: h };
        it.plugin.pre_filter(&LoopCall::new(call, h), &mut State::new(state, h), Pod::new(pod, h), Nodes::new(nodes, h), &only)
    })
}

macro_rules! pre_filter_ext {
    ($name:ident) => {
        pub unsafe extern "C" fn $name<T: PreFilterExt>(
            self_: *mut c_void, call: *const raw::berth_call, state: *mut raw::berth_state, pod: *const raw::berth_pod,
            other: *const raw::berth_pod, nodes: *const raw::berth_nodes, slot: u32, status: *mut raw::berth_status,
        ) {
            let it = instance::<T>(self_);
            let h = &it.host;
            answer(h, status, || {
                let node = Nodes::new(nodes, h).node(slot);
                it.plugin.$name(&Call::new(call, h), &mut State::new(state, h), Pod::new(pod, h), Pod::new(other, h), node)
            })
        }
    };
}
pre_filter_ext!(add_pod);
pre_filter_ext!(remove_pod);

pub unsafe extern "C" fn filter<T: Filter>(
    self_: *mut c_void, call: *const raw::berth_call, state: *mut raw::berth_state, pod: *const raw::berth_pod,
    nodes: *const raw::berth_nodes, slots: *const u32, n: u64, code: *mut i32, reasons: *mut u32,
) {
    let it = instance::<T>(self_);
    let h = &it.host;
    if n == 0 {
        return;
    }
    let code = std::slice::from_raw_parts_mut(code, n as usize);
    let reasons = std::slice::from_raw_parts_mut(reasons, n as usize);
    let mut out = Verdicts::new(call, h, code, reasons);
    let panicked = guarded(|| {
        let state = State::new(state, h);
        it.plugin.filter_batch(&Call::new(call, h), &state, Pod::new(pod, h), Nodes::new(nodes, h), lent(slots, n), &mut out)
    });
    if let Err(text) = panicked {
        out.set_rest(&text);
    }
}

pub unsafe extern "C" fn pre_score<T: PreScore>(
    self_: *mut c_void, call: *const raw::berth_call, state: *mut raw::berth_state, pod: *const raw::berth_pod,
    nodes: *const raw::berth_nodes, slots: *const u32, n: u64, status: *mut raw::berth_status,
) {
    let it = instance::<T>(self_);
    let h = &it.host;
    answer(h, status, || {
        let mut state = State::new(state, h);
        it.plugin.pre_score(&LoopCall::new(call, h), &mut state, Pod::new(pod, h), Nodes::new(nodes, h), lent(slots, n))
    })
}

pub unsafe extern "C" fn score<T: Score>(
    self_: *mut c_void, call: *const raw::berth_call, state: *mut raw::berth_state, pod: *const raw::berth_pod,
    nodes: *const raw::berth_nodes, slots: *const u32, n: u64, out: *mut i64, status: *mut raw::berth_status,
) {
    let it = instance::<T>(self_);
    let h = &it.host;
    if n == 0 {
        return;
    }
    let out = std::slice::from_raw_parts_mut(out, n as usize);
    answer(h, status, || {
        let state = State::new(state, h);
        it.plugin.score_batch(&Call::new(call, h), &state, Pod::new(pod, h), Nodes::new(nodes, h), lent(slots, n), out)
    })
}

pub unsafe extern "C" fn normalize<T: Normalize>(
    self_: *mut c_void, call: *const raw::berth_call, state: *mut raw::berth_state, pod: *const raw::berth_pod,
    nodes: *const raw::berth_nodes, slots: *const u32, n: u64, inout: *mut i64, status: *mut raw::berth_status,
) {
    let it = instance::<T>(self_);
    let h = &it.host;
    if n == 0 {
        return;
    }
    let scores = std::slice::from_raw_parts_mut(inout, n as usize);
    answer(h, status, || {
        let mut state = State::new(state, h);
        let (pod, nodes) = (Pod::new(pod, h), Nodes::new(nodes, h));
        it.plugin.normalize(&LoopCall::new(call, h), &mut state, pod, nodes, lent(slots, n), scores)
    })
}

pub unsafe extern "C" fn reserve<T: Reserve>(
    self_: *mut c_void, call: *const raw::berth_call, state: *mut raw::berth_state, pod: *const raw::berth_pod,
    nodes: *const raw::berth_nodes, slot: u32, _node_name: raw::berth_str, status: *mut raw::berth_status,
) {
    let it = instance::<T>(self_);
    let h = &it.host;
    answer(h, status, || {
        let node = Nodes::new(nodes, h).node(slot);
        it.plugin.reserve(&LoopCall::new(call, h), &mut State::new(state, h), Pod::new(pod, h), node)
    })
}

pub unsafe extern "C" fn unreserve<T: Reserve>(
    self_: *mut c_void, call: *const raw::berth_call, state: *mut raw::berth_state, pod: *const raw::berth_pod,
    node_name: raw::berth_str,
) {
    let it = instance::<T>(self_);
    let h = &it.host;
    let undone = guarded(|| {
        let mut state = State::new(state, h);
        it.plugin.unreserve(&LoopCall::new(call, h), &mut state, Pod::new(pod, h), view(node_name))
    });
    if let Err(text) = undone {
        h.error(&format!("unreserve panicked: {text}"));
    }
}

pub unsafe extern "C" fn permit<T: PermitPoint>(
    self_: *mut c_void, call: *const raw::berth_call, state: *mut raw::berth_state, pod: *const raw::berth_pod,
    nodes: *const raw::berth_nodes, slot: u32, _node_name: raw::berth_str, timeout_ns: *mut i64, status: *mut raw::berth_status,
) {
    let it = instance::<T>(self_);
    let h = &it.host;
    answer(h, status, || {
        let node = Nodes::new(nodes, h).node(slot);
        match it.plugin.permit(&LoopCall::new(call, h), &mut State::new(state, h), Pod::new(pod, h), node) {
            Permit::Now(verdict) => verdict,
            Permit::Wait(time) => {
                *timeout_ns = i64::try_from(time.as_nanos()).unwrap_or(i64::MAX);
                Verdict::of_code(raw::BERTH_STATUS_WAIT)
            }
        }
    })
}

/// An answer that may come later, by `done`.
unsafe fn answer_now_or_later(host: &Host, status: *mut raw::berth_status, done: *const raw::berth_done, work: impl FnOnce(Later) -> Answer) {
    let started = std::cell::Cell::new(false);
    let said = guarded(|| work(Later { raw: done, host, started: &started }).0);
    // Once begun, the end is the Done's: it has come, or comes when the Done is dropped.
    if started.get() {
        (*status).code = raw::BERTH_STATUS_IN_PROGRESS;
        return;
    }
    answer(host, status, || match said {
        Ok(AnswerKind::Now(verdict)) => verdict,
        Ok(AnswerKind::Later) => Verdict::error("the answer of another call"),
        Err(text) => Verdict::error(text),
    })
}

macro_rules! binds {
    ($name:ident, $trait:ident) => {
        pub unsafe extern "C" fn $name<T: $trait>(
            self_: *mut c_void, call: *const raw::berth_call, state: *mut raw::berth_state, pod: *const raw::berth_pod,
            node_name: raw::berth_str, status: *mut raw::berth_status, done: *const raw::berth_done,
        ) {
            let it = instance::<T>(self_);
            let h = &it.host;
            answer_now_or_later(h, status, done, |later| {
                let mut state = State::new(state, h);
                it.plugin.$name(&LoopCall::new(call, h), &mut state, Pod::new(pod, h), view(node_name), later)
            })
        }
    };
}
binds!(pre_bind, PreBind);
binds!(bind, Bind);

pub unsafe extern "C" fn post_filter<T: PostFilter>(
    self_: *mut c_void, call: *const raw::berth_call, state: *mut raw::berth_state, pod: *const raw::berth_pod,
    nodes: *const raw::berth_nodes, outcome: *const raw::berth_outcome, nomination: *mut raw::berth_nomination,
    status: *mut raw::berth_status, done: *const raw::berth_done,
) {
    let it = instance::<T>(self_);
    let h = &it.host;
    answer_now_or_later(h, status, done, |later| {
        let (mut state, nodes) = (State::new(state, h), Nodes::new(nodes, h));
        let outcome = Outcome { raw: &*outcome, slots: nodes.slots(), host: h };
        let nomination = Nomination { raw: nomination, host: h };
        it.plugin.post_filter(&LoopCall::new(call, h), &mut state, Pod::new(pod, h), nodes, outcome, &nomination, later)
    })
}

pub unsafe extern "C" fn post_bind<T: PostBind>(
    self_: *mut c_void, call: *const raw::berth_call, state: *mut raw::berth_state, pod: *const raw::berth_pod,
    node_name: raw::berth_str,
) {
    let it = instance::<T>(self_);
    let h = &it.host;
    let result = guarded(|| {
        let mut state = State::new(state, h);
        it.plugin.post_bind(&LoopCall::new(call, h), &mut state, Pod::new(pod, h), view(node_name))
    });
    if let Err(text) = result {
        h.error(&format!("post_bind panicked: {text}"));
    }
}
