// SPDX-License-Identifier: Apache-2.0
//! What crosses the ABI: the note says what the library says, and a panic becomes an error, wherever it happens.

use berth::raw::*;
use berth::*;
use std::os::raw::c_void;

struct Sound {
    held: std::sync::Mutex<Option<Done>>,
}
impl Plugin for Sound {
    fn new(setup: &Setup, args: Args) -> Result<Self, String> {
        // This host offers neither metrics nor fields.
        setup.counters("sound_made_total", "Instances.", ["how"], 0)?.with(setup, ["well"]).add(setup, 1.0);
        setup.warning_with("made", &[("how", "we\"ll\n".into()), ("a b", 1.into()), ("n", 3.into()), ("half", 0.5.into()), ("on", true.into())]);
        match args.string("how", "")?.as_str() {
            "refuse" => Err("no such berth".to_string()),
            "panic" => panic!("the hull leaks"),
            _ => Ok(Sound { held: Default::default() }),
        }
    }
}
impl Filter for Sound {
    fn filter(&self, _: &Call, _: &State, _: Pod, node: Node) -> Verdict {
        match node.slot() {
            0 => Verdict::ok(),
            1 => Verdict::unschedulable("full"),
            _ => panic!("slot {}", node.slot()),
        }
    }
}
impl QueueSort for Sound {
    fn less(&self, _: Pod, _: Pod) -> bool {
        panic!("cannot say")
    }
}
impl Score for Sound {}
impl PreBind for Sound {
    fn pre_bind(&self, _: &LoopCall, _: &mut State, _: Pod, node_name: &str, later: Later) -> Answer {
        if node_name == "held" {
            let (done, answer) = later.start();
            *self.held.lock().unwrap() = Some(done);
            return answer;
        }
        if node_name == "now" {
            return Verdict::pending("wait for the tide").into();
        }
        let (done, answer) = later.start();
        if node_name == "dropped" {
            drop(done);
        } else {
            done.complete(Verdict::ok());
        }
        answer
    }
}
struct Other;
impl Plugin for Other {
    fn new(_: &Setup, _: Args) -> Result<Self, String> {
        Ok(Other)
    }
}
impl Filter for Other {}

berth::plugins! {
    Sound: "Sound", "1.2.3", [Filter, QueueSort, Score, PreBind], writes ["create v1/pods/binding", "delete apps/v1/deployments"];
    Other: "Other", "0.1.0", [Filter];
}

extern "C" {
    fn berth_plugins_abi1() -> *const berth_library;
}

fn text(s: berth_str) -> String {
    let bytes = unsafe { std::slice::from_raw_parts(s.ptr as *const u8, s.len as usize) };
    String::from_utf8(bytes.to_vec()).unwrap()
}
fn str_of(s: &str) -> berth_str {
    berth_str { ptr: s.as_ptr() as *const std::os::raw::c_char, len: s.len() as u64 }
}

unsafe extern "C" fn service(_: *const berth_host, id: berth_str) -> *const c_void {
    match text(id).as_str() {
        BERTH_HOST_CALL_V1 => &CALL as *const berth_host_call as *const c_void,
        BERTH_HOST_SINKS_V1 => &SINKS as *const berth_host_sinks as *const c_void,
        BERTH_HOST_LOG_V1 => &LOG as *const berth_host_log as *const c_void,
        _ => std::ptr::null(),
    }
}
unsafe extern "C" fn take_error(_: *const berth_host, status: *mut berth_status, said: berth_str) {
    *((*status).handle as *mut String) = text(said);
}
unsafe extern "C" fn take_reasons(_: *const berth_host, status: *mut berth_status, said: *const berth_str, n: u64) {
    assert_eq!(n, 1);
    *((*status).handle as *mut String) = text(*said);
}
static LINES: std::sync::Mutex<Vec<String>> = std::sync::Mutex::new(Vec::new());
unsafe extern "C" fn is_logged(_: *const berth_host, _: u32, _: u32) -> i32 {
    1
}
unsafe extern "C" fn take_line(_: *const berth_host, _: u32, _: u32, line: berth_str) {
    LINES.lock().unwrap().push(text(line));
}
static LOG: berth_host_log = berth_host_log {
    struct_size: std::mem::size_of::<berth_host_log>() as u32,
    flags: 0,
    enabled: Some(is_logged),
    write: Some(take_line),
};
static CALL: berth_host_call = berth_host_call {
    struct_size: std::mem::size_of::<berth_host_call>() as u32,
    flags: 0,
    set_error: Some(take_error),
    set_reasons: Some(take_reasons),
    complete: Some(complete),
    intern_reasons: Some(intern),
    scratch: None,
    restrict_slots: None,
    restrict_names: None,
    outcome_reasons: None,
    outcome_plugin: None,
    outcome_slots: None,
    nominate: None,
};
static SINKS: berth_host_sinks = berth_host_sinks {
    struct_size: std::mem::size_of::<berth_host_sinks>() as u32,
    flags: 0,
    write_text: None,
    add_error: None,
    declare_watch: None,
    declare_write: Some(take_write),
    add_event: None,
};
/// A status and where its text goes.
fn status(said: &mut String) -> berth_status {
    berth_status {
        struct_size: std::mem::size_of::<berth_status>() as u32,
        flags: 0,
        code: BERTH_STATUS_SUCCESS,
        reserved: 0,
        handle: said as *mut String as u64,
    }
}

