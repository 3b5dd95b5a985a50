// SPDX-License-Identifier: Apache-2.0
#include "catch.h"
#include "config/read.h"
#include "env/random.h"
#include "model/look_ups.h"
#include "plugin/call.h"
#include "plugin/host_context.h"
#include "plugin_world.h"
#include "unit/fake_plugin.h"

#include <berth/draft/extenders.h>
#include <berth/draft/kubernetes.h>

#include <stdexcept>

namespace plugin = berth::plugin;
namespace model = berth::model;

namespace {

struct WaitingPods : plugin::WaitingPods {
    bool preempt(std::string_view, std::string_view, std::string_view) override { return false; }
    void visit(const Visit &visit) override {
        for (const char *node : {"n1", "n2", "n3"}) visit(berth_pod{}, node);
    }
    std::vector<std::string> calls;
    bool allow(std::string_view plugin, std::string_view uid) override {
        calls.push_back("allow " + std::string(plugin) + " " + std::string(uid));
        return uid == "u1";
    }
    bool reject(std::string_view plugin, std::string_view uid, std::string_view reason) override {
        calls.push_back("reject " + std::string(plugin) + " " + std::string(uid) + " " + std::string(reason));
        return uid == "u1";
    }
};

struct Changes : plugin::ChangeProvider {
    bool changes(std::uint64_t since, std::uint64_t now, const ChangeProvider::Changes &to) override {
        if (since != 4 || now != 5) return false;
        to.functions.node_changed(to.ctx, 7);
        return true;
    }
};

struct Extenders : plugin::ExtenderPreemption {
    std::vector<Candidate> candidates;
    Processed done;
    bool process_preemption(const berth_call *, std::vector<Candidate> asked, Processed fn) override {
        if (asked.front().slot == 77) return false;
        candidates = std::move(asked), done = std::move(fn);
        return true;
    }
};

/// One instance's host table with every service behind it.
struct Host {
    plugin_world::Columns columns;
    plugin_world::Api api;
    plugin_world::Clock clock;
    plugin_world::Log log;
    WaitingPods waiting;
    Changes changes;
    Extenders extenders;
    berth::cluster::Objects objects;
    plugin_world::Recorder recorder;
    std::shared_ptr<plugin::StateKeys> keys = std::make_shared<plugin::StateKeys>();
    std::shared_ptr<plugin::HostContext> context = make("Tea");
    berth_host host = plugin::make_host(*context);

    std::shared_ptr<plugin::HostContext> make(const std::string &name) {
        plugin::Services services;
        services.columns = &columns;
        services.api = &api;
        services.clock = &clock;
        services.log = &log;
        services.waiting_pods = &waiting;
        services.changes = &changes;
        services.extenders = &extenders;
        services.objects = &objects;
        services.recorder = &recorder;
        services.seed = 7;
        auto made = std::make_shared<plugin::HostContext>(name, "", services);
        made->keys = keys;
        return made;
    }
    template <class T>
    const T *get(std::string_view id) {
        const auto *table = static_cast<const T *>(host.get_service(&host, model::to_str(id)));
        REQUIRE(table);
        CHECK(table->struct_size == sizeof(T));
        return table;
    }
};

}  // namespace

TEST_CASE("services: a host has those of its ABI, and no others", "[plugin]") {
    Host h;
    for (auto id :
         {BERTH_HOST_LOG_V1, BERTH_HOST_OBJECT_V1, BERTH_HOST_STATE_V1, BERTH_HOST_COLUMNS_V1, BERTH_HOST_RANDOM_V1,
          BERTH_HOST_CLOCK_V1, BERTH_HOST_CLIENT_V1, BERTH_HOST_WAITING_PODS_V1, BERTH_HOST_DELTA_V1})
        CHECK(h.host.get_service(&h.host, model::to_str(id)));
    CHECK(h.host.get_service(&h.host, BERTH_STR("berth.log/2")) == nullptr);
    CHECK(h.host.get_service(&h.host, {nullptr, 3}) == nullptr);
    h.context->services.api = nullptr;
    CHECK(h.host.get_service(&h.host, BERTH_STR(BERTH_HOST_CLIENT_V1)) == nullptr);
    CHECK(h.host.abi_minor == BERTH_ABI_MINOR);
    CHECK(model::view(h.host.version) == BERTH_VERSION);
}

