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
    uint32_t kind;        /**< BERTH_METRIC_…; the same in all profiles: if metrics of one name have two kinds in two
                             profiles, the host exports only one of the kinds */
    uint32_t most_series; /**< how many combinations of label values are kept apart; 0 means 100, and a number above
                             2,000 means 2,000 */
    /** 1 to 100 letters, digits and underscores, not beginning with a digit. The host puts "plugin_" before it. Begin
     * it with the plugin's name and end it with the unit, as in "gang_wait_seconds": use seconds and bytes, never a
     * fraction such as milliseconds.
     * A COUNTER ends in "_total" and nothing else does; none ends in "_bucket", "_sum", "_count", "_created" or
     * "_info". Of "gang_wait" and "gang_wait_total" there can be only one. */
    berth_str name;
    berth_str help;          /**< 1 to 512 bytes of UTF-8 without control characters */
    const berth_str *labels; /**< at most 8 different names, each of 1 to 64 of the characters that `name` may have and
                                not beginning with a digit; not "plugin", "profile", "overflow", "le", "quantile", and
                                none that begins with "__" */
    uint64_t labels_len;
    const double *bounds; /**< of a HISTOGRAM: 1 to 64 upper bounds, finite and growing; of others none */
    uint64_t bounds_len;
} berth_metric;

/** The host adds the labels `plugin` (the configured name) and `profile`. A plugin can only write numbers: no function
 * returns what was counted. Ids have no meaning except as arguments of these functions: a plugin must conclude nothing
 * from two equal ids, nor from the id 0 of a series.
 * Metrics are exported as soon as the instance's profile is in force. From then on, a series lives as
 * long as this plugin has an instance in this profile. There is one exception: if no place is left for a new series,
 * the host removes a series of which no instance has an id.
 * After a reload, the new instance continues the COUNTERs and HISTOGRAMs of the old one if name, kind, labels and
 * bounds are the same, and begins with new GAUGEs. Until its last pods are bound, the old instance still counts: what
 * it adds to a metric that the new instance continues is kept, and the rest is lost.
 * In a shadow nothing is counted. In a dry run of `berth explain` nothing is counted either, except by the tasks that
 * a plugin submits in it. Trials of preemption do count. */
typedef struct berth_host_metrics {
    uint32_t struct_size;
    uint32_t flags;
    /** Defines a metric and stores its id, which is never 0, in `*id`; stores 0 if it does not return SUCCESS. The same
     * definition again has the same id. Copied. At most 64 for each instance. Returns SUCCESS; INVALID for an invalid
     * metric, or one
     * that has the name of another metric of this instance; UNSUPPORTED for a kind that this host does not know, or if
     * another plugin has a metric of the same name and of another kind (a plugin should then count nothing rather than
     * fail); LIMIT_EXCEEDED if the instance already has 64. The log says what was wrong. Thread: create. */
    int32_t (*define)(const berth_host *host, const berth_metric *metric, uint32_t *id); /* [create] */
    /** Looks up the series of a combination of label values: `values` has one value for each label, in the order of the
     * labels. The series exists until `end`. Takes a lock and may
     * take memory: look it up once and keep it, not for every pod; the strict checks report more than 1,000 look-ups in
     * one call. In a value, invalid UTF-8 and every control character become U+FFFD; if the result is longer than 128
     * bytes, the host cuts it at the last character that fits.
     * There are three limits: the number of series that `most_series` allows; 10,000 numbers
     * in all metrics of the instance (a series of a histogram has two numbers more than bounds); and 1 MiB of labels in
     * all of them. (In a scrape, a series of a histogram has three lines more than bounds, and the labels of each line
     * count.)
     * Beyond a limit, every further combination of a COUNTER or HISTOGRAM counts in one series with the labels
     * `plugin`, `profile` and overflow="true", so that sums stay correct. Further combinations of a GAUGE are not
     * exported, because a number that several of them set would mean nothing. A metric without labels always has
     * its series. A series that is looked up in a dry run takes a place only when something is counted in it after the
     * dry run. At most 256 series of an instance wait for that; when one more is looked up, the host ends the one that
     * has waited longest. Returns an id for the functions below; 0 for an unknown metric, or if the number of values is
     * not that of the labels. Any thread. */
    uint64_t (*series)(const berth_host *host, uint32_t metric, const berth_str *values, uint64_t n); /* [any] */
    /** Adds `n` to a COUNTER, where `n` is at least 0, or to a GAUGE. This and the next two take no lock, and do
     * nothing for series 0. A series that has ended, a number that is not finite, one below 0 for a COUNTER and another
     * kind of metric are errors of the plugin that the host tolerates: it does nothing, and the strict checks report
     * them. A sum that would become infinite stays at the largest finite number. Any thread. */
    void (*add)(const berth_host *host, uint64_t series, double n); /* [any] */
    /** Sets a GAUGE. One that was never set or added to is not exported. Any thread. */
    void (*set)(const berth_host *host, uint64_t series, double value); /* [any] */
    /** Counts one observation in a HISTOGRAM. Any thread. */
    void (*observe)(const berth_host *host, uint64_t series, double value); /* [any] */
    /** Ends a series, for instance that of a group that no longer exists. If another instance has it too, it is still
     * exported. Otherwise it is no longer exported, its place is free for another combination, and a later look-up of
     * its values by `series` begins a new series at 0. No later series gets its id.
     * Does nothing for series 0, for one that has
     * ended, and for the series of overflow="true". In a dry run, it ends only series that wait as described at
     * `series`. Any thread. */
    void (*end)(const berth_host *host, uint64_t series); /* [any] */
} berth_host_metrics;

#endif /* BERTH_DRAFT_METRICS_H */