fn plugin(i: usize) -> &'static berth_plugin {
    unsafe { &**(*berth_plugins_abi1()).plugins.add(i) }
}

/// An instance of Sound, or the error.
fn made(how: &str) -> Result<*mut c_void, String> {
    made_of(0, how)
}
fn made_of(i: usize, how: &str) -> Result<*mut c_void, String> {
    let mut host: berth_host = unsafe { std::mem::zeroed() };
    host.get_service = Some(service);
    let host = Box::leak(Box::new(host));
    let kind = BERTH_VALUE_STRING;
    let (n, ptr) = (berth_value_n { len: how.len() as u64 }, berth_value_ptr { any: how.as_ptr() as *const c_void });
    let how = berth_value { kind, reserved: 0, n, ptr };
    let member = berth_kv { key: str_of("how"), value: how };
    let (n, ptr) = (berth_value_n { len: 1 }, berth_value_ptr { members: &member });
    let args = berth_value { kind: BERTH_VALUE_OBJECT, reserved: 0, n, ptr };
    let mut info: berth_create_info = unsafe { std::mem::zeroed() };
    info.args_value = &args;
    let (mut said, mut this) = (String::new(), std::ptr::null_mut());
    let mut status = status(&mut said);
    unsafe { plugin(i).create.unwrap()(host, &info, &mut this, &mut status) };
    if status.code == BERTH_STATUS_SUCCESS {
        Ok(this)
    } else {
        assert_eq!(status.code, BERTH_STATUS_ERROR);
        Err(said)
    }
}
fn table<T>(id: &str) -> &'static T {
    unsafe { &*(plugin(0).get_interface.unwrap()(str_of(id)) as *const T) }
}

#[test]
fn a_library_says_what_it_holds() {
    let library = unsafe { &*berth_plugins_abi1() };
    assert_eq!(library.plugins_len, 2);
    assert_eq!((text(plugin(0).name), text(plugin(0).version)), ("Sound".to_string(), "1.2.3".to_string()));
    let ids = unsafe { std::slice::from_raw_parts(plugin(0).interface_ids, plugin(0).interface_ids_len as usize) };
    let ids: Vec<String> = ids.iter().map(|id| text(*id)).collect();
    assert_eq!(ids, ["berth.filter/1", "berth.queue_sort/1", "berth.score/1", "berth.pre_bind/1"]);
    assert!(unsafe { plugin(1).get_interface.unwrap()(str_of("berth.score/1")) }.is_null());
}

unsafe extern "C" fn take_write(
    _: *const berth_host, sink: *mut berth_declare_sink, verb: u32, group: berth_str, version: berth_str,
    resource: berth_str,
) {
    (*(sink as *mut Vec<(u32, [String; 3])>)).push((verb, [text(group), text(version), text(resource)]));
}

#[test]
fn what_a_plugin_writes_is_declared() {
    let mut given: Vec<(u32, [String; 3])> = Vec::new();
    let mut declare = |i: usize| {
        let this = made_of(i, "").unwrap();
        given.clear();
        let sink = &mut given as *mut Vec<_> as *mut berth_declare_sink;
        unsafe {
            let mut status: berth_status = std::mem::zeroed();
            plugin(i).declare.unwrap()(this, sink, &mut status);
            assert_eq!(status.code, BERTH_STATUS_SUCCESS);
            plugin(i).destroy.unwrap()(this);
        }
        given.clone()
    };
    assert_eq!(declare(1), []);
    let given = declare(0);
    let right = |verb, group: &str, version: &str, resource: &str| (verb, [group, version, resource].map(str::to_string));
    assert_eq!(given[0], right(BERTH_VERB_CREATE, "", "v1", "pods/binding"));
    assert_eq!(given[1..], [right(BERTH_VERB_DELETE, "apps", "v1", "deployments")]);
}

#[test]
fn a_constructor_that_refuses_or_panics_is_an_error() {
    assert_eq!(made("refuse").unwrap_err(), "no such berth");
    assert_eq!(made("panic").unwrap_err(), "the hull leaks");
    unsafe { plugin(0).destroy.unwrap()(made("").unwrap()) };
}

