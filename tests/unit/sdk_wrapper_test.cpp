// SPDX-License-Identifier: Apache-2.0
#include <berth/plugin.hpp>
#include <berth/testing.hpp>

#include "catch.h"
#include "decode/wire.h"
#include "small_stack.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

/// The services that every host has, by the testing kit.
const void *of_calls(berth_str id) {
    if (berth::view(id) == BERTH_HOST_CALL_V1) return &berth::testing::call_table();
    return berth::view(id) == BERTH_HOST_SINKS_V1 ? &berth::testing::sinks_table() : nullptr;
}

berth_host sinks_alone() {
    berth_host host{};
    host.struct_size = sizeof host;
    host.get_service = [](const berth_host *, berth_str id) { return of_calls(id); };
    return host;
}

}  // namespace

TEST_CASE("sdk: a reason that was written into a buffer is copied, up to its end", "[sdk]") {
    auto verdict = [] {
        char buffer[64];
        std::snprintf(buffer, sizeof buffer, "%d pods", 3);
        return berth::unschedulable(buffer);
    }();
    CHECK(verdict.first().text() == "3 pods");
    CHECK(!verdict.first().is_literal());
}

TEST_CASE("sdk: a reason may be a const char *, as what() gives it", "[sdk]") {
    std::string text = "lost";
    auto verdict = berth::error(text.c_str());
    text = "XXXX";
    CHECK(verdict.first().text() == "lost");
    CHECK(berth::error("literal").first().is_literal());
    CHECK(berth::unschedulable(static_cast<const char *>(nullptr)).first().text().empty());
}

TEST_CASE("sdk: arguments remember the names that were read, and list each once", "[sdk]") {
    const berth_kv members[] = {{BERTH_STR("size1"), {BERTH_VALUE_INT, 0, {7}, {nullptr}}},
                                {BERTH_STR("wrong"), {BERTH_VALUE_DOUBLE, 0, {0x43f0000000000000}, {nullptr}}}};
    const berth_value args{BERTH_VALUE_OBJECT, 0, {2}, {members}};
    const auto host = sinks_alone();
    berth::testing::ErrorSlot faults;
    berth::ArgsReader reader(berth::Value{&args}, {&host, faults.handle()});
    for (int i = 0; i < 2; ++i) reader.integer("size" + std::to_string(i), 1, 0, 9);
    reader.field("size1");
    reader.integer("big", 0, 0, 9);
    CHECK(reader.finish() == R"({"size0":1,"size1":7,"big":0})");
    CHECK(*faults == "wrong: unknown field; the arguments are size0, size1, big");
    CHECK(berth::kind_name(berth::Value{&members[1].value}) == "a number that is too large");
}

TEST_CASE("sdk: what is added to a signature cannot be taken for something else", "[sdk]") {
    auto of = [](auto... parts) {
        const auto host = sinks_alone();
        berth::testing::TextSlot out;
        berth::Signature signature({&host, out.handle()});
        (signature.add(parts), ...);
        return *out;
    };
    using sv = std::string_view;
    CHECK(of(sv("ab"), sv("c")) != of(sv("a"), sv("bc")));
    CHECK(of(1, 0) != of(0, 1));
    CHECK(of(std::int32_t{-1}) == of(std::int64_t{-1}));
    const berth_toleration a{BERTH_STR("k"), BERTH_STR(""), BERTH_STR("v"), BERTH_STR("")};
    const berth_toleration b{BERTH_STR("k"), BERTH_STR("v"), BERTH_STR(""), BERTH_STR("")};
    CHECK(of(a) != of(b));
    const berth_scalar gpus[] = {{BERTH_STR("gpu"), 1}, {BERTH_STR("gpu"), 2}};
    const berth_resources one{1, 2, 3, &gpus[0], 1}, two{1, 2, 3, &gpus[1], 1}, none{1, 2, 3, nullptr, 0};
    CHECK(of(one) != of(two));
    CHECK(of(one) != of(none));
    CHECK(of(berth_port{BERTH_STR("TCP"), BERTH_STR("0.0.0.0"), 80, 0}) !=
          of(berth_port{BERTH_STR("TCP"), BERTH_STR("0.0.0.0"), 81, 0}));
}

namespace {

/// So many bytes, trivially copyable; the constructor hands out `this`.
template <std::size_t Bytes>
class HandsOutThis {
    std::array<std::uint64_t, Bytes / sizeof(std::uint64_t)> calls_{};

public:
    explicit HandsOutThis(const berth::Host &host) {
        host.after(1, [this] { ++calls_[0]; });
    }
    berth::Verdict pre_enqueue(berth::Pod) const {
        return calls_[0] == 1 ? berth::ok : berth::error("was not called back");
    }
};

/// An instance without arguments.
template <class Code>
void *created(const berth_host &raw) {
    const berth_value none{};
    berth_create_info info{};
    info.args_value = &none;
    berth::testing::StatusSlot status(berth::testing::Answer{});
    void *self = nullptr;
    Code::create(&raw, &info, &self, status.raw());
    REQUIRE(self);
    return self;
}

/// What PreEnqueue says after the callback that was arranged in the constructor.
template <class Plugin>
std::int32_t code_after_the_callback() {
    static std::vector<std::pair<void (*)(void *, std::int32_t), void *>> due;
    static const berth_host_clock clock{
        sizeof clock, 0, [](const berth_host *) { return std::int64_t{0}; },
        [](const berth_host *, std::int64_t, void (*fn)(void *, std::int32_t), void *ctx) {
            due.emplace_back(fn, ctx);
            return std::uint64_t{1};
        },
        nullptr};
    static_assert(std::is_trivially_copyable_v<Plugin>);
    using Code = berth::detail::Code<Plugin>;
    berth_host raw{};
    raw.struct_size = sizeof raw;
    raw.get_service = [](const berth_host *, berth_str id) -> const void * {
        return berth::view(id) == BERTH_HOST_CLOCK_V1 ? static_cast<const void *>(&clock) : of_calls(id);
    };
    void *self = created<Code>(raw);
    REQUIRE(due.size() == 1);
    due[0].first(due[0].second, BERTH_STATUS_SUCCESS);
    due.clear();
    berth::testing::StatusSlot status(berth::testing::Answer{});
    const auto *table =
        static_cast<const berth_plugin_pre_enqueue *>(Code::get_interface(BERTH_STR(BERTH_PLUGIN_PRE_ENQUEUE_V1)));
    REQUIRE(table);
    table->pre_enqueue(self, nullptr, nullptr, status.raw());
    Code::destroy(self);
    return status.raw()->code;
}

}  // namespace

