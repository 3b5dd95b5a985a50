// SPDX-License-Identifier: Apache-2.0
//! The host's services.

use crate::guard::guarded;
use crate::raw;
use crate::uses::uses_draft;
use crate::value::{str_of, view, Value};
use std::marker::PhantomData;
use std::ops::Deref;
use std::os::raw::c_void;
use std::time::Duration;

/// The services of this layer, as they stand in a library's description.
pub(crate) const SERVICES: [raw::berth_str; 17] = [
    str_of(raw::BERTH_HOST_LOG_V1),
    str_of(raw::BERTH_HOST_OBJECT_V1),
    str_of(raw::BERTH_HOST_STATE_V1),
    str_of(raw::BERTH_HOST_COLUMNS_V1),
    str_of(raw::BERTH_HOST_RANDOM_V1),
    str_of(raw::BERTH_HOST_CLOCK_V1),
    str_of(raw::BERTH_HOST_CLIENT_V1),
    str_of(raw::BERTH_HOST_WAITING_PODS_V1),
    str_of(raw::BERTH_HOST_CANCELLATION_DRAFT1),
    str_of(raw::BERTH_HOST_VICTIMS_DRAFT1),
    str_of(raw::BERTH_HOST_KUBERNETES_DRAFT1),
    str_of(raw::BERTH_HOST_LOG_FIELDS_DRAFT1),
    str_of(raw::BERTH_HOST_METRICS_DRAFT1),
    str_of(raw::BERTH_HOST_PENDING_PODS_DRAFT1),
    str_of(raw::BERTH_HOST_READER_DRAFT1),
    str_of(raw::BERTH_HOST_CLUSTER_V1),
    str_of(raw::BERTH_HOST_SELECTIVE_WATCHES_DRAFT1),
];

/// What any thread may ask of the host.
pub struct Host {
    raw: *const raw::berth_host,
    call: Option<&'static raw::berth_host_call>,
    nodes: Option<&'static raw::berth_host_nodes>,
    sinks: Option<&'static raw::berth_host_sinks>,
    log: Option<&'static raw::berth_host_log>,
    object: Option<&'static raw::berth_host_object>,
    pub(crate) state: Option<&'static raw::berth_host_state>,
    columns: Option<&'static raw::berth_host_columns>,
    pub(crate) random: Option<&'static raw::berth_host_random>,
    clock: Option<&'static raw::berth_host_clock>,
    pub(crate) client: Option<&'static raw::berth_host_client>,
    waiting: Option<&'static raw::berth_host_waiting_pods>,
    pub(crate) cancellation: Option<&'static raw::berth_host_cancellation>,
    pub(crate) victims: Option<&'static raw::berth_host_victims>,
    kubernetes: Option<&'static raw::berth_host_kubernetes>,
    pub(crate) log_fields: Option<&'static raw::berth_host_log_fields>,
    pub(crate) metrics: Option<&'static raw::berth_host_metrics>,
    pub(crate) pending_pods: Option<&'static raw::berth_host_pending_pods>,
    pub(crate) reader: Option<&'static raw::berth_host_reader>,
    pub(crate) cluster: Option<&'static raw::berth_host_cluster>,
    pub(crate) selective_watches: Option<&'static raw::berth_host_selective_watches>,
}

// The tables are static, and only functions for any thread are reached through a `&Host`.
unsafe impl Send for Host {}
unsafe impl Sync for Host {}

