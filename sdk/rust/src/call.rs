// SPDX-License-Identifier: Apache-2.0
//! The call a plugin is in, the pod's CycleState, and answers that come later.

use crate::host::{need, Host, Loop, StateKey};
use crate::raw;
use crate::uses::uses_draft;
use crate::value::str_of;
use crate::verdict::Verdict;
use std::ops::Deref;
use std::os::raw::c_void;
use std::sync::atomic::{AtomicU32, Ordering};

/// The call a plugin is in.
pub struct Call<'a> {
    raw: *const raw::berth_call,
    host: &'a Host,
}

impl<'a> Call<'a> {
    pub(crate) unsafe fn new(raw: *const raw::berth_call, host: &'a Host) -> Self {
        Call { raw, host }
    }
    pub fn host(&self) -> &'a Host {
        self.host
    }
    /// True once the answer is no longer needed; the short forms look by themselves.
    pub fn cancelled(&self) -> bool {
        let flag = unsafe { (*self.raw).cancel as *const AtomicU32 };
        !flag.is_null() && unsafe { (*flag).load(Ordering::Relaxed) != 0 }
    }
    /// The scheduling attempt's number.
    pub fn cycle_id(&self) -> u64 {
        unsafe { (*self.raw).cycle_id }
    }
    /// 64 random bits: the same for the same seed, attempt, slot and salt.
    pub fn random(&self, slot: u32, salt: u64) -> u64 {
        let value = need(self.host.random, raw::BERTH_HOST_RANDOM_V1).value.expect("berth_host_random.value");
        unsafe { value(self.host.raw(), self.raw, slot, salt) }
    }
}

/// A call on the loop.
pub struct LoopCall<'a> {
    call: Call<'a>,
    on_loop: Loop<'a>,
}

impl<'a> LoopCall<'a> {
    pub(crate) unsafe fn new(raw: *const raw::berth_call, host: &'a Host) -> Self {
        LoopCall { call: Call::new(raw, host), on_loop: Loop::new(host) }
    }
    pub fn on_loop(&self) -> &Loop<'a> {
        &self.on_loop
    }
    /// Calls `then` on the loop, in a turn of its own, once the call, which is to be answered by `Done`, is cancelled. It is dropped
    /// without having run if the call ends before, and if this returns false: the host does not offer that, which is a draft, or
    /// the call cannot be answered later.
    pub fn after_cancellation(&self, then: impl FnOnce(&Loop) + 'static) -> bool {
        uses_draft!("berth.host.cancellation/draft1");
        let cancellation = match self.host.cancellation {
            Some(table) => table,
            None => return false,
        };
        let after = cancellation.after.expect("berth_host_cancellation.after");
        let (come, ctx) = crate::host::on_loop(self.host.raw(), then);
        if unsafe { after(self.host.raw(), self.raw, Some(come), ctx) } == raw::BERTH_STATUS_SUCCESS {
            return true;
        }
        unsafe { come(ctx, raw::BERTH_STATUS_CANCELLED) }
        false
    }
}

impl<'a> Deref for LoopCall<'a> {
    type Target = Call<'a>;
    fn deref(&self) -> &Call<'a> {
        &self.call
    }
}

unsafe extern "C" fn copy<T: Clone>(_: *const raw::berth_plugin_state_type, data: *const c_void) -> *mut c_void {
    // A panic in `clone` must not cross; a state without the datum is what is left.
    let made = crate::guard::guarded(|| Box::into_raw(Box::new((*(data as *const T)).clone())) as *mut c_void);
    made.unwrap_or(std::ptr::null_mut())
}
unsafe extern "C" fn free<T>(_: *const raw::berth_plugin_state_type, data: *mut c_void) {
    if !data.is_null() {
        let _ = crate::guard::guarded(|| drop(Box::from_raw(data as *mut T)));
    }
}
struct Kind<T>(std::marker::PhantomData<T>);
impl<T: Clone> Kind<T> {
    const TYPE: &'static raw::berth_plugin_state_type = &raw::berth_plugin_state_type {
        struct_size: std::mem::size_of::<raw::berth_plugin_state_type>() as u32,
        flags: 0,
        clone: Some(copy::<T>),
        destroy: Some(free::<T>),
    };
}

