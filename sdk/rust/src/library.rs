// SPDX-License-Identifier: Apache-2.0
//! A library's description, as static data and, repeated at compile time, as the ELF note.

use crate::raw;
use std::os::raw::c_void;

/// Static data of the ABI, which never changes.
#[doc(hidden)]
#[repr(transparent)]
pub struct Static<T>(pub T);
unsafe impl<T> Sync for Static<T> {}

/// A plugin as the host sees it. Implemented by [`plugins!`](crate::plugins).
#[doc(hidden)]
pub trait Described {
    const RAW: &'static raw::berth_plugin;
    const WRITES: &'static [&'static str];
    const READS: &'static [&'static str];
}

#[doc(hidden)]
pub const fn str_of(text: &str) -> raw::berth_str {
    crate::value::str_of(text)
}

/// # Safety
/// `id` is a text of the host.
#[doc(hidden)]
pub unsafe fn is(id: raw::berth_str, name: &str) -> bool {
    crate::value::view(id) == name
}

#[doc(hidden)]
pub const fn describe(
    name: &'static str, version: &'static str, interfaces: &'static [raw::berth_str],
    create: unsafe extern "C" fn(*const raw::berth_host, *const raw::berth_create_info, *mut *mut c_void, *mut raw::berth_status),
    declare: unsafe extern "C" fn(*mut c_void, *mut raw::berth_declare_sink, *mut raw::berth_status), destroy: unsafe extern "C" fn(*mut c_void), get_interface: unsafe extern "C" fn(raw::berth_str) -> *const c_void,
) -> raw::berth_plugin {
    // They stand in the note as they are.
    let (n, v) = (name.as_bytes(), version.as_bytes());
    let mut i = 0;
    while i < n.len() + v.len() {
        let c = if i < n.len() { n[i] } else { v[i - n.len()] };
        assert!(c >= b' ' && c != b'"' && c != b'\\', "a plugin's name and version need no quotes, backslashes or control characters");
        i += 1;
    }
    const SERVICES: &[raw::berth_str] = &crate::host::SERVICES;
    raw::berth_plugin {
        struct_size: std::mem::size_of::<raw::berth_plugin>() as u32,
        flags: 0,
        name: str_of(name),
        version: str_of(version),
        vendor: str_of(""),
        description: str_of(""),
        interface_ids: interfaces.as_ptr(),
        interface_ids_len: interfaces.len() as u64,
        required_services: std::ptr::null(),
        required_services_len: 0,
        optional_services: SERVICES.as_ptr(),
        optional_services_len: SERVICES.len() as u64,
        default_args: None,
        create: Some(create),
        declare: Some(declare),
        destroy: Some(destroy),
        get_interface: Some(get_interface),
    }
}

#[doc(hidden)]
pub const fn library(plugins: *const *const raw::berth_plugin, n: usize) -> raw::berth_library {
    raw::berth_library {
        struct_size: std::mem::size_of::<raw::berth_library>() as u32,
        flags: 0,
        abi_required_minor: 0,
        abi_header_minor: raw::BERTH_ABI_MINOR,
        plugins,
        plugins_len: n as u64,
        sdk_name: str_of(concat!("berth-rust/", env!("CARGO_PKG_VERSION"))),
        build_info: str_of(""),
    }
}

/// The note of section `.note.berth`.
#[doc(hidden)]
#[repr(C, align(4))]
pub struct Note<const N: usize> {
    name_size: u32,
    desc_size: u32,
    kind: u32,
    name: [u8; 8],
    desc: [u8; N],
}

/// The room that a text takes in a note.
#[doc(hidden)]
pub const fn room(json: &str) -> usize {
    (json.len() + 3) / 4 * 4
}

#[doc(hidden)]
pub const fn note<const N: usize>(json: &str) -> Note<N> {
    let mut desc = [0; N];
    let mut i = 0;
    while i < json.len() {
        desc[i] = json.as_bytes()[i];
        i += 1;
    }
    Note { name_size: 6, desc_size: json.len() as u32, kind: raw::BERTH_NOTE_TYPE, name: *b"berth\0\0\0", desc }
}

/// The tables, each under the name of its trait.
#[doc(hidden)]
#[allow(non_snake_case)]
pub mod tables {
    use crate::points;
    use crate::raw::*;
    use crate::thunks;
    use std::marker::PhantomData;
    use std::os::raw::c_void;

    struct Of<T>(PhantomData<T>);