unsafe fn service<T>(host: *const raw::berth_host, id: &'static str) -> Option<&'static T> {
    (((*host).get_service?)(host, str_of(id)) as *const T).as_ref()
}

/// A service, or a panic that says what this host lacks; it becomes the error of the call.
pub(crate) fn need<T>(table: Option<T>, id: &str) -> T {
    table.unwrap_or_else(|| panic!("this host has no {id}"))
}

impl Host {
    pub(crate) unsafe fn new(raw: *const raw::berth_host) -> Self {
        Host {
            raw,
            call: service(raw, raw::BERTH_HOST_CALL_V1),
            nodes: service(raw, raw::BERTH_HOST_NODES_V1),
            sinks: service(raw, raw::BERTH_HOST_SINKS_V1),
            log: service(raw, raw::BERTH_HOST_LOG_V1),
            object: service(raw, raw::BERTH_HOST_OBJECT_V1),
            state: service(raw, raw::BERTH_HOST_STATE_V1),
            columns: service(raw, raw::BERTH_HOST_COLUMNS_V1),
            random: service(raw, raw::BERTH_HOST_RANDOM_V1),
            clock: service(raw, raw::BERTH_HOST_CLOCK_V1),
            client: service(raw, raw::BERTH_HOST_CLIENT_V1),
            waiting: service(raw, raw::BERTH_HOST_WAITING_PODS_V1),
            cancellation: service(raw, raw::BERTH_HOST_CANCELLATION_DRAFT1),
            victims: service(raw, raw::BERTH_HOST_VICTIMS_DRAFT1),
            kubernetes: service(raw, raw::BERTH_HOST_KUBERNETES_DRAFT1),
            log_fields: service(raw, raw::BERTH_HOST_LOG_FIELDS_DRAFT1),
            metrics: service(raw, raw::BERTH_HOST_METRICS_DRAFT1),
            pending_pods: service(raw, raw::BERTH_HOST_PENDING_PODS_DRAFT1),
            reader: service(raw, raw::BERTH_HOST_READER_DRAFT1),
            cluster: service(raw, raw::BERTH_HOST_CLUSTER_V1),
            selective_watches: service(raw, raw::BERTH_HOST_SELECTIVE_WATCHES_DRAFT1),
        }
    }
    // Every host has these.
    pub(crate) fn call(&self) -> &'static raw::berth_host_call {
        need(self.call, raw::BERTH_HOST_CALL_V1)
    }
    pub(crate) fn nodes(&self) -> &'static raw::berth_host_nodes {
        need(self.nodes, raw::BERTH_HOST_NODES_V1)
    }
    pub(crate) fn sinks(&self) -> &'static raw::berth_host_sinks {
        need(self.sinks, raw::BERTH_HOST_SINKS_V1)
    }
    /// For what this layer does not have.
    pub fn raw(&self) -> *const raw::berth_host {
        self.raw
    }
    /// Would a line of this verbosity (`-v`) be written?
    pub fn logs(&self, verbosity: u32) -> bool {
        let enabled = self.log.and_then(|t| t.enabled);
        enabled.map_or(false, |f| unsafe { f(self.raw, raw::BERTH_LOG_INFO, verbosity) != 0 })
    }
    pub(crate) fn write(&self, severity: u32, verbosity: u32, text: &str) {
        if let Some(f) = self.log.and_then(|t| t.write) {
            unsafe { f(self.raw, severity, verbosity, str_of(text)) }
        }
    }
    pub fn info(&self, verbosity: u32, text: &str) {
        self.write(raw::BERTH_LOG_INFO, verbosity, text)
    }
    pub fn warning(&self, text: &str) {
        self.write(raw::BERTH_LOG_WARNING, 0, text)
    }
    pub fn error(&self, text: &str) {
        self.write(raw::BERTH_LOG_ERROR, 0, text)
    }
    /// The release of Kubernetes whose decisions are made: 37 of 1.37. A host that does not offer this, which is a draft,
    /// decides as 1.36.
    #[inline]
    pub fn kubernetes(&self) -> u32 {
        uses_draft!("berth.host.kubernetes/draft1");
        let minor = self.kubernetes.and_then(|t| t.minor);
        minor.map_or(36, |f| unsafe { f(self.raw) })
    }
    /// Whether that feature gate is on; `None` if the release has none of that name, or the host does not say.
    #[inline]
    pub fn gate(&self, name: &str) -> Option<bool> {
        uses_draft!("berth.host.kubernetes/draft1");
        let gate = self.kubernetes.and_then(|t| t.gate)?;
        let on = unsafe { gate(self.raw, str_of(name)) };
        (on >= 0).then_some(on != 0)
    }
    /// Nanoseconds since the epoch; virtual in simulation.
    pub fn now(&self) -> i64 {
        let clock = need(self.clock, raw::BERTH_HOST_CLOCK_V1);
        unsafe { clock.now.expect("berth_host_clock.now")(self.raw) }
    }
    /// Calls `then` on the loop once `time` has passed. What it wants of the plugin it shares with it (`Arc`). It is dropped
    /// without having run if it is cancelled or the instance ends before.
    pub fn after(&self, time: Duration, then: impl FnOnce(&Loop) + Send + 'static) -> TimerId {
        let clock = need(self.clock, raw::BERTH_HOST_CLOCK_V1);
        let after = clock.after.expect("berth_host_clock.after");
        let (come, ctx) = on_loop(self.raw, then);
        let timer = unsafe { after(self.raw, i64::try_from(time.as_nanos()).unwrap_or(i64::MAX), Some(come), ctx) };
        if timer == 0 {
            unsafe { come(ctx, raw::BERTH_STATUS_CANCELLED) }
        }
        TimerId(timer)
    }
    /// A field of an object by JSON pointer; a null value if there is none.
    pub(crate) unsafe fn field<'a>(&self, object: *const raw::berth_object, pointer: &str) -> Value<'a> {
        let get = need(self.object, raw::BERTH_HOST_OBJECT_V1).get.expect("berth_host_object.get");
        Value::new(get(self.raw, object, str_of(pointer)))
    }
}

type Come = unsafe extern "C" fn(*mut c_void, i32);