TEST_CASE("services: the release and its gates are those of the configuration", "[plugin]") {
    Host h;
    auto configuration = berth::config::built_in();
    configuration.feature_gates = "SchedulerPopFromBackoffQ=false";
    plugin::Kubernetes kubernetes(configuration);
    h.context->kubernetes = kubernetes;
    plugin::KubernetesUse use;
    plugin::WithoutInstance world{kubernetes, use};
    const berth_host alone = plugin::host_without_instance(world);
    for (const berth_host *host : {static_cast<const berth_host *>(&h.host), &alone}) {
        const auto *table = static_cast<const berth_host_kubernetes *>(
            host->get_service(host, BERTH_STR(BERTH_HOST_KUBERNETES_DRAFT1)));
        REQUIRE(table);
        CHECK(table->struct_size == sizeof *table);
        CHECK(table->minor(host) == 36);
        CHECK(table->gate(host, BERTH_STR("SchedulerPopFromBackoffQ")) == 0);
        CHECK(table->gate(host, BERTH_STR("DRADeviceTaints")) == 1);
        CHECK(table->gate(host, BERTH_STR("Colour")) == BERTH_STATUS_NOT_FOUND);
        CHECK(table->gate(host, {nullptr, 0}) == BERTH_STATUS_NOT_FOUND);
    }
    CHECK(alone.get_service(&alone, BERTH_STR(BERTH_HOST_SINKS_V1)));
    CHECK_FALSE(alone.get_service(&alone, BERTH_STR(BERTH_HOST_LOG_V1)));
    CHECK(use.release());
    CHECK(use.gates() == h.context->kubernetes_use->gates());
    CHECK(use.gates() ==
          std::set<std::string, std::less<>>{"", "Colour", "DRADeviceTaints", "SchedulerPopFromBackoffQ"});
}

TEST_CASE("services: one plugin can have another release and other gates", "[plugin]") {
    auto configuration = berth::config::built_in();
    auto &instead = configuration.instead["Tea"];
    instead.release = berth::config::Release::of("1.37");
    instead.gates = {{"DRADeviceTaints", false}, {"SchedulerPopFromBackoffQ", std::nullopt}, {"Colour", true}};
    auto answers = [&](std::string_view plugin) {
        plugin::KubernetesUse use;
        plugin::WithoutInstance world{plugin::Kubernetes(configuration, plugin), use};
        const berth_host host = plugin::host_without_instance(world);
        const auto *table = static_cast<const berth_host_kubernetes *>(
            host.get_service(&host, BERTH_STR(BERTH_HOST_KUBERNETES_DRAFT1)));
        std::vector<std::int64_t> out{table->minor(&host)};
        for (const auto *gate : {"DRADeviceTaints", "SchedulerPopFromBackoffQ", "Colour"})
            out.push_back(table->gate(&host, model::to_str(gate)));
        return out;
    };
    CHECK(answers("Tea") == std::vector<std::int64_t>{37, 0, BERTH_STATUS_NOT_FOUND, 1});
    CHECK(answers("Coffee") == std::vector<std::int64_t>{36, 1, 1, BERTH_STATUS_NOT_FOUND});
}

TEST_CASE("services: changes are told, or not known any more", "[plugin]") {
    Host h;
    const auto *delta = h.get<berth_host_delta>(BERTH_HOST_DELTA_V1);
    berth_nodes nodes{};
    nodes.snapshot_id = 5;
    std::vector<std::uint32_t> slots;
    berth_plugin_changes functions{};
    functions.struct_size = sizeof functions;
    CHECK(delta->changes(&h.host, &nodes, 4, &functions, &slots) == BERTH_STATUS_INVALID);
    functions.pod_removed = [](void *, std::uint32_t, const berth_pod *, std::uint32_t) {};
    functions.node_changed = [](void *ctx, std::uint32_t slot) {
        static_cast<std::vector<std::uint32_t> *>(ctx)->push_back(slot);
    };
    functions.pod_added = [](void *, std::uint32_t) {};
    CHECK(delta->changes(&h.host, &nodes, 3, &functions, &slots) == BERTH_STATUS_NOT_FOUND);
    CHECK(slots.empty());
    CHECK(delta->changes(&h.host, &nodes, 4, &functions, &slots) == BERTH_STATUS_SUCCESS);
    CHECK(slots == std::vector<std::uint32_t>{7});
    CHECK(delta->changes(&h.host, nullptr, 4, &functions, &slots) == BERTH_STATUS_INVALID);
}

