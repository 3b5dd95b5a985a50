// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The services of the fake host, as tables.

#include <berth/testing/host.hpp>

namespace berth::testing {

inline const void *Host::get_service(const berth_host *, berth_str id) {
    static constexpr berth_host_log log_table{sizeof log_table, 0, log_enabled, log_write};
    static constexpr berth_host_object objects{sizeof objects, 0, object_get, object_keep, object_keep, object_meta};
    static constexpr berth_host_state states{sizeof states, 0, state_key, state_put, state_get};
    static constexpr berth_host_columns columns_table{sizeof columns_table, 0, column_declare};
    static constexpr berth_host_random random{sizeof random, 0, random_value};
    static constexpr berth_host_clock clock{sizeof clock, 0, clock_now, clock_after, clock_cancel};
    static constexpr berth_host_client client{sizeof client, 0, client_send};
    static constexpr berth_host_waiting_pods waiting_table{
        sizeof waiting_table, 0, waiting_allow, waiting_reject, waiting_reject, waiting_visit};
    static constexpr berth_host_recorder recorder{sizeof recorder, 0, recorder_event};
    static constexpr berth_host_cluster objects_of{
        sizeof objects_of, 0, cluster_kind, cluster_get, cluster_list, cluster_version, cluster_subscribe};
    static constexpr berth_host_nominator nominator{sizeof nominator, 0, nominator_visit, nominator_remove};
    static constexpr berth_host_delta delta{sizeof delta, 0, delta_changes};
    static constexpr berth_host_activator activator{sizeof activator, 0, activate};
    static constexpr berth_host_task task{sizeof task, 0, task_submit};
    static constexpr berth_host_prepared prepared{sizeof prepared, 0, prepared_get};
    static constexpr berth_host_cancellation cancellation{sizeof cancellation, 0, cancellation_after};
    static constexpr berth_host_victims victims{sizeof victims, 0, victims_name};
    static constexpr berth_host_kubernetes kubernetes{sizeof kubernetes, 0, kubernetes_minor, kubernetes_gate};
    static constexpr berth_host_log_fields fields{sizeof fields, 0, log_write_fields};
    static constexpr berth_host_metrics metrics_table{sizeof metrics_table, 0,           metrics_define,
                                                      metrics_series,       metrics_add, metrics_set,
                                                      metrics_observe,      metrics_end};
    static constexpr berth_host_pod_groups groups{sizeof groups, 0, groups_get, groups_visit};
    static constexpr berth_host_reader reader_table{sizeof reader_table, 0, reader_declare, reader_read, reader_cancel};
    static constexpr berth_host_pending_pods pending_table{sizeof pending_table, 0, pending_count, pending_visit,
                                                           pending_version};
    const std::pair<std::string_view, const void *> tables[] = {
        {BERTH_HOST_CALL_V1, &call_table()},
        {BERTH_HOST_NODES_V1, &Cluster::look_ups()},
        {BERTH_HOST_SINKS_V1, &sinks_table()},
        {BERTH_HOST_REMEDIES_DRAFT1, &remedies_table()},
        {BERTH_HOST_LOG_V1, &log_table},
        {BERTH_HOST_OBJECT_V1, &objects},
        {BERTH_HOST_STATE_V1, &states},
        {BERTH_HOST_COLUMNS_V1, &columns_table},
        {BERTH_HOST_RANDOM_V1, &random},
        {BERTH_HOST_CLOCK_V1, &clock},
        {BERTH_HOST_CLIENT_V1, &client},
        {BERTH_HOST_WAITING_PODS_V1, &waiting_table},
        {BERTH_HOST_RECORDER_V1, &recorder},
        {BERTH_HOST_CLUSTER_V1, &objects_of},
        {BERTH_HOST_NOMINATOR_V1, &nominator},
        {BERTH_HOST_DELTA_V1, &delta},
        {BERTH_HOST_ACTIVATOR_V1, &activator},
        {BERTH_HOST_TASK_V1, &task},
        {BERTH_HOST_PREPARED_V1, &prepared},
        {BERTH_HOST_CANCELLATION_DRAFT1, &cancellation},
        {BERTH_HOST_VICTIMS_DRAFT1, &victims},
        {BERTH_HOST_KUBERNETES_DRAFT1, &kubernetes},
        {BERTH_HOST_LOG_FIELDS_DRAFT1, &fields},
        {BERTH_HOST_METRICS_DRAFT1, &metrics_table},
        {BERTH_HOST_POD_GROUPS_DRAFT1, &groups},
        {BERTH_HOST_PENDING_PODS_DRAFT1, &pending_table},
        {BERTH_HOST_READER_DRAFT1, &reader_table},
        {BERTH_HOST_SELECTIVE_WATCHES_DRAFT1, &selective_watches_table()}};
    for (const auto &[name, table] : tables)
        if (name == view(id)) return table;
    return nullptr;
}

}  // namespace berth::testing