    macro_rules! table {
        ($name:ident, $raw:ident, { $($field:ident: $value:expr),+ $(,)? }) => {
            pub fn $name<T: points::$name>() -> *const c_void {
                trait Table {
                    const TABLE: &'static $raw;
                }
                impl<T: points::$name> Table for Of<T> {
                    const TABLE: &'static $raw =
                        &$raw { struct_size: std::mem::size_of::<$raw>() as u32, flags: 0, $($field: $value),+ };
                }
                <Of<T> as Table>::TABLE as *const $raw as *const c_void
            }
        };
    }

    table!(PreEnqueue, berth_plugin_pre_enqueue, { pre_enqueue: Some(thunks::pre_enqueue::<T>) });
    table!(QueueSort, berth_plugin_queue_sort, { less: Some(thunks::less::<T>), sort_key: None });
    table!(Events, berth_plugin_events, { events: Some(thunks::events::<T>), hint: Some(thunks::hint::<T>) });
    table!(PreFilter, berth_plugin_pre_filter, { pre_filter: Some(thunks::pre_filter::<T>) });
    table!(PreFilterExt, berth_plugin_pre_filter_ext, {
        add_pod: Some(thunks::add_pod::<T>),
        remove_pod: Some(thunks::remove_pod::<T>),
    });
    table!(Filter, berth_plugin_filter, { filter: Some(thunks::filter::<T>) });
    table!(PostFilter, berth_plugin_post_filter, { post_filter: Some(thunks::post_filter::<T>) });
    table!(PreScore, berth_plugin_pre_score, { pre_score: Some(thunks::pre_score::<T>) });
    table!(Score, berth_plugin_score, { score: Some(thunks::score::<T>) });
    table!(Normalize, berth_plugin_normalize, {
        mode: BERTH_NORMALIZE_CUSTOM,
        reserved: 0,
        normalize: Some(thunks::normalize::<T>),
    });
    table!(Reserve, berth_plugin_reserve, { reserve: Some(thunks::reserve::<T>), unreserve: Some(thunks::unreserve::<T>) });
    table!(PermitPoint, berth_plugin_permit, { permit: Some(thunks::permit::<T>) });
    table!(PreBind, berth_plugin_pre_bind, { preflight: None, pre_bind: Some(thunks::pre_bind::<T>) });
    table!(Bind, berth_plugin_bind, { bind: Some(thunks::bind::<T>) });
    table!(PostBind, berth_plugin_post_bind, { post_bind: Some(thunks::post_bind::<T>) });
}

pub use crate::thunks::{create, declare, destroy};

/// The id of a trait's interface.
#[doc(hidden)]
#[macro_export]
macro_rules! __id {
    (PreEnqueue) => { "berth.pre_enqueue/1" };
    (QueueSort) => { "berth.queue_sort/1" };
    (Events) => { "berth.events/1" };
    (PreFilter) => { "berth.pre_filter/1" };
    (PreFilterExt) => { "berth.pre_filter_ext/1" };
    (Filter) => { "berth.filter/1" };
    (PostFilter) => { "berth.post_filter/1" };
    (PreScore) => { "berth.pre_score/1" };
    (Score) => { "berth.score/1" };
    (Normalize) => { "berth.normalize/1" };
    (Reserve) => { "berth.reserve/1" };
    (PermitPoint) => { "berth.permit/1" };
    (PreBind) => { "berth.pre_bind/1" };
    (Bind) => { "berth.bind/1" };
    (PostBind) => { "berth.post_bind/1" };
    ($other:ident) => { compile_error!(concat!(stringify!($other), " is no extension point of this crate")) };
}

/// One plugin of the note.
#[doc(hidden)]
#[macro_export]
macro_rules! __note {
    ($name:literal, $version:literal, [$first:ident $(, $point:ident)*], [$($write:literal $(, $more:literal)*)?],
     [$($read:literal $(, $more_read:literal)*)?], [$($watch:literal $(, $more_watch:literal)*)?]) => {
        concat!(
            "{\"name\":\"", $name, "\",\"version\":\"", $version, "\",\"interfaces\":[\"", $crate::__id!($first), "\"",
            $(",\"", $crate::__id!($point), "\"",)* "],\"optional\":[\"berth.host.log/1\",\"berth.host.object/1\",\"berth.host.state/1\",",
            "\"berth.host.columns/1\",\"berth.host.random/1\",\"berth.host.clock/1\",\"berth.host.client/1\",\"berth.host.waiting_pods/1\",",
            "\"berth.host.cancellation/draft1\",\"berth.host.victims/draft1\",\"berth.host.kubernetes/draft1\",",
            "\"berth.host.log_fields/draft1\",\"berth.host.metrics/draft1\",",
            "\"berth.host.pending_pods/draft1\",\"berth.host.reader/draft1\",\"berth.host.cluster/1\",",
            "\"berth.host.selective_watches/draft1\"],\"writes\":[",
            $("\"", $write, "\"", $(",\"", $more, "\"",)*)?
            $("],\"reads\":[\"", $read, "\"", $(",\"", $more_read, "\"",)*)?
            $("],\"watches\":[\"", $watch, "\"", $(",\"", $more_watch, "\"",)*)? "]}"
        )
    };
}