TEST_CASE("services: log lines are the plugin's", "[plugin]") {
    Host h;
    const auto *log = h.get<berth_host_log>(BERTH_HOST_LOG_V1);
    CHECK(log->enabled(&h.host, BERTH_LOG_INFO, 2));
    CHECK_FALSE(log->enabled(&h.host, BERTH_LOG_INFO, 3));
    log->write(&h.host, BERTH_LOG_INFO, 0, BERTH_STR("poured"));
    CHECK(h.log.lines == std::vector<std::string>{"poured"});
    for (auto severity : {BERTH_LOG_WARNING, BERTH_LOG_ERROR, BERTH_LOG_ERROR + 1})
        log->write(&h.host, severity, 0, BERTH_STR("cold"));
    using enum berth::env::Severity;
    CHECK(h.log.severities == std::vector{Info, Warning, Error, Info});
}

TEST_CASE("services: a value of an object is found, and a retained object lives on", "[plugin]") {
    Host h;
    const auto *objects = h.get<berth_host_object>(BERTH_HOST_OBJECT_V1);
    auto tree = std::make_shared<model::Tree>();
    tree->root = model::make_object(tree->arena, {{BERTH_STR("name"), model::make_string(tree->arena, "pod-1")}});
    auto object = std::make_shared<model::Node>();
    object->tree = tree;
    std::weak_ptr<model::Object> watch = object;
    const auto *handle = model::handle(object.get());
    const auto *value = objects->get(&h.host, handle, BERTH_STR("/name"));
    REQUIRE(value);
    CHECK(model::Value(value).string() == "pod-1");
    CHECK(objects->get(&h.host, handle, BERTH_STR("/no")) == nullptr);
    CHECK(objects->get(&h.host, nullptr, BERTH_STR("")) == nullptr);
    objects->retain(&h.host, handle);
    objects->retain(&h.host, handle);
    object.reset();
    CHECK(model::Value(objects->get(&h.host, handle, BERTH_STR("/name"))).string() == "pod-1");
    objects->release(&h.host, handle);
    CHECK_FALSE(watch.expired());
    objects->release(&h.host, handle);
    CHECK(watch.expired());
    objects->release(&h.host, handle);
    objects->retain(&h.host, nullptr);
}

TEST_CASE("services: a state's names are the same for every plugin", "[plugin]") {
    Host h;
    auto other = h.make("Milk");
    auto other_host = plugin::make_host(*other);
    const auto *state = h.get<berth_host_state>(BERTH_HOST_STATE_V1);
    auto tea = state->key(&h.host, BERTH_STR("tea")), milk = state->key(&h.host, BERTH_STR("milk"));
    CHECK(tea != milk);
    CHECK(state->key(&other_host, BERTH_STR("tea")) == tea);
    plugin::State pod;
    int cup = 0;
    CHECK(state->put(&h.host, pod.handle(), tea, &cup, nullptr) == BERTH_STATUS_SUCCESS);
    CHECK(state->get(&other_host, pod.handle(), tea) == &cup);
    CHECK(state->get(&other_host, pod.handle(), milk) == nullptr);
    for (auto key : {0u, milk + 1, UINT32_MAX})
        CHECK(state->put(&h.host, pod.handle(), key, &cup, nullptr) == BERTH_STATUS_INVALID);
    CHECK(state->put(&h.host, pod.handle(), tea, nullptr, nullptr) == BERTH_STATUS_SUCCESS);
    CHECK(state->get(&other_host, pod.handle(), tea) == nullptr);
}

