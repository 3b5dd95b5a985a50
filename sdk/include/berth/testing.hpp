// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Unit tests of a plugin without a cluster: a fake host, a cluster in YAML, the extension points. These are functions,
/// for a plugin in any language. C++20, without dependencies.
///
/// ```cpp
/// #include <berth/testing.hpp>
///
/// BERTH_TEST("a node with two pods is full") {
///     berth::testing::Cluster cluster(R"(
/// kind: Node
/// metadata: {name: quay}
/// status: {allocatable: {cpu: 4, pods: 110}}
/// ---
/// kind: Pod
/// metadata: {name: web}
/// )");
///     berth::testing::Plugin plugin(cluster, BERTH_PLUGIN_FILE, "PodsPerNode", "max: 2");
///     BERTH_CHECK(plugin.filter("web", "quay").ok());
/// }
/// BERTH_TEST_MAIN()
/// ```
///
/// It is a stand-in, not the scheduler: it offers no trials or extenders (berth.host.runner, pods_in_pre_bind,
/// extenders), and knows no pod resources in a status. What a plugin does among others is for `berth simulate`, and
/// whether it keeps the ABI's rules for its `--plugin-checks strict`.

#include <berth/testing/check.hpp>
#include <berth/testing/points.hpp>
