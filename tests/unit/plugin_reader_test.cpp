// SPDX-License-Identifier: Apache-2.0
// berth.host.reader/draft1 from the host's side: rights, bounds, answers, cancellation.
#include "catch.h"
#include "plugin/host_context.h"
#include "plugin_world.h"

#include <berth/draft/reader.h>

#include <functional>
#include <optional>
#include <thread>

namespace plugin = berth::plugin;
namespace model = berth::model;
namespace env = berth::env;

namespace {

using Lines = std::vector<std::string>;

struct Services {
    plugin_world::Api api;
    plugin_world::Log log;
};

/// One instance that declared two reads.
struct Host : Services {
    std::shared_ptr<plugin::HostContext> context;
    berth_host host{};
    const berth_host_reader *reader = nullptr;
    Lines came;  ///< "code status text value"

    Host() {
        plugin::Services services;
        services.api = &api;
        services.log = &log;
        context = std::make_shared<plugin::HostContext>("Tea", "", services);
        host = plugin::make_host(*context);
        context->keys = std::make_shared<plugin::StateKeys>();
        context->made = true;
        context->reads = {"get v1/configmaps", "list apps/v1/deployments"};
        reader =
            static_cast<const berth_host_reader *>(host.get_service(&host, model::to_str(BERTH_HOST_READER_DRAFT1)));
        REQUIRE(reader);
    }
    Host(const Host &) = delete;
    Host &operator=(const Host &) = delete;
    ~Host() { context->end_waits(); }

    static void on_read(void *ctx, const berth_answer *answer) {
        auto line = std::to_string(answer->code) + " " + std::to_string(answer->http_status) + " " +
                    std::string(model::view(answer->text));
        if (answer->value) line += " key=" + std::string(model::Value{answer->value}["key"].string());
        static_cast<Host *>(ctx)->came.push_back(line);
    }
    std::int32_t read(const berth_read &what, std::uint64_t *id = nullptr) {
        return reader->read(&host, &what, on_read, this, id);
    }
};

berth_read get(std::string_view name) {
    berth_read out{};
    out.struct_size = sizeof out;
    out.verb = BERTH_READ_GET;
    out.version = model::to_str("v1");
    out.resource = model::to_str("configmaps");
    out.namespace_ = model::to_str("default");
    out.name = model::to_str(name);
    return out;
}

berth_read list() {
    berth_read out{};
    out.struct_size = sizeof out;
    out.verb = BERTH_READ_LIST;
    out.group = model::to_str("apps");
    out.version = model::to_str("v1");
    out.resource = model::to_str("deployments");
    return out;
}

}  // namespace

TEST_CASE("reader: a get goes to the API, and the plugin sees its answer parsed", "[plugin]") {
    Host h;
    std::uint64_t id = 0;
    REQUIRE(h.read(get("tea"), &id) == BERTH_STATUS_SUCCESS);
    CHECK(id != 0);
    REQUIRE(h.api.sent.size() == 1);
    const auto &sent = h.api.sent[0].first;
    CHECK(sent.verb == env::Verb::Get);
    CHECK(sent.group.empty());
    CHECK(sent.version + " " + sent.resource + " " + sent.name_space + " " + sent.name == "v1 configmaps default tea");
    CHECK(sent.list.limit == 0);
    CHECK(h.came.empty());
    h.api.sent[0].second({200, R"({"key":"cup"})"});
    CHECK(h.came == Lines{R"(0 200 {"key":"cup"} key=cup)"});
    CHECK(h.reader->cancel(&h.host, id) == BERTH_STATUS_NOT_FOUND);
}

TEST_CASE("reader: a list has its selectors, and never more items than the bound", "[plugin]") {
    Host h;
    auto what = list();
    what.label_selector = model::to_str("app in (a, b)");
    what.field_selector = model::to_str("metadata.name=a");
    what.continue_ = model::to_str("next");
    for (auto [asked, sent] : {std::pair<std::uint64_t, std::uint64_t>{0, 500}, {7, 7}, {501, 500}}) {
        what.limit = asked;
        REQUIRE(h.read(what) == BERTH_STATUS_SUCCESS);
        CHECK(h.api.sent.back().first.list.limit == sent);
    }
    const auto &request = h.api.sent.back().first;
    CHECK(request.verb == env::Verb::List);
    CHECK(request.list.label_selector == "app in (a, b)");
    CHECK(request.list.field_selector == "metadata.name=a");
    CHECK(request.list.after == "next");
}