TEST_CASE("services: what a plugin hands over that is more, or less, than this host knows is refused", "[plugin]") {
    Host h;
    h.context->writes = {"delete v1/pods"};
    const std::string more =
        "a host must understand and this one does not; use a later Berth or a build of the "
        "library that does without it";
    constexpr std::uint32_t later = 1u << 20;
    auto refused = [&](auto &handed, const std::string &type, const auto &hand_over) {
        handed.flags = 1;  // of the lower half: nothing that this host has to know
        CHECK(hand_over() == BERTH_STATUS_SUCCESS);
        h.log.lines.clear();
        handed.flags = later;
        CHECK(hand_over() == BERTH_STATUS_UNSUPPORTED);
        handed.flags = 0;
        const auto whole = std::exchange(handed.struct_size, 8u);
        CHECK(hand_over() == BERTH_STATUS_INVALID);
        CHECK(h.log.lines ==
              std::vector<std::string>{"plugin \"Tea\": sets bit 20 of " + type + ".flags, which " + more,
                                       "plugin \"Tea\": " + type + ".struct_size is 8, expected at least " +
                                           std::to_string(whole) + "; set it to the sizeof of the struct"});
    };

    berth_request request{};
    request.struct_size = sizeof request;
    request.verb = BERTH_VERB_DELETE;
    request.version = BERTH_STR("v1");
    request.resource = BERTH_STR("pods");
    const auto *client = h.get<berth_host_client>(BERTH_HOST_CLIENT_V1);
    h.context->made = true;
    refused(request, "berth_request",
            [&] { return client->send(&h.host, &request, [](void *, const berth_answer *) {}, nullptr); });
    CHECK(h.api.sent.size() == 1);  // the one without the later flag

    berth_plugin_changes functions{};
    functions.struct_size = sizeof functions;
    functions.pod_removed = [](void *, std::uint32_t, const berth_pod *, std::uint32_t) {};
    functions.node_changed = [](void *, std::uint32_t) {};
    functions.pod_added = [](void *, std::uint32_t) {};
    berth_nodes nodes{};
    nodes.snapshot_id = 5;
    const auto *delta = h.get<berth_host_delta>(BERTH_HOST_DELTA_V1);
    refused(functions, "berth_plugin_changes", [&] { return delta->changes(&h.host, &nodes, 4, &functions, nullptr); });

    berth_plugin_state_type type{};
    type.struct_size = sizeof type;
    const auto *state = h.get<berth_host_state>(BERTH_HOST_STATE_V1);
    const auto tea = state->key(&h.host, BERTH_STR("tea"));
    plugin::State pod;
    int cup = 0, milk = 0;
    refused(type, "berth_plugin_state_type", [&] {
        const bool later_type = type.flags == later || type.struct_size == 8;
        return state->put(&h.host, pod.handle(), tea, later_type ? &milk : &cup, &type);
    });
    CHECK(state->get(&h.host, pod.handle(), tea) == &cup);

    const auto node = berth::plain_node("n1");
    berth_object_meta meta{};
    meta.struct_size = sizeof meta;
    const auto *objects = h.get<berth_host_object>(BERTH_HOST_OBJECT_V1);
    refused(meta, "berth_object_meta", [&] {
        const auto code = objects->meta(&h.host, model::handle(node.get()), &meta);
        if (code == BERTH_STATUS_SUCCESS) meta.struct_size = sizeof meta;
        return code;
    });

    berth_column column{};
    column.struct_size = sizeof column;
    struct Columns : model::NodeLookUps {
        std::uint32_t find(berth_str) const noexcept override { return BERTH_NO_SLOT; }
        std::int32_t column(std::uint32_t, berth_column *) noexcept override { return BERTH_STATUS_SUCCESS; }
    } columns;
    nodes.handle = model::to_handle<model::NodeLookUps>(&columns);
    const auto *look_ups = h.get<berth_host_nodes>(BERTH_HOST_NODES_V1);
    refused(column, "berth_column", [&] { return look_ups->column(&h.host, &nodes, 1, &column); });
}

