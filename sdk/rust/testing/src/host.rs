// SPDX-License-Identifier: Apache-2.0
//! The functions of host.cpp.

use berth::raw::{berth_library, berth_str};
use std::os::raw::{c_char, c_void};

/// One thing that a function told.
pub struct Told {
    pub word: String,
    pub text: String,
    pub number: i64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Teller {
    ctx: *mut c_void,
    take: unsafe extern "C" fn(ctx: *mut c_void, word: berth_str, text: berth_str, number: i64),
}

extern "C" {
    fn berth_plugins_abi1() -> *const berth_library;
    fn berth_testing_cluster() -> *mut c_void;
    fn berth_testing_add(cluster: *mut c_void, yaml: berth_str, tell: Teller);
    fn berth_testing_remove(cluster: *mut c_void, kind: berth_str, name: berth_str);
    fn berth_testing_free_cluster(cluster: *mut c_void);
    fn berth_testing_plugin(
        cluster: *mut c_void, library: *const berth_library, name: berth_str, args: berth_str, tell: Teller,
    ) -> *mut c_void;
    fn berth_testing_free_plugin(plugin: *mut c_void);
    fn berth_testing_ask(plugin: *mut c_void, what: berth_str, names: *const berth_str, number: i64, tell: Teller);
}

fn str_of(text: &str) -> berth_str {
    berth_str { ptr: text.as_ptr() as *const c_char, len: text.len() as u64 }
}
unsafe fn text_of(text: berth_str) -> String {
    if text.len == 0 {
        return String::new();
    }
    String::from_utf8_lossy(std::slice::from_raw_parts(text.ptr as *const u8, text.len as usize)).into_owned()
}
unsafe extern "C" fn take(ctx: *mut c_void, word: berth_str, text: berth_str, number: i64) {
    (*(ctx as *mut Vec<Told>)).push(Told { word: text_of(word), text: text_of(text), number });
}

/// What the functions that `call` calls tell.
pub fn told(call: impl FnOnce(Teller)) -> Vec<Told> {
    let mut out: Vec<Told> = Vec::new();
    call(Teller { ctx: &mut out as *mut Vec<Told> as *mut c_void, take });
    out
}

pub struct ClusterHandle(*mut c_void);

impl ClusterHandle {
    pub fn new() -> Self {
        ClusterHandle(unsafe { berth_testing_cluster() })
    }
    pub fn add(&self, yaml: &str, tell: Teller) {
        unsafe { berth_testing_add(self.0, str_of(yaml), tell) }
    }
    pub fn remove(&self, kind: &str, name: &str) {
        unsafe { berth_testing_remove(self.0, str_of(kind), str_of(name)) }
    }
}

impl Drop for ClusterHandle {
    fn drop(&mut self) {
        unsafe { berth_testing_free_cluster(self.0) }
    }
}

/// Its cluster outlives it.
pub struct PluginHandle(*mut c_void);

impl PluginHandle {
    pub fn new(cluster: &ClusterHandle, name: &str, args: &str, tell: Teller) -> Option<Self> {
        let made = unsafe { berth_testing_plugin(cluster.0, berth_plugins_abi1(), str_of(name), str_of(args), tell) };
        (!made.is_null()).then(|| PluginHandle(made))
    }
    pub fn ask(&self, what: &str, names: &[&str], number: i64, tell: Teller) {
        let name = |i: usize| str_of(names.get(i).copied().unwrap_or(""));
        unsafe { berth_testing_ask(self.0, str_of(what), [name(0), name(1), name(2)].as_ptr(), number, tell) }
    }
}

impl Drop for PluginHandle {
    fn drop(&mut self) {
        unsafe { berth_testing_free_plugin(self.0) }
    }
}