/// The pod's CycleState.
pub struct State<'a> {
    raw: *mut raw::berth_state,
    host: &'a Host,
}

impl<'a> State<'a> {
    pub(crate) unsafe fn new(raw: *mut raw::berth_state, host: &'a Host) -> Self {
        State { raw, host }
    }
    fn find<T>(&self, key: StateKey<T>) -> *mut T {
        let get = need(self.host.state, raw::BERTH_HOST_STATE_V1).get.expect("berth_host_state.get");
        unsafe { get(self.host.raw(), self.raw, key.id) as *mut T }
    }
    pub fn get<T>(&self, key: StateKey<T>) -> Option<&T> {
        unsafe { self.find(key).as_ref() }
    }
    pub fn get_mut<T>(&mut self, key: StateKey<T>) -> Option<&mut T> {
        unsafe { self.find(key).as_mut() }
    }
    /// Keeps a datum with the pod until it is bound or its reservation undone; the host copies it when it tries what would be.
    pub fn put<T: Clone + Send + Sync + 'static>(&mut self, _: &LoopCall, key: StateKey<T>, value: T) {
        let put = need(self.host.state, raw::BERTH_HOST_STATE_V1).put.expect("berth_host_state.put");
        let data = Box::into_raw(Box::new(value));
        let code = unsafe { put(self.host.raw(), self.raw, key.id, data as *mut c_void, Kind::<T>::TYPE) };
        if code != raw::BERTH_STATUS_SUCCESS {
            drop(unsafe { Box::from_raw(data) });
            panic!("the host does not keep a datum under key {}", key.id);
        }
    }
}

/// Narrows the nodes in PreFilter. Either function, called even with nothing, narrows; calls add up.
pub struct Restrict<'a> {
    pub(crate) raw: *mut raw::berth_restrict,
    pub(crate) host: &'a Host,
}

impl Restrict<'_> {
    pub fn slots(&self, slots: &[u32]) {
        let f = self.host.call().restrict_slots.expect("berth_host_call.restrict_slots");
        unsafe { f(self.host.raw(), self.raw, slots.as_ptr(), slots.len() as u64) }
    }
    /// For names that are in no snapshot: the message for the user differs.
    pub fn names(&self, names: &[&str]) {
        let f = self.host.call().restrict_names.expect("berth_host_call.restrict_names");
        let texts: Vec<raw::berth_str> = names.iter().map(|name| str_of(name)).collect();
        unsafe { f(self.host.raw(), self.raw, texts.as_ptr(), texts.len() as u64) }
    }
}

/// What PostFilter, PreBind and Bind answer: a verdict, or what `Later::start` gave it.
pub struct Answer(pub(crate) AnswerKind);
pub(crate) enum AnswerKind {
    Now(Verdict),
    Later,
}

impl From<Verdict> for Answer {
    fn from(verdict: Verdict) -> Self {
        Answer(AnswerKind::Now(verdict))
    }
}

/// The right to answer later.
pub struct Later<'a> {
    pub(crate) raw: *const raw::berth_done,
    pub(crate) host: &'a Host,
    pub(crate) started: &'a std::cell::Cell<bool>,
}

impl Later<'_> {
    /// From now on the answer is whatever `Done` is given; the method returns the `Answer`.
    pub fn start(self) -> (Done, Answer) {
        self.started.set(true);
        // The instance, and its Host with it, outlives every call.
        (Done { raw: Some(self.raw), host: self.host }, Answer(AnswerKind::Later))
    }
}

/// Ends a call that is answered later, from any thread. Dropped without an answer it ends with an error. The plugin may hold it
/// until it is dropped itself.
pub struct Done {
    raw: Option<*const raw::berth_done>,
    host: *const Host,
}

unsafe impl Send for Done {}

impl Done {
    pub fn complete(mut self, verdict: Verdict) {
        self.end(verdict)
    }
    fn end(&mut self, verdict: Verdict) {
        if let Some(done) = self.raw.take() {
            unsafe {
                let host = &*self.host;
                verdict.write(host, (*done).status);
                host.call().complete.expect("berth_host_call.complete")(host.raw(), done, (*done).status);
            }
        }
    }
}

impl Drop for Done {
    fn drop(&mut self) {
        self.end(Verdict::error("the plugin dropped its Done without an answer"))
    }
}
