// SPDX-License-Identifier: Apache-2.0
// berth.host.metrics/draft1.
#include "plugin/instance_metrics.h"

#include "service_world.h"
#include "strict_world.h"

#include <atomic>
#include <functional>
#include <limits>
#include <set>
#include <thread>

using service_world::One;
namespace model = berth::model;
namespace plugin = berth::plugin;

namespace {

using Texts = std::vector<std::string>;

/// A definition; what it refers to lives as long.
struct Definition {
    std::string name = "tea_cups_total", help = "Cups.";
    std::vector<berth_str> labels;
    std::vector<double> bounds;
    berth_metric raw{};

    explicit Definition(std::uint32_t kind, std::string called = "tea_cups_total", std::vector<berth_str> with = {},
                        std::vector<double> up_to = {})
        : name(std::move(called)), labels(std::move(with)), bounds(std::move(up_to)) {
        raw.struct_size = sizeof raw;
        raw.kind = kind;
    }
    const berth_metric *get() {
        raw.name = model::to_str(name);
        raw.help = model::to_str(help);
        raw.labels = labels.data();
        raw.labels_len = labels.size();
        raw.bounds = bounds.data();
        raw.bounds_len = bounds.size();
        return &raw;
    }
};

struct Counting : One {
    using One::One;
    const berth_host_metrics &metrics = get<berth_host_metrics>(BERTH_HOST_METRICS_DRAFT1);
    std::uint32_t id = 0;

    std::int32_t define(Definition definition) { return metrics.define(&host, definition.get(), &id); }
    /// A new metric that must be taken.
    std::uint32_t defined(Definition definition) {
        const auto code = define(std::move(definition));
        CHECK(code == BERTH_STATUS_SUCCESS);
        return id;
    }
    std::uint64_t series(std::uint32_t metric, const Texts &values = {}) const {
        std::vector<berth_str> texts;
        for (const auto &value : values) texts.push_back(model::to_str(value));
        return metrics.series(&host, metric, texts.data(), texts.size());
    }
    /// As when its profile begins to schedule.
    void use() { context->metrics->put_in_force(*context->services.metrics); }
    void add(std::uint64_t to, double n) const { metrics.add(&host, to, n); }
    void set(std::uint64_t to, double value) const { metrics.set(&host, to, value); }
    void observe(std::uint64_t to, double value) const { metrics.observe(&host, to, value); }
    void end(std::uint64_t series) const { metrics.end(&host, series); }
};

constexpr auto counter = BERTH_METRIC_COUNTER, gauge = BERTH_METRIC_GAUGE, histogram = BERTH_METRIC_HISTOGRAM;

/// In a world with dry runs, with a counter in force that has one label.
struct CountingInDryRuns : Counting {
    plugin::CallEnvironment calls;
    std::uint32_t metric = 0;