TEST_CASE("reader: what the API refuses, and no answer, reach the plugin as such", "[plugin]") {
    Host h;
    for (int i = 0; i < 4; ++i) REQUIRE(h.read(get("tea")) == BERTH_STATUS_SUCCESS);
    h.api.sent[0].second({404, "configmaps \"tea\" not found"});
    h.api.sent[1].second({0, "connection refused"});
    h.api.sent[2].second({200, "<html>"});
    h.api.sent[3].second({0, "it is too long", true});
    REQUIRE(h.came.size() == 4);
    CHECK(h.came[0] == "0 404 configmaps \"tea\" not found");
    CHECK(h.came[1] == "1 0 connection refused");
    CHECK(h.came[2].starts_with("1 0 the answer is not JSON: "));
    CHECK(h.came[3] == "-8 0 it is too long; ask for fewer items");
    CHECK(h.log.lines.empty());
}

TEST_CASE("reader: a refusal has its Status, with the reason and what leads on", "[plugin]") {
    Host h;
    for (int i = 0; i < 2; ++i) REQUIRE(h.read(list()) == BERTH_STATUS_SUCCESS);
    h.api.sent[0].second({410, "the token is too old", false,
                          R"({"kind":"Status","reason":"Expired","metadata":{"continue":"next"},"key":"status"})"});
    h.api.sent[1].second({503, "no server", false, "no server"});
    CHECK(h.came == Lines{"0 410 the token is too old key=status", "0 503 no server"});
}

TEST_CASE("reader: the verb of a write is none of a read", "[plugin]") {
    Host h;
    CHECK(BERTH_READ_GET == BERTH_VERB_DELETE + 1);
    CHECK(BERTH_READ_LIST == BERTH_READ_GET + 1);
    h.context->reads = {"get v1/configmaps", "list v1/configmaps"};
    for (std::uint32_t verb = BERTH_VERB_CREATE; verb <= BERTH_VERB_DELETE; ++verb) {
        auto what = get("tea");
        what.verb = verb;
        CHECK(h.read(what) == BERTH_STATUS_INVALID);
        CHECK(plugin::write_text(verb, "", "v1", "pods") != "");
    }
    for (auto verb : {BERTH_READ_GET, BERTH_READ_LIST}) CHECK(plugin::write_text(verb, "", "v1", "pods").empty());
    CHECK(h.api.sent.empty());
}

TEST_CASE("reader: what was not declared is refused, and the log says what to declare", "[plugin]") {
    Host h;
    auto what = get("tea");
    what.resource = model::to_str("secrets");
    std::uint64_t id = 7;
    CHECK(h.read(what, &id) == BERTH_STATUS_INVALID);
    CHECK(id == 0);
    auto other_verb = list();
    other_verb.group = {};
    other_verb.resource = model::to_str("configmaps");
    CHECK(h.read(other_verb) == BERTH_STATUS_INVALID);
    CHECK(h.api.sent.empty());
    CHECK(
        h.log.lines ==
        Lines{"plugin \"Tea\" wants to get v1/secrets, which it did not declare; the read was not sent: declare it by "
              "declare of berth.host.reader/draft1, and name \"get v1/secrets\" in the note's reads",
              "plugin \"Tea\" wants to list v1/configmaps, which it did not declare; the read was not sent: declare it "
              "by declare of berth.host.reader/draft1, and name \"list v1/configmaps\" in the note's reads"});
}