TEST_CASE("services: who has the extenders choose is told once, whatever comes of it", "[plugin]") {
    Host h;
    std::vector<std::string> told;
    const auto *extenders = h.get<berth_host_extenders>(BERTH_HOST_EXTENDERS_DRAFT1);
    const std::uint32_t row = 3;
    auto ask = [&](std::uint32_t slot) {
        const berth_candidate one{slot, 0, &row, 1, 2};
        return extenders->narrow(
            &h.host, nullptr, &one, 1,
            [](void *ctx, std::int32_t code, berth_str error, const berth_candidate *left, std::uint64_t n) {
                auto text = std::to_string(code) + " " + std::string(model::view(error));
                for (const auto &c : std::span(left, n))
                    text += std::to_string(c.slot) + "/" + std::to_string(*c.victims);
                static_cast<std::vector<std::string> *>(ctx)->push_back(text);
            },
            &told);
    };
    CHECK(ask(77) == BERTH_STATUS_INVALID);
    CHECK(ask(1) == BERTH_STATUS_SUCCESS);
    h.extenders.done(BERTH_STATUS_SUCCESS, {}, h.extenders.candidates);
    CHECK(ask(1) == BERTH_STATUS_SUCCESS);
    h.extenders.done(BERTH_STATUS_ERROR, "adrift", {});
    CHECK(ask(1) == BERTH_STATUS_SUCCESS);
    h.extenders.done(BERTH_STATUS_CANCELLED, "too late", {});
    CHECK(told == std::vector<std::string>{"0 1/3", "1 adrift", std::to_string(BERTH_STATUS_CANCELLED) + " too late"});
    CHECK(ask(1) == BERTH_STATUS_SUCCESS);
    h.context->end_waits();
    CHECK(told.size() == 4);
    CHECK(told.back().starts_with(std::to_string(BERTH_STATUS_CANCELLED) + " "));
    h.extenders.done(BERTH_STATUS_SUCCESS, {}, h.extenders.candidates);
    CHECK(told.size() == 4);
    CHECK(ask(1) == BERTH_STATUS_CANCELLED);
    CHECK(told.size() == 4);
}

TEST_CASE("services: chance depends on seed, plugin, attempt, slot and salt alone", "[plugin]") {
    Host h;
    const auto *random = h.get<berth_host_random>(BERTH_HOST_RANDOM_V1);
    plugin::CallContext call;
    call.reset(1, 11);
    auto value = random->value(&h.host, call.call(), 3, 5);
    CHECK(value == berth::env::random_value(7, berth::env::text_hash("Tea"), 11, 3, 5));
    CHECK(random->value(&h.host, call.call(), 4, 5) != value);
    CHECK(random->value(&h.host, call.call(), 3, 6) != value);
    call.reset(2, 11);
    CHECK(random->value(&h.host, call.call(), 3, 5) == value);
    call.reset(2, 12);
    CHECK(random->value(&h.host, call.call(), 3, 5) != value);
    CHECK(random->value(&h.host, nullptr, 3, 5) != value);
}

