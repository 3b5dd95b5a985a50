// SPDX-License-Identifier: Apache-2.0
#include "catch.h"
#include "env/random.h"
#include "plugin/call.h"
#include "plugin/host_context.h"
#include "plugin_world.h"

#include <stdexcept>

namespace plugin = berth::plugin;
namespace model = berth::model;

namespace {

struct WaitingPods : plugin::WaitingPods {
    bool preempt(std::string_view, std::string_view, std::string_view) override { return false; }
    void visit(const Visit &) override {}
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
    bool changes(std::uint64_t since, std::uint64_t now, const berth_change_sink &sink) override {
        if (since != 4 || now != 5) return false;
        sink.node_changed(sink.ctx, 7);
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
    std::shared_ptr<plugin::StateKeys> keys = std::make_shared<plugin::StateKeys>();
    std::shared_ptr<plugin::HostContext> context = make("Tea");
    berth_host host = plugin::make_host(*context);

    std::shared_ptr<plugin::HostContext> make(const std::string &name) {
        auto made = std::make_shared<plugin::HostContext>();
        made->plugin = name;
        made->services.columns = &columns;
        made->services.api = &api;
        made->services.clock = &clock;
        made->services.log = &log;
        made->services.waiting_pods = &waiting;
        made->services.changes = &changes;
        made->services.seed = 7;
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
    for (auto id : {BERTH_LOG_V1, BERTH_OBJECT_V1, BERTH_STATE_V1, BERTH_COLUMNS_V1, BERTH_RANDOM_V1, BERTH_CLOCK_V1,
                    BERTH_CLIENT_V1, BERTH_WAITING_PODS_V1, BERTH_DELTA_V1})
        CHECK(h.host.get_service(&h.host, model::to_str(id)));
    CHECK(h.host.get_service(&h.host, BERTH_STR("berth.log/2")) == nullptr);
    CHECK(h.host.get_service(&h.host, {nullptr, 3}) == nullptr);
    h.context->services.api = nullptr;
    CHECK(h.host.get_service(&h.host, BERTH_STR(BERTH_CLIENT_V1)) == nullptr);
    CHECK(h.host.abi_minor == BERTH_ABI_MINOR);
    CHECK(model::view(h.host.version) == BERTH_VERSION);
}

TEST_CASE("services: changes are told to a sink, or not known any more", "[plugin]") {
    Host h;
    const auto *delta = h.get<berth_delta>(BERTH_DELTA_V1);
    berth_nodes nodes{};
    nodes.snapshot_id = 5;
    std::vector<std::uint32_t> slots;
    berth_change_sink sink{};
    CHECK(delta->changes(&h.host, &nodes, 4, &sink) == BERTH_INVALID);
    sink.ctx = &slots;
    sink.pod_removed = [](void *, std::uint32_t, const berth_pod *, std::uint32_t) {};
    sink.node_changed = [](void *ctx, std::uint32_t slot) {
        static_cast<std::vector<std::uint32_t> *>(ctx)->push_back(slot);
    };
    sink.pod_added = [](void *, std::uint32_t) {};
    CHECK(delta->changes(&h.host, &nodes, 3, &sink) == BERTH_NOT_FOUND);
    CHECK(slots.empty());
    CHECK(delta->changes(&h.host, &nodes, 4, &sink) == BERTH_SUCCESS);
    CHECK(slots == std::vector<std::uint32_t>{7});
    CHECK(delta->changes(&h.host, nullptr, 4, &sink) == BERTH_INVALID);
}

TEST_CASE("services: log lines are the plugin's", "[plugin]") {
    Host h;
    const auto *log = h.get<berth_log>(BERTH_LOG_V1);
    CHECK(log->enabled(&h.host, BERTH_LOG_INFO, 2));
    CHECK_FALSE(log->enabled(&h.host, BERTH_LOG_INFO, 3));
    log->write(&h.host, BERTH_LOG_INFO, 0, BERTH_STR("poured"));
    CHECK(h.log.lines == std::vector<std::string>{"poured"});
}

TEST_CASE("services: a value of an object is found, and a retained object lives on", "[plugin]") {
    Host h;
    const auto *objects = h.get<berth_object_service>(BERTH_OBJECT_V1);
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
    const auto *state = h.get<berth_state_service>(BERTH_STATE_V1);
    auto tea = state->key(&h.host, BERTH_STR("tea")), milk = state->key(&h.host, BERTH_STR("milk"));
    CHECK(tea != milk);
    CHECK(state->key(&other_host, BERTH_STR("tea")) == tea);
    plugin::State pod;
    int cup = 0;
    state->put(&h.host, pod.handle(), tea, &cup, nullptr);
    CHECK(state->get(&other_host, pod.handle(), tea) == &cup);
    CHECK(state->get(&other_host, pod.handle(), milk) == nullptr);
}

TEST_CASE("services: chance depends on seed, plugin, attempt, slot and salt alone", "[plugin]") {
    Host h;
    const auto *random = h.get<berth_random>(BERTH_RANDOM_V1);
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

TEST_CASE("services: a timer fires on the loop, unless its instance is gone", "[plugin]") {
    Host h;
    const auto *clock = h.get<berth_clock>(BERTH_CLOCK_V1);
    CHECK(clock->now(&h.host) == 1'000);
    int fired = 0;
    auto fire = [](void *ctx) { ++*static_cast<int *>(ctx); };
    clock->after(&h.host, 50, fire, &fired);
    clock->after(&h.host, 60, [](void *) { throw std::runtime_error("boiled over"); }, nullptr);
    clock->after(&h.host, 70, fire, &fired);
    clock->after(&h.host, 80, nullptr, nullptr);
    REQUIRE(h.clock.timers.size() == 3);
    CHECK(h.clock.timers[0].first == 50);
    h.clock.timers[0].second();
    h.clock.timers[1].second();
    CHECK(fired == 1);
    CHECK(h.log.lines == std::vector<std::string>{
                             "plugin \"Tea\" threw std::runtime_error: boiled over in a callback of berth.clock/1"});
    h.context.reset();
    h.clock.timers[2].second();
    CHECK(fired == 1);
}

TEST_CASE("services: a timer takes at least a moment and at most a century", "[plugin]") {
    Host h;
    const auto *clock = h.get<berth_clock>(BERTH_CLOCK_V1);
    for (std::int64_t ns : {std::int64_t{0}, INT64_MIN, INT64_MAX}) clock->after(&h.host, ns, [](void *) {}, nullptr);
    REQUIRE(h.clock.timers.size() == 3);
    CHECK(h.clock.timers[0].first == 1);
    CHECK(h.clock.timers[1].first == 1);
    CHECK(h.clock.timers[2].first == 3'153'600'000'000'000'000);
}

TEST_CASE("services: only declared requests are sent, and their answers come back", "[plugin]") {
    Host h;
    h.context->writes = {"create v1/pods/binding"};
    const auto *client = h.get<berth_client>(BERTH_CLIENT_V1);
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
    auto done = [](void *ctx, std::int32_t status, berth_str text) {
        *static_cast<std::string *>(ctx) = std::to_string(status) + " " + std::string(text.ptr, text.len);
    };
    CHECK(client->send(&h.host, &request, done, &answer) == BERTH_SUCCESS);
    REQUIRE(h.api.sent.size() == 1);
    CHECK(h.api.sent[0].first.name_space == "default");
    CHECK(h.api.sent[0].first.subresource == "binding");
    h.api.sent[0].second({201, "bound"});
    CHECK(answer == "201 bound");

    request.verb = BERTH_VERB_DELETE;
    request.subresource = {};
    CHECK(client->send(&h.host, &request, done, &answer) == BERTH_UNSUPPORTED);
    request.verb = 9;
    CHECK(client->send(&h.host, &request, done, &answer) == BERTH_UNSUPPORTED);
    CHECK(h.api.sent.size() == 1);
    CHECK(h.log.lines ==
          std::vector<std::string>{
              "plugin \"Tea\" wants to delete v1/pods, which it did not declare; the request was not "
              "sent",
              "plugin \"Tea\" wants to send verb 9, which it did not declare; the request was not sent"});
    CHECK(client->send(&h.host, nullptr, done, &answer) == BERTH_INVALID);
    INFO("a shadow's plugin sends nothing");
    request.verb = BERTH_VERB_CREATE;
    request.subresource = BERTH_STR("binding");
    h.context->services.shadow = true;
    CHECK(client->send(&h.host, &request, done, &answer) == BERTH_UNSUPPORTED);
    CHECK(h.api.sent.size() == 1);
}

TEST_CASE("services: waiting pods are allowed and rejected in the plugin's name", "[plugin]") {
    Host h;
    const auto *pods = h.get<berth_waiting_pods>(BERTH_WAITING_PODS_V1);
    CHECK(pods->allow(&h.host, BERTH_STR("u1")) == BERTH_SUCCESS);
    CHECK(pods->reject(&h.host, BERTH_STR("u2"), BERTH_STR("cold")) == BERTH_NOT_FOUND);
    CHECK(h.waiting.calls == std::vector<std::string>{"allow Tea u1", "reject Tea u2 cold"});
    h.context->services.shadow = true;
    CHECK(pods->allow(&h.host, BERTH_STR("u1")) == BERTH_NOT_FOUND);
    CHECK(pods->reject(&h.host, BERTH_STR("u1"), BERTH_STR("cold")) == BERTH_NOT_FOUND);
    CHECK(h.waiting.calls.size() == 2);
}

TEST_CASE("services: columns are declared with the cluster", "[plugin]") {
    Host h;
    const auto *columns = h.get<berth_columns>(BERTH_COLUMNS_V1);
    CHECK(columns->declare(&h.host, BERTH_NODE_LABEL, BERTH_STR("zone")) == 1);
}