/// Makes the library's entry point and its note, once per library: type, name, version and extension points of each plugin, and
/// what it writes to the API server, reads and watches there, if it does. That goes into the rights that `berth config rbac`
/// prints.
///
/// ```ignore
/// berth::plugins! {
///     PodsPerNode: "PodsPerNode", "1.0.0", [Filter];
///     Newest: "Newest", "1.0.0", [PreScore, Score, Bind], writes ["create v1/pods/binding"], reads ["get v1/configmaps"];
/// }
/// ```
#[macro_export]
macro_rules! plugins {
    ($first:ident: $first_name:literal, $first_version:literal, [$($first_point:ident),+ $(,)?]
     $(, writes [$($first_write:literal),+ $(,)?])? $(, reads [$($first_read:literal),+ $(,)?])?
     $(, watches [$($first_watch:literal),+ $(,)?])?
     $(; $plugin:ident: $name:literal, $version:literal, [$($point:ident),+ $(,)?] $(, writes [$($write:literal),+ $(,)?])?
       $(, reads [$($read:literal),+ $(,)?])? $(, watches [$($watch:literal),+ $(,)?])?)*
     $(;)?) => {
        $crate::__describe!($first, $first_name, $first_version, [$($first_point),+], [$($($first_write),+)?], [$($($first_read),+)?]);
        $($crate::__describe!($plugin, $name, $version, [$($point),+], [$($($write),+)?], [$($($read),+)?]);)*
        const _: () = {
            const JSON: &str = concat!(
                "{\"abi\":1,\"requiredMinor\":0,\"plugins\":[",
                $crate::__note!($first_name, $first_version, [$($first_point),+], [$($($first_write),+)?], [$($($first_read),+)?], [$($($first_watch),+)?]),
                $(",", $crate::__note!($name, $version, [$($point),+], [$($($write),+)?], [$($($read),+)?], [$($($watch),+)?]),)*
                "]}"
            );
            #[used]
            #[link_section = ".note.berth"]
            static NOTE: $crate::library::Note<{ $crate::library::room(JSON) }> = $crate::library::note(JSON);

            const PLUGINS: &[*const $crate::raw::berth_plugin] = &[
                <$first as $crate::library::Described>::RAW,
                $(<$plugin as $crate::library::Described>::RAW,)*
            ];
            static LIBRARY: $crate::library::Static<$crate::raw::berth_library> =
                $crate::library::Static($crate::library::library(PLUGINS.as_ptr(), PLUGINS.len()));

            #[no_mangle]
            pub extern "C" fn berth_plugins_abi1() -> *const $crate::raw::berth_library {
                &LIBRARY.0
            }
        };
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __describe {
    ($plugin:ident, $name:literal, $version:literal, [$($point:ident),+], [$($write:literal),*], [$($read:literal),*]) => {
        const _: () = {
            unsafe extern "C" fn get_interface(id: $crate::raw::berth_str) -> *const ::std::os::raw::c_void {
                $(if $crate::library::is(id, $crate::__id!($point)) {
                    return $crate::library::tables::$point::<$plugin>();
                })+
                ::std::ptr::null()
            }
            impl $crate::library::Described for $plugin {
                const WRITES: &'static [&'static str] = $crate::rights::checked(&[$($write),*]);
                const READS: &'static [&'static str] = $crate::rights::checked_reads(&[$($read),*]);
                const RAW: &'static $crate::raw::berth_plugin = &$crate::library::describe(
                    $name,
                    $version,
                    &[$($crate::library::str_of($crate::__id!($point))),+],
                    $crate::library::create::<$plugin>,
                    $crate::library::declare::<$plugin>,
                    $crate::library::destroy::<$plugin>,
                    get_interface,
                );
            }
        };
    };
}
