// SPDX-License-Identifier: Apache-2.0
//! Watches of some objects of a kind, and the objects that come of them.

use crate::call::Call;
use crate::host::{need, Host, Setup};
use crate::raw;
use crate::uses::uses_draft;
use crate::value::{str_of, Value};
use std::os::raw::c_void;

/// Some objects of a kind, those that have all of this; the default is of version v1. What is empty selects everything.
#[derive(Clone, Copy, Debug)]
pub struct Watch<'a> {
    pub group: &'a str,
    pub version: &'a str,
    pub resource: &'a str,
    pub namespace: &'a str,
    pub name: &'a str,
    pub label_selector: &'a str,
    pub field_selector: &'a str,
}

impl Default for Watch<'_> {
    fn default() -> Self {
        Watch { group: "", version: "v1", resource: "", namespace: "", name: "", label_selector: "", field_selector: "" }
    }
}

/// Takes what a plugin watches; see [`Plugin::declare`](crate::Plugin::declare).
pub struct Declare<'a> {
    pub(crate) raw: *mut raw::berth_declare_sink,
    pub(crate) host: &'a Host,
}

impl Declare<'_> {
    /// Watches only these objects: the plugin sees no others of the kind, which is among its `watches` (see
    /// [`plugins!`](crate::plugins)). Panics on a host that does not offer this, which is a draft: such a host refuses the
    /// profile.
    #[inline]
    pub fn watch(&self, what: &Watch) {
        uses_draft!("berth.host.selective_watches/draft1");
        self.watch_some(what)
    }
    fn watch_some(&self, what: &Watch) {
        let declare = need(self.host.selective_watches, raw::BERTH_HOST_SELECTIVE_WATCHES_DRAFT1).declare.expect("berth_host_selective_watches.declare");
        let watch = raw::berth_watch {
            struct_size: std::mem::size_of::<raw::berth_watch>() as u32,
            flags: 0,
            group: str_of(what.group),
            version: str_of(what.version),
            resource: str_of(what.resource),
            namespace_: str_of(what.namespace),
            name: str_of(what.name),
            label_selector: str_of(what.label_selector),
            field_selector: str_of(what.field_selector),
        };
        unsafe { declare(self.host.raw(), self.raw, &watch) }
    }
}

/// A kind of objects; from [`Setup::kind`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KindId(u32);

impl Setup<'_> {
    /// The kind of that group, version and plural, which [`Plugin::declare`](crate::Plugin::declare) has to watch.
    pub fn kind(&self, group: &str, version: &str, resource: &str) -> KindId {
        let kind = need(self.cluster, raw::BERTH_HOST_CLUSTER_V1).kind.expect("berth_host_cluster.kind");
        KindId(unsafe { kind(self.raw(), str_of(group), str_of(version), str_of(resource)) })
    }
}

impl Call<'_> {
    /// The object of that name among those that the plugin watches; `namespace` is empty for a kind without namespaces.
    pub fn object(&self, kind: KindId, namespace: &str, name: &str) -> Option<Value<'_>> {
        let host = self.host();
        let get = need(host.cluster, raw::BERTH_HOST_CLUSTER_V1).get.expect("berth_host_cluster.get");
        let object = unsafe { get(host.raw(), kind.0, str_of(namespace), str_of(name)) };
        (!object.is_null()).then(|| unsafe { host.field(object, "") })
    }
    /// The objects that the plugin watches, by namespace and name: of one namespace, or of all if it is empty.
    pub fn objects(&self, kind: KindId, namespace: &str) -> Vec<Value<'_>> {
        unsafe extern "C" fn visit(ctx: *mut c_void, object: *const raw::berth_object) -> i32 {
            (*(ctx as *mut Vec<*const raw::berth_object>)).push(object);
            1
        }
        let host = self.host();
        let list = need(host.cluster, raw::BERTH_HOST_CLUSTER_V1).list.expect("berth_host_cluster.list");
        let mut found: Vec<*const raw::berth_object> = Vec::new();
        unsafe { list(host.raw(), kind.0, str_of(namespace), Some(visit), &mut found as *mut _ as *mut c_void) };
        found.into_iter().map(|object| unsafe { host.field(object, "") }).collect()
    }
}