TEST_CASE("reader: names and selectors that lead elsewhere are refused", "[plugin]") {
    Host h;
    const std::string control("a\nb"), nul("a\0b", 3), long_name(254, 'a'), long_selector(4097, 'a');
    for (std::string_view name :
         {"", ".", "..", "a/b", "../pods", "a%2fb", "a?watch=1", control.c_str(), "a\x7f", long_name.c_str()}) {
        INFO(name);
        CHECK(h.read(get(name)) == BERTH_STATUS_INVALID);
    }
    CHECK(h.read(get(nul)) == BERTH_STATUS_INVALID);
    for (std::string_view name_space : {"..", "a/b"}) {
        auto what = get("tea");
        what.namespace_ = model::to_str(name_space);
        CHECK(h.read(what) == BERTH_STATUS_INVALID);
    }
    for (auto field : {&berth_read::group, &berth_read::version, &berth_read::resource})
        for (std::string_view text : {"../x", "A", "a/b", "pods?x"}) {
            auto what = get("tea");
            what.*field = model::to_str(text);
            CHECK(h.read(what) == BERTH_STATUS_INVALID);
        }
    for (auto field : {&berth_read::label_selector, &berth_read::field_selector, &berth_read::continue_}) {
        auto of_get = get("tea");
        of_get.*field = model::to_str("a");
        CHECK(h.read(of_get) == BERTH_STATUS_INVALID);
        auto of_list = list();
        of_list.*field = model::to_str(control);
        CHECK(h.read(of_list) == BERTH_STATUS_INVALID);
        of_list.*field = model::to_str(long_selector);
        CHECK(h.read(of_list) == BERTH_STATUS_INVALID);
    }
    auto limited = get("tea");
    limited.limit = 1;
    CHECK(h.read(limited) == BERTH_STATUS_INVALID);
    auto named = list();
    named.name = model::to_str("tea");
    CHECK(h.read(named) == BERTH_STATUS_INVALID);
    auto unknown = get("tea");
    unknown.verb = 3;
    CHECK(h.read(unknown) == BERTH_STATUS_INVALID);
    CHECK(h.log.lines.front() == "plugin \"Tea\" cannot read: the name is empty or not valid in a path");
    CHECK(h.log.lines.back() == "plugin \"Tea\" cannot read: the verb 3 is not a BERTH_READ_…");
    // RBAC's names have colons; a path has them as they are percent-encoded.
    CHECK(h.read(get("system:tea")) == BERTH_STATUS_SUCCESS);
    CHECK(h.api.sent.size() == 1);
}

TEST_CASE("reader: only so many reads of an instance are pending", "[plugin]") {
    Host h;
    for (std::uint32_t i = 0; i < BERTH_READ_MOST_PENDING; ++i) REQUIRE(h.read(get("tea")) == BERTH_STATUS_SUCCESS);
    CHECK(h.read(get("tea")) == BERTH_STATUS_BUSY);
    CHECK(h.api.sent.size() == BERTH_READ_MOST_PENDING);
    h.api.sent[3].second({404, "none"});
    CHECK(h.read(get("tea")) == BERTH_STATUS_SUCCESS);
}

TEST_CASE("reader: a read that is cancelled, or whose instance ends, is heard of once", "[plugin]") {
    Host h;
    std::uint64_t first = 0, second = 0;
    REQUIRE(h.read(get("tea"), &first) == BERTH_STATUS_SUCCESS);
    REQUIRE(h.read(get("tea"), &second) == BERTH_STATUS_SUCCESS);
    CHECK(first != second);
    CHECK(h.reader->cancel(&h.host, first) == BERTH_STATUS_SUCCESS);
    CHECK(h.came == Lines{"-6 0 it was cancelled"});
    CHECK(h.reader->cancel(&h.host, first) == BERTH_STATUS_NOT_FOUND);
    h.context->end_waits();
    CHECK(h.came == Lines{"-6 0 it was cancelled", "-6 0 it was cancelled: the plugin's instance has ended"});
    for (auto &[request, done] : h.api.sent) done({200, "{}"});
    CHECK(h.came.size() == 2);
    CHECK(h.read(get("tea"), &first) == BERTH_STATUS_CANCELLED);
    CHECK(first == 0);
}

TEST_CASE("reader: without a read or a function, for a short struct and for a shadow nothing is read", "[plugin]") {
    Host h;
    const auto what = get("tea");
    CHECK(h.reader->read(&h.host, nullptr, Host::on_read, &h, nullptr) == BERTH_STATUS_INVALID);
    CHECK(h.reader->read(&h.host, &what, nullptr, &h, nullptr) == BERTH_STATUS_INVALID);
    auto shorter = what;
    shorter.struct_size = 64;
    CHECK(h.read(shorter) == BERTH_STATUS_INVALID);
    auto later = what;
    later.flags = BERTH_FLAG_MUST_UNDERSTAND;
    CHECK(h.read(later) == BERTH_STATUS_UNSUPPORTED);
    auto absent = what;
    absent.name = {nullptr, 4};
    CHECK(h.read(absent) == BERTH_STATUS_INVALID);
    h.context->services.shadow = true;
    CHECK(h.read(what) == BERTH_STATUS_UNSUPPORTED);
    CHECK(h.api.sent.empty());
}