TEST_CASE("sdk: a small plugin's constructor may hand out `this`", "[sdk]") {
    CHECK(code_after_the_callback<HandsOutThis<8>>() == BERTH_STATUS_SUCCESS);
    CHECK(code_after_the_callback<HandsOutThis<16>>() == BERTH_STATUS_SUCCESS);
    CHECK(code_after_the_callback<HandsOutThis<24>>() == BERTH_STATUS_SUCCESS);
}

TEST_CASE("sdk: what the host cancels is freed and not run", "[sdk]") {
    static std::vector<std::pair<void (*)(void *, std::int32_t), void *>> due;
    static void (*answer)(void *, const berth_answer *);
    static void *answered;
    due.clear();
    static const berth_host_clock clock{
        sizeof clock, 0, [](const berth_host *) { return std::int64_t{0}; },
        [](const berth_host *, std::int64_t ns, void (*fn)(void *, std::int32_t), void *ctx) {
            if (ns == 9) return std::uint64_t{0};  // as when the instance is about to end
            due.emplace_back(fn, ctx);
            return std::uint64_t{due.size()};
        },
        [](const berth_host *, std::uint64_t timer) {
            if (timer > due.size()) return std::int32_t{BERTH_STATUS_NOT_FOUND};
            due[timer - 1].first(due[timer - 1].second, BERTH_STATUS_CANCELLED);
            return std::int32_t{BERTH_STATUS_SUCCESS};
        }};
    static const berth_host_client client{
        sizeof client, 0,
        [](const berth_host *, const berth_request *request, void (*fn)(void *, const berth_answer *), void *ctx) {
            if (berth::view(request->resource) != "pods") return std::int32_t{BERTH_STATUS_UNSUPPORTED};
            answer = fn, answered = ctx;
            return std::int32_t{BERTH_STATUS_SUCCESS};
        }};
    static const berth_host_cancellation cancellation{
        sizeof cancellation, 0,
        [](const berth_host *, const berth_call *call, void (*fn)(void *, std::int32_t), void *ctx) {
            if (!call) return std::int32_t{BERTH_STATUS_INVALID};
            due.emplace_back(fn, ctx);
            return std::int32_t{BERTH_STATUS_SUCCESS};
        }};
    berth_host raw{};
    raw.struct_size = sizeof raw;
    raw.get_service = [](const berth_host *, berth_str id) -> const void * {
        if (berth::view(id) == BERTH_HOST_CLOCK_V1) return &clock;
        if (berth::view(id) == BERTH_HOST_CANCELLATION_DRAFT1) return &cancellation;
        return berth::view(id) == BERTH_HOST_CLIENT_V1 ? &client : of_calls(id);
    };
    const auto kept = std::make_shared<int>(0);
    {
        const berth::Host host(&raw);
        host.after(1, [kept] { ++*kept; });
        const auto second = host.after(2, [kept] { ++*kept; });
        host.after(9, [kept] { ++*kept; });
        berth::Request request;
        request.resource = "pods";
        host.send(request, [kept](int, std::string_view) { ++*kept; });
        request.resource = "secrets";
        CHECK_THROWS(host.send(request, [kept](int, std::string_view) {}));
        CHECK(kept.use_count() == 4);
        REQUIRE(due.size() == 2);
        due[0].first(due[0].second, BERTH_STATUS_SUCCESS);
        CHECK(*kept == 1);
        CHECK(kept.use_count() == 3);
        CHECK(host.cancel(second));
        CHECK_FALSE(host.cancel(berth::Timer{99}));
        CHECK(kept.use_count() == 2);
        const berth_call raw_call{};
        const berth::Call call(&raw_call, &host);
        CHECK_FALSE(host.after_cancellation(berth::Call{nullptr, &host}, [kept] { ++*kept; }));
        CHECK(host.after_cancellation(call, [kept] { *kept += 10; }));
        CHECK(host.after_cancellation(call, [kept] { ++*kept; }));
        CHECK(kept.use_count() == 4);
        REQUIRE(due.size() == 4);
        due[2].first(due[2].second, BERTH_STATUS_SUCCESS);
        due[3].first(due[3].second, BERTH_STATUS_CANCELLED);
        CHECK(*kept == 11);
        CHECK(kept.use_count() == 2);
    }
    const berth_answer ended{sizeof ended, 0, BERTH_STATUS_CANCELLED, 0, BERTH_STR("ended"), nullptr};
    answer(answered, &ended);
    CHECK(*kept == 11);
    CHECK(kept.use_count() == 1);
}