TEST_CASE("services: a timer's function is called on the loop, once, whatever happens", "[plugin]") {
    Host h;
    const auto *clock = h.get<berth_host_clock>(BERTH_HOST_CLOCK_V1);
    CHECK(clock->now(&h.host) == 1'000);
    std::vector<std::int32_t> fired, cancelled, left;
    auto fire = [](void *ctx, std::int32_t code) { static_cast<std::vector<std::int32_t> *>(ctx)->push_back(code); };
    CHECK(clock->after(&h.host, 50, fire, &fired) != 0);
    clock->after(&h.host, 60, [](void *, std::int32_t) { throw std::runtime_error("boiled over"); }, nullptr);
    const auto later = clock->after(&h.host, 70, fire, &cancelled);
    CHECK(clock->after(&h.host, 75, fire, &left) != later);
    CHECK(clock->after(&h.host, 80, nullptr, nullptr) == 0);
    REQUIRE(h.clock.timers.size() == 4);
    CHECK(h.clock.timers[0].first == 50);
    h.clock.timers[0].second();
    h.clock.timers[1].second();
    CHECK(fired == std::vector<std::int32_t>{BERTH_STATUS_SUCCESS});
    CHECK(clock->cancel(&h.host, later) == BERTH_STATUS_SUCCESS);
    CHECK(cancelled == std::vector<std::int32_t>{BERTH_STATUS_CANCELLED});
    CHECK(clock->cancel(&h.host, later) == BERTH_STATUS_NOT_FOUND);
    CHECK(clock->cancel(&h.host, 0) == BERTH_STATUS_NOT_FOUND);
    h.clock.timers[2].second();
    CHECK(cancelled.size() == 1);
    CHECK(h.log.lines ==
          std::vector<std::string>{
              "plugin \"Tea\" threw std::runtime_error: boiled over in a callback of berth.host.clock/1"});
    h.context->end_waits();
    CHECK(left == std::vector<std::int32_t>{BERTH_STATUS_CANCELLED});
    CHECK(clock->after(&h.host, 90, fire, &fired) == 0);
    h.context.reset();
    h.clock.timers[3].second();
    CHECK(fired.size() == 1);
    CHECK(left.size() == 1);
}

TEST_CASE("services: a timer that is cancelled by another's end is called once", "[plugin]") {
    struct Two {
        Host h;
        const berth_host_clock *clock = h.get<berth_host_clock>(BERTH_HOST_CLOCK_V1);
        std::uint64_t other = 0;
        int other_called = 0;
        std::int32_t cancelled = 99;
    } two;
    two.clock->after(
        &two.h.host, 1,
        [](void *ctx, std::int32_t) {
            auto &t = *static_cast<Two *>(ctx);
            t.cancelled = t.clock->cancel(&t.h.host, t.other);
        },
        &two);
    two.other = two.clock->after(
        &two.h.host, 1, [](void *ctx, std::int32_t) { ++static_cast<Two *>(ctx)->other_called; }, &two);
    two.h.context->end_waits();
    CHECK(two.cancelled == BERTH_STATUS_SUCCESS);
    CHECK(two.other_called == 1);
}

TEST_CASE("services: a timer takes at least a moment and at most a century", "[plugin]") {
    Host h;
    const auto *clock = h.get<berth_host_clock>(BERTH_HOST_CLOCK_V1);
    for (std::int64_t ns : {std::int64_t{0}, INT64_MIN, INT64_MAX})
        clock->after(&h.host, ns, [](void *, std::int32_t) {}, nullptr);
    REQUIRE(h.clock.timers.size() == 3);
    CHECK(h.clock.timers[0].first == 1);
    CHECK(h.clock.timers[1].first == 1);
    CHECK(h.clock.timers[2].first == 3'153'600'000'000'000'000);
}

TEST_CASE("services: only declared requests are sent, and their answers come back", "[plugin]") {
    Host h;
    h.context->made = true;
    h.context->writes = {"create v1/pods/binding"};
    const auto *client = h.get<berth_host_client>(BERTH_HOST_CLIENT_V1);
    berth_request request{};
    request.struct_size = sizeof request;
    request.verb = BERTH_VERB_CREATE;
    request.version = BERTH_STR("v1");
    request.resource = BERTH_STR("pods");
    request.subresource = BERTH_STR("binding");
    request.namespace_ = BERTH_STR("default");
    request.name = BERTH_STR("pod-1");
    request.body = BERTH_STR("{}");
    std::string answer;
    auto done = [](void *ctx, const berth_answer *it) {
        *static_cast<std::string *>(ctx) =
            std::to_string(it->code) + " " + std::to_string(it->http_status) + " " + std::string(model::view(it->text));
    };
    CHECK(client->send(&h.host, &request, done, &answer) == BERTH_STATUS_SUCCESS);
    REQUIRE(h.api.sent.size() == 1);
    CHECK(h.api.sent[0].first.name_space == "default");
    CHECK(h.api.sent[0].first.subresource == "binding");
    h.api.sent[0].second({201, "bound"});
    CHECK(answer == "0 201 {}");
    CHECK(client->send(&h.host, &request, done, &answer) == BERTH_STATUS_SUCCESS);
    h.api.sent[1].second({0, "connection refused"});
    CHECK(answer == "1 0 connection refused");
    h.api.sent.pop_back();

    request.verb = BERTH_VERB_DELETE;
    request.subresource = {};
    CHECK(client->send(&h.host, &request, done, &answer) == BERTH_STATUS_UNSUPPORTED);
    request.verb = 9;
    CHECK(client->send(&h.host, &request, done, &answer) == BERTH_STATUS_UNSUPPORTED);
    CHECK(h.api.sent.size() == 1);
    CHECK(h.log.lines ==
          std::vector<std::string>{
              "plugin \"Tea\" wants to delete v1/pods, which it did not declare; the request was not "
              "sent",
              "plugin \"Tea\" wants to send verb 9, which it did not declare; the request was not sent"});
    CHECK(client->send(&h.host, nullptr, done, &answer) == BERTH_STATUS_INVALID);
    INFO("a shadow's plugin sends nothing");
    request.verb = BERTH_VERB_CREATE;
    request.subresource = BERTH_STR("binding");
    h.context->services.shadow = true;
    CHECK(client->send(&h.host, &request, done, &answer) == BERTH_STATUS_UNSUPPORTED);
    CHECK(h.api.sent.size() == 1);
    INFO("what is not answered when the instance ends is told so, once");
    h.context->services.shadow = false;
    CHECK(client->send(&h.host, &request, done, &answer) == BERTH_STATUS_SUCCESS);
    h.context->end_waits();
    CHECK(answer == "-6 0 it was cancelled: the plugin's instance has ended");
    answer.clear();
    h.api.sent[1].second({201, "bound"});
    CHECK(answer.empty());
    CHECK(client->send(&h.host, &request, done, &answer) == BERTH_STATUS_CANCELLED);
}

TEST_CASE("services: an answer is parsed, but for that of a binding", "[plugin]") {
    Host h;
    h.context->made = true;
    h.context->writes = {"create v1/pods/binding", "delete v1/pods"};
    const auto *client = h.get<berth_host_client>(BERTH_HOST_CLIENT_V1);
    const auto answered = [&](bool binding, berth::env::ApiAnswer came) {
        berth_request request{};
        request.struct_size = sizeof request;
        request.verb = binding ? BERTH_VERB_CREATE : BERTH_VERB_DELETE;
        request.version = BERTH_STR("v1");
        request.resource = BERTH_STR("pods");
        if (binding) request.subresource = BERTH_STR("binding");
        std::string line;
        auto done = [](void *ctx, const berth_answer *it) {
            auto &to = *static_cast<std::string *>(ctx);
            to = std::to_string(it->code) + " " + std::string(model::view(it->text));
            if (it->value) to.append(" reason=").append(model::Value{it->value}["reason"].string());
            CHECK(it->struct_size == sizeof(berth_answer));
        };
        CHECK(client->send(&h.host, &request, done, &line) == BERTH_STATUS_SUCCESS);
        h.api.sent.back().second(std::move(came));
        return line;
    };
    const std::string status = R"({"kind":"Status","reason":"Conflict"})";
    CHECK(answered(false, {200, R"({"reason":"none"})"}) == R"(0 {"reason":"none"} reason=none)");
    CHECK(answered(false, {200, "done"}) == "0 done");
    CHECK(answered(false, {409, "it is another", false, status}) == "0 it is another reason=Conflict");
    CHECK(answered(true, {409, "it is another", false, status}) == "0 it is another reason=Conflict");
    CHECK(answered(true, {201, R"({"reason":"none"})"}) == "0 {}");
    CHECK(answered(false, {502, "<html>", false, "<html>"}) == "0 <html>");
    CHECK(answered(false, {0, "it has more than 32 MiB", true}) == "-8 it has more than 32 MiB");
}

TEST_CASE("services: before the instance is made, nothing is sent", "[plugin]") {
    Host h;
    h.context->writes = {"create v1/pods"};
    berth_request request{};
    request.struct_size = sizeof request;
    request.verb = BERTH_VERB_CREATE;
    request.version = BERTH_STR("v1");
    request.resource = BERTH_STR("pods");
    const auto *client = h.get<berth_host_client>(BERTH_HOST_CLIENT_V1);
    const auto send = [&] { return client->send(&h.host, &request, [](void *, const berth_answer *) {}, nullptr); };
    CHECK(send() == BERTH_STATUS_UNSUPPORTED);
    CHECK(h.api.sent.empty());
    CHECK(h.log.lines == std::vector<std::string>{"plugin \"Tea\" called send of berth.host.client/1 before its "
                                                  "instance was made; the request was not sent"});
    h.context->made = true;
    CHECK(send() == BERTH_STATUS_SUCCESS);
}

TEST_CASE("services: when the end has begun, nothing more is sent", "[plugin]") {
    Host h;
    h.context->made = true;
    h.context->writes = {"create v1/pods"};
    const auto *client = h.get<berth_host_client>(BERTH_HOST_CLIENT_V1);
    std::int32_t code = BERTH_STATUS_SUCCESS;
    h.context->timers.expect([&](const auto &) {
        berth_request request{};
        request.struct_size = sizeof request;
        request.verb = BERTH_VERB_CREATE;
        request.version = BERTH_STR("v1");
        request.resource = BERTH_STR("pods");
        code = client->send(&h.host, &request, [](void *, const berth_answer *) {}, nullptr);
    });
    h.context->end_waits();
    CHECK(code == BERTH_STATUS_CANCELLED);
    CHECK(h.api.sent.empty());
}

TEST_CASE("services: waiting pods are allowed and rejected in the plugin's name", "[plugin]") {
    Host h;
    const auto *pods = h.get<berth_host_waiting_pods>(BERTH_HOST_WAITING_PODS_V1);
    CHECK(pods->allow(&h.host, BERTH_STR("u1")) == BERTH_STATUS_SUCCESS);
    CHECK(pods->reject(&h.host, BERTH_STR("u2"), BERTH_STR("cold")) == BERTH_STATUS_NOT_FOUND);
    CHECK(h.waiting.calls == std::vector<std::string>{"allow Tea u1", "reject Tea u2 cold"});
    std::string seen;
    pods->visit(
        &h.host,
        [](void *ctx, const berth_pod *, berth_str node) {
            auto &text = static_cast<std::string *>(ctx)->append(model::view(node));
            return std::int32_t{text.size() < 4};
        },
        &seen);
    CHECK(seen == "n1n2");
    h.context->services.shadow = true;
    CHECK(pods->allow(&h.host, BERTH_STR("u1")) == BERTH_STATUS_UNSUPPORTED);
    CHECK(pods->reject(&h.host, BERTH_STR("u1"), BERTH_STR("cold")) == BERTH_STATUS_UNSUPPORTED);
    CHECK(pods->preempt(&h.host, BERTH_STR("u1"), BERTH_STR("cold")) == BERTH_STATUS_UNSUPPORTED);
    CHECK(h.waiting.calls.size() == 2);
}

TEST_CASE("services: a subscription needs a function and a kind, and is for create", "[plugin]") {
    Host h;
    const auto *cluster = h.get<berth_host_cluster>(BERTH_HOST_CLUSTER_V1);
    const auto kind = cluster->kind(&h.host, {}, BERTH_STR("v1"), BERTH_STR("services"));
    auto changed = [](void *, const berth_object *, const berth_object *) {};
    CHECK(cluster->subscribe(&h.host, kind, nullptr, nullptr) == BERTH_STATUS_INVALID);
    CHECK(cluster->subscribe(&h.host, kind + 1, changed, nullptr) == BERTH_STATUS_INVALID);
    CHECK(cluster->subscribe(&h.host, kind, changed, nullptr) == BERTH_STATUS_SUCCESS);
    h.context->made = true;
    CHECK(cluster->subscribe(&h.host, kind, changed, nullptr) == BERTH_STATUS_INVALID);
}

TEST_CASE("services: who writes an Event learns whether it was written", "[plugin]") {
    Host h;
    const auto *recorder = h.get<berth_host_recorder>(BERTH_HOST_RECORDER_V1);
    model::Node node;
    auto write = [&](const model::Object *about, std::string_view type, std::string_view reason) {
        return recorder->event(&h.host, about ? model::handle(about) : nullptr, model::to_str(type),
                               model::to_str(reason), BERTH_STR("Pouring"), BERTH_STR("tea"));
    };
    CHECK(write(&node, "Normal", "Tea") == BERTH_STATUS_SUCCESS);
    CHECK(write(&node, "Warning", std::string(128, 'T')) == BERTH_STATUS_SUCCESS);
    CHECK(h.recorder.notes.size() == 2);
    CHECK(write(&node, "Warning", std::string(129, 'T')) == BERTH_STATUS_INVALID);
    CHECK(write(&node, "Warning", "") == BERTH_STATUS_INVALID);
    CHECK(write(&node, "Alarm", "Tea") == BERTH_STATUS_INVALID);
    CHECK(write(nullptr, "Normal", "Tea") == BERTH_STATUS_INVALID);
    h.context->services.shadow = true;
    CHECK(write(&node, "Normal", "Tea") == BERTH_STATUS_UNSUPPORTED);
    CHECK(h.recorder.notes.size() == 2);
}

TEST_CASE("services: columns are declared with the cluster", "[plugin]") {
    Host h;
    const auto *columns = h.get<berth_host_columns>(BERTH_HOST_COLUMNS_V1);
    CHECK(columns->declare(&h.host, BERTH_COLUMN_NODE_LABEL, BERTH_STR("zone")) == 1);
}
