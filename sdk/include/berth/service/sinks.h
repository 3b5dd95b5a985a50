/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The functions by which a plugin writes to sinks.
 */
#ifndef BERTH_SERVICE_SINKS_H
#define BERTH_SERVICE_SINKS_H

#include <berth/plugin.h>
#include <berth/point/queue.h>

#define BERTH_HOST_SINKS_V1 "berth.host.sinks/1"

/** Every host has it, also the host that default_args receives, where there is no instance yet. All functions: what
 * they are given is copied. Thread: that of the call which was given the sink. */
typedef struct berth_host_sinks {
    uint32_t struct_size;
    uint32_t flags;
    /** The host joins several writes to one text. For berth.sign/1, `text` may be bytes of any form. */
    void (*write_text)(const berth_host *host, berth_text_sink *sink, berth_str text); /* [create] [loop] */
    /** `path` leads from the arguments to the faulty value, as in "scoringStrategy.resources[0].weight"; "" means the
     * arguments as a whole. A key with a dot or a bracket stands in brackets and double quotes, with a backslash before
     * each of its own double quotes and backslashes: `limits["nvidia.com/gpu"]`. */
    void (*add_error)(const berth_host *host, berth_error_sink *sink, berth_str path, berth_str text); /* [create] */
    /** What an instance watches: one kind in each call. The host refuses the profile for pods, nodes, a name that no
     * kind can have, and a group that begins like a version, as "v1.example.com" does: in the note's texts it could not
     * be told from one. */
    void (*declare_watch)(const berth_host *host, berth_declare_sink *sink, berth_str group, berth_str version,
                          berth_str resource); /* [create] */
    /** What it writes; `verb` is a BERTH_VERB_… and `resource` may name a subresource, as in "pods/binding". The
     * host refuses the plugin for any other verb (convention 4 of berth.h), and for a group that begins like a version,
     * as "v1.example.com" does. */
    void (*declare_write)(const berth_host *host, berth_declare_sink *sink, uint32_t verb, berth_str group,
                          berth_str version, berth_str resource); /* [create] */
    /** `resource` is "Pod", "AssignedPod", "Node", "*", or another kind that the instance declares as watched, as
     * "widgets.v1.example.com" (plural, version, group) or "endpoints.v1" (of the core group). The kinds of the
     * following list can also be named as in the scheduling framework, "PersistentVolumeClaim" or
     * "storage.k8s.io/StorageClass". For these, the version in the long
     * name is not compared with that of an event. The list never changes:
     * ConfigMap, LimitRange, Namespace, PersistentVolumeClaim, PersistentVolume, ReplicationController, ResourceQuota,
     * ServiceAccount and Service; of apps DaemonSet, Deployment, ReplicaSet and StatefulSet; of batch CronJob and Job;
     * of coordination.k8s.io Lease; of node.k8s.io RuntimeClass; of policy PodDisruptionBudget; of resource.k8s.io
     * DeviceClass, DeviceTaintRule, ResourceClaim, ResourceClaimTemplate and ResourceSlice; of scheduling.k8s.io
     * PodGroup, PriorityClass and Workload; of storage.k8s.io CSIDriver, CSINode, CSIStorageCapacity, StorageClass,
     * VolumeAttachment and VolumeAttributesClass.
     * "Pod" means unscheduled and assigned pods alike; in berth_event.resource it means only unscheduled ones. Drafts
     * may add names (BERTH_RESOURCE_…). The host refuses the profile for any name that it does not know.
     * `actions` is a set of BERTH_EVENT_… bits, and covers an event if it contains all bits of the event's action.
     * `has_hint` 1: ask `hint` first; 0: such an event always wakes the pods that this plugin rejected. */
    void (*add_event)(const berth_host *host, berth_event_sink *sink, berth_str resource, uint64_t actions,
                      uint32_t has_hint); /* [create] */
} berth_host_sinks;

#endif /* BERTH_SERVICE_SINKS_H */
