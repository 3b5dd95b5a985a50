// SPDX-License-Identifier: Apache-2.0
//! Reads of objects that the plugin does not watch.

use berth::raw::*;
use berth::*;
use berth_testing::{Cluster, Plugin as Tested};
use std::cell::{Cell, RefCell};

thread_local! {
    static CAME: RefCell<Vec<String>> = RefCell::new(Vec::new());
    static DROPPED: Cell<u32> = Cell::new(0);
}

struct Counted;
impl Drop for Counted {
    fn drop(&mut self) {
        DROPPED.with(|n| n.set(n.get() + 1))
    }
}

fn say(line: String) {
    CAME.with(|all| all.borrow_mut().push(line));
}

fn came() -> Vec<String> {
    CAME.with(|all| all.borrow_mut().drain(..).collect())
}

/// Reads what the name of a pod says.
struct Pilot;

impl Plugin for Pilot {
    fn new(_: &Setup, args: Args) -> Result<Self, String> {
        args.only(&[])?;
        Ok(Pilot)
    }
}

impl Pilot {
    fn get(on_loop: &Loop, resource: &str, name: &str) -> Result<ReadId, String> {
        let what = Get { resource, namespace: "harbour", name, ..Get::default() };
        on_loop.get(&what, |_, answer| {
            let chart = answer.value().get("data").get("chart").as_str().unwrap_or("");
            let text = if answer.ok() { chart } else { answer.text() };
            say(format!("{} {} {} {} {}", answer.status(), answer.ok(), answer.not_found(), answer.reason(), text))
        })
    }
}

impl PreFilter for Pilot {
    fn pre_filter(&self, call: &LoopCall, _: &mut State, pod: Pod, _: Nodes, _: &Restrict) -> Verdict {
        let on_loop = &call.on_loop();
        let begun = match pod.name() {
            "list" => on_loop.list(&List { resource: "configmaps", label_selector: "kind=chart", limit: 1, ..List::default() }, |_, page| {
                let names: Vec<_> = page.items().map(|one| one.get("metadata").get("name").as_str().unwrap_or("").to_string()).collect();
                say(format!("{} then {}", names.join(" "), page.continue_token()));
            }),
            "cancel" => {
                let counted = Counted;
                let what = Get { resource: "configmaps", name: "tides", ..Get::default() };
                let id = on_loop.get(&what, move |_, _| say(format!("{}", std::mem::size_of_val(&counted)))).expect("it was begun");
                assert!(on_loop.cancel_read(id) && !on_loop.cancel_read(id));
                Ok(id)
            }
            "ends" => {
                let counted = Counted;
                let what = Get { resource: "configmaps", name: "tides", ..Get::default() };
                on_loop.get(&what, move |_, _| say(format!("{}", std::mem::size_of_val(&counted))))
            }
            "secrets" => Self::get(on_loop, "secrets", "tides"),
            name => Self::get(on_loop, "configmaps", name),
        };
        Verdict::unschedulable(begun.map_or_else(|why| why, |_| "begun".to_string()))
    }
}

berth::plugins! {
    Pilot: "Pilot", "1.0.0", [PreFilter], reads ["get v1/configmaps", "list v1/configmaps"]
}

const YAML: &str = "
kind: ConfigMap
apiVersion: v1
metadata: {name: tides, namespace: harbour, labels: {kind: chart}}
data: {chart: low}
---
kind: ConfigMap
apiVersion: v1
metadata: {name: winds, namespace: harbour, labels: {kind: chart}}
";

fn pilot() -> Tested {
    let cluster = Cluster::new(YAML);
    for pod in ["tides", "none", "list", "cancel", "ends", "secrets", "a..b", ".."] {
        cluster.add(&format!("{{kind: Pod, metadata: {{name: '{pod}'}}}}"));
    }
    let plugin = Tested::new(&cluster, "Pilot", "").unwrap();
    came();
    DROPPED.with(|n| n.set(0));
    plugin
}

fn ask(plugin: &Tested, pod: &str) -> String {
    let text = plugin.pre_filter(pod).text();
    plugin.pass(std::time::Duration::ZERO);
    text
}

#[test]
fn an_object_is_read_and_a_page_listed() {
    let plugin = pilot();
    assert_eq!(ask(&plugin, "tides"), "begun");
    assert_eq!(ask(&plugin, "none"), "begun");
    assert_eq!(came(), ["200 true false  low", "404 false true NotFound configmaps \"none\" not found"]);
    assert_eq!(plugin.read(), ["get v1/configmaps harbour/tides", "get v1/configmaps harbour/none"]);
    assert_eq!(ask(&plugin, "list"), "begun");
    assert_eq!(came(), ["tides then harbour/tides"]);
    plugin.no_reads(403, "forbidden");
    ask(&plugin, "tides");
    assert_eq!(came(), ["403 false false Forbidden forbidden"]);
}

#[test]
fn what_was_not_declared_or_is_no_name_is_an_error_at_once() {
    let plugin = pilot();
    assert_eq!(ask(&plugin, "secrets"), "the read is not valid or not declared, or cannot be made here: secrets tides");
    assert_eq!(ask(&plugin, ".."), "the read is not valid or not declared, or cannot be made here: configmaps ..");
    assert!(came().is_empty());
    assert_eq!(ask(&plugin, "a..b"), "begun");
    assert_eq!(came().len(), 1);
}

#[test]
fn the_taker_of_a_read_that_does_not_come_is_dropped() {
    let plugin = pilot();
    assert_eq!(ask(&plugin, "cancel"), "begun");
    assert_eq!(DROPPED.with(Cell::get), 1);
    assert_eq!(plugin.pre_filter("ends").code, BERTH_STATUS_UNSCHEDULABLE);
    drop(plugin);
    assert_eq!((DROPPED.with(Cell::get), came()), (2, vec![]));
}
