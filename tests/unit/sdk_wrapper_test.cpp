// SPDX-License-Identifier: Apache-2.0
#include <berth/plugin.hpp>

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
    const berth_kv members[] = {{BERTH_STR("size1"), {BERTH_VALUE_INT, 0, 7, nullptr}},
                                {BERTH_STR("wrong"), {BERTH_VALUE_DOUBLE, 0, 0x43f0000000000000, nullptr}}};
    const berth_value args{BERTH_VALUE_OBJECT, 0, 2, members};
    std::string faults;
    const berth_error_sink sink{sizeof sink, 0, &faults, [](void *ctx, berth_str path, berth_str text) {
                                    *static_cast<std::string *>(ctx) +=
                                        std::string(path.ptr, path.len) + ": " + std::string(text.ptr, text.len) + "\n";
                                }};
    berth::ArgsReader reader(berth::Value{&args}, &sink);
    for (int i = 0; i < 2; ++i) reader.integer("size" + std::to_string(i), 1, 0, 9);
    reader.field("size1");
    reader.integer("big", 0, 0, 9);
    CHECK(reader.finish() == R"({"size0":1,"size1":7,"big":0})");
    CHECK(faults == "wrong: unknown field; the arguments are size0, size1, big\n");
    CHECK(berth::kind_name(berth::Value{&members[1].value}) == "a number that is too large");
}

TEST_CASE("sdk: what is added to a signature cannot be taken for something else", "[sdk]") {
    auto of = [](auto... parts) {
        std::string out;
        const berth_text_sink sink{sizeof sink, 0, &out, [](void *ctx, berth_str text) {
                                       static_cast<std::string *>(ctx)->append(text.ptr, text.len);
                                   }};
        berth::Signature signature(&sink);
        (signature.add(parts), ...);
        return out;
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
    CHECK(of(berth_host_port{BERTH_STR("TCP"), BERTH_STR("0.0.0.0"), 80, 0}) !=
          of(berth_host_port{BERTH_STR("TCP"), BERTH_STR("0.0.0.0"), 81, 0}));
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
    berth_status status{};
    status.set_error = [](berth_status *, berth_str) {};
    void *self = nullptr;
    Code::create(&raw, &info, &status, &self);
    REQUIRE(self);
    return self;
}

/// What PreEnqueue says after the callback that was arranged in the constructor.
template <class Plugin>
std::int32_t code_after_the_callback() {
    static std::vector<std::pair<void (*)(void *), void *>> due;
    static const berth_clock clock{
        sizeof clock, 0, [](const berth_host *) { return std::int64_t{0}; },
        [](const berth_host *, std::int64_t, void (*fn)(void *), void *ctx) { due.emplace_back(fn, ctx); }};
    static_assert(std::is_trivially_copyable_v<Plugin>);
    using Code = berth::detail::Code<Plugin>;
    berth_host raw{};
    raw.struct_size = sizeof raw;
    raw.get_service = [](const berth_host *, berth_str id) -> const void * {
        return berth::view(id) == BERTH_CLOCK_V1 ? &clock : nullptr;
    };
    void *self = created<Code>(raw);
    REQUIRE(due.size() == 1);
    due[0].first(due[0].second);
    due.clear();
    berth_status status{};
    status.set_error = [](berth_status *, berth_str) {};
    const auto *table = static_cast<const berth_pre_enqueue *>(Code::get_interface(BERTH_STR(BERTH_PRE_ENQUEUE_V1)));
    REQUIRE(table);
    table->pre_enqueue(self, nullptr, nullptr, &status);
    Code::destroy(self);
    return status.code;
}

}  // namespace

TEST_CASE("sdk: a small plugin's constructor may hand out `this`", "[sdk]") {
    CHECK(code_after_the_callback<HandsOutThis<8>>() == BERTH_SUCCESS);
    CHECK(code_after_the_callback<HandsOutThis<16>>() == BERTH_SUCCESS);
    CHECK(code_after_the_callback<HandsOutThis<24>>() == BERTH_SUCCESS);
}

