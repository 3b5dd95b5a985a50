// SPDX-License-Identifier: Apache-2.0
//! The C ABI as it is, made from the headers by `tests/abi/promise/rust.sh --write`. What each function does, who owns what and
//! on which thread it runs is said in `berth/*.h`, under the same names.
#![allow(missing_docs, non_camel_case_types, clippy::type_complexity)]

use std::os::raw::{c_char, c_void};

pub const BERTH_ABI_MAJOR: u32 = 1;
pub const BERTH_ABI_MINOR: u32 = 0;
pub const BERTH_CHANGE_LABEL: u32 = 5;
pub const BERTH_CHANGE_NO_LABEL: u32 = 6;
pub const BERTH_CHANGE_OTHER: u32 = 7;
pub const BERTH_CHANGE_PODS: u32 = 2;
pub const BERTH_CHANGE_RESOURCE: u32 = 1;
pub const BERTH_CHANGE_TOLERATION: u32 = 3;
pub const BERTH_CHANGE_UNCORDON: u32 = 4;
pub const BERTH_COLUMN_NODE_ALLOCATABLE: u32 = 3;
pub const BERTH_COLUMN_NODE_ANNOTATION: u32 = 2;
pub const BERTH_COLUMN_NODE_FIELD: u32 = 8;
pub const BERTH_COLUMN_NODE_IMAGES: u32 = 6;
pub const BERTH_COLUMN_NODE_LABEL: u32 = 1;
pub const BERTH_COLUMN_NODE_PORTS: u32 = 7;
pub const BERTH_COLUMN_NODE_REQUESTED: u32 = 4;
pub const BERTH_COLUMN_NODE_TAINTS: u32 = 5;
pub const BERTH_COLUMN_POD_ANNOTATION: u32 = 102;
pub const BERTH_COLUMN_POD_FIELD: u32 = 105;
pub const BERTH_COLUMN_POD_IMAGES: u32 = 104;
pub const BERTH_COLUMN_POD_LABEL: u32 = 101;
pub const BERTH_COLUMN_POD_SCHEDULER_NAME: u32 = 103;
pub const BERTH_COLUMN_TYPE_CODE: u32 = 1;
pub const BERTH_COLUMN_TYPE_CODES: u32 = 3;
pub const BERTH_COLUMN_TYPE_INT64: u32 = 2;
pub const BERTH_COLUMN_TYPE_VALUE: u32 = 4;
pub const BERTH_ENTRY_SYMBOL: &str = "berth_plugins_abi1";
pub const BERTH_EVENT_ADD: u64 = 1 << 0;
pub const BERTH_EVENT_ALL: u64 = 0xffffffffffffffff;
pub const BERTH_EVENT_DELETE: u64 = 1 << 1;
pub const BERTH_EVENT_UPDATE: u64 = 0xfffffffffffffffc;
pub const BERTH_EVENT_UPDATE_NODE_ALLOCATABLE: u64 = 1 << 2;
pub const BERTH_EVENT_UPDATE_NODE_ANNOTATION: u64 = 1 << 6;
pub const BERTH_EVENT_UPDATE_NODE_CONDITION: u64 = 1 << 5;
pub const BERTH_EVENT_UPDATE_NODE_DECLARED_FEATURE: u64 = 1 << 7;
pub const BERTH_EVENT_UPDATE_NODE_LABEL: u64 = 1 << 3;
pub const BERTH_EVENT_UPDATE_NODE_TAINT: u64 = 1 << 4;
pub const BERTH_EVENT_UPDATE_POD_GATES_ELIMINATED: u64 = 1 << 11;
pub const BERTH_EVENT_UPDATE_POD_GENERATED_CLAIM: u64 = 1 << 12;
pub const BERTH_EVENT_UPDATE_POD_LABEL: u64 = 1 << 8;
pub const BERTH_EVENT_UPDATE_POD_SCALE_DOWN: u64 = 1 << 9;
pub const BERTH_EVENT_UPDATE_POD_TOLERATION: u64 = 1 << 10;
pub const BERTH_FLAG_COLUMN_ABSENT: u32 = 1;
pub const BERTH_FLAG_MUST_UNDERSTAND: u32 = 0xffff0000;
pub const BERTH_FLAG_NODE_EXISTS: u32 = 1;
pub const BERTH_FLAG_NODE_UNSCHEDULABLE: u32 = 2;
pub const BERTH_FLAG_POD_ASSUMED: u32 = 2;
pub const BERTH_FLAG_POD_HAS_AFFINITY: u32 = 4;
pub const BERTH_FLAG_POD_HAS_REQUIRED_ANTI_AFFINITY: u32 = 8;
pub const BERTH_FLAG_POD_HAS_VOLUMES: u32 = 16;
pub const BERTH_FLAG_POD_TERMINATING: u32 = 1;
pub const BERTH_GROUP_ANY: u32 = 0xffffffff;
pub const BERTH_GROUP_ASSIGNED: u32 = 4;
pub const BERTH_GROUP_ASSUMED: u32 = 2;
pub const BERTH_GROUP_UNSCHEDULED: u32 = 1;
pub const BERTH_HINT_ERROR: u32 = 2;
pub const BERTH_HINT_QUEUE: u32 = 1;
pub const BERTH_HINT_SKIP: u32 = 0;
pub const BERTH_HOST_ACTIVATOR_V1: &str = "berth.host.activator/1";
pub const BERTH_HOST_CALL_V1: &str = "berth.host.call/1";
pub const BERTH_HOST_CANCELLATION_DRAFT1: &str = "berth.host.cancellation/draft1";
pub const BERTH_HOST_CLIENT_V1: &str = "berth.host.client/1";
pub const BERTH_HOST_CLOCK_V1: &str = "berth.host.clock/1";
pub const BERTH_HOST_CLUSTER_V1: &str = "berth.host.cluster/1";
pub const BERTH_HOST_COLUMNS_V1: &str = "berth.host.columns/1";
pub const BERTH_HOST_DELTA_V1: &str = "berth.host.delta/1";
pub const BERTH_HOST_EXTENDERS_DRAFT1: &str = "berth.host.extenders/draft1";
pub const BERTH_HOST_KUBERNETES_DRAFT1: &str = "berth.host.kubernetes/draft1";
pub const BERTH_HOST_LOG_FIELDS_DRAFT1: &str = "berth.host.log_fields/draft1";
pub const BERTH_HOST_LOG_V1: &str = "berth.host.log/1";
pub const BERTH_HOST_METRICS_DRAFT1: &str = "berth.host.metrics/draft1";
pub const BERTH_HOST_NODES_V1: &str = "berth.host.nodes/1";
pub const BERTH_HOST_NOMINATOR_V1: &str = "berth.host.nominator/1";
pub const BERTH_HOST_OBJECT_V1: &str = "berth.host.object/1";
pub const BERTH_HOST_PENDING_PODS_DRAFT1: &str = "berth.host.pending_pods/draft1";
pub const BERTH_HOST_PODS_IN_PRE_BIND_DRAFT1: &str = "berth.host.pods_in_pre_bind/draft1";
pub const BERTH_HOST_POD_GROUPS_DRAFT1: &str = "berth.host.pod_groups/draft1";
pub const BERTH_HOST_PREPARED_V1: &str = "berth.host.prepared/1";
pub const BERTH_HOST_RANDOM_V1: &str = "berth.host.random/1";
pub const BERTH_HOST_READER_DRAFT1: &str = "berth.host.reader/draft1";
pub const BERTH_HOST_RECORDER_V1: &str = "berth.host.recorder/1";
pub const BERTH_HOST_REMEDIES_DRAFT1: &str = "berth.host.remedies/draft1";
pub const BERTH_HOST_RUNNER_V1: &str = "berth.host.runner/1";
pub const BERTH_HOST_SELECTIVE_WATCHES_DRAFT1: &str = "berth.host.selective_watches/draft1";
pub const BERTH_HOST_SINKS_V1: &str = "berth.host.sinks/1";
pub const BERTH_HOST_STATE_V1: &str = "berth.host.state/1";
pub const BERTH_HOST_TASK_V1: &str = "berth.host.task/1";
pub const BERTH_HOST_TRIAL_STATE_DRAFT1: &str = "berth.host.trial_state/draft1";
pub const BERTH_HOST_VICTIMS_DRAFT1: &str = "berth.host.victims/draft1";
pub const BERTH_HOST_WAITING_PODS_V1: &str = "berth.host.waiting_pods/1";
pub const BERTH_IMAGE_CONTAINER: u32 = 0;
pub const BERTH_IMAGE_INIT_CONTAINER: u32 = 1;
pub const BERTH_IMAGE_VOLUME: u32 = 2;
pub const BERTH_LOG_ERROR: u32 = 2;
pub const BERTH_LOG_INFO: u32 = 0;
pub const BERTH_LOG_WARNING: u32 = 1;
pub const BERTH_METRIC_COUNTER: u32 = 1;
pub const BERTH_METRIC_GAUGE: u32 = 2;
pub const BERTH_METRIC_HISTOGRAM: u32 = 3;
pub const BERTH_NORMALIZE_CUSTOM: u32 = 0;
pub const BERTH_NORMALIZE_DEFAULT: u32 = 1;
pub const BERTH_NORMALIZE_REVERSE: u32 = 2;
pub const BERTH_NOTE_NAME: &str = "berth";
pub const BERTH_NOTE_SECTION: &str = ".note.berth";
pub const BERTH_NOTE_TYPE: u32 = 1;
pub const BERTH_NOTE_TYPE_DRAFT: u32 = 3;
pub const BERTH_NOTE_TYPE_USES: u32 = 2;
pub const BERTH_NOTE_USES_SECTION: &str = ".note.berth.uses";
pub const BERTH_NO_REASONS: u32 = 0;
pub const BERTH_NO_SLOT: u32 = 0xffffffff;
pub const BERTH_PENDING_ACTIVE: u32 = 1;
pub const BERTH_PENDING_ANY: u32 = 0xffffffff;
pub const BERTH_PENDING_BACKOFF: u32 = 2;
pub const BERTH_PENDING_GATED: u32 = 8;
pub const BERTH_PENDING_GROUP: u32 = 16;
pub const BERTH_PENDING_UNSCHEDULABLE: u32 = 4;
pub const BERTH_PLUGIN_BIND_V1: &str = "berth.bind/1";
pub const BERTH_PLUGIN_EVENTS_V1: &str = "berth.events/1";
pub const BERTH_PLUGIN_FILTER_V1: &str = "berth.filter/1";
pub const BERTH_PLUGIN_NORMALIZE_V1: &str = "berth.normalize/1";
pub const BERTH_PLUGIN_PERMIT_V1: &str = "berth.permit/1";
pub const BERTH_PLUGIN_PLACEMENT_FEASIBLE_DRAFT1: &str = "berth.placement_feasible/draft1";
pub const BERTH_PLUGIN_POST_BIND_V1: &str = "berth.post_bind/1";
pub const BERTH_PLUGIN_POST_FILTER_V1: &str = "berth.post_filter/1";
pub const BERTH_PLUGIN_PREPARE_V1: &str = "berth.prepare/1";
pub const BERTH_PLUGIN_PRE_BIND_V1: &str = "berth.pre_bind/1";
pub const BERTH_PLUGIN_PRE_ENQUEUE_V1: &str = "berth.pre_enqueue/1";
pub const BERTH_PLUGIN_PRE_FILTER_EXT_V1: &str = "berth.pre_filter_ext/1";
pub const BERTH_PLUGIN_PRE_FILTER_V1: &str = "berth.pre_filter/1";
pub const BERTH_PLUGIN_PRE_SCORE_V1: &str = "berth.pre_score/1";
pub const BERTH_PLUGIN_QUEUE_SORT_V1: &str = "berth.queue_sort/1";
pub const BERTH_PLUGIN_REMEDY_DRAFT1: &str = "berth.remedy/draft1";
pub const BERTH_PLUGIN_RESERVE_V1: &str = "berth.reserve/1";
pub const BERTH_PLUGIN_SCORE_V1: &str = "berth.score/1";
pub const BERTH_PLUGIN_SIGN_V1: &str = "berth.sign/1";
pub const BERTH_READ_GET: u32 = 5;
pub const BERTH_READ_LIST: u32 = 6;
pub const BERTH_READ_MOST_BYTES: u32 = 4194304;
pub const BERTH_READ_MOST_ITEMS: u32 = 500;
pub const BERTH_READ_MOST_PENDING: u32 = 32;
pub const BERTH_RESOURCE_UNSCHEDULED_POD: &str = "UnscheduledPod";
pub const BERTH_SCORE_MAX: i64 = 100;
pub const BERTH_SCORE_MIN: i64 = 0;
pub const BERTH_SORT_KEY_MAX: u32 = 1024;
pub const BERTH_STATUS_BUSY: i32 = -9;
pub const BERTH_STATUS_CANCELLED: i32 = -6;
pub const BERTH_STATUS_ERROR: i32 = 1;
pub const BERTH_STATUS_INVALID: i32 = -3;
pub const BERTH_STATUS_IN_PROGRESS: i32 = -2;
pub const BERTH_STATUS_LIMIT_EXCEEDED: i32 = -8;
pub const BERTH_STATUS_NOT_EVALUATED: i32 = -1;
pub const BERTH_STATUS_NOT_FOUND: i32 = -5;
pub const BERTH_STATUS_NO_MEMORY: i32 = -7;
pub const BERTH_STATUS_PENDING: i32 = 6;
pub const BERTH_STATUS_SKIP: i32 = 5;
pub const BERTH_STATUS_SUCCESS: i32 = 0;
pub const BERTH_STATUS_UNSCHEDULABLE: i32 = 2;
pub const BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE: i32 = 3;
pub const BERTH_STATUS_UNSUPPORTED: i32 = -4;
pub const BERTH_STATUS_WAIT: i32 = 4;
pub const BERTH_VALUE_ARRAY: u32 = 5;
pub const BERTH_VALUE_BOOL: u32 = 1;
pub const BERTH_VALUE_DOUBLE: u32 = 3;
pub const BERTH_VALUE_INT: u32 = 2;
pub const BERTH_VALUE_NULL: u32 = 0;
pub const BERTH_VALUE_OBJECT: u32 = 6;
pub const BERTH_VALUE_STRING: u32 = 4;
pub const BERTH_VERB_CREATE: u32 = 1;
pub const BERTH_VERB_DELETE: u32 = 4;
pub const BERTH_VERB_PATCH: u32 = 3;
pub const BERTH_VERB_UPDATE: u32 = 2;
pub const BERTH_VERSION: &str = "0.1.0";
pub const BERTH_VERSION_MAJOR: u32 = 0;
pub const BERTH_VERSION_MINOR: u32 = 1;
pub const BERTH_VERSION_PATCH: u32 = 0;
pub const BERTH_WATCH_MOST_SELECTIONS: u32 = 16;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_str {
    pub ptr: *const c_char,
    pub len: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub union berth_value_n {
    pub integer: i64,
    pub number: f64,
    pub len: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub union berth_value_ptr {
    pub any: *const c_void,
    pub string: *const c_char,
    pub items: *const berth_value,
    pub members: *const berth_kv,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_value {
    pub kind: u32,
    pub reserved: u32,
    pub n: berth_value_n,
    pub ptr: berth_value_ptr,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_kv {
    pub key: berth_str,
    pub value: berth_value,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_status {
    pub struct_size: u32,
    pub flags: u32,
    pub code: i32,
    pub reserved: u32,
    pub handle: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_call {
    pub struct_size: u32,
    pub flags: u32,
    pub handle: u64,
    pub cycle_id: u64,
    pub cancel: *const u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_done {
    pub struct_size: u32,
    pub flags: u32,
    pub handle: u64,
    pub status: *mut berth_status,
}

/// Opaque.
#[repr(C)]
pub struct berth_object {
    opaque: [u8; 0],
}

/// Opaque.
#[repr(C)]
pub struct berth_state {
    opaque: [u8; 0],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_host {
    pub struct_size: u32,
    pub flags: u32,
    pub abi_minor: u32,
    pub reserved: u32,
    pub ctx: *mut c_void,
    pub name: berth_str,
    pub version: berth_str,
    pub get_service: Option<unsafe extern "C" fn(host: *const berth_host, id: berth_str) -> *const c_void>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_create_info {
    pub struct_size: u32,
    pub flags: u32,
    pub profile: berth_str,
    pub plugin_name: berth_str,
    pub args: berth_str,
    pub args_api_version: berth_str,
    pub args_value: *const berth_value,
    pub extender_resources: *const berth_str,
    pub extender_resources_len: u64,
}

/// Opaque.
#[repr(C)]
pub struct berth_text_sink {
    opaque: [u8; 0],
}

/// Opaque.
#[repr(C)]
pub struct berth_error_sink {
    opaque: [u8; 0],
}

/// Opaque.
#[repr(C)]
pub struct berth_declare_sink {
    opaque: [u8; 0],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_plugin {
    pub struct_size: u32,
    pub flags: u32,
    pub name: berth_str,
    pub version: berth_str,
    pub vendor: berth_str,
    pub description: berth_str,
    pub interface_ids: *const berth_str,
    pub interface_ids_len: u64,
    pub required_services: *const berth_str,
    pub required_services_len: u64,
    pub optional_services: *const berth_str,
    pub optional_services_len: u64,
    pub default_args: Option<unsafe extern "C" fn(host: *const berth_host, info: *const berth_create_info, in_: *const berth_value, out: *mut berth_text_sink, errors: *mut berth_error_sink)>,
    pub create: Option<unsafe extern "C" fn(host: *const berth_host, info: *const berth_create_info, self_: *mut *mut c_void, status: *mut berth_status)>,
    pub declare: Option<unsafe extern "C" fn(self_: *mut c_void, sink: *mut berth_declare_sink, status: *mut berth_status)>,
    pub destroy: Option<unsafe extern "C" fn(self_: *mut c_void)>,
    pub get_interface: Option<unsafe extern "C" fn(id: berth_str) -> *const c_void>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_library {
    pub struct_size: u32,
    pub flags: u32,
    pub abi_required_minor: u32,
    pub abi_header_minor: u32,
    pub plugins: *const *const berth_plugin,
    pub plugins_len: u64,
    pub sdk_name: berth_str,
    pub build_info: berth_str,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_taint {
    pub key: berth_str,
    pub value: berth_str,
    pub effect: berth_str,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_image {
    pub name: berth_str,
    pub size_bytes: i64,
    pub node_count: u32,
    pub reserved: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_port {
    pub protocol: berth_str,
    pub ip: berth_str,
    pub port: i32,
    pub reserved: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_range {
    pub begin: u32,
    pub end: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_column {
    pub struct_size: u32,
    pub flags: u32,
    pub type_: u32,
    pub rows: u32,
    pub data: *const c_void,
    pub validity: *const u64,
    pub offsets: *const berth_range,
    pub dict: *const c_void,
    pub dict_len: u64,
    pub dict_generation: *const u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_label {
    pub key: berth_str,
    pub value: berth_str,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_label_set {
    pub labels: *const berth_label,
    pub len: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_pods {
    pub struct_size: u32,
    pub flags: u32,
    pub handle: u64,
    pub rows: u32,
    pub count: u32,
    pub node_slot: *const u32,
    pub namespace_code: *const u32,
    pub label_set_code: *const u32,
    pub priority: *const i32,
    pub start_time_ns: *const i64,
    pub pod_flags: *const u32,
    pub obj: *const *const berth_object,
    pub namespaces: *const berth_str,
    pub namespace_generation: *const u64,
    pub namespaces_len: u64,
    pub label_sets: *const berth_label_set,
    pub label_set_generation: *const u64,
    pub label_sets_len: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_nodes {
    pub struct_size: u32,
    pub flags: u32,
    pub handle: u64,
    pub slots: u32,
    pub count: u32,
    pub schema_version: u64,
    pub label_keys_version: u64,
    pub snapshot_id: u64,
    pub order: *const u32,
    pub name: *const berth_str,
    pub obj: *const *const berth_object,
    pub slot_generation: *const u64,
    pub node_flags: *const u32,
    pub allocatable_cpu: *const i64,
    pub allocatable_memory: *const i64,
    pub allocatable_ephemeral: *const i64,
    pub allocatable_pods: *const i64,
    pub requested_cpu: *const i64,
    pub requested_memory: *const i64,
    pub requested_ephemeral: *const i64,
    pub requested_cpu_nonzero: *const i64,
    pub requested_memory_nonzero: *const i64,
    pub pod_count: *const u32,
    pub zone_code: *const u32,
    pub zone_generation: *const u64,
    pub zones_len: u64,
    pub pods: *const berth_pods,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_scalar {
    pub name: berth_str,
    pub value: i64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_resources {
    pub cpu: i64,
    pub memory: i64,
    pub ephemeral: i64,
    pub scalars: *const berth_scalar,
    pub scalars_len: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_toleration {
    pub key: berth_str,
    pub op: berth_str,
    pub value: berth_str,
    pub effect: berth_str,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_pod_image {
    pub name: berth_str,
    pub use_: u32,
    pub reserved: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_pod {
    pub struct_size: u32,
    pub flags: u32,
    pub obj: *const berth_object,
    pub uid: berth_str,
    pub namespace_: berth_str,
    pub name: berth_str,
    pub priority: i32,
    pub pod_flags: u32,
    pub requests: *const berth_resources,
    pub requests_nonzero: *const berth_resources,
    pub container_requests: *const berth_resources,
    pub container_requests_nonzero: *const berth_resources,
    pub current_requests: *const berth_resources,
    pub labels: *const berth_label,
    pub labels_len: u64,
    pub tolerations: *const berth_toleration,
    pub tolerations_len: u64,
    pub images: *const berth_pod_image,
    pub images_len: u64,
    pub host_ports: *const berth_port,
    pub host_ports_len: u64,
    pub scheduler_name: berth_str,
    pub node_name: berth_str,
    pub nominated_node: berth_str,
    pub creation_time_ns: i64,
    pub queued_time_ns: i64,
    pub initial_attempt_ns: i64,
    pub attempts: u32,
    pub reserved: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_plugin_reserve {
    pub struct_size: u32,
    pub flags: u32,
    pub reserve: Option<unsafe extern "C" fn(self_: *mut c_void, call: *const berth_call, state: *mut berth_state, pod: *const berth_pod, nodes: *const berth_nodes, slot: u32, node_name: berth_str, status: *mut berth_status)>,
    pub unreserve: Option<unsafe extern "C" fn(self_: *mut c_void, call: *const berth_call, state: *mut berth_state, pod: *const berth_pod, node_name: berth_str)>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_plugin_permit {
    pub struct_size: u32,
    pub flags: u32,
    pub permit: Option<unsafe extern "C" fn(self_: *mut c_void, call: *const berth_call, state: *mut berth_state, pod: *const berth_pod, nodes: *const berth_nodes, slot: u32, node_name: berth_str, timeout_ns: *mut i64, status: *mut berth_status)>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_plugin_pre_bind {
    pub struct_size: u32,
    pub flags: u32,
    pub preflight: Option<unsafe extern "C" fn(self_: *mut c_void, call: *const berth_call, state: *mut berth_state, pod: *const berth_pod, node_name: berth_str, parallel: *mut u32, status: *mut berth_status)>,
    pub pre_bind: Option<unsafe extern "C" fn(self_: *mut c_void, call: *const berth_call, state: *mut berth_state, pod: *const berth_pod, node_name: berth_str, status: *mut berth_status, done: *const berth_done)>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_plugin_bind {
    pub struct_size: u32,
    pub flags: u32,
    pub bind: Option<unsafe extern "C" fn(self_: *mut c_void, call: *const berth_call, state: *mut berth_state, pod: *const berth_pod, node_name: berth_str, status: *mut berth_status, done: *const berth_done)>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_plugin_post_bind {
    pub struct_size: u32,
    pub flags: u32,
    pub post_bind: Option<unsafe extern "C" fn(self_: *mut c_void, call: *const berth_call, state: *mut berth_state, pod: *const berth_pod, node_name: berth_str)>,
}

/// Opaque.
#[repr(C)]
pub struct berth_restrict {
    opaque: [u8; 0],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_plugin_pre_filter {
    pub struct_size: u32,
    pub flags: u32,
    pub pre_filter: Option<unsafe extern "C" fn(self_: *mut c_void, call: *const berth_call, state: *mut berth_state, pod: *const berth_pod, nodes: *const berth_nodes, restrict_: *mut berth_restrict, status: *mut berth_status)>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_plugin_pre_filter_ext {
    pub struct_size: u32,
    pub flags: u32,
    pub add_pod: Option<unsafe extern "C" fn(self_: *mut c_void, call: *const berth_call, state: *mut berth_state, pod: *const berth_pod, other: *const berth_pod, nodes: *const berth_nodes, slot: u32, status: *mut berth_status)>,
    pub remove_pod: Option<unsafe extern "C" fn(self_: *mut c_void, call: *const berth_call, state: *mut berth_state, pod: *const berth_pod, other: *const berth_pod, nodes: *const berth_nodes, slot: u32, status: *mut berth_status)>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_plugin_filter {
    pub struct_size: u32,
    pub flags: u32,
    pub filter: Option<unsafe extern "C" fn(self_: *mut c_void, call: *const berth_call, state: *mut berth_state, pod: *const berth_pod, nodes: *const berth_nodes, slots: *const u32, n: u64, code: *mut i32, reasons: *mut u32)>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_outcome {
    pub struct_size: u32,
    pub flags: u32,
    pub handle: u64,
    pub code: *const i32,
    pub absent_code: i32,
    pub reserved: u32,
}

/// Opaque.
#[repr(C)]
pub struct berth_nomination {
    opaque: [u8; 0],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_plugin_post_filter {
    pub struct_size: u32,
    pub flags: u32,
    pub post_filter: Option<unsafe extern "C" fn(self_: *mut c_void, call: *const berth_call, state: *mut berth_state, pod: *const berth_pod, nodes: *const berth_nodes, outcome: *const berth_outcome, nomination: *mut berth_nomination, status: *mut berth_status, done: *const berth_done)>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_plugin_prepare {
    pub struct_size: u32,
    pub flags: u32,
    pub prepare: Option<unsafe extern "C" fn(self_: *mut c_void, object: *const berth_object, out: *mut *mut c_void, status: *mut berth_status)>,
    pub drop: Option<unsafe extern "C" fn(self_: *mut c_void, data: *mut c_void)>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_plugin_pre_enqueue {
    pub struct_size: u32,
    pub flags: u32,
    pub pre_enqueue: Option<unsafe extern "C" fn(self_: *mut c_void, call: *const berth_call, pod: *const berth_pod, status: *mut berth_status)>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_plugin_queue_sort {
    pub struct_size: u32,
    pub flags: u32,
    pub less: Option<unsafe extern "C" fn(self_: *mut c_void, a: *const berth_pod, b: *const berth_pod) -> i32>,
    pub sort_key: Option<unsafe extern "C" fn(self_: *mut c_void, pod: *const berth_pod, key: *mut u8, size: u64) -> u64>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_event {
    pub struct_size: u32,
    pub flags: u32,
    pub resource: berth_str,
    pub action: u64,
    pub old_pod: *const berth_pod,
    pub new_pod: *const berth_pod,
    pub old_node: *const berth_nodes,
    pub new_node: *const berth_nodes,
    pub node_slot: u32,
    pub reserved: u32,
    pub old_object: *const berth_object,
    pub new_object: *const berth_object,
}

/// Opaque.
#[repr(C)]
pub struct berth_event_sink {
    opaque: [u8; 0],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_plugin_events {
    pub struct_size: u32,
    pub flags: u32,
    pub events: Option<unsafe extern "C" fn(self_: *mut c_void, sink: *mut berth_event_sink, status: *mut berth_status)>,
    pub hint: Option<unsafe extern "C" fn(self_: *mut c_void, call: *const berth_call, event: *const berth_event, pods: *const *const berth_pod, n: u64, out: *mut u8)>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_plugin_pre_score {
    pub struct_size: u32,
    pub flags: u32,
    pub pre_score: Option<unsafe extern "C" fn(self_: *mut c_void, call: *const berth_call, state: *mut berth_state, pod: *const berth_pod, nodes: *const berth_nodes, slots: *const u32, n: u64, status: *mut berth_status)>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_plugin_score {
    pub struct_size: u32,
    pub flags: u32,
    pub score: Option<unsafe extern "C" fn(self_: *mut c_void, call: *const berth_call, state: *mut berth_state, pod: *const berth_pod, nodes: *const berth_nodes, slots: *const u32, n: u64, out: *mut i64, status: *mut berth_status)>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_plugin_normalize {
    pub struct_size: u32,
    pub flags: u32,
    pub mode: u32,
    pub reserved: u32,
    pub normalize: Option<unsafe extern "C" fn(self_: *mut c_void, call: *const berth_call, state: *mut berth_state, pod: *const berth_pod, nodes: *const berth_nodes, slots: *const u32, n: u64, inout: *mut i64, status: *mut berth_status)>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_plugin_sign {
    pub struct_size: u32,
    pub flags: u32,
    pub sign: Option<unsafe extern "C" fn(self_: *mut c_void, pod: *const berth_pod, nodes: *const berth_nodes, out: *mut berth_text_sink) -> i32>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_answer {
    pub struct_size: u32,
    pub flags: u32,
    pub code: i32,
    pub http_status: i32,
    pub text: berth_str,
    pub value: *const berth_value,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_host_call {
    pub struct_size: u32,
    pub flags: u32,
    pub set_error: Option<unsafe extern "C" fn(host: *const berth_host, status: *mut berth_status, text: berth_str)>,
    pub set_reasons: Option<unsafe extern "C" fn(host: *const berth_host, status: *mut berth_status, reasons: *const berth_str, n: u64)>,
    pub complete: Option<unsafe extern "C" fn(host: *const berth_host, done: *const berth_done, status: *mut berth_status)>,
    pub intern_reasons: Option<unsafe extern "C" fn(host: *const berth_host, call: *const berth_call, texts: *const berth_str, n: u64) -> u32>,
    pub scratch: Option<unsafe extern "C" fn(host: *const berth_host, call: *const berth_call, size: u64, align: u64) -> *mut c_void>,
    pub restrict_slots: Option<unsafe extern "C" fn(host: *const berth_host, restrict_: *mut berth_restrict, slots: *const u32, n: u64)>,
    pub restrict_names: Option<unsafe extern "C" fn(host: *const berth_host, restrict_: *mut berth_restrict, names: *const berth_str, n: u64)>,
    pub outcome_reasons: Option<unsafe extern "C" fn(host: *const berth_host, outcome: *const berth_outcome, slot: u32, texts: *mut *const berth_str) -> u64>,
    pub outcome_plugin: Option<unsafe extern "C" fn(host: *const berth_host, outcome: *const berth_outcome, slot: u32) -> berth_str>,
    pub outcome_slots: Option<unsafe extern "C" fn(host: *const berth_host, outcome: *const berth_outcome, code: i32, slots: *mut *const u32) -> u64>,
    pub nominate: Option<unsafe extern "C" fn(host: *const berth_host, nomination: *mut berth_nomination, node: berth_str)>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_host_cluster {
    pub struct_size: u32,
    pub flags: u32,
    pub kind: Option<unsafe extern "C" fn(host: *const berth_host, group: berth_str, version: berth_str, resource: berth_str) -> u32>,
    pub get: Option<unsafe extern "C" fn(host: *const berth_host, kind: u32, namespace_: berth_str, name: berth_str) -> *const berth_object>,
    pub list: Option<unsafe extern "C" fn(host: *const berth_host, kind: u32, namespace_: berth_str, visit: Option<unsafe extern "C" fn(ctx: *mut c_void, object: *const berth_object) -> i32>, ctx: *mut c_void)>,
    pub version: Option<unsafe extern "C" fn(host: *const berth_host, kind: u32) -> u64>,
    pub subscribe: Option<unsafe extern "C" fn(host: *const berth_host, kind: u32, changed: Option<unsafe extern "C" fn(ctx: *mut c_void, before: *const berth_object, after: *const berth_object)>, ctx: *mut c_void) -> i32>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_plugin_changes {
    pub struct_size: u32,
    pub flags: u32,
    pub pod_removed: Option<unsafe extern "C" fn(ctx: *mut c_void, row: u32, pod: *const berth_pod, slot: u32)>,
    pub node_changed: Option<unsafe extern "C" fn(ctx: *mut c_void, slot: u32)>,
    pub pod_added: Option<unsafe extern "C" fn(ctx: *mut c_void, row: u32)>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_host_delta {
    pub struct_size: u32,
    pub flags: u32,
    pub changes: Option<unsafe extern "C" fn(host: *const berth_host, nodes: *const berth_nodes, since: u64, changes: *const berth_plugin_changes, ctx: *mut c_void) -> i32>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_host_nodes {
    pub struct_size: u32,
    pub flags: u32,
    pub find: Option<unsafe extern "C" fn(host: *const berth_host, nodes: *const berth_nodes, name: berth_str) -> u32>,
    pub column: Option<unsafe extern "C" fn(host: *const berth_host, nodes: *const berth_nodes, id: u32, out: *mut berth_column) -> i32>,
    pub pods_of: Option<unsafe extern "C" fn(host: *const berth_host, pods: *const berth_pods, slot: u32, rows: *mut *const u32) -> u64>,
    pub pod_column: Option<unsafe extern "C" fn(host: *const berth_host, pods: *const berth_pods, id: u32, out: *mut berth_column) -> i32>,
    pub pod: Option<unsafe extern "C" fn(host: *const berth_host, pods: *const berth_pods, row: u32) -> *const berth_pod>,
}

/// Opaque.
#[repr(C)]
pub struct berth_trial {
    opaque: [u8; 0],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_host_runner {
    pub struct_size: u32,
    pub flags: u32,
    pub open: Option<unsafe extern "C" fn(host: *const berth_host, call: *const berth_call, state: *const berth_state, pod: *const berth_pod, nodes: *const berth_nodes, slot: u32) -> *mut berth_trial>,
    pub remove_pod: Option<unsafe extern "C" fn(host: *const berth_host, trial: *mut berth_trial, row: u32, texts: *mut *const berth_str, n: *mut u64) -> i32>,
    pub add_pod: Option<unsafe extern "C" fn(host: *const berth_host, trial: *mut berth_trial, row: u32, texts: *mut *const berth_str, n: *mut u64) -> i32>,
    pub filter: Option<unsafe extern "C" fn(host: *const berth_host, trial: *mut berth_trial, texts: *mut *const berth_str, n: *mut u64) -> i32>,
    pub close: Option<unsafe extern "C" fn(host: *const berth_host, trial: *mut berth_trial)>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_host_nominator {
    pub struct_size: u32,
    pub flags: u32,
    pub visit: Option<unsafe extern "C" fn(host: *const berth_host, node_name: berth_str, visit: Option<unsafe extern "C" fn(ctx: *mut c_void, pod: *const berth_pod) -> i32>, ctx: *mut c_void)>,
    pub remove: Option<unsafe extern "C" fn(host: *const berth_host, uid: berth_str) -> i32>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_host_activator {
    pub struct_size: u32,
    pub flags: u32,
    pub activate: Option<unsafe extern "C" fn(host: *const berth_host, uid: berth_str) -> i32>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_host_prepared {
    pub struct_size: u32,
    pub flags: u32,
    pub get: Option<unsafe extern "C" fn(host: *const berth_host, object: *const berth_object, out: *mut *mut c_void, texts: *mut *const berth_str, n: *mut u64) -> i32>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_object_meta {
    pub struct_size: u32,
    pub flags: u32,
    pub namespace_: berth_str,
    pub name: berth_str,
    pub uid: berth_str,
    pub resource_version: berth_str,
    pub labels: *const berth_label,
    pub labels_len: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_host_log {
    pub struct_size: u32,
    pub flags: u32,
    pub enabled: Option<unsafe extern "C" fn(host: *const berth_host, severity: u32, verbosity: u32) -> i32>,
    pub write: Option<unsafe extern "C" fn(host: *const berth_host, severity: u32, verbosity: u32, text: berth_str)>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_host_object {
    pub struct_size: u32,
    pub flags: u32,
    pub get: Option<unsafe extern "C" fn(host: *const berth_host, object: *const berth_object, pointer: berth_str) -> *const berth_value>,
    pub retain: Option<unsafe extern "C" fn(host: *const berth_host, object: *const berth_object)>,
    pub release: Option<unsafe extern "C" fn(host: *const berth_host, object: *const berth_object)>,
    pub meta: Option<unsafe extern "C" fn(host: *const berth_host, object: *const berth_object, out: *mut berth_object_meta) -> i32>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_plugin_state_type {
    pub struct_size: u32,
    pub flags: u32,
    pub clone: Option<unsafe extern "C" fn(type_: *const berth_plugin_state_type, data: *const c_void) -> *mut c_void>,
    pub destroy: Option<unsafe extern "C" fn(type_: *const berth_plugin_state_type, data: *mut c_void)>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_host_state {
    pub struct_size: u32,
    pub flags: u32,
    pub key: Option<unsafe extern "C" fn(host: *const berth_host, name: berth_str) -> u32>,
    pub put: Option<unsafe extern "C" fn(host: *const berth_host, state: *mut berth_state, key: u32, data: *mut c_void, type_: *const berth_plugin_state_type) -> i32>,
    pub get: Option<unsafe extern "C" fn(host: *const berth_host, state: *const berth_state, key: u32) -> *mut c_void>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_host_columns {
    pub struct_size: u32,
    pub flags: u32,
    pub declare: Option<unsafe extern "C" fn(host: *const berth_host, kind: u32, key: berth_str) -> u32>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_host_random {
    pub struct_size: u32,
    pub flags: u32,
    pub value: Option<unsafe extern "C" fn(host: *const berth_host, call: *const berth_call, slot: u32, salt: u64) -> u64>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_host_clock {
    pub struct_size: u32,
    pub flags: u32,
    pub now: Option<unsafe extern "C" fn(host: *const berth_host) -> i64>,
    pub after: Option<unsafe extern "C" fn(host: *const berth_host, ns: i64, fn_: Option<unsafe extern "C" fn(ctx: *mut c_void, code: i32)>, ctx: *mut c_void) -> u64>,
    pub cancel: Option<unsafe extern "C" fn(host: *const berth_host, timer: u64) -> i32>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_request {
    pub struct_size: u32,
    pub flags: u32,
    pub verb: u32,
    pub reserved: u32,
    pub group: berth_str,
    pub version: berth_str,
    pub resource: berth_str,
    pub namespace_: berth_str,
    pub name: berth_str,
    pub subresource: berth_str,
    pub content_type: berth_str,
    pub body: berth_str,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_host_client {
    pub struct_size: u32,
    pub flags: u32,
    pub send: Option<unsafe extern "C" fn(host: *const berth_host, request: *const berth_request, on_done: Option<unsafe extern "C" fn(ctx: *mut c_void, answer: *const berth_answer)>, ctx: *mut c_void) -> i32>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_host_waiting_pods {
    pub struct_size: u32,
    pub flags: u32,
    pub allow: Option<unsafe extern "C" fn(host: *const berth_host, uid: berth_str) -> i32>,
    pub reject: Option<unsafe extern "C" fn(host: *const berth_host, uid: berth_str, reason: berth_str) -> i32>,
    pub preempt: Option<unsafe extern "C" fn(host: *const berth_host, uid: berth_str, reason: berth_str) -> i32>,
    pub visit: Option<unsafe extern "C" fn(host: *const berth_host, visit: Option<unsafe extern "C" fn(ctx: *mut c_void, pod: *const berth_pod, node_name: berth_str) -> i32>, ctx: *mut c_void)>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_host_recorder {
    pub struct_size: u32,
    pub flags: u32,
    pub event: Option<unsafe extern "C" fn(host: *const berth_host, regarding: *const berth_object, type_: berth_str, reason: berth_str, action: berth_str, note: berth_str) -> i32>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_host_sinks {
    pub struct_size: u32,
    pub flags: u32,
    pub write_text: Option<unsafe extern "C" fn(host: *const berth_host, sink: *mut berth_text_sink, text: berth_str)>,
    pub add_error: Option<unsafe extern "C" fn(host: *const berth_host, sink: *mut berth_error_sink, path: berth_str, text: berth_str)>,
    pub declare_watch: Option<unsafe extern "C" fn(host: *const berth_host, sink: *mut berth_declare_sink, group: berth_str, version: berth_str, resource: berth_str)>,
    pub declare_write: Option<unsafe extern "C" fn(host: *const berth_host, sink: *mut berth_declare_sink, verb: u32, group: berth_str, version: berth_str, resource: berth_str)>,
    pub add_event: Option<unsafe extern "C" fn(host: *const berth_host, sink: *mut berth_event_sink, resource: berth_str, actions: u64, has_hint: u32)>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_host_task {
    pub struct_size: u32,
    pub flags: u32,
    pub submit: Option<unsafe extern "C" fn(host: *const berth_host, run: Option<unsafe extern "C" fn(ctx: *mut c_void, cancel: *const u32)>, done: Option<unsafe extern "C" fn(ctx: *mut c_void, code: i32)>, ctx: *mut c_void) -> i32>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_host_cancellation {
    pub struct_size: u32,
    pub flags: u32,
    pub after: Option<unsafe extern "C" fn(host: *const berth_host, call: *const berth_call, fn_: Option<unsafe extern "C" fn(ctx: *mut c_void, code: i32)>, ctx: *mut c_void) -> i32>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_candidate {
    pub slot: u32,
    pub reserved: u32,
    pub victims: *const u32,
    pub victims_len: u64,
    pub violations: i64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_host_extenders {
    pub struct_size: u32,
    pub flags: u32,
    pub narrow: Option<unsafe extern "C" fn(host: *const berth_host, call: *const berth_call, candidates: *const berth_candidate, n: u64, on_done: Option<unsafe extern "C" fn(ctx: *mut c_void, code: i32, error: berth_str, left: *const berth_candidate, left_len: u64)>, ctx: *mut c_void) -> i32>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_host_kubernetes {
    pub struct_size: u32,
    pub flags: u32,
    pub minor: Option<unsafe extern "C" fn(host: *const berth_host) -> u32>,
    pub gate: Option<unsafe extern "C" fn(host: *const berth_host, name: berth_str) -> i32>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_host_log_fields {
    pub struct_size: u32,
    pub flags: u32,
    pub write: Option<unsafe extern "C" fn(host: *const berth_host, severity: u32, verbosity: u32, message: berth_str, fields: *const berth_kv, n: u64)>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_metric {
    pub struct_size: u32,
    pub flags: u32,
    pub kind: u32,
    pub most_series: u32,
    pub name: berth_str,
    pub help: berth_str,
    pub labels: *const berth_str,
    pub labels_len: u64,
    pub bounds: *const f64,
    pub bounds_len: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_host_metrics {
    pub struct_size: u32,
    pub flags: u32,
    pub define: Option<unsafe extern "C" fn(host: *const berth_host, metric: *const berth_metric, id: *mut u32) -> i32>,
    pub series: Option<unsafe extern "C" fn(host: *const berth_host, metric: u32, values: *const berth_str, n: u64) -> u64>,
    pub add: Option<unsafe extern "C" fn(host: *const berth_host, series: u64, n: f64)>,
    pub set: Option<unsafe extern "C" fn(host: *const berth_host, series: u64, value: f64)>,
    pub observe: Option<unsafe extern "C" fn(host: *const berth_host, series: u64, value: f64)>,
    pub end: Option<unsafe extern "C" fn(host: *const berth_host, series: u64)>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_pending_pod {
    pub struct_size: u32,
    pub flags: u32,
    pub pod: *const berth_pod,
    pub place: u32,
    pub group_priority: i32,
    pub plugins: *const berth_str,
    pub plugins_len: u64,
    pub backoff_end_ns: i64,
    pub group: berth_str,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_host_pending_pods {
    pub struct_size: u32,
    pub flags: u32,
    pub count: Option<unsafe extern "C" fn(host: *const berth_host, places: u32, n: *mut u64) -> i32>,
    pub visit: Option<unsafe extern "C" fn(host: *const berth_host, places: u32, visit: Option<unsafe extern "C" fn(ctx: *mut c_void, pod: *const berth_pending_pod) -> i32>, ctx: *mut c_void) -> i32>,
    pub version: Option<unsafe extern "C" fn(host: *const berth_host, version: *mut u64) -> i32>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_pod_group {
    pub struct_size: u32,
    pub flags: u32,
    pub obj: *const berth_object,
    pub namespace_: berth_str,
    pub name: berth_str,
    pub min_count: i64,
    pub pods: u64,
    pub assumed: u64,
    pub assigned: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_host_pod_groups {
    pub struct_size: u32,
    pub flags: u32,
    pub get: Option<unsafe extern "C" fn(host: *const berth_host, namespace_: berth_str, name: berth_str, out: *mut berth_pod_group) -> i32>,
    pub visit: Option<unsafe extern "C" fn(host: *const berth_host, namespace_: berth_str, name: berth_str, which: u32, visit: Option<unsafe extern "C" fn(ctx: *mut c_void, uid: berth_str) -> i32>, ctx: *mut c_void)>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_plugin_placement_feasible {
    pub struct_size: u32,
    pub flags: u32,
    pub placement_feasible: Option<unsafe extern "C" fn(self_: *mut c_void, call: *const berth_call, group: *const berth_pod_group, remaining: u64, scheduled: u64, status: *mut berth_status)>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_host_pods_in_pre_bind {
    pub struct_size: u32,
    pub flags: u32,
    pub cancel: Option<unsafe extern "C" fn(host: *const berth_host, uid: berth_str, reason: berth_str) -> i32>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_read {
    pub struct_size: u32,
    pub flags: u32,
    pub verb: u32,
    pub reserved: u32,
    pub group: berth_str,
    pub version: berth_str,
    pub resource: berth_str,
    pub namespace_: berth_str,
    pub name: berth_str,
    pub label_selector: berth_str,
    pub field_selector: berth_str,
    pub continue_: berth_str,
    pub limit: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_host_reader {
    pub struct_size: u32,
    pub flags: u32,
    pub declare: Option<unsafe extern "C" fn(host: *const berth_host, sink: *mut berth_declare_sink, verb: u32, group: berth_str, version: berth_str, resource: berth_str)>,
    pub read: Option<unsafe extern "C" fn(host: *const berth_host, read: *const berth_read, on_read: Option<unsafe extern "C" fn(ctx: *mut c_void, answer: *const berth_answer)>, ctx: *mut c_void, id: *mut u64) -> i32>,
    pub cancel: Option<unsafe extern "C" fn(host: *const berth_host, id: u64) -> i32>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_change {
    pub kind: u32,
    pub reserved: u32,
    pub name: berth_str,
    pub value: berth_str,
    pub effect: berth_str,
    pub amount: i64,
}

/// Opaque.
#[repr(C)]
pub struct berth_remedy_sink {
    opaque: [u8; 0],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_host_remedies {
    pub struct_size: u32,
    pub flags: u32,
    pub add: Option<unsafe extern "C" fn(host: *const berth_host, sink: *mut berth_remedy_sink, i: u64, changes: *const berth_change, n: u64)>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_plugin_remedy {
    pub struct_size: u32,
    pub flags: u32,
    pub remedy: Option<unsafe extern "C" fn(self_: *mut c_void, call: *const berth_call, state: *mut berth_state, pod: *const berth_pod, nodes: *const berth_nodes, slots: *const u32, n: u64, out: *mut berth_remedy_sink) -> i32>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_watch {
    pub struct_size: u32,
    pub flags: u32,
    pub group: berth_str,
    pub version: berth_str,
    pub resource: berth_str,
    pub namespace_: berth_str,
    pub name: berth_str,
    pub label_selector: berth_str,
    pub field_selector: berth_str,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_host_selective_watches {
    pub struct_size: u32,
    pub flags: u32,
    pub declare: Option<unsafe extern "C" fn(host: *const berth_host, sink: *mut berth_declare_sink, watch: *const berth_watch)>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_host_trial_state {
    pub struct_size: u32,
    pub flags: u32,
    pub state: Option<unsafe extern "C" fn(host: *const berth_host, trial: *const berth_trial) -> *mut berth_state>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct berth_host_victims {
    pub struct_size: u32,
    pub flags: u32,
    pub name: Option<unsafe extern "C" fn(host: *const berth_host, nomination: *mut berth_nomination, rows: *const u32, n: u64, reason: berth_str) -> i32>,
}
