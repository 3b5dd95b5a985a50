/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Metrics: what a plugin counts, beside what the host counts of it.
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
    uint32_t most_series; /**< how many combinations of label values are kept apart, at most 2,000; 0: 100 */
    /** 1 to 100 letters, digits and underscores, not beginning with a digit. The host puts "plugin_" before it. Begin
     * it with the plugin's name and end it with the unit, as in "gang_wait_seconds": seconds and bytes, never their
     * parts. A COUNTER ends in "_total" and nothing else does; none ends in "_bucket", "_sum", "_count", "_created" or
     * "_info". */
    berth_str name;
    berth_str help;          /**< one line of 1 to 512 bytes */
    const berth_str *labels; /**< at most 8 different names of the same letters, of 1 to 64 bytes; not "plugin",
                                "profile", "overflow", "le", "quantile", and none that begins with "__" */
    uint64_t labels_len;
    const double *bounds; /**< of a HISTOGRAM: 1 to 64 upper bounds, finite and growing; of others none */
    uint64_t bounds_len;
} berth_metric;

/** The host adds the labels `plugin` (the configured name) and `profile`. Numbers are written only: no function tells
 * what was counted. A series lives as long as an instance of this plugin in this profile: one that a reload makes goes
 * on with the counters and histograms of the one before, and begins its gauges anew. In a shadow and in a dry run
 * nothing is counted. */
typedef struct berth_host_metrics {
    uint32_t struct_size;
    uint32_t flags;
    /** Defines a metric and stores its id, which is never 0, in `*id`. The same definition again has the same id. Where
     * an earlier instance of this plugin has another definition of that name, this one takes its place, and its
     * counters begin at 0. Copied. At most 64 for each instance. Returns SUCCESS; INVALID for what is no such metric,
     * has the name of another one of this instance, or the name of another plugin's that is of another kind or has
     * other labels or bounds; NO_MEMORY if there are 64. The log says what was wrong. Thread: create. */
    int32_t (*define)(const berth_host *host, const berth_metric *metric, uint32_t *id); /* [create] */
    /** The series of these values of the labels, one for each label, in their order: the same for the same values, as
     * long as the instance. Takes a lock and may take memory: ask once and keep it, not for every pod. A value that is
     * longer than 128 bytes is cut there, before a character. When there are as many as `most_series` allows, or as
     * 10,000 numbers of all metrics of the instance (a histogram's series has as many as bounds and two), every
     * further one is one and the same: its labels are `plugin`, `profile` and overflow="true". So sums over a metric
     * stay true. 0 for an unknown metric and for another number of values. Any thread. */
    uint32_t (*series)(const berth_host *host, uint32_t metric, const berth_str *values, uint64_t n); /* [any] */
    /** Adds to a COUNTER, at least 0, or to a GAUGE. This and the next two take no lock, and do nothing for series 0,
     * for a number that is not finite, and for another kind of metric. Any thread. */
    void (*add)(const berth_host *host, uint32_t series, double n); /* [any] */
    /** Sets a GAUGE. One that was never set or added to is not exported. Any thread. */
    void (*set)(const berth_host *host, uint32_t series, double value); /* [any] */
    /** Counts one observation in a HISTOGRAM. Any thread. */
    void (*observe)(const berth_host *host, uint32_t series, double value); /* [any] */
} berth_host_metrics;

#endif /* BERTH_DRAFT_METRICS_H */