TEST_CASE("reader: a read that was cancelled counts until the API has answered it", "[plugin]") {
    Host h;
    std::uint64_t id = 0;
    for (std::uint32_t i = 0; i < BERTH_READ_MOST_PENDING; ++i) {
        REQUIRE(h.read(get("tea"), &id) == BERTH_STATUS_SUCCESS);
        REQUIRE(h.reader->cancel(&h.host, id) == BERTH_STATUS_SUCCESS);
    }
    CHECK(h.read(get("tea")) == BERTH_STATUS_BUSY);
    h.api.sent[0].second({200, "{}"});
    CHECK(h.read(get("tea")) == BERTH_STATUS_SUCCESS);
    CHECK(h.api.sent.size() == BERTH_READ_MOST_PENDING + 1);
}

TEST_CASE("reader: off the loop, in a task, and before the instance is made nothing is read", "[plugin]") {
    Host h;
    plugin::CallEnvironment calls;
    h.context->services.calls = &calls;
    std::int32_t code = 0;
    std::thread([&] { code = h.read(get("tea")); }).join();
    CHECK(code == BERTH_STATUS_INVALID);
    struct Here : env::Workers {
        std::function<void()> done;
        void submit(std::function<void()> work, std::function<void()> after) override {
            work();
            done = std::move(after);
        }
    } here;
    code = 0;
    h.context->tasks->begin();
    h.context->tasks->submit(here, {[&](const std::uint32_t *) { code = h.read(get("tea")); }, [](std::int32_t) {}});
    here.done();
    CHECK(code == BERTH_STATUS_INVALID);
    h.context->made = false;
    CHECK(h.read(get("tea")) == BERTH_STATUS_INVALID);
    h.context->made = true;
    const std::string reads = "plugin \"Tea\" called read of berth.host.reader/draft1 ";
    CHECK(h.log.lines == Lines{reads + "off the loop; the read was not sent",
                               reads + "off the loop; the read was not sent",
                               reads + "before its instance was made; the read was not sent"});
    CHECK(h.api.sent.empty());
    CHECK(h.read(get("tea")) == BERTH_STATUS_SUCCESS);
}

TEST_CASE("reader: off the loop and for a shadow nothing is cancelled", "[plugin]") {
    Host h;
    plugin::CallEnvironment calls;
    h.context->services.calls = &calls;
    std::uint64_t id = 0;
    REQUIRE(h.read(get("tea"), &id) == BERTH_STATUS_SUCCESS);
    std::int32_t code = 0;
    std::thread([&] { code = h.reader->cancel(&h.host, id); }).join();
    CHECK(code == BERTH_STATUS_INVALID);
    CHECK(h.log.lines == Lines{"plugin \"Tea\" called cancel of berth.host.reader/draft1 off the loop"});
    h.context->services.shadow = true;
    CHECK(h.reader->cancel(&h.host, id) == BERTH_STATUS_UNSUPPORTED);
    CHECK(h.came.empty());
    h.context->services.shadow = false;
    CHECK(h.reader->cancel(&h.host, id) == BERTH_STATUS_SUCCESS);
}

TEST_CASE("reader: a kind has a version such as v1, and no group begins so", "[plugin]") {
    Host h;
    for (auto [group, version, resource] :
         {std::tuple{"v1", "pods", "exec"}, {"", "alpha", "x"}, {"v2.example.com", "v1", "widgets"}}) {
        auto what = get("tea");
        what.group = model::to_str(group);
        what.version = model::to_str(version);
        what.resource = model::to_str(resource);
        CHECK(h.read(what) == BERTH_STATUS_INVALID);
    }
}

TEST_CASE("reader: when the end has begun, nothing more is read", "[plugin]") {
    Host h;
    h.context->timers.expect([&](const auto &) { CHECK(h.read(get("tea")) == BERTH_STATUS_CANCELLED); });
    h.context->end_waits();
    CHECK(h.api.sent.empty());
    CHECK(h.log.lines.empty());
}

TEST_CASE("reader: what stands behind watch and proxy is no kind", "[plugin]") {
    Host h;
    for (const auto *resource : {"watch", "proxy"}) {
        auto what = get("secrets");
        what.resource = model::to_str(resource);
        CHECK(h.read(what) == BERTH_STATUS_INVALID);
    }
}

TEST_CASE("reader: managedFields are neither in the value nor in the text", "[plugin]") {
    Host h;
    REQUIRE(h.read(list()) == BERTH_STATUS_SUCCESS);
    h.api.sent[0].second(
        {200,
         R"({"metadata":{"managedFields":[1]},"key":"k","items":[{"metadata":{"managedFields":[1],"name":"a"}}]})"});
    CHECK(h.came == Lines{R"(0 200 {"metadata":{},"key":"k","items":[{"metadata":{"name":"a"}}]} key=k)"});
}
