// SPDX-License-Identifier: Apache-2.0
// One library per case of a plugin that counts, or writes fields to the log, in a way that is none.
#include "case_name.h"

#include <berth/berth.h>
#include <berth/plugin.hpp>

#include <limits>
#include <string>

namespace {

class Strict {
    const berth::Host &host_;
    const berth_host *raw_ = host_.raw();
    const berth_host_metrics &metrics_ =
        *static_cast<const berth_host_metrics *>(raw_->get_service(raw_, BERTH_STR(BERTH_HOST_METRICS_DRAFT1)));
    const berth_host_log_fields &log_ =
        *static_cast<const berth_host_log_fields *>(raw_->get_service(raw_, BERTH_STR(BERTH_HOST_LOG_FIELDS_DRAFT1)));
    std::uint32_t labelled_ = define("strict_labelled_total", BERTH_METRIC_COUNTER, 1);
    std::uint64_t counter_ = metrics_.series(raw_, define("strict_total", BERTH_METRIC_COUNTER, 0), nullptr, 0);
    std::uint64_t gauge_ = metrics_.series(raw_, define("strict_gauge", BERTH_METRIC_GAUGE, 0), nullptr, 0);
    mutable berth_str kept_{};

    std::uint32_t define(std::string_view name, std::uint32_t kind, std::uint64_t labels) const {
        const berth_str label = BERTH_STR("of");
        berth_metric metric{};
        metric.struct_size = sizeof metric;
        metric.kind = kind;
        metric.name = berth::to_str(name);
        metric.help = BERTH_STR("Of a test.");
        metric.labels = &label;
        metric.labels_len = labels;
        std::uint32_t id = 0;
        metrics_.define(raw_, &metric, &id);
        return id;
    }
    void write(std::uint32_t severity, std::initializer_list<berth_str> keys, berth_str value) const {
        std::vector<berth_kv> fields;
        for (auto key : keys) {
            auto &field = fields.emplace_back();
            field.key = key;
            field.value.kind = BERTH_VALUE_STRING;
            field.value.n.len = value.len;
            field.value.ptr.string = value.ptr;
        }
        log_.write(raw_, severity, 0, BERTH_STR("Looked"), fields.data(), fields.size());
    }
    void write_item(berth_str text) const {
        berth_value item{};
        item.kind = BERTH_VALUE_STRING;
        item.n.len = text.len;
        item.ptr.string = text.ptr;
        berth_kv field{};
        field.key = BERTH_STR("a");
        field.value.kind = BERTH_VALUE_ARRAY;
        field.value.n.len = 1;
        field.value.ptr.items = &item;
        log_.write(raw_, BERTH_LOG_INFO, 0, BERTH_STR("Looked"), &field, 1);
    }

public:
    explicit Strict(const berth::Host &host) : host_(host) {}

    berth::Verdict pre_filter(berth::Call, berth::State, berth::Pod pod, berth::Nodes, berth::Restrict) const {
        const auto value = BERTH_STR("x");
        const auto name = pod.raw()->name;
        if (is("metrics_defined_late")) define("strict_late_total", BERTH_METRIC_COUNTER, 0);
        if (is("metrics_unknown")) metrics_.series(raw_, 77, nullptr, 0);
        if (is("metrics_values")) metrics_.series(raw_, labelled_, nullptr, 0);
        if (is("metrics_kept_text")) metrics_.series(raw_, labelled_, kept_.ptr ? &kept_ : &value, 1);
        if (is("metrics_stranger")) metrics_.add(raw_, 77, 1);
        if (is("metrics_kind")) metrics_.set(raw_, counter_, 1);
        if (is("metrics_observed")) metrics_.observe(raw_, gauge_, 1);
        if (is("metrics_ended")) {
            const auto series = metrics_.series(raw_, labelled_, &value, 1);
            metrics_.end(raw_, series);
            metrics_.end(raw_, series);
        }
        for (int i = 0; is("metrics_again") && i < 1'001; ++i) metrics_.series(raw_, labelled_, &value, 1);
        if (is("metrics_less")) metrics_.add(raw_, counter_, -1);
        if (is("metrics_infinite")) metrics_.set(raw_, gauge_, std::numeric_limits<double>::infinity());
        if (is("fields_key")) write(BERTH_LOG_INFO, {BERTH_STR("no key")}, value);
        if (is("fields_twice")) write(BERTH_LOG_INFO, {BERTH_STR("a"), BERTH_STR("a")}, value);
        if (is("fields_kept_text")) write(BERTH_LOG_INFO, {BERTH_STR("a")}, kept_.ptr ? kept_ : value);
        if (is("fields_kept_item")) write_item(kept_.ptr ? kept_ : value);
        if (is("metrics_sound")) {
            metrics_.add(raw_, metrics_.series(raw_, labelled_, &value, 1), 1);
            metrics_.add(raw_, counter_, 1);
            metrics_.add(raw_, metrics_.series(raw_, 0, nullptr, 0), 1);  // as of one that is not taken
            metrics_.set(raw_, gauge_, -1);
            constexpr std::uint32_t later = 9;  // a severity that the host does not know
            write(later, {BERTH_STR("a"), BERTH_STR("b")}, name);
        }
        kept_ = name;
        return berth::ok;
    }
};

}  // namespace

BERTH_PLUGIN(Strict, "Strict", "1.0.0")