TEST_CASE("sdk: scratch memory that there is not is std::bad_alloc", "[sdk]") {
    static std::uint64_t asked;
    asked = 0;
    static const berth_host_call calls = [] {
        berth_host_call made = berth::testing::call_table();
        made.scratch = [](const berth_host *, const berth_call *, std::uint64_t size, std::uint64_t) -> void * {
            asked = size;
            return nullptr;
        };
        return made;
    }();
    berth_host raw{};
    raw.struct_size = sizeof raw;
    raw.get_service = [](const berth_host *, berth_str id) -> const void * {
        return berth::view(id) == BERTH_HOST_CALL_V1 ? &calls : nullptr;
    };
    const berth::Host host(&raw);
    const berth::Call call(nullptr, &host);
    CHECK_THROWS_AS(call.scratch<std::uint64_t>(3), std::bad_alloc);
    CHECK(asked == 24);
    CHECK_THROWS_AS(call.scratch<std::uint64_t>(SIZE_MAX / 8 + 2), std::bad_alloc);  // that many bytes are 8
    CHECK(asked == 24);
    CHECK(call.scratch<std::uint64_t>(0).empty());
}

TEST_CASE("sdk: what the extenders left is told, or freed with nothing told", "[sdk]") {
    using Left = void (*)(void *, std::int32_t, berth_str, const berth_candidate *, std::uint64_t);
    static std::vector<std::pair<Left, void *>> asked;
    asked.clear();
    static const berth_host_extenders extenders{
        sizeof extenders, 0,
        [](const berth_host *, const berth_call *, const berth_candidate *, std::uint64_t n, Left fn, void *ctx) {
            if (n != 1) return std::int32_t{n == 0 ? BERTH_STATUS_INVALID : BERTH_STATUS_CANCELLED};
            asked.emplace_back(fn, ctx);
            return std::int32_t{BERTH_STATUS_SUCCESS};
        }};
    berth_host raw{};
    raw.struct_size = sizeof raw;
    raw.get_service = [](const berth_host *, berth_str id) -> const void * {
        return berth::view(id) == BERTH_HOST_EXTENDERS_DRAFT1 ? &extenders : of_calls(id);
    };
    const berth::Host host(&raw);
    const auto kept = std::make_shared<std::string>();
    auto ask = [&](std::size_t n) {
        const std::vector<berth_candidate> candidates(n);
        host.narrow(nullptr, candidates, [kept](std::string_view error, std::span<const berth_candidate> left) {
            *kept += std::string(error) + std::to_string(left.size());
        });
    };
    for (int i = 0; i < 3; ++i) ask(1);
    CHECK_THROWS_WITH(ask(0), "what the extenders were to narrow is no candidate");
    CHECK_THROWS_WITH(ask(2), "the instance is about to end; the extenders were not asked");
    REQUIRE(asked.size() == 3);
    const berth_candidate one{};
    asked[0].first(asked[0].second, BERTH_STATUS_SUCCESS, {}, &one, 1);
    asked[1].first(asked[1].second, BERTH_STATUS_ERROR, BERTH_STR("adrift"), nullptr, 0);
    asked[2].first(asked[2].second, BERTH_STATUS_CANCELLED, BERTH_STR("ended"), nullptr, 0);
    CHECK(*kept == "1adrift0");
    CHECK(kept.use_count() == 1);

    raw.get_service = [](const berth_host *, berth_str id) -> const void * { return of_calls(id); };
    const berth::Host without(&raw);
    without.narrow(nullptr, std::vector<berth_candidate>(4),
                   [kept](std::string_view, auto left) { *kept = std::to_string(left.size()); });
    CHECK(*kept == "4");
    CHECK_FALSE(without.cancel_pre_bind("uid", "gives way"));
}

TEST_CASE("sdk: victims are named where the host takes them, and nowhere else", "[sdk]") {
    static std::vector<std::string> named;
    named.clear();
    static const berth_host_victims victims{
        sizeof victims, 0,
        [](const berth_host *, berth_nomination *to, const std::uint32_t *rows, std::uint64_t n, berth_str reason) {
            if (n == 0) return std::int32_t{BERTH_STATUS_INVALID};
            CHECK(reinterpret_cast<std::uintptr_t>(to) == 7);
            named.push_back(std::to_string(rows[n - 1]) + " of " + std::to_string(n) + " " +
                            std::string(berth::view(reason)));
            return std::int32_t{BERTH_STATUS_SUCCESS};
        }};
    berth_host raw{};
    raw.struct_size = sizeof raw;
    raw.get_service = [](const berth_host *, berth_str id) -> const void * {
        return berth::view(id) == BERTH_HOST_VICTIMS_DRAFT1 ? &victims : of_calls(id);
    };
    const berth::Host host(&raw);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address that is not followed
    auto *const at = reinterpret_cast<berth_nomination *>(std::uintptr_t{7});
    const berth::Nomination nomination(at, &host);
    const std::vector<std::uint32_t> rows{4, 9};
    nomination.victims(rows, "why");
    nomination.victims(std::span(rows).first(1));
    CHECK(named == std::vector<std::string>{"9 of 2 why", "4 of 1 "});
    CHECK_THROWS_WITH(nomination.victims({}), "what was named as victims are not 1 to 10,000 different pods on nodes");

    raw.get_service = [](const berth_host *, berth_str id) -> const void * { return of_calls(id); };
    const berth::Host without(&raw);
    berth::Nomination(at, &without).victims(rows);
    CHECK(named.size() == 2);
}