    explicit CountingInDryRuns(plugin::PluginMetrics &all) : Counting(&all) {
        context->services.calls = &calls;
        metric = defined(Definition(counter, "tea_total", {BERTH_STR("of")}));
        use();
    }
};

bool has(const plugin::PluginMetrics &all, const std::string &line) {
    const auto text = all.text();
    return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

}  // namespace

TEST_CASE("metrics: counter, gauge and histogram reach the text, with plugin and profile", "[plugin]") {
    plugin::PluginMetrics all;
    CHECK(all.text().empty());
    Counting one(&all);
    const auto cups =
        one.series(one.defined(Definition(counter, "tea_cups_total", {BERTH_STR("kind")})), {"a \"b\"\n\x1b\u0085\\"});
    const auto level = one.series(one.defined(Definition(gauge, "tea_level")));
    const auto unset = one.series(one.defined(Definition(gauge, "tea_unset")));
    const auto wait = one.series(one.defined(Definition(histogram, "tea_wait_seconds", {}, {0.5, 2})));
    CHECK(all.text().empty());  // not yet in force
    one.use();
    one.add(cups, 2);
    one.add(cups, 0.5);
    one.set(level, 7);
    one.add(level, -8);
    for (double n : {0.5, 1.0, 3.0}) one.observe(wait, n);
    CHECK(unset != 0);
    CHECK(all.text() == R"(# HELP plugin_tea_cups_total Cups.
# TYPE plugin_tea_cups_total counter
plugin_tea_cups_total{plugin="Tea",profile="p",kind="a \"b\"���\\"} 2.5
# HELP plugin_tea_level Cups.
# TYPE plugin_tea_level gauge
plugin_tea_level{plugin="Tea",profile="p"} -1
# HELP plugin_tea_unset Cups.
# TYPE plugin_tea_unset gauge
# HELP plugin_tea_wait_seconds Cups.
# TYPE plugin_tea_wait_seconds histogram
plugin_tea_wait_seconds_bucket{plugin="Tea",profile="p",le="0.5"} 1
plugin_tea_wait_seconds_bucket{plugin="Tea",profile="p",le="2"} 2
plugin_tea_wait_seconds_bucket{plugin="Tea",profile="p",le="+Inf"} 3
plugin_tea_wait_seconds_sum{plugin="Tea",profile="p"} 4.5
plugin_tea_wait_seconds_count{plugin="Tea",profile="p"} 3
# HELP berth_plugin_metric_series Series of metrics that plugins have defined.
# TYPE berth_plugin_metric_series gauge
berth_plugin_metric_series{plugin="Tea",profile="p"} 4
)");
}

TEST_CASE("metrics: what is recorded in vain changes nothing", "[plugin]") {
    plugin::PluginMetrics all;
    Counting one(&all);
    const auto cups = one.series(one.defined(Definition(counter)));
    const auto level = one.series(one.defined(Definition(gauge, "tea_level")));
    one.use();
    const auto before = all.text();
    one.add(0, 1);
    one.add(77, 1);
    one.end(0);
    one.end(77);
    one.add(std::numeric_limits<std::uint32_t>::max(), 1);
    one.add(cups, -1);
    one.add(cups, std::numeric_limits<double>::quiet_NaN());
    one.set(cups, 5);
    one.observe(level, 5);
    one.set(level, std::numeric_limits<double>::infinity());
    CHECK(all.text() == before);
    CHECK(one.series(0) == 0);
    CHECK(one.series(9) == 0);
    CHECK(one.series(1, {"a"}) == 0);
    CHECK(one.metrics.series(&one.host, 1, nullptr, 1) == 0);
    CHECK(one.metrics.series(&one.host, 1, nullptr, std::numeric_limits<std::uint64_t>::max()) == 0);
    {
        plugin::CallEnvironment calls;
        one.context->services.calls = &calls;
        const plugin::CallEnvironment::DryRun dry(calls, nullptr);
        one.add(cups, 1);
        one.set(level, 1);
        one.end(cups);
    }
    one.context->services.calls = nullptr;
    one.context->services.shadow = true;
    one.add(cups, 1);
    CHECK(all.text() == before);
    one.context->services.shadow = false;
    one.add(cups, 1);
    CHECK(all.text() != before);
}

TEST_CASE("metrics: what is no metric is refused, and the log says why", "[plugin]") {
    const auto label = BERTH_STR("a");
    struct Case {
        Definition definition;
        const char *why;
    };
    auto with = [](Definition definition, const std::function<void(Definition &)> &change) {
        change(definition);
        return definition;
    };
    const std::string long_name(101, 'a');
    const Case cases[] = {
        {Definition(gauge, ""), "its name is not 1 to 100 letters, digits and underscores, beginning with no digit"},
        {Definition(gauge, long_name),
         "its name is not 1 to 100 letters, digits and underscores, beginning with no digit"},
        {Definition(gauge, "9lives"),
         "its name is not 1 to 100 letters, digits and underscores, beginning with no digit"},
        {Definition(gauge, "a\n# TYPE up gauge"),
         "its name is not 1 to 100 letters, digits and underscores, beginning with no digit"},
        {Definition(gauge, "tea:level"),
         "its name is not 1 to 100 letters, digits and underscores, beginning with no digit"},
        {Definition(counter, "tea"), "it is a counter, whose name ends in _total"},
        {Definition(gauge, "tea_total"), "its name ends in _total, which is for counters"},
        {Definition(histogram, "tea_bucket", {}, {1}), "its name ends in _bucket, which Prometheus has for its own"},
        {Definition(gauge, "tea_sum"), "its name ends in _sum, which Prometheus has for its own"},
        {Definition(gauge, "tea_count"), "its name ends in _count, which Prometheus has for its own"},
        {Definition(gauge, "tea_created"), "its name ends in _created, which Prometheus has for its own"},
        {Definition(gauge, "tea_info"), "its name ends in _info, which Prometheus has for its own"},
        {with(Definition(gauge, "tea"), [](auto &d) { d.help = ""; }),
         "its help is not 1 to 512 bytes of UTF-8 without control characters"},
        {with(Definition(gauge, "tea"), [](auto &d) { d.help = std::string(513, 'a'); }),
         "its help is not 1 to 512 bytes of UTF-8 without control characters"},
        {Definition(gauge, "tea", std::vector<berth_str>(9, label)), "it has more than 8 labels"},
        {Definition(gauge, "tea", {label, label}), "label \"a\" stands there twice"},
        {Definition(gauge, "tea", {BERTH_STR("plugin")}),
         "label \"plugin\" is the host's or Prometheus' own; take another name"},
        {Definition(gauge, "tea", {BERTH_STR("le")}),
         "label \"le\" is the host's or Prometheus' own; take another name"},
        {Definition(gauge, "tea", {BERTH_STR("__name__")}),
         "label \"__name__\" begins with __, which Prometheus has for its own"},
        {Definition(gauge, "tea", {BERTH_STR("a-b")}),
         "a label is not 1 to 64 letters, digits and underscores, beginning with no digit"},
        {Definition(gauge, "tea", {{nullptr, 7}}),
         "a label is not 1 to 64 letters, digits and underscores, beginning with no digit"},
        {Definition(gauge, "tea", {}, {1}), "it has bounds, which are for histograms"},
        {Definition(histogram, "tea"), "a histogram has 1 to 64 bounds"},
        {Definition(histogram, "tea", {}, std::vector<double>(65, 1)), "a histogram has 1 to 64 bounds"},
        {Definition(histogram, "tea", {}, {1, 1}), "its bounds are not finite and growing"},
        {Definition(histogram, "tea", {}, {1, std::numeric_limits<double>::infinity()}),
         "its bounds are not finite and growing"},
    };
    plugin::PluginMetrics all;
    Counting one(&all);
    using namespace std::string_literals;
    for (const auto &help :
         {"a\nb"s, "a\rb"s, "a\0b"s, "a\x1b[31m"s, "a\x7f"s, "a\u0085"s, "\xff"s, "a\xc3"s, "\xed\xa0\x80"s}) {
        CHECK(one.define(with(Definition(gauge, "tea"), [&](auto &d) { d.help = help; })) == BERTH_STATUS_INVALID);
        CHECK(one.log.lines.back().ends_with("its help is not 1 to 512 bytes of UTF-8 without control characters"));
    }
    for (const auto &[definition, why] : cases) {
        one.id = 5;
        CHECK(one.define(definition) == BERTH_STATUS_INVALID);
        CHECK(one.id == 0);
        CHECK(one.log.lines.back().ends_with("of plugin \"Tea\": " + std::string(why)));
    }
    auto too_short = Definition(gauge, "tea");
    too_short.raw.struct_size = 16;
    CHECK(one.define(too_short) == BERTH_STATUS_INVALID);
    CHECK(one.metrics.define(&one.host, nullptr, &one.id) == BERTH_STATUS_INVALID);
    auto strange = Definition(gauge, "tea");
    CHECK(one.metrics.define(&one.host, strange.get(), nullptr) == BERTH_STATUS_INVALID);
    strange.raw.flags = BERTH_FLAG_MUST_UNDERSTAND;
    CHECK(one.define(strange) == BERTH_STATUS_UNSUPPORTED);
    for (const std::uint32_t kind : {0u, 4u}) {
        one.id = 5;
        CHECK(one.define(Definition(kind)) == BERTH_STATUS_UNSUPPORTED);
        CHECK(one.id == 0);
        CHECK(one.log.lines.back().ends_with("this host does not know its kind, " + std::to_string(kind)));
    }
    one.use();
    CHECK(all.text().empty());

    for (int i = 0; i < 64; ++i) one.defined(Definition(gauge, "tea_" + std::to_string(i)));
    one.defined(Definition(gauge, "tea_63"));
    CHECK(one.define(Definition(gauge, "tea_64")) == BERTH_STATUS_LIMIT_EXCEEDED);
    one.context->made = true;
    CHECK(one.define(Definition(gauge, "tea_65")) == BERTH_STATUS_INVALID);
    CHECK(one.log.lines.back() == "Refused metric \"tea_65\" of plugin \"Tea\": it was defined after create");
}

TEST_CASE("metrics: the same definition has the same id, and the same values the same series", "[plugin]") {
    plugin::PluginMetrics all;
    Counting one(&all);
    const auto first = one.defined(Definition(counter, "tea_total", {BERTH_STR("a"), BERTH_STR("b")}));
    CHECK(one.defined(Definition(counter, "tea_total", {BERTH_STR("a"), BERTH_STR("b")})) == first);
    CHECK(one.define(Definition(counter, "tea_total", {BERTH_STR("a")})) == BERTH_STATUS_INVALID);
    CHECK(one.define(Definition(histogram, "tea", {}, {1})) == BERTH_STATUS_INVALID);
    CHECK(one.log.lines.back() == "Refused metric \"tea\" of plugin \"Tea\": this instance has \"tea_total\" already");
    CHECK(one.series(first, {"x", "y"}) == one.series(first, {"x", "y"}));
    CHECK(one.series(first, {"x", "y"}) != one.series(first, {"xy", ""}));
    // Cut before a character; what is no UTF-8 is no fault of a scrape.
    const std::string longest(127, 'l');
    CHECK(one.series(first, {longest + "\u00e9", ""}) == one.series(first, {longest, ""}));
    CHECK(one.series(first, {longest + "\xff", ""}) == one.series(first, {longest, ""}));
    CHECK(one.series(first, {"\xff", "z"}) == one.series(first, {"\xfe", "z"}));
    one.use();
    one.add(one.series(first, {"\xff", "z"}), 1);
    CHECK(has(all, "plugin_tea_total{plugin=\"Tea\",profile=\"p\",a=\"\uFFFD\",b=\"z\"} 1"));
}

// promise(tenant): A tenant who invents label values cannot fill the memory through a plugin's metrics.
TEST_CASE("metrics: beyond the limit all combinations share one series, and sums stay correct", "[plugin]") {
    plugin::PluginMetrics all;
    Counting one(&all);
    const auto metric = one.defined(Definition(counter, "tea_total", {BERTH_STR("of")}));
    one.use();
    for (int i = 0; i < 1'000; ++i) one.add(one.series(metric, {std::to_string(i)}), 1);
    CHECK(has(all, "plugin_tea_total{plugin=\"Tea\",profile=\"p\",of=\"99\"} 1"));
    CHECK(has(all, "plugin_tea_total{plugin=\"Tea\",profile=\"p\",overflow=\"true\"} 900"));
    CHECK(has(all, "berth_plugin_metric_series{plugin=\"Tea\",profile=\"p\"} 101"));
    CHECK(
        has(all, "berth_plugin_metric_overflows_total{plugin=\"Tea\",profile=\"p\",metric=\"plugin_tea_total\"} 900"));
    CHECK(one.log.lines == Texts{"A metric of a plugin has no room for another series; further ones count as one"});

    // Several that set one number would say nothing.
    const auto level = one.defined(Definition(gauge, "tea_level", {BERTH_STR("of")}));
    one.use();
    for (int i = 0; i < 101; ++i) one.set(one.series(level, {std::to_string(i)}), 1);
    CHECK(has(all, "plugin_tea_level{plugin=\"Tea\",profile=\"p\",of=\"99\"} 1"));
    CHECK(all.text().find("plugin_tea_level{plugin=\"Tea\",profile=\"p\",overflow") == std::string::npos);
    CHECK(one.log.lines.back() == "A metric of a plugin has no room for another series; further ones are not exported");
}

TEST_CASE("metrics: a plugin chooses how many series are kept apart, up to 2,000", "[plugin]") {
    plugin::PluginMetrics all;
    Counting one(&all);
    auto series = [&](const std::string &name, std::uint32_t most) {
        Definition definition(counter, name, {BERTH_STR("of")});
        definition.raw.most_series = most;
        const auto id = one.defined(definition);
        one.use();
        for (int i = 0; i < 2'100; ++i) one.add(one.series(id, {std::to_string(i)}), 1);
        const auto text = all.text(), begin = "\nplugin_" + name + "{";
        std::size_t n = 0;
        for (auto at = text.find(begin); at != text.npos; at = text.find(begin, at + 1)) ++n;
        return n;
    };
    CHECK(series("tea_three_total", 3) == 4);
    CHECK(series("tea_most_total", 2'000) == 2'001);
    CHECK(series("tea_more_total", std::numeric_limits<std::uint32_t>::max()) == 2'001);
}

TEST_CASE("metrics: all of an instance have 10,000 numbers and 1 MiB of labels", "[plugin]") {
    plugin::PluginMetrics all;
    Counting numbers(&all, "Milk");
    auto wide = [&](const std::string &name) {
        Definition definition(histogram, name, {BERTH_STR("of")}, {});
        for (int i = 0; i < 64; ++i) definition.bounds.push_back(i);
        definition.raw.most_series = 2'000;
        return numbers.defined(definition);
    };
    for (const auto id : {wide("milk_a"), wide("milk_b")})
        for (int i = 0; i < 1'000; ++i) numbers.observe(numbers.series(id, {std::to_string(i)}), 1);
    // What has no labels always has a place.
    const auto alone = numbers.series(numbers.defined(Definition(counter, "milk_total")));
    numbers.use();
    numbers.add(alone, 1);
    CHECK(has(all, "berth_plugin_metric_series{plugin=\"Milk\",profile=\"p\"} 154"));
    CHECK(has(all, "plugin_milk_total{plugin=\"Milk\",profile=\"p\"} 1"));
    CHECK(all.text().size() < 2'500'000);

    Counting texts(&all, "Tea");
    Definition definition(counter, "tea_total", std::vector<berth_str>{});
    const Texts names = {"a", "b", "c", "d", "e", "f", "g", "h"};
    for (const auto &name : names) definition.labels.push_back(model::to_str(name));
    definition.raw.most_series = 2'000;
    const auto id = texts.defined(definition);
    texts.use();
    const std::string longest(120, 'l');
    for (int i = 0; i < 2'000; ++i) texts.add(texts.series(id, Texts(8, longest + std::to_string(i))), 1);
    const auto text = all.text();
    const auto begin = text.find("\nplugin_tea_total{");
    const auto size = text.find("# HELP berth_plugin_metric_series") - begin;
    CHECK(size > 1'000'000);
    CHECK(size < 1'200'000);
    CHECK(text.find("plugin_tea_total{plugin=\"Tea\",profile=\"p\",overflow=\"true\"}") != std::string::npos);

    // Those of a histogram stand on every line, and a quote is two bytes there.
    plugin::PluginMetrics lines;
    Counting quotes(&lines);
    Definition longest_text(histogram, "tea_seconds", definition.labels);
    for (int i = 0; i < 64; ++i) longest_text.bounds.push_back(i);
    const auto seconds = quotes.defined(longest_text);
    quotes.use();
    const std::string quote(120, '"');
    for (int i = 0; i < 100; ++i) quotes.observe(quotes.series(seconds, Texts(8, quote + std::to_string(i))), 1);
    CHECK(lines.text().size() > 900'000);
    CHECK(lines.text().size() < 1'200'000);
}

TEST_CASE("metrics: a series that has ended makes place for another, and its id is nobody's", "[plugin]") {
    plugin::PluginMetrics all;
    Counting one(&all);
    Definition definition(gauge, "tea_level", {BERTH_STR("of")});
    definition.raw.most_series = 1;
    const auto metric = one.defined(definition);
    one.use();
    std::set<std::uint64_t> ids;
    // More often than an instance has places for ids.
    for (int i = 0; i < 40'000; ++i) {
        const auto id = one.series(metric, {std::to_string(i)});
        one.set(id, i);
        ids.insert(id);
        if (i == 39'999) break;
        one.end(id);
    }
    CHECK(ids.size() == 40'000);
    CHECK_FALSE(ids.contains(0));
    CHECK(has(all, "plugin_tea_level{plugin=\"Tea\",profile=\"p\",of=\"39999\"} 39999"));
    CHECK(has(all, "berth_plugin_metric_series{plugin=\"Tea\",profile=\"p\"} 1"));
    const auto before = all.text();
    for (const auto id : ids)
        if (id != *ids.rbegin() && id != one.series(metric, {"39999"})) one.set(id, -1);
    CHECK(all.text() == before);
    // The same values begin anew.
    const auto cups = one.defined(Definition(counter, "tea_cups_total", {BERTH_STR("of")}));
    one.use();
    one.add(one.series(cups, {"a"}), 3);
    one.end(one.series(cups, {"a"}));
    CHECK(all.text().find("of=\"a\"") == std::string::npos);
    one.add(one.series(cups, {"a"}), 1);
    CHECK(has(all, "plugin_tea_cups_total{plugin=\"Tea\",profile=\"p\",of=\"a\"} 1"));
    // That of all the others stays.
    for (int i = 0; i < 100; ++i) one.series(cups, {std::to_string(i)});
    one.end(one.series(cups, {"beyond"}));
    one.add(one.series(cups, {"beyond"}), 1);
    CHECK(has(all, "plugin_tea_cups_total{plugin=\"Tea\",profile=\"p\",overflow=\"true\"} 1"));
}

TEST_CASE("metrics: what one instance ends stays for another that has it", "[plugin]") {
    plugin::PluginMetrics all;
    std::optional<Counting> before(std::in_place, &all), after(std::in_place, &all);
    const Definition definition(counter, "tea_total", {BERTH_STR("of")});
    const auto old_id = before->series(before->defined(definition), {"a"});
    const auto new_id = after->series(after->defined(definition), {"a"});
    after->use();
    before->add(old_id, 1);
    before->end(old_id);
    before->add(old_id, 1);
    after->add(new_id, 1);
    CHECK(has(all, "plugin_tea_total{plugin=\"Tea\",profile=\"p\",of=\"a\"} 2"));
    before.reset();
    after->end(new_id);
    CHECK(all.text().find("of=\"a\"") == std::string::npos);
}

TEST_CASE("metrics: what an instance has ended goes when the other one that has it goes", "[plugin]") {
    plugin::PluginMetrics all;
    std::optional<Counting> before(std::in_place, &all), after(std::in_place, &all);
    const Definition definition(counter, "tea_total", {BERTH_STR("of")});
    const auto old_metric = before->defined(definition), new_metric = after->defined(definition);
    for (const auto *of : {"gone", "back"}) before->add(before->series(old_metric, {of}), 1);
    for (const auto *of : {"gone", "back"}) after->end(after->series(new_metric, {of}));
    after->use();
    // One that is asked for again has not ended.
    after->series(new_metric, {"back"});
    CHECK(has(all, "plugin_tea_total{plugin=\"Tea\",profile=\"p\",of=\"gone\"} 1"));
    before.reset();
    CHECK(all.text().find("of=\"gone\"") == std::string::npos);
    Counting next(&all);
    next.defined(definition);
    next.use();
    after.reset();
    CHECK(has(all, "plugin_tea_total{plugin=\"Tea\",profile=\"p\",of=\"back\"} 1"));
}

TEST_CASE("metrics: what replaced instances have left behind makes room when there is none", "[plugin]") {
    plugin::PluginMetrics all;
    std::optional<Counting> before(std::in_place, &all);
    Counting after(&all);
    Definition few(counter, "tea_total", {BERTH_STR("of")});
    few.raw.most_series = 3;
    Definition wide(histogram, "tea_seconds", {BERTH_STR("of")});
    for (int i = 0; i < 64; ++i) wide.bounds.push_back(i);
    wide.raw.most_series = 2'000;
    auto series = [](Counting &one, const Definition &definition, const std::string &of) {
        return one.series(one.defined(definition), {of});
    };
    for (const auto *of : {"a", "b", "c"}) before->add(series(*before, few, of), 1);
    for (int i = 0; i < 151; ++i) before->observe(series(*before, wide, std::to_string(i)), 1);
    after.defined(few);
    after.defined(wide);
    before.reset();
    after.use();
    after.add(series(after, few, "b"), 1);
    after.add(series(after, few, "d"), 1);
    // Of the others no more has gone than had to.
    CHECK(all.text().find("of=\"a\"") == std::string::npos);
    for (const auto *line : {"of=\"b\"} 2", "of=\"c\"} 1", "of=\"d\"} 1"})
        CHECK(has(all, "plugin_tea_total{plugin=\"Tea\",profile=\"p\"," + std::string(line)));
    // The numbers of the instance are short: those of another metric go.
    Definition many(counter, "tea_many_total", {BERTH_STR("of")});
    many.raw.most_series = 100;
    for (int i = 0; i < 100; ++i) after.add(series(after, many, "m" + std::to_string(i)), 1);
    after.use();
    CHECK(has(all, "plugin_tea_many_total{plugin=\"Tea\",profile=\"p\",of=\"m99\"} 1"));
    CHECK(all.text().find("overflow=\"true\"") == std::string::npos);
}

TEST_CASE("metrics: a dry run takes no place", "[plugin]") {
    plugin::PluginMetrics all;
    CountingInDryRuns one(all);
    const auto metric = one.metric;
    one.add(one.series(metric, {"known"}), 1);
    std::uint64_t kept = 0;
    {
        const plugin::CallEnvironment::DryRun dry(one.calls, nullptr);
        for (int i = 0; i < 20'000; ++i) one.add(one.series(metric, {"dry" + std::to_string(i)}), 1);
        kept = one.series(metric, {"dry0"});
        CHECK(one.series(metric, {"dry0"}) == kept);
        one.add(one.series(metric, {"known"}), 1);
    }
    CHECK(has(all, "plugin_tea_total{plugin=\"Tea\",profile=\"p\",of=\"known\"} 1"));
    CHECK(has(all, "berth_plugin_metric_series{plugin=\"Tea\",profile=\"p\"} 1"));
    CHECK(one.log.lines.empty());
    // A plugin that keeps what it was given then counts afterwards; and so do the same values.
    one.add(kept, 1);
    one.add(one.series(metric, {"dry0"}), 1);
    CHECK(has(all, "plugin_tea_total{plugin=\"Tea\",profile=\"p\",of=\"dry0\"} 2"));
    one.add(one.series(metric, {"dry1"}), 1);
    CHECK(has(all, "plugin_tea_total{plugin=\"Tea\",profile=\"p\",of=\"dry1\"} 1"));
    one.end(kept);
    CHECK(has(all, "berth_plugin_metric_series{plugin=\"Tea\",profile=\"p\"} 2"));
}

TEST_CASE("metrics: what waits gives way, and what is counted without a place is shown", "[plugin]") {
    plugin::PluginMetrics all;
    CountingInDryRuns one(all);
    const auto metric = one.metric;
    std::vector<std::uint64_t> ids;
    {
        const plugin::CallEnvironment::DryRun dry(one.calls, nullptr);
        for (int i = 0; i < 257; ++i) ids.push_back(one.series(metric, {std::to_string(i)}));
        one.end(ids[1]);
    }
    for (const auto i : {0u, 1u, 2u, 256u}) one.add(ids[i], 1);
    CHECK(has(all, "berth_plugin_metric_series{plugin=\"Tea\",profile=\"p\"} 2"));
    for (const auto *of : {"2", "256"})
        CHECK(has(all, "plugin_tea_total{plugin=\"Tea\",profile=\"p\",of=\"" + std::string(of) + "\"} 1"));
    // No misuse: it cannot know that the host has ended it.
    using Known = plugin::InstanceMetrics::Known;
    CHECK(one.context->metrics->known(ids[0]) == Known::Dropped);
    CHECK(one.context->metrics->known(ids[1]) == Known::Ended);

    for (int i = 0; i < 98; ++i) one.series(metric, {"full" + std::to_string(i)});
    std::uint64_t beyond = 0;
    {
        const plugin::CallEnvironment::DryRun dry(one.calls, nullptr);
        beyond = one.series(metric, {"beyond"});
    }
    CHECK(all.text().find("overflow=\"true\"") == std::string::npos);
    one.add(beyond, 3);
    CHECK(has(all, "plugin_tea_total{plugin=\"Tea\",profile=\"p\",overflow=\"true\"} 3"));
}

TEST_CASE("metrics: sums stay finite", "[plugin]") {
    plugin::PluginMetrics all;
    Counting one(&all);
    const auto level = one.series(one.defined(Definition(gauge, "tea_level")));
    const auto wait = one.series(one.defined(Definition(histogram, "tea_seconds", {}, {1})));
    one.use();
    constexpr double last = std::numeric_limits<double>::max();
    for (int i = 0; i < 2; ++i) one.add(level, -last), one.observe(wait, last);
    CHECK(has(all, "plugin_tea_level{plugin=\"Tea\",profile=\"p\"} -1.7976931348623157e+308"));
    CHECK(has(all, "plugin_tea_seconds_sum{plugin=\"Tea\",profile=\"p\"} 1.7976931348623157e+308"));
}

TEST_CASE("metrics: four threads count nothing twice and lose nothing", "[plugin]") {
    plugin::PluginMetrics all;
    Counting one(&all);
    const auto metric = one.defined(Definition(counter, "tea_total", {BERTH_STR("of")}));
    const auto wait = one.series(one.defined(Definition(histogram, "tea_seconds", {}, {1})));
    const auto passing = one.defined(Definition(counter, "tea_passing_total", {BERTH_STR("of")}));
    one.use();
    std::atomic<int> scrapes{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 5'000; ++i) {
                one.add(one.series(metric, {std::to_string(i % 7)}), 1);
                one.observe(wait, 0.5);
                // Others may end it meanwhile.
                const auto same = one.series(passing, {"same"});
                one.add(same, 1);
                if (i % 3 == 0) one.end(same);
                if (i % 1'000 == 0 && !all.text().empty()) ++scrapes;
            }
        });
    for (auto &thread : threads) thread.join();
    CHECK(scrapes == 20);
    CHECK(has(all, "plugin_tea_seconds_count{plugin=\"Tea\",profile=\"p\"} 20000"));
    CHECK(has(all, "plugin_tea_seconds_sum{plugin=\"Tea\",profile=\"p\"} 10000"));
    CHECK(has(all, "plugin_tea_total{plugin=\"Tea\",profile=\"p\",of=\"6\"} 2856"));
}

TEST_CASE("metrics: a reload goes on with counters, and begins gauges anew", "[plugin]") {
    plugin::PluginMetrics all;
    std::optional<Counting> before(std::in_place, &all);
    before->add(before->series(before->defined(Definition(counter))), 3);
    before->set(before->series(before->defined(Definition(gauge, "tea_level"))), 9);
    before->use();
    std::optional<Counting> after(std::in_place, &all);
    // Of another help, and with another limit.
    auto same = Definition(counter);
    same.help = "Cups, all of them.";
    same.raw.most_series = 7;
    after->add(after->series(after->defined(same)), 1);
    const auto level = after->series(after->defined(Definition(gauge, "tea_level")));
    CHECK(has(all, "plugin_tea_level{plugin=\"Tea\",profile=\"p\"} 9"));
    CHECK(has(all, "# HELP plugin_tea_cups_total Cups."));
    after->use();
    CHECK(has(all, "# HELP plugin_tea_cups_total Cups, all of them."));
    CHECK(all.text().find("plugin_tea_level{") == std::string::npos);
    before.reset();
    CHECK(has(all, "plugin_tea_cups_total{plugin=\"Tea\",profile=\"p\"} 4"));
    after->set(level, 1);
    CHECK(has(all, "plugin_tea_level{plugin=\"Tea\",profile=\"p\"} 1"));
    after.reset();
    CHECK(all.text().empty());
}

TEST_CASE("metrics: another definition takes the place of the first when it comes into force", "[plugin]") {
    plugin::PluginMetrics all;
    Counting first(&all);
    first.add(first.series(first.defined(Definition(counter, "tea_total"))), 3);
    first.use();
    const auto before = all.text();
    CHECK(has(all, "plugin_tea_total{plugin=\"Tea\",profile=\"p\"} 3"));
    {
        Counting second(&all);
        second.add(second.series(second.defined(Definition(counter, "tea_total", {BERTH_STR("of")})), {"x"}), 1);
        CHECK(all.text() == before);
        second.use();
        CHECK(has(all, "plugin_tea_total{plugin=\"Tea\",profile=\"p\",of=\"x\"} 1"));
        CHECK_FALSE(has(all, "plugin_tea_total{plugin=\"Tea\",profile=\"p\"} 3"));
    }
    CHECK(all.text() == before);
}

TEST_CASE("metrics: one name has one kind, whichever plugins have it", "[plugin]") {
    plugin::PluginMetrics all;
    Counting tea(&all), milk(&all, "Milk"), elsewhere(&all, "Tea", "q");
    tea.add(tea.series(tea.defined(Definition(counter, "cups_total"))), 1);
    milk.add(milk.series(milk.defined(Definition(counter, "cups_total"))), 2);
    elsewhere.add(elsewhere.series(elsewhere.defined(Definition(counter, "cups_total", {BERTH_STR("of")})), {"x"}), 3);
    for (auto *one : {&tea, &milk, &elsewhere}) one->use();
    CHECK(has(all, "plugin_cups_total{plugin=\"Tea\",profile=\"p\"} 1"));
    CHECK(has(all, "plugin_cups_total{plugin=\"Milk\",profile=\"p\"} 2"));
    CHECK(has(all, "plugin_cups_total{plugin=\"Tea\",profile=\"q\",of=\"x\"} 3"));
    tea.defined(Definition(gauge, "level"));
    milk.id = 5;
    CHECK(milk.define(Definition(histogram, "level", {}, {1})) == BERTH_STATUS_UNSUPPORTED);
    CHECK(milk.id == 0);
    CHECK(milk.log.lines.back() ==
          "Refused metric \"level\" of plugin \"Milk\": there is a gauge \"level\" of plugin \"Tea\" in profile "
          "\"p\"; begin the name with the plugin's. It counts nothing");
    CHECK(milk.define(Definition(counter, "level_total")) == BERTH_STATUS_UNSUPPORTED);
    CHECK(milk.define(Definition(gauge, "level", {BERTH_STR("of")})) == BERTH_STATUS_SUCCESS);
    // In another profile the arguments may want another one.
    tea.defined(Definition(gauge, "steam"));
    CHECK(elsewhere.define(Definition(histogram, "steam", {}, {1})) == BERTH_STATUS_SUCCESS);
    CHECK(elsewhere.log.lines.back() ==
          "Metric \"steam\" of plugin \"Tea\": it is a histogram in profile \"q\", and there is a gauge \"steam\" of "
          "plugin \"Tea\" in profile \"p\"; only one of them is exported");
    // What is made together only: a reload may change the kind everywhere.
    Counting later(&all, "Milk");
    later.context->keys = std::make_shared<plugin::StateKeys>();
    CHECK(later.define(Definition(histogram, "level", {}, {1})) == BERTH_STATUS_SUCCESS);
}

TEST_CASE("metrics: a scheduler shows those of the profiles in force", "[plugin]") {
    plugin::PluginMetrics all;
    strict_world::World world("strict_metrics_sound", strict_world::everywhere, plugin::Checks::Basic, {}, &all);
    const std::string line = "plugin_strict_total{plugin=\"Tea\",profile=\"default-scheduler\"} ";
    CHECK(has(all, line + "0"));
    world.add("a");
    CHECK(has(all, line + "1"));

    // One that is not used leaves all as it is, and so does a shadow.
    const auto before = all.text();
    {
        const auto refused = world.build(strict_world::everywhere);
    }
    CHECK(all.text() == before);
    world.services.shadow = true;
    world.services.metrics = nullptr;
    world.scheduler->use_shadow(world.build(strict_world::everywhere), {});
    world.add("b");
    CHECK(has(all, line + "2"));
    CHECK(has(all, "plugin_strict_gauge{plugin=\"Tea\",profile=\"default-scheduler\"} -1"));
    world.services.shadow = false;
    world.services.metrics = &all;

    // The next ones begin their gauges when they are in force, and go on with the counters.
    auto next = world.build(strict_world::everywhere);
    CHECK(has(all, "plugin_strict_gauge{plugin=\"Tea\",profile=\"default-scheduler\"} -1"));
    world.scheduler->use(std::move(next), {});
    world.scheduler->schedule_one();
    CHECK(all.text().find("plugin_strict_gauge{") == std::string::npos);
    world.add("c");
    CHECK(has(all, line + "3"));
    CHECK(has(all, "plugin_strict_gauge{plugin=\"Tea\",profile=\"default-scheduler\"} -1"));
}

TEST_CASE("metrics: misuse is named", "[plugin]") {
    auto last = [](const std::string &fault, int pods = 1) {
        strict_world::World world("strict_" + fault, strict_world::everywhere);
        for (int i = 0; i < pods; ++i) world.add("p" + std::to_string(i));
        return world.decisions.back().message;
    };
    auto says = [&](const std::string &fault, const std::string &what, int pods = 1) {
        const auto message = last(fault, pods);
        INFO(message);
        CHECK(message.ends_with("it " + what));
    };
    const std::string of = " of berth.host.metrics/draft1";
    says("metrics_defined_late", "called define" + of + " after create");
    says("metrics_unknown", "called series" + of + " for metric 77, which it never got");
    says("metrics_values", "called series" + of + " with 0 values for 1 labels");
    says("metrics_kept_text", "passed a text that it had kept from an earlier call", 2);
    says("metrics_stranger", "called add" + of + " for series 77, which it never got");
    says("metrics_kind", "called set" + of + " for \"strict_total\", a metric of another kind");
    says("metrics_observed", "called observe" + of + " for \"strict_gauge\", a metric of another kind");
    says("metrics_less", "called add" + of + " for \"strict_total\", a counter, with less than 0");
    CHECK(last("metrics_ended").ends_with(", which it has ended"));
    says("metrics_again", "called series" + of + " more than 1,000 times in one call: keep what it returns");
    says("metrics_infinite", "called set" + of + " for \"strict_gauge\" with a number that is not finite");
    // One whose name another plugin has counts nothing, and breaks nothing.
    plugin::PluginMetrics all;
    strict_world::World both("strict_metrics_sound", "multiPoint: {enabled: [{name: Tea}, {name: Milk}]}",
                             plugin::Checks::Strict, {}, &all, "metrics_taken");
    both.add("p");
    INFO(both.decisions.back().message);
    CHECK(both.decisions.back().result == model::AttemptResult::Scheduled);
    CHECK(both.log.lines.front().starts_with("Refused metric \"strict_gauge_total\" of plugin \"Milk\": "));
    CHECK(all.text().find("plugin=\"Milk\"") == std::string::npos);
    strict_world::World sound("strict_metrics_sound", strict_world::everywhere);
    sound.add("p");
    CHECK(sound.decisions.back().result == model::AttemptResult::Scheduled);
    CHECK(sound.log.lines == strict_world::Lines{R"("Looked" pod="default/p" a="p" b="p")"});
}
