// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The API's answers about profiles and plugins, with their calls, below /apis/berth/v1alpha1 (docs/explain.md).

#include "api/explainer.h"
#include "plugin/failures.h"
#include "report/plugin_list.h"
#include "report/scheduler_metrics.h"

#include <map>
#include <string>

namespace berth::api {

/// The counters of plugins; both outlive the table.
struct PluginCounts {
    const report::SchedulerMetrics &meter;
    const plugin::PluginFailures *failures = nullptr;  ///< null: failures are not counted, and there is no quarantine
};

/// Loop only but for add_to().
class PluginTable {
public:
    PluginTable(Explainer::World world, PluginCounts counts) : world_(std::move(world)), counts_(counts) {}
    PluginTable(const PluginTable &) = delete;
    PluginTable &operator=(const PluginTable &) = delete;

    /// Before the server starts.
    void add_to(kube::Routes &routes, Explainer::Post work);

private:
    report::PluginList list() const;
    std::string text(report::PluginList list);

    Explainer::World world_;
    PluginCounts counts_;
    Explainer::Post work_;
    std::map<int, std::string> digests_;  ///< of libraries, by descriptor; on the server's thread
};

}  // namespace berth::api
