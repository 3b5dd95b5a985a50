// SPDX-License-Identifier: Apache-2.0
//! The methods of Pod that are made from the header, one of each kind, through the testing kit.

use berth::*;
use berth_testing::Cluster;

struct Manifest;

impl Plugin for Manifest {
    fn new(_: &Setup, _: Args) -> Result<Self, String> {
        Ok(Manifest)
    }
}

impl Filter for Manifest {
    fn filter(&self, _: &Call, _: &State, pod: Pod, _: Node) -> Verdict {
        Verdict::unschedulable(format!(
            "{} {} {} {}m {}m {} {} {} {}",
            pod.nominated_node(),
            pod.priority(),
            pod.creation_time_ns(),
            pod.requests().cpu,
            pod.requests_nonzero().cpu,
            pod.tolerations().len(),
            pod.images().len(),
            pod.host_ports().iter().map(|p| p.port).sum::<i32>(),
            pod.pod_flags(),
        ))
    }
}

berth::plugins! { Manifest: "Manifest", "1.0.0", [Filter] }

#[test]
fn what_the_document_says() {
    let cluster = Cluster::new(
        "
kind: Node
metadata: {name: quay}
---
kind: Pod
metadata: {name: web, creationTimestamp: \"1970-01-01T00:00:02Z\"}
spec:
  priority: -7
  tolerations: [{key: tide, operator: Exists}]
  containers: [{name: a, image: nginx, ports: [{hostPort: 80}]}, {name: b, image: redis, resources: {requests: {cpu: 1}}}]
status: {nominatedNodeName: pier}
---
kind: Pod
metadata: {name: bare}
",
    );
    let plugin = berth_testing::Plugin::new(&cluster, "Manifest", "{}").unwrap();
    assert_eq!(plugin.filter("web", "quay").text(), "pier -7 2000000000 1000m 1100m 1 2 80 0");
    assert_eq!(plugin.filter("bare", "quay").text(), " 0 0 0m 0m 0 0 0 0");
}
