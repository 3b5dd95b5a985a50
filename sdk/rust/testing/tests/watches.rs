// SPDX-License-Identifier: Apache-2.0
//! Watches of some objects of a kind.

use berth::*;
use berth_testing::{Cluster, Plugin as Tested};

/// Watches what its argument says.
struct Watcher {
    maps: KindId,
    labels: String,
}

impl Plugin for Watcher {
    fn new(setup: &Setup, args: Args) -> Result<Self, String> {
        Ok(Watcher { maps: setup.kind("", "v1", "configmaps"), labels: args.string("labels", "")? })
    }
    fn declare(&self, on: &Declare) {
        on.watch(&Watch { resource: "configmaps", namespace: "harbour", label_selector: &self.labels, ..Watch::default() });
        on.watch(&Watch { resource: "configmaps", field_selector: "metadata.name=b,data.key=value", ..Watch::default() });
    }
}

impl PreFilter for Watcher {
    fn pre_filter(&self, call: &LoopCall, _: &mut State, _: Pod, _: Nodes, _: &Restrict) -> Verdict {
        let text = |object: &Value, field| object.get("metadata").get(field).as_str().unwrap_or("").to_string();
        let all = call.objects(self.maps, "");
        let names: Vec<_> = all.iter().map(|one| format!("{}/{}", text(one, "namespace"), text(one, "name"))).collect();
        let got = call.object(self.maps, "harbour", "a").map_or(String::new(), |one| text(&one, "name"));
        Verdict::unschedulable(format!("{}, got {got}", names.join(" ")))
    }
}

berth::plugins! {
    Watcher: "Watcher", "1.0.0", [PreFilter], watches ["v1/configmaps"]
}

const YAML: &str = "
{kind: ConfigMap, apiVersion: v1, metadata: {name: a, namespace: harbour, labels: {app: web}}}
---
{kind: ConfigMap, apiVersion: v1, metadata: {name: a, namespace: other, labels: {app: web}}}
---
{kind: ConfigMap, apiVersion: v1, metadata: {name: b, namespace: harbour}, data: {key: other}}
---
{kind: ConfigMap, apiVersion: v1, metadata: {name: b, namespace: other}, data: {key: value}}
---
{kind: Pod, metadata: {name: p}}
";

fn seen(labels: &str) -> String {
    let cluster = Cluster::new(YAML);
    Tested::new(&cluster, "Watcher", &format!("{{labels: '{labels}'}}")).unwrap().pre_filter("p").text()
}

#[test]
fn a_plugin_sees_the_objects_that_its_watches_select() {
    assert_eq!(seen("app=web"), "harbour/a other/b, got a");
    assert_eq!(seen("app!=web"), "harbour/b other/b, got ");
}

#[test]
fn a_selection_that_cannot_be_read_refuses_the_plugin() {
    let cluster = Cluster::new(YAML);
    let refused = Tested::new(&cluster, "Watcher", "{labels: 'app in web'}").err().expect("it was made");
    assert!(refused.starts_with("declare: it declares to watch \"v1/configmaps\": its selectors cannot be read"), "{refused}");
}
