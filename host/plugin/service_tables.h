// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The two tables of each service: its own, and the checked one for strict checks; without one its own is given to all.

#include "plugin/services.h"

#include <string_view>

namespace berth::plugin {

/// host_services.cpp has the list of all.
struct ServiceTables {
    std::string_view id;
    const void *own, *checked;
    bool (*offered)(const Services &);
};

// Of the services with a file of their own (service_*.cpp).
extern const ServiceTables call_tables, nodes_tables, sinks_tables, remedies_tables, victims_tables;
extern const ServiceTables cancellation_tables, kubernetes_tables, log_fields_tables, metrics_tables;
extern const ServiceTables cluster_tables;
extern const ServiceTables delta_tables;
extern const ServiceTables recorder_tables;
extern const ServiceTables task_tables;
extern const ServiceTables prepared_tables;
extern const ServiceTables runner_tables, nominator_tables, activator_tables, pods_in_pre_bind_tables, extenders_tables;
extern const ServiceTables dry_run_state_tables;
extern const ServiceTables pod_groups_tables, pending_pods_tables, reader_tables, selective_watches_tables;

}  // namespace berth::plugin