TEST_CASE("sdk: what the host never calls back is freed with the instance", "[sdk]") {
    static std::vector<std::pair<void (*)(void *), void *>> due;
    due.clear();
    static const berth_clock clock{
        sizeof clock, 0, [](const berth_host *) { return std::int64_t{0}; },
        [](const berth_host *, std::int64_t, void (*fn)(void *), void *ctx) { due.emplace_back(fn, ctx); }};
    static const berth_client client{
        sizeof client, 0,
        [](const berth_host *, const berth_request *request, void (*)(void *, std::int32_t, berth_str), void *) {
            return std::int32_t{berth::view(request->resource) == "pods" ? BERTH_SUCCESS : BERTH_UNSUPPORTED};
        }};
    berth_host raw{};
    raw.struct_size = sizeof raw;
    raw.get_service = [](const berth_host *, berth_str id) -> const void * {
        if (berth::view(id) == BERTH_CLOCK_V1) return &clock;
        return berth::view(id) == BERTH_CLIENT_V1 ? &client : nullptr;
    };
    const auto kept = std::make_shared<int>(0);
    {
        const berth::Host host(&raw);
        host.after(1, [kept] { ++*kept; });
        host.after(2, [kept] { ++*kept; });
        berth::Request request;
        request.resource = "pods";
        host.send(request, [kept](int, std::string_view) {});
        request.resource = "secrets";
        CHECK_THROWS(host.send(request, [kept](int, std::string_view) {}));
        CHECK(kept.use_count() == 4);
        REQUIRE(due.size() == 2);
        due[0].first(due[0].second);
        CHECK(*kept == 1);
        CHECK(kept.use_count() == 3);
    }
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
    static const berth_log log{sizeof log, 0,
                               [](const berth_host *, std::uint32_t, std::uint32_t) { return std::int32_t{1}; },
                               [](const berth_host *, std::uint32_t, std::uint32_t, berth_str text) {
                                   said.emplace_back(text.ptr, text.len);
                               }};
    static const berth_clock clock{
        sizeof clock, 0, [](const berth_host *) { return std::int64_t{0}; },
        [](const berth_host *, std::int64_t, void (*fn)(void *), void *ctx) { due = [=] { fn(ctx); }; }};
    static const berth_client client{
        sizeof client, 0,
        [](const berth_host *, const berth_request *, void (*fn)(void *, std::int32_t, berth_str), void *ctx) {
            answered = [=] { fn(ctx, 404, BERTH_STR("no such tea")); };
            return std::int32_t{BERTH_SUCCESS};
        }};
    berth_host raw{};
    raw.struct_size = sizeof raw;
    raw.get_service = [](const berth_host *, berth_str id) -> const void * {
        if (berth::view(id) == BERTH_LOG_V1) return &log;
        if (berth::view(id) == BERTH_CLOCK_V1) return &clock;
        return berth::view(id) == BERTH_CLIENT_V1 ? &client : nullptr;
    };
    using Code = berth::detail::Code<ThrowsLate>;
    void *self = created<Code>(raw);
    due();
    answered();
    const auto *reserve = static_cast<const berth_reserve *>(Code::get_interface(BERTH_STR(BERTH_RESERVE_V1)));
    const auto *post_bind = static_cast<const berth_post_bind *>(Code::get_interface(BERTH_STR(BERTH_POST_BIND_V1)));
    REQUIRE((reserve && post_bind));
    reserve->unreserve(self, nullptr, nullptr, nullptr, BERTH_STR("quay"));
    post_bind->post_bind(self, nullptr, nullptr, nullptr, BERTH_STR("quay"));
    Code::destroy(self);
    CHECK(said == std::vector<std::string>{"a callback of after threw: no tea later",
                                           "a callback of send threw: no such tea", "unreserve threw: no tea on quay",
                                           "post_bind threw what is no std::exception"});
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
