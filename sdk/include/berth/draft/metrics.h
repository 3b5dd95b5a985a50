/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Metrics that a plugin defines, beside the host's own metrics.
 */
#ifndef BERTH_DRAFT_METRICS_H
#define BERTH_DRAFT_METRICS_H

#include <berth/host.h>

#define BERTH_HOST_METRICS_DRAFT1 "berth.host.metrics/draft1"

/* Kinds of a metric. */
#define BERTH_METRIC_COUNTER 1u   /**< only grows */
#define BERTH_METRIC_GAUGE 2u     /**< goes up and down */
#define BERTH_METRIC_HISTOGRAM 3u /**< how many observations there were up to each bound, and their sum */

/** A metric, as Prometheus has it. Lives until `define` returns. */
typedef struct berth_metric {
    uint32_t struct_size;
    uint32_t flags;
    uint32_t kind;        /**< BERTH_METRIC_… */
    uint32_t most_series; /**< how many combinations of label values are kept apart; 0: 100; above 2,000: 2,000 */
    /** 1 to 100 letters, digits and underscores, not beginning with a digit. The host puts "plugin_" before it. Begin
     * it with the plugin's name and end it with the unit, as in "gang_wait_seconds": seconds and bytes, never their
     * parts. A COUNTER ends in "_total" and nothing else does; none ends in "_bucket", "_sum", "_count", "_created" or
     * "_info". Of "gang_wait" and "gang_wait_total" there can be only one. */
    berth_str name;
    berth_str help;          /**< 1 to 512 bytes of UTF-8 without control characters */
    const berth_str *labels; /**< at most 8 different names of the same letters, of 1 to 64 bytes; not "plugin",
                                "profile", "overflow", "le", "quantile", and none that begins with "__" */
    uint64_t labels_len;
    const double *bounds; /**< of a HISTOGRAM: 1 to 64 upper bounds, finite and growing; of others none */
    uint64_t bounds_len;
} berth_metric;

/** The host adds the labels `plugin` (the configured name) and `profile`. Numbers are written only: no function tells
 * what was counted. An id means nothing but what it is handed to, nor does it mean anything that two are equal or that
 * a series is 0. Metrics are exported from when the instance's profile is in force; a series then lives as long as an
 * instance of this plugin in this profile, but one that no instance has an id of makes place when there is none left.
 * The instance that a reload makes goes on with the COUNTERs and HISTOGRAMs of the one before if name, kind, labels and
 * bounds are the same, and begins its GAUGEs anew; what an instance counts that a reload has replaced, until its last
 * pods are bound, counts in a metric that both have, and else nowhere. In a shadow and in a dry run of `berth explain`
 * nothing is counted; trials of preemption do count, and so do tasks that a plugin submits in a dry run. */
typedef struct berth_host_metrics {
    uint32_t struct_size;
    uint32_t flags;
    /** Defines a metric and stores its id in `*id`: never 0, but 0 unless it returns SUCCESS. The same definition again
     * has the same id. Copied. At most 64 for each instance. Returns SUCCESS; INVALID for what is no such metric, or
     * has the name of another one of this instance; UNSUPPORTED for a kind that this host does not know, and for the
     * name of a metric of another plugin that is of another kind: count nothing then, rather than fail; NO_MEMORY if
     * there are 64. The log says what was wrong. Thread: create. */
    int32_t (*define)(const berth_host *host, const berth_metric *metric, uint32_t *id); /* [create] */
    /** The series of these values of the labels, one for each label, in their order, until `end`. Takes a lock and may
     * take memory: look it up once and keep it, not for every pod; the strict checks name more than 1,000 in one call.
     * What is no UTF-8 and every control character of a value becomes U+FFFD; what is longer than 128 bytes then is cut
     * there, before a character. When there are as many as `most_series` allows, as 10,000 numbers of all metrics of
     * the instance (a histogram's series has as many as bounds and two), or as 1 MiB of their labels (a histogram's
     * stand on as many lines as bounds and three), every further combination of a COUNTER or HISTOGRAM is counted in
     * one series, whose labels are `plugin`, `profile` and overflow="true": so sums over these stay true. Of a GAUGE
     * what is beyond is not exported, as a number that several set means nothing. A metric without labels always has
     * its series. One that is looked up in a dry run takes a place when something is counted in it after the dry run;
     * 256 of an instance wait for that, and for another one the host ends the one that has waited longest. Returns an
     * id for these functions: 0 for an unknown metric and for another number of values. Any thread. */
    uint32_t (*series)(const berth_host *host, uint32_t metric, const berth_str *values, uint64_t n); /* [any] */
    /** Adds to a COUNTER, at least 0, or to a GAUGE. This and the next two take no lock, and do nothing for series 0,
     * for one that has ended, for a number that is not finite, and for another kind of metric. A sum that would leave
     * the finite numbers stops at the last. Any thread. */
    void (*add)(const berth_host *host, uint32_t series, double n); /* [any] */
    /** Sets a GAUGE. One that was never set or added to is not exported. Any thread. */
    void (*set)(const berth_host *host, uint32_t series, double value); /* [any] */
    /** Counts one observation in a HISTOGRAM. Any thread. */
    void (*observe)(const berth_host *host, uint32_t series, double value); /* [any] */
    /** Ends a series, as that of a group that is gone: it is exported no more, unless another instance has it too, and
     * its place is free for another combination; `series` for its values begins a new one at 0. No later series has its
     * id. Nothing for series 0 and for one that has ended; that of overflow="true" stays. A dry run ends only what
     * waits. Any thread. */
    void (*end)(const berth_host *host, uint32_t series); /* [any] */
} berth_host_metrics;

#endif /* BERTH_DRAFT_METRICS_H */
