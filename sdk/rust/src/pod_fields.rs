// SPDX-License-Identifier: Apache-2.0
//! The fields of a pod, made from the headers by `tests/abi/promise/rust.sh --write`. What each means is said in `berth/view/pod.h`.
use super::*;

impl<'a> Pod<'a> {
    pub fn uid(&self) -> &'a str {
        unsafe { view(known!(self.raw, uid, NO_TEXT)) }
    }
    pub fn namespace(&self) -> &'a str {
        unsafe { view(known!(self.raw, namespace_, NO_TEXT)) }
    }
    pub fn name(&self) -> &'a str {
        unsafe { view(known!(self.raw, name, NO_TEXT)) }
    }
    pub fn priority(&self) -> i32 {
        known!(self.raw, priority, 0)
    }
    /// BERTH_FLAG_POD_… bits
    pub fn pod_flags(&self) -> u32 {
        known!(self.raw, pod_flags, 0)
    }
    pub fn requests(&self) -> &'a raw::berth_resources {
        unsafe { &*known!(self.raw, requests, &NOTHING.0 as *const _) }
    }
    pub fn requests_nonzero(&self) -> &'a raw::berth_resources {
        unsafe { &*known!(self.raw, requests_nonzero, &NOTHING.0 as *const _) }
    }
    pub fn container_requests(&self) -> &'a raw::berth_resources {
        unsafe { &*known!(self.raw, container_requests, &NOTHING.0 as *const _) }
    }
    pub fn container_requests_nonzero(&self) -> &'a raw::berth_resources {
        unsafe { &*known!(self.raw, container_requests_nonzero, &NOTHING.0 as *const _) }
    }
    pub fn current_requests(&self) -> &'a raw::berth_resources {
        unsafe { &*known!(self.raw, current_requests, &NOTHING.0 as *const _) }
    }
    pub fn tolerations(&self) -> &'a [raw::berth_toleration] {
        unsafe { lent(known!(self.raw, tolerations, std::ptr::null()), known!(self.raw, tolerations_len, 0)) }
    }
    /// init containers, containers, volumes
    pub fn images(&self) -> &'a [raw::berth_pod_image] {
        unsafe { lent(known!(self.raw, images, std::ptr::null()), known!(self.raw, images_len, 0)) }
    }
    /// of containers and restartable init containers, port > 0
    pub fn host_ports(&self) -> &'a [raw::berth_port] {
        unsafe { lent(known!(self.raw, host_ports, std::ptr::null()), known!(self.raw, host_ports_len, 0)) }
    }
    pub fn scheduler_name(&self) -> &'a str {
        unsafe { view(known!(self.raw, scheduler_name, NO_TEXT)) }
    }
    /// spec.nodeName, empty while unplaced
    pub fn node_name(&self) -> &'a str {
        unsafe { view(known!(self.raw, node_name, NO_TEXT)) }
    }
    pub fn nominated_node(&self) -> &'a str {
        unsafe { view(known!(self.raw, nominated_node, NO_TEXT)) }
    }
    pub fn creation_time_ns(&self) -> i64 {
        known!(self.raw, creation_time_ns, 0)
    }
    /// when it was last added to the queue
    pub fn queued_time_ns(&self) -> i64 {
        known!(self.raw, queued_time_ns, 0)
    }
    /// when it first entered the active queue, so that it could be tried; 0: not yet
    pub fn initial_attempt_ns(&self) -> i64 {
        known!(self.raw, initial_attempt_ns, 0)
    }
    /// scheduling attempts so far, this one included; 0: none yet, or not in the queue
    pub fn attempts(&self) -> u32 {
        known!(self.raw, attempts, 0)
    }
}