/// `then` as services take what they call on the loop, once: it runs with SUCCESS, and is dropped with any other code.
pub(crate) fn on_loop<F: FnOnce(&Loop) + 'static>(host: *const raw::berth_host, then: F) -> (Come, *mut c_void) {
    struct Held<F> {
        host: *const raw::berth_host,
        then: F,
    }
    unsafe extern "C" fn come<F: FnOnce(&Loop)>(ctx: *mut c_void, code: i32) {
        let held = Box::from_raw(ctx as *mut Held<F>);
        if code != raw::BERTH_STATUS_SUCCESS {
            return crate::client::drop_quietly(held);
        }
        let host = Host::new(held.host);
        let then = held.then;
        if let Err(text) = guarded(|| then(&Loop::new(&host))) {
            host.error(&format!("a callback panicked: {text}"));
        }
    }
    (come::<F>, Box::into_raw(Box::new(Held { host, then })) as *mut c_void)
}

/// Something that happens later; from [`Host::after`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimerId(u64);

/// What is only to be asked on the loop.
pub struct Loop<'a> {
    host: &'a Host,
    stays: PhantomData<*const ()>,
}

impl Deref for Loop<'_> {
    type Target = Host;
    fn deref(&self) -> &Host {
        self.host
    }
}

impl<'a> Loop<'a> {
    pub(crate) fn new(host: &'a Host) -> Self {
        Loop { host, stays: PhantomData }
    }
    /// Ends a timer, whose function is dropped; false if it has run already.
    pub fn cancel(&self, timer: TimerId) -> bool {
        let cancel = need(self.host.clock, raw::BERTH_HOST_CLOCK_V1).cancel.expect("berth_host_clock.cancel");
        unsafe { cancel(self.host.raw, timer.0) == raw::BERTH_STATUS_SUCCESS }
    }
    /// This plugin allows the pod of that uid that it made wait in Permit; false if there is none.
    pub fn allow(&self, uid: &str) -> bool {
        let waiting = need(self.host.waiting, raw::BERTH_HOST_WAITING_PODS_V1);
        let code = unsafe { waiting.allow.expect("berth_host_waiting_pods.allow")(self.host.raw, str_of(uid)) };
        code == raw::BERTH_STATUS_SUCCESS
    }
    /// This plugin rejects it; `reason` reaches the pod's message.
    pub fn reject(&self, uid: &str, reason: &str) -> bool {
        let waiting = need(self.host.waiting, raw::BERTH_HOST_WAITING_PODS_V1);
        let reject = waiting.reject.expect("berth_host_waiting_pods.reject");
        unsafe { reject(self.host.raw, str_of(uid), str_of(reason)) == raw::BERTH_STATUS_SUCCESS }
    }
}

/// A column of nodes or placed pods.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ColumnId(pub(crate) u32);

/// A datum of the pod's CycleState.
pub struct StateKey<T> {
    pub(crate) id: u32,
    kind: PhantomData<fn() -> T>,
}

impl<T> Clone for StateKey<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for StateKey<T> {}

/// What a plugin is made with: the host, and what can only be arranged then.
pub struct Setup<'a> {
    host: &'a Host,
    name: String,
    stays: PhantomData<*const ()>,
}

impl Deref for Setup<'_> {
    type Target = Host;
    fn deref(&self) -> &Host {
        self.host
    }
}

impl<'a> Setup<'a> {
    pub(crate) unsafe fn new(host: &'a Host, info: &raw::berth_create_info) -> Self {
        Setup { host, name: view(info.plugin_name).to_string(), stays: PhantomData }
    }
    /// The name that the configuration has for this plugin.
    pub fn plugin_name(&self) -> &str {
        &self.name
    }
    /// Asks for a column of `kind` (`raw::BERTH_COLUMN_NODE_…`, `raw::BERTH_COLUMN_POD_…`); `key` as the kind says.
    pub fn column(&self, kind: u32, key: &str) -> Result<ColumnId, String> {
        let declare = need(self.host.columns, raw::BERTH_HOST_COLUMNS_V1).declare.expect("berth_host_columns.declare");
        match unsafe { declare(self.host.raw, kind, str_of(key)) } {
            0 => Err(format!("this host knows no column of kind {kind}")),
            id => Ok(ColumnId(id)),
        }
    }
    /// The key of a datum that this plugin keeps for a pod. Its name is this plugin's own.
    pub fn state_key<T: Clone + Send + Sync + 'static>(&self, name: &str) -> StateKey<T> {
        let key = need(self.host.state, raw::BERTH_HOST_STATE_V1).key.expect("berth_host_state.key");
        let whole = format!("{}/rust/{}/{}", self.name, std::any::type_name::<T>(), name);
        StateKey { id: unsafe { key(self.host.raw, str_of(&whole)) }, kind: PhantomData }
    }
}