TEST_CASE("sdk: a line has its fields, in one text where the host takes none", "[sdk]") {
    static std::vector<std::string> lines;
    lines.clear();
    static const berth_host_log log{
        sizeof log, 0,
        [](const berth_host *, std::uint32_t severity, std::uint32_t verbosity) {
            return std::int32_t{severity != BERTH_LOG_INFO || verbosity < 3};
        },
        [](const berth_host *, std::uint32_t severity, std::uint32_t, berth_str text) {
            lines.push_back(std::to_string(severity) + " " + std::string(berth::view(text)));
        }};
    static const berth_host_log_fields fields{
        sizeof fields, 0,
        [](const berth_host *, std::uint32_t severity, std::uint32_t, berth_str message, const berth_kv *all,
           std::uint64_t n) {
            std::string line = std::to_string(severity) + " fields of " + std::string(berth::view(message));
            for (std::uint64_t i = 0; i < n; ++i)
                line += " " + std::string(berth::view(all[i].key)) + ":" + std::to_string(all[i].value.kind);
            lines.push_back(line);
        }};
    berth_host raw{};
    raw.struct_size = sizeof raw;
    raw.get_service = [](const berth_host *, berth_str id) -> const void * {
        if (berth::view(id) == BERTH_HOST_LOG_V1) return &log;
        return berth::view(id) == BERTH_HOST_LOG_FIELDS_DRAFT1 ? &fields : of_calls(id);
    };
    auto write = [](const berth::Host &host) {
        const std::string text = "a";
        host.info(2, "Held", {{"text", text}, {"word", "b"}, {"whole", -3}, {"huge", ~std::uint64_t{0}}});
        host.info(3, "Too verbose", {});
        host.warning("Lost", {{"half", 0.5}, {"on", true}, {"none", berth::Value{}}});
        host.error("Broke", {});
    };
    auto forge = [](const berth::Host &host) {
        const char *nothing = nullptr;
        host.error("Forged", {{"k", "x\" pod=\"a\\\n\x1b"}, {"a b", 1}, {"", 1}, {"n", nothing}, {"inf", 1e308 * 10}});
    };
    write(berth::Host(&raw));
    CHECK(lines == std::vector<std::string>{"0 fields of Held text:4 word:4 whole:2 huge:3",
                                            "1 fields of Lost half:3 on:1 none:0", "2 fields of Broke"});
    lines.clear();
    raw.get_service = [](const berth_host *, berth_str id) -> const void * {
        return berth::view(id) == BERTH_HOST_LOG_V1 ? &log : of_calls(id);
    };
    write(berth::Host(&raw));
    CHECK(lines == std::vector<std::string>{"0 Held text=\"a\" word=\"b\" whole=-3 huge=18446744073709551616",
                                            "1 Lost half=0.5 on=true none=null", "2 Broke"});
    lines.clear();
    forge(berth::Host(&raw));
    CHECK(lines == std::vector<std::string>{R"(2 Forged k="x\" pod=\"a\\\n\u001b" n=null inf=null)"});
    lines.clear();
    raw.get_service = [](const berth_host *, berth_str id) -> const void * { return of_calls(id); };
    write(berth::Host(&raw));
    CHECK(lines.empty());
}

TEST_CASE("sdk: the testing kit writes a line with fields as a host does", "[sdk]") {
    berth::testing::Cluster cluster;
    berth::testing::Host kit(cluster);
    const berth::Host host(kit.raw());
    host.warning("Held", {{"text", "a\nb"}, {"no key", 1}, {"half", 0.5}, {"long", std::string(2'000, 'l')}});
    CHECK(kit.log.back() ==
          "warning: \"Held\" text=\"a\\nb\" half=0.5 long=\"" + std::string(1'024, 'l') + "\" cut=true");
    CHECK(kit.log_fields ==
          std::map<std::string, std::string>{
              {"text", "\"a\\nb\""}, {"half", "0.5"}, {"long", "\"" + std::string(1'024, 'l') + "\" cut=true"}});
}

TEST_CASE("sdk: metrics are defined, counted, and for nobody on a host without them", "[sdk]") {
    berth::testing::Cluster cluster;
    berth::testing::Host kit(cluster);
    const berth::Host host(kit.raw());
    const auto cups = host.counter("tea_cups_total", "Cups.");
    const auto of = host.counter("tea_by_total", "Cups of each kind.", {"kind", "size"}, 2);
    const auto level = host.gauge("tea_level", "Litres.");
    const auto wait = host.histogram("tea_wait_seconds", "Until it is drunk.", berth::seconds_bounds);
    cups.add();
    cups.add(2);
    cups.add(-1);
    for (const char *kind : {"a", "b", "c", "d", "a"}) of.with({kind, "x"}).add();
    level.set(5);
    level.add(-0.5);
    wait.observe(0.003);
    wait.observe(100);
    CHECK(kit.metric("tea_cups_total") == 3);
    CHECK(kit.metric("tea_by_total{kind=\"a\",size=\"x\"}") == 2);
    CHECK(kit.metric("tea_by_total{overflow=\"true\"}") == 2);
    CHECK(kit.metric("tea_level") == 4.5);
    CHECK(kit.metric("tea_wait_seconds_count") == 2);
    CHECK(kit.metric("tea_wait_seconds_bucket{le=\"0.002\"}") == 0);
    CHECK(kit.metric("tea_wait_seconds_bucket{le=\"0.004\"}") == 1);
    CHECK(kit.metric("tea_nothing") == 0);
    CHECK_THROWS_WITH(of.with({"a"}), "a metric has as many values as labels");
    CHECK_THROWS_WITH(host.gauge("tea_cups_total", "Cups."), "metric tea_cups_total is refused; the log says why");
    CHECK(kit.log.back() == "error: metric tea_cups_total: its name ends in _total, which is for counters");
    CHECK_THROWS(host.gauge("tea_level", "Litres.", {"of"}));
    CHECK(kit.log.back() == "error: metric tea_level: this instance has tea_level already");
    CHECK_THROWS(host.histogram("tea_cups", "Cups.", berth::seconds_bounds));
    CHECK(kit.metric("tea_wait_seconds_bucket{le=\"+Inf\"}") == 2);
    CHECK(kit.metric("tea_wait_seconds_bucket{le=\"16.384\"}") == 1);

    // As the host has them.
    of.with({"a", "x"}).end();
    CHECK_FALSE(kit.metrics.contains("tea_by_total{kind=\"a\",size=\"x\"}"));
    of.with({"\xff\n\"", std::string(200, 'l')}).add();
    CHECK(kit.metric("tea_by_total{kind=\"\uFFFD\uFFFD\\\"\",size=\"" + std::string(128, 'l') + "\"}") == 1);
    const auto levels = host.gauge("tea_levels", "Litres.", {"of"}, 1);
    levels.with({"a"}).set(1);
    levels.with({"b"}).set(1);
    CHECK_FALSE(kit.metrics.contains("tea_levels{overflow=\"true\"}"));
    host.gauge("tea_level", "Litres.").set(1);
    CHECK(kit.metric("tea_level") == 1);

    // What the host does not take counts nothing, with any values.
    static const berth_host_metrics beside{
        sizeof beside,
        0,
        [](const berth_host *, const berth_metric *, std::uint32_t *) { return BERTH_STATUS_UNSUPPORTED; },
        [](const berth_host *, std::uint32_t, const berth_str *, std::uint64_t) { return std::uint64_t{0}; },
        [](const berth_host *, std::uint64_t id, double) { CHECK(id == 0); },
        [](const berth_host *, std::uint64_t id, double) { CHECK(id == 0); },
        [](const berth_host *, std::uint64_t id, double) { CHECK(id == 0); },
        [](const berth_host *, std::uint64_t id) { CHECK(id == 0); }};
    berth_host raw{};
    raw.struct_size = sizeof raw;
    raw.get_service = [](const berth_host *, berth_str id) -> const void * {
        return berth::view(id) == BERTH_HOST_METRICS_DRAFT1 ? &beside : of_calls(id);
    };
    const berth::Host with_others(&raw);
    with_others.counter("tea_cups_total", "Cups.").add();
    with_others.gauge("tea_level", "Litres.", {"of"}).with({"x"}).set(1);

    raw.get_service = [](const berth_host *, berth_str id) -> const void * { return of_calls(id); };
    const berth::Host without(&raw);
    without.counter("tea_cups_total", "Cups.").add();
    without.gauge("tea_level", "Litres.", {"of"}).with({"x"}).set(1);
    without.histogram("tea_wait_seconds", "Wait.", berth::seconds_bounds, {"of"}).with({"x"}).observe(1);
    berth::Counter().add();
}

TEST_CASE("sdk: the release and its gates are the host's, and 1.36 where it does not say", "[sdk]") {
    static const berth_host_kubernetes kubernetes{
        sizeof kubernetes, 0, [](const berth_host *) { return std::uint32_t{37}; },
        [](const berth_host *, berth_str name) {
            if (berth::view(name) == "On") return std::int32_t{1};
            return berth::view(name) == "Off" ? std::int32_t{0} : std::int32_t{BERTH_STATUS_NOT_FOUND};
        }};
    berth_host raw{};
    raw.struct_size = sizeof raw;
    raw.get_service = [](const berth_host *, berth_str id) -> const void * {
        return berth::view(id) == BERTH_HOST_KUBERNETES_DRAFT1 ? &kubernetes : of_calls(id);
    };
    const berth::Host host(&raw);
    CHECK(host.kubernetes().minor() == 37);
    CHECK(host.kubernetes().since(37));
    CHECK_FALSE(host.kubernetes().since(38));
    CHECK(host.kubernetes().gate("On") == true);
    CHECK(host.kubernetes().gate("Off") == false);
    CHECK_FALSE(host.kubernetes().gate("Colour").has_value());
    berth::testing::ErrorSlot faults;
    CHECK(berth::ArgsReader(berth::Value{}, {&raw, faults.handle()}).kubernetes().since(37));

    const auto older = sinks_alone();
    const berth::Host without(&older);
    CHECK(without.kubernetes().minor() == 36);
    CHECK_FALSE(without.kubernetes().gate("On").has_value());
    CHECK_FALSE(berth::ArgsReader(berth::Value{}, {&older, faults.handle()}).kubernetes().since(37));

    // A table that ends before a function of these headers.
    static const berth_host_kubernetes shorter{sizeof shorter - sizeof shorter.gate, 0, kubernetes.minor, nullptr};
    raw.get_service = [](const berth_host *, berth_str id) -> const void * {
        return berth::view(id) == BERTH_HOST_KUBERNETES_DRAFT1 ? &shorter : of_calls(id);
    };
    CHECK(berth::Kubernetes(&raw).minor() == 36);
}

namespace {

struct Dated {
    std::uint32_t minor;
    explicit Dated(const berth::Host &host) : minor(host.kubernetes().minor()) {}
    static void default_args(berth::ArgsReader &args) {
        args.set("gated", args.kubernetes().gate("Warm").value_or(false) ? "true" : "false");
    }
    berth::Verdict pre_enqueue(berth::Pod) const { return berth::unschedulable(std::to_string(minor)); }
};

}  // namespace

TEST_CASE("sdk: a test's cluster says which release it is of", "[sdk]") {
    const auto described = berth::detail::plugin_of(berth::entry<Dated>("Dated", "1"));
    const berth_plugin *const plugins[] = {&described};
    const berth_library library{sizeof library, 0, 0, BERTH_ABI_MINOR, plugins, 1, {}, {}};
    auto says = [&](berth::testing::Cluster &cluster) {
        cluster.add("{apiVersion: v1, kind: Pod, metadata: {name: p}}");
        return berth::testing::Plugin(cluster, library).pre_enqueue("p").text();
    };
    berth::testing::Cluster usual, later;
    later.kubernetes = 37;
    CHECK(says(usual) == "36");
    CHECK(says(later) == "37");
}

TEST_CASE("sdk: a datum that the host does not keep is freed, and who put it is told", "[sdk]") {
    static const berth_host_state states{
        sizeof states, 0, nullptr,
        [](const berth_host *, berth_state *, std::uint32_t, void *, const berth_plugin_state_type *) {
            return std::int32_t{BERTH_STATUS_INVALID};
        },
        nullptr};
    berth_host raw{};
    raw.struct_size = sizeof raw;
    raw.get_service = [](const berth_host *, berth_str id) -> const void * {
        return berth::view(id) == BERTH_HOST_STATE_V1 ? &states : nullptr;
    };
    const berth::Host host(&raw);
    const berth::State state(nullptr, &host);
    const auto kept = std::make_shared<int>(0);
    CHECK_THROWS_WITH(state.put(berth::StateKey<std::shared_ptr<int>>{7}, kept),
                      "the host does not keep a datum under key 7");
    CHECK(kept.use_count() == 1);
}

namespace {

/// Throws in everything that cannot fail.
struct ThrowsLate {
    explicit ThrowsLate(const berth::Host &host) {
        host.after(1, [] { throw std::runtime_error("no tea later"); });
        berth::Request request;
        request.resource = "pods";
        host.send(request, [](int, std::string_view text) { throw std::runtime_error(std::string(text)); });
    }
    berth::Verdict reserve(berth::Pod, std::string_view) const { return berth::ok; }
    void unreserve(berth::Pod, std::string_view node) const {
        throw std::runtime_error("no tea on " + std::string(node));
    }
    void post_bind(berth::Pod, std::string_view) const { throw 7; }
};

}  // namespace

TEST_CASE("sdk: what is thrown where nothing can fail is logged with its text", "[sdk]") {
    static std::vector<std::string> said;
    static std::function<void()> due, answered;
    said.clear();
    static const berth_host_log log{sizeof log, 0,
                                    [](const berth_host *, std::uint32_t, std::uint32_t) { return std::int32_t{1}; },
                                    [](const berth_host *, std::uint32_t, std::uint32_t, berth_str text) {
                                        said.emplace_back(text.ptr, text.len);
                                    }};
    static const berth_host_clock clock{
        sizeof clock, 0, [](const berth_host *) { return std::int64_t{0}; },
        [](const berth_host *, std::int64_t, void (*fn)(void *, std::int32_t), void *ctx) {
            due = [=] { fn(ctx, BERTH_STATUS_SUCCESS); };
            return std::uint64_t{1};
        },
        nullptr};
    static const berth_host_client client{
        sizeof client, 0,
        [](const berth_host *, const berth_request *, void (*fn)(void *, const berth_answer *), void *ctx) {
            answered = [=] {
                const berth_answer none{sizeof none, 0, BERTH_STATUS_SUCCESS, 404, BERTH_STR("no such tea"), nullptr};
                fn(ctx, &none);
            };
            return std::int32_t{BERTH_STATUS_SUCCESS};
        }};
    berth_host raw{};
    raw.struct_size = sizeof raw;
    raw.get_service = [](const berth_host *, berth_str id) -> const void * {
        if (berth::view(id) == BERTH_HOST_LOG_V1) return &log;
        if (berth::view(id) == BERTH_HOST_CLOCK_V1) return &clock;
        return berth::view(id) == BERTH_HOST_CLIENT_V1 ? &client : of_calls(id);
    };
    using Code = berth::detail::Code<ThrowsLate>;
    void *self = created<Code>(raw);
    due();
    answered();
    const auto *reserve =
        static_cast<const berth_plugin_reserve *>(Code::get_interface(BERTH_STR(BERTH_PLUGIN_RESERVE_V1)));
    const auto *post_bind =
        static_cast<const berth_plugin_post_bind *>(Code::get_interface(BERTH_STR(BERTH_PLUGIN_POST_BIND_V1)));
    REQUIRE((reserve && post_bind));
    reserve->unreserve(self, nullptr, nullptr, nullptr, BERTH_STR("quay"));
    post_bind->post_bind(self, nullptr, nullptr, nullptr, BERTH_STR("quay"));
    Code::destroy(self);
    CHECK(said == std::vector<std::string>{"a callback of after threw: no tea later",
                                           "a callback of send threw: no such tea", "unreserve threw: no tea on quay",
                                           "post_bind threw what is no std::exception"});
}

namespace {

/// Throws wherever the wrapper has to hold it.
struct ThrowsEverywhere {
    static void default_args(berth::ArgsReader &) { throw std::runtime_error("no tea in default_args"); }
    void declare(berth::Declare) const { throw std::runtime_error("no tea in declare"); }
    void events(berth::Events) const { throw std::runtime_error("no tea in events"); }
    berth::Hint hint(berth::Event, berth::Pod) const { throw std::runtime_error("no tea in hint"); }
    bool less(berth::Pod, berth::Pod) const { throw std::runtime_error("no tea in less"); }
    void sort_key(berth::Pod, berth::SortKey &) const { throw 7; }
    berth::Verdict filter(berth::Pod, berth::Node) const { return berth::ok; }
    bool sign(berth::Pod, berth::Nodes, berth::Signature) const { throw std::runtime_error("no tea in sign"); }
};

/// The code and text of a status.
struct Said {
    berth::testing::Answer answer;
    berth::testing::StatusSlot status{answer};

    bool error(std::string_view text) {
        status.take();
        return answer.code() == BERTH_STATUS_ERROR && answer.text() == text;
    }
};

template <class Function>
constexpr bool may_throw(Function *) {
    return true;
}
template <class R, class... Parameters>
constexpr bool may_throw(R (*)(Parameters...) noexcept) {
    return false;
}

}  // namespace

TEST_CASE("sdk: nothing that a plugin throws leaves the wrapper, and its text is kept", "[sdk]") {
    static std::vector<std::string> said;
    said.clear();
    static const berth_host_log log{sizeof log, 0,
                                    [](const berth_host *, std::uint32_t, std::uint32_t) { return std::int32_t{1}; },
                                    [](const berth_host *, std::uint32_t, std::uint32_t, berth_str text) {
                                        said.emplace_back(text.ptr, text.len);
                                    }};
    berth_host raw{};
    raw.struct_size = sizeof raw;
    raw.get_service = [](const berth_host *, berth_str id) -> const void * {
        return berth::view(id) == BERTH_HOST_LOG_V1 ? static_cast<const void *>(&log) : of_calls(id);
    };
    using Code = berth::detail::Code<ThrowsEverywhere>;
    using Plugin = ThrowsEverywhere;
    using berth::detail::EventsPoint, berth::detail::QueueSortPoint, berth::detail::SignPoint;
    static_assert(!may_throw(&Code::default_args) && !may_throw(&Code::declare) &&
                  !may_throw(&EventsPoint::events<Plugin>) && !may_throw(&EventsPoint::hint<Plugin>) &&
                  !may_throw(&QueueSortPoint::less<Plugin>) && !may_throw(&QueueSortPoint::sort_key<Plugin>) &&
                  !may_throw(&SignPoint::sign<Plugin>));
    void *self = created<Code>(raw);
    berth::testing::ErrorSlot faults;
    berth::testing::TextSlot out;
    const berth_value none{};
    const berth_create_info info{};
    Code::default_args(&raw, &info, &none, out.handle(), faults.handle());
    CHECK(*faults == ": no tea in default_args");
    Said declared, events;
    berth::testing::DeclareSlot rights;
    Code::declare(self, rights.handle(), declared.status.raw());
    CHECK(declared.error("no tea in declare"));
    berth::testing::EventSlot wakes;
    EventsPoint::events<Plugin>(self, wakes.handle(), events.status.raw());
    CHECK(events.error("no tea in events"));
    CHECK(QueueSortPoint::less<Plugin>(self, nullptr, nullptr) < 0);
    std::uint8_t key[32];
    CHECK(QueueSortPoint::sort_key<Plugin>(self, nullptr, key, sizeof key) == 0);
    const berth_pod *pod = nullptr;
    std::uint8_t hint = BERTH_HINT_SKIP;
    EventsPoint::hint<Plugin>(self, nullptr, nullptr, &pod, 1, &hint);
    CHECK(hint == BERTH_HINT_ERROR);
    CHECK(SignPoint::sign<Plugin>(self, nullptr, nullptr, out.handle()) == BERTH_STATUS_ERROR);
    Code::destroy(self);
    CHECK(said == std::vector<std::string>{"less threw: no tea in less", "sort_key threw what is no std::exception",
                                           "hint threw: no tea in hint", "sign threw: no tea in sign"});
}

TEST_CASE("sdk: the bytes of a sort key compare as what it is made of", "[sdk]") {
    auto key = [](auto &&make) {
        std::vector<std::uint8_t> out(64);
        berth::SortKey sort(out);
        make(sort);
        REQUIRE(sort.size() <= out.size());
        out.resize(sort.size());
        return out;
    };
    auto rising = [&](const auto &values, auto &&put) {
        for (std::size_t i = 1; i < values.size(); ++i) {
            CAPTURE(i);
            CHECK(key([&](auto &k) { put(k, values[i - 1]); }) < key([&](auto &k) { put(k, values[i]); }));
        }
    };
    rising(std::vector<std::int32_t>{INT32_MIN, -256, -1, 0, 1, 255, 256, INT32_MAX},
           [](auto &k, auto n) { k.ascending(n); });
    rising(std::vector<std::int64_t>{INT64_MAX, 1, 0, -1, INT64_MIN}, [](auto &k, auto n) { k.descending(n); });
    rising(std::vector<std::uint64_t>{0, 1, 256, UINT64_MAX}, [](auto &k, auto n) { k.ascending(n); });
    rising(std::vector<std::uint16_t>{UINT16_MAX, 256, 255, 0}, [](auto &k, auto n) { k.descending(n); });
    rising(std::vector<std::int8_t>{INT8_MIN, -1, 0, INT8_MAX}, [](auto &k, auto n) { k.ascending(n); });
    rising(std::vector<std::int16_t>{INT16_MAX, 0, -1, INT16_MIN}, [](auto &k, auto n) { k.descending(n); });
    rising(std::array{false, true}, [](auto &k, bool yes) { k.ascending(yes); });
    rising(std::array{true, false}, [](auto &k, bool yes) { k.descending(yes); });
    using Words = std::pair<std::string, std::string>;
    const std::string zero(1, 0);
    rising(std::vector<Words>{{"", "z"},
                              {zero, ""},
                              {"a", "z"},
                              {"a" + zero, "a"},
                              {"a" + zero + zero, ""},
                              {"ab", "a"},
                              {"b", ""},
                              {"b", "a"}},
           [](auto &k, const Words &words) { k.text(words.first).text(words.second); });

    // What does not fit is counted.
    std::array<std::uint8_t, 3> small{};
    berth::SortKey sort(small);
    sort.ascending(std::uint16_t{0x0102}).ascending(std::uint16_t{0x0304});
    CHECK(sort.size() == 4);
    CHECK(small == std::array<std::uint8_t, 3>{1, 2, 3});
}

TEST_CASE("sdk: what a visitor throws waits until the host has returned", "[sdk]") {
    static bool returned;
    static int visits;
    returned = false, visits = 0;
    static const berth_host_cluster cluster{sizeof cluster,
                                            0,
                                            nullptr,
                                            nullptr,
                                            [](const berth_host *, std::uint32_t, berth_str,
                                               std::int32_t (*visit)(void *, const berth_object *), void *ctx) {
                                                for (int i = 0; i < 3 && visit(ctx, nullptr); ++i) {
                                                }
                                                returned = true;
                                            },
                                            nullptr,
                                            nullptr};
    berth_host raw{};
    raw.struct_size = sizeof raw;
    raw.get_service = [](const berth_host *, berth_str id) -> const void * {
        return berth::view(id) == BERTH_HOST_CLUSTER_V1 ? &cluster : nullptr;
    };
    const berth::Host host(&raw);
    CHECK_THROWS_WITH(host.each({1}, "",
                                [](const berth::Object &) {
                                    if (++visits == 2) throw std::runtime_error("seen enough");
                                }),
                      "seen enough");
    CHECK(visits == 2);
    CHECK(returned);
}

TEST_CASE("sdk: on an older host, what it does not say is empty, and what it cannot do is an error", "[sdk]") {
    // The pod ends before its last fields, as that of a host from before they came; what is behind it is not the pod's.
    alignas(berth_pod) std::array<std::byte, sizeof(berth_pod)> memory;
    memory.fill(std::byte{0xdb});
    berth_pod whole{};
    whole.name = BERTH_STR("web");
    whole.priority = 7;
    whole.queued_time_ns = 8;
    const auto older = [&](std::size_t size) {
        whole.struct_size = static_cast<std::uint32_t>(size);
        std::memcpy(memory.data(), &whole, size);
        return reinterpret_cast<const berth_pod *>(memory.data());
    };
    const berth_host none{};
    berth_host raw = none;
    raw.get_service = [](const berth_host *, berth_str) -> const void * { return nullptr; };
    const berth::Host host(&raw);
    CHECK_FALSE(host.after_cancellation(berth::Call{nullptr, &host}, [] {}));
    const berth::Pod pod(older(offsetof(berth_pod, attempts)), &host);
    CHECK(pod.name() == "web");
    CHECK(pod.queued_time_ns() == 8);
    CHECK(pod.attempts() == 0);
    const berth::Pod oldest(older(offsetof(berth_pod, requests)), &host);
    CHECK(oldest.priority() == 7);
    for (const auto *asked : {&oldest.requests(), &oldest.requests_nonzero(), &oldest.container_requests(),
                              &oldest.container_requests_nonzero(), &oldest.current_requests()})
        CHECK(asked->cpu + asked->memory + asked->ephemeral + static_cast<std::int64_t>(asked->scalars_len) == 0);
    CHECK((oldest.labels().empty() && oldest.tolerations().empty() && oldest.images().empty() &&
           oldest.host_ports().empty() && !oldest.label("app")));
    CHECK((oldest.node_name().empty() && oldest.nominated_node().empty() && oldest.scheduler_name().empty()));
    CHECK(oldest.creation_time_ns() + oldest.queued_time_ns() + oldest.initial_attempt_ns() == 0);

    static const berth_host_clock clock = [] {
        berth_host_clock made{};
        made.struct_size = offsetof(berth_host_clock, cancel);
        made.now = [](const berth_host *) { return std::int64_t{42}; };
        // NOLINTNEXTLINE(performance-no-int-to-ptr): it must not be called
        made.cancel = reinterpret_cast<decltype(made.cancel)>(std::uintptr_t{0xdbdb});
        return made;
    }();
    raw.get_service = [](const berth_host *, berth_str id) -> const void * {
        return berth::view(id) == BERTH_HOST_CLOCK_V1 ? static_cast<const void *>(&clock) : of_calls(id);
    };
    const berth::Host with_clock(&raw);
    CHECK(with_clock.now_ns() == 42);
    CHECK_THROWS_WITH(with_clock.cancel(berth::Timer{1}),
                      "this host is older than a function of berth.host.clock/1 that the plugin calls");
}

TEST_CASE("sdk: a pod's labels are found by key", "[sdk]") {
    const berth_label labels[] = {{BERTH_STR("app"), BERTH_STR("web")}, {BERTH_STR("tier"), BERTH_STR("")}};
    berth_pod raw{};
    raw.struct_size = sizeof raw;
    raw.labels = labels, raw.labels_len = 2;
    const berth::Pod pod(&raw, nullptr);
    CHECK(pod.label("app") == "web");
    CHECK(pod.label("tier") == "");
    CHECK_FALSE(pod.label("zone"));
}

TEST_CASE("sdk: a value of thousands of levels is written as JSON without as much stack", "[sdk]") {
    berth::on_small_stack([] {
        const auto text = berth::deep_json(berth::deep_levels - 2, R"(["a\n",[true,null,1.5,-7],{}])");
        const auto tree = berth::decode::read_api_json(text);
        REQUIRE(tree);
        CHECK(berth::json((*tree)->value()) == text);
    });
}

TEST_CASE("sdk: what is kept by code is kept for one meaning of it", "[sdk]") {
    berth::PerCode<std::string> kept;
    int made = 0;
    auto of = [&](std::uint32_t code, std::uint64_t generation) {
        return kept.of(code, generation, [&] { return "made " + std::to_string(++made); });
    };
    CHECK(of(7, 41) == "made 1");
    CHECK(of(7, 41) == "made 1");
    CHECK(of(3, 41) == "made 2");
    CHECK(of(7, 42) == "made 3");
    CHECK(of(7, 41) == "made 4");
    // What fails is not kept.
    CHECK_THROWS(kept.of(7, 43, []() -> std::string { throw std::runtime_error("no"); }));
    CHECK(of(7, 43) == "made 5");
    // A host whose codes never change their meaning has no generations.
    CHECK(of(9, 0) == "made 6");
    CHECK(of(9, 0) == "made 6");

    berth::PerCode<int> counts;
    CHECK(counts.renew(5, 1));
    counts[5] = 8;
    CHECK(!counts.renew(5, 1));
    CHECK(counts[5] == 8);
    CHECK(counts.renew(5, 2));
    CHECK(counts[5] == 0);
    counts.renew(100'000, 3);
    counts.trim(10);
    CHECK(!counts.renew(5, 2));
    CHECK(counts.renew(100'000, 3));
}