#[test]
fn a_host_without_fields_gets_one_text() {
    unsafe { plugin(0).destroy.unwrap()(made("").unwrap()) };
    assert_eq!(LINES.lock().unwrap()[0], "made how=\"we\\\"ll\\n\" n=3 half=0.5 on=true");
}

static REASONS: std::sync::Mutex<Vec<String>> = std::sync::Mutex::new(Vec::new());
unsafe extern "C" fn intern(_: *const berth_host, _: *const berth_call, texts: *const berth_str, n: u64) -> u32 {
    assert_eq!(n, 1);
    let mut given = REASONS.lock().unwrap();
    given.push(text(*texts));
    given.len() as u32
}

#[test]
fn a_panic_in_a_batch_is_the_answer_of_all_that_have_none() {
    let this = made("").unwrap();
    let call: berth_call = unsafe { std::mem::zeroed() };
    let mut nodes: berth_nodes = unsafe { std::mem::zeroed() };
    nodes.slots = 4;
    let (pod, none): (berth_pod, _) = (unsafe { std::mem::zeroed() }, std::ptr::null_mut());
    let (mut code, mut reasons) = ([BERTH_STATUS_NOT_EVALUATED; 4], [BERTH_NO_REASONS; 4]);
    let slots = [0u32, 1, 2, 3];
    let filter = table::<berth_plugin_filter>("berth.filter/1").filter.unwrap();
    unsafe { filter(this, &call, none, &pod, &nodes, slots.as_ptr(), 4, code.as_mut_ptr(), reasons.as_mut_ptr()) };
    assert_eq!(code, [BERTH_STATUS_SUCCESS, BERTH_STATUS_UNSCHEDULABLE, BERTH_STATUS_ERROR, BERTH_STATUS_ERROR]);
    let given = REASONS.lock().unwrap().clone();
    let said = |i: usize| given[reasons[i] as usize - 1].as_str();
    assert_eq!((reasons[0], said(1), said(2), said(3)), (BERTH_NO_REASONS, "full", "slot 2", "slot 2"));

    let mut said = String::new();
    let mut out = [0i64; 1];
    let mut status = status(&mut said);
    let score = table::<berth_plugin_score>("berth.score/1").score.unwrap();
    unsafe { score(this, &call, none, &pod, &nodes, slots.as_ptr(), 1, out.as_mut_ptr(), &mut status) };
    assert_eq!((status.code, said.as_str()), (BERTH_STATUS_ERROR, "the plugin has neither score nor score_batch"));
    assert_eq!(unsafe { table::<berth_plugin_queue_sort>("berth.queue_sort/1").less.unwrap()(this, &pod, &pod) }, -1);
    unsafe { plugin(0).destroy.unwrap()(this) };
}

unsafe extern "C" fn complete(_: *const berth_host, done: *const berth_done, status: *mut berth_status) {
    *((*done).handle as *mut Vec<i32>) = vec![(*status).code];
}

#[test]
fn a_late_answer_ends_once_and_a_dropped_one_is_an_error() {
    let this = made("").unwrap();
    let pre_bind = table::<berth_plugin_pre_bind>("berth.pre_bind/1").pre_bind.unwrap();
    let answer = |this: *mut c_void, node: &str| {
        let (mut said, mut late, mut ended) = (String::new(), String::new(), Vec::<i32>::new());
        let (mut now, mut then) = (status(&mut said), status(&mut late));
        let handle = &mut ended as *mut Vec<i32> as u64;
        let done = berth_done { struct_size: 24, flags: 0, handle, status: &mut then };
        let call: berth_call = unsafe { std::mem::zeroed() };
        let pod: berth_pod = unsafe { std::mem::zeroed() };
        unsafe { pre_bind(this, &call, std::ptr::null_mut(), &pod, str_of(node), &mut now, &done) };
        if node == "held" {
            assert_eq!(ended, []);
            unsafe { plugin(0).destroy.unwrap()(this) };
        }
        (now.code, said, ended, late)
    };
    assert_eq!(answer(this, "now"), (BERTH_STATUS_PENDING, "wait for the tide".to_string(), vec![], String::new()));
    assert_eq!(answer(this, "later"), (BERTH_STATUS_IN_PROGRESS, String::new(), vec![BERTH_STATUS_SUCCESS], String::new()));
    let dropped = "the plugin dropped its Done without an answer".to_string();
    let of_dropped = (BERTH_STATUS_IN_PROGRESS, String::new(), vec![BERTH_STATUS_ERROR], dropped);
    assert_eq!(answer(this, "dropped"), of_dropped);
    // The plugin itself holds it until it is destroyed.
    assert_eq!(answer(made("").unwrap(), "held"), of_dropped);
    unsafe { plugin(0).destroy.unwrap()(this) };
}
