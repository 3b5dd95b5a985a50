// SPDX-License-Identifier: Apache-2.0
// Reads of the API server as a plugin in C++ makes them, by the testing kit.
#include <berth/plugin.hpp>
#include <berth/testing.hpp>

#include "catch.h"

namespace {

std::vector<std::string> came;  ///< what the plugin was answered, in a line each
int destroyed = 0;              ///< functions that never ran

struct Counted {
    bool ran = false;
    Counted() = default;
    Counted(const Counted &) = delete;
    Counted &operator=(const Counted &) = delete;
    ~Counted() { destroyed += ran ? 0 : 1; }
};

/// Reads what the name of a pod says.
class Reads {
    const berth::Host &host_;
    berth::Reading last_;

    void get(std::string_view name, std::string_view resource = "configmaps") {
        auto counted = std::make_shared<Counted>();
        last_ = host_.read(
            berth::Get{.resource = resource, .name_space = "default", .name = name},
            [counted](const berth::Answer &answer) {
                counted->ran = true;
                came.push_back(
                    std::to_string(answer.status()) + " " + (answer.too_long() ? "too long: " : "") +
                    (answer.ok() ? std::string(answer.value()["data"]["key"].string()) : std::string(answer.text())));
            });
    }
    void list(berth::List what) {
        what.resource = "configmaps";
        host_.read(what, [](const berth::Answer &answer) {
            std::string line = std::to_string(answer.status());
            if (!answer.ok()) line.append(" ").append(answer.text());
            else line.append(" ").append(answer.value()["kind"].string());
            answer.each([&](berth::Value one) { line.append(" ").append(one["metadata"]["name"].string()); });
            if (!answer.continue_token().empty()) line.append(" then ").append(answer.continue_token());
            came.push_back(line);
        });
    }

public:
    static constexpr std::array reads{"get v1/configmaps", "list v1/configmaps"};

    explicit Reads(const berth::Host &host) : host_(host) {}
    void declare(berth::Declare d) const {
        d.read(BERTH_READ_GET, "", "v1", "configmaps");
        d.read(BERTH_READ_LIST, "", "v1", "configmaps");
    }
    berth::Verdict pre_filter(berth::Pod pod) {
        const auto name = pod.name();
        if (name == "get") get("a");
        if (name == "none") get("nothing");
        if (name == "long") get("long");
        if (name == "bad") get("../a");
        if (name == "undeclared") get("a", "secrets");
        if (name == "many")
            for (int i = 0; i < 33; ++i) get("a");
        if (name == "cancel") {
            get("a");
            if (!host_.cancel(last_) || host_.cancel(last_)) return berth::error("it was not cancelled once");
        }
        if (name == "again")
            for (int i = 0; i < 33; ++i) {
                get("a");
                (void)host_.cancel(last_);
            }
        if (name == "list") {
            list({.name_space = "default"});
            list({.limit = 2});
            list({.continue_token = "default/b", .limit = 2});
            list({.label_selector = "tier in (front, back),!old"});
            list({.label_selector = "tier!=front"});
            list({.field_selector = "metadata.name=b,metadata.namespace!=other"});
            list({.label_selector = "tier in front"});
            list({.field_selector = "spec.x=1"});
        }
        return berth::ok;
    }
};

struct Library {
    static constexpr auto entries() { return std::tuple{berth::entry<Reads>("Reads", "1.0.0")}; }
};

struct World {
    berth::testing::Cluster cluster;
    berth::testing::Plugin plugin;

    World() : plugin((add(), cluster), *berth::detail::library<Library>()) {
        came.clear();
        destroyed = 0;
    }
    void add() {
        cluster.add(R"(
kind: ConfigMap
apiVersion: v1
metadata: {name: b, namespace: default, labels: {tier: back}}
---
kind: ConfigMap
apiVersion: v1
metadata: {name: a, namespace: default, labels: {tier: front}}
data: {key: value}
---
kind: ConfigMap
apiVersion: v1
metadata: {name: b, namespace: other, labels: {tier: front, old: ""}}
)");
        for (const auto *pod : {"get", "none", "bad", "undeclared", "many", "cancel", "again", "list", "long"})
            cluster.add("{kind: Pod, metadata: {name: " + std::string(pod) + "}}");
    }
    std::string ask(std::string_view pod) {
        const auto text = plugin.pre_filter(pod).text();
        plugin.host.run();
        return text;
    }
};

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("sdk: a plugin reads an object that it does not watch", "[sdk]") {
    World it;
    CHECK(it.ask("get").empty());
    CHECK(it.ask("none").empty());
    CHECK(came == Lines{"200 value", "404 configmaps \"nothing\" not found"});
    CHECK(it.plugin.host.read == Lines{"get v1/configmaps default/a", "get v1/configmaps default/nothing"});
}

TEST_CASE("sdk: the note says what a plugin reads", "[sdk]") {
    static constexpr auto note = berth::detail::make_note<Library>();
    const std::string_view text(note.desc, note.desc_size);
    CHECK(text.find(R"("reads":["get v1/configmaps","list v1/configmaps"]})") != std::string_view::npos);
}

TEST_CASE("sdk: an answer that is too long comes without an object", "[sdk]") {
    World it;
    it.cluster.add("{kind: ConfigMap, apiVersion: v1, metadata: {name: long, namespace: default}, data: {key: " +
                   std::string(BERTH_READ_MOST_BYTES, 'x') + "}}");
    CHECK(it.ask("long").empty());
    CHECK(came == Lines{"0 too long: the answer has more than 4 MiB; ask for fewer items"});
}

TEST_CASE("sdk: a plugin lists by namespace, labels and fields, in pages", "[sdk]") {
    World it;
    it.ask("list");
    CHECK(came == Lines{"200 ConfigMapList a b", "200 ConfigMapList a b then default/b", "200 ConfigMapList b",
                        "200 ConfigMapList a b", "200 ConfigMapList b", "200 ConfigMapList b",
                        "400 unable to parse the selector: found 'front', expected: '('",
                        std::string("400 field label not supported: spec.x; without a cluster there are ") +
                            "metadata.name and metadata.namespace"});
}

TEST_CASE("sdk: a read that cannot be made is an error at once", "[sdk]") {
    World it;
    CHECK(it.ask("bad") == "the read is not valid or not declared, or cannot be made here: configmaps ../a");
    CHECK(it.ask("undeclared") == "the read is not valid or not declared, or cannot be made here: secrets a");
    CHECK(it.ask("many") == "too many reads are pending; not read: configmaps a");
    CHECK(came.size() == 32);
    CHECK(it.ask("again") == "too many reads are pending; not read: configmaps a");
    CHECK(came.size() == 32);
    CHECK(it.ask("get").empty());
    CHECK(came.size() == 33);
}

TEST_CASE("sdk: the function of a read that does not come is destroyed without having run", "[sdk]") {
    {
        World it;
        CHECK(it.ask("cancel").empty());
        CHECK(came.empty());
        CHECK(destroyed == 1);
        CHECK(it.plugin.pre_filter("get").ok());  // and ends before the answer
    }
    CHECK(came.empty());
    CHECK(destroyed == 2);
}

TEST_CASE("sdk: a test can refuse a plugin's reads", "[sdk]") {
    World it;
    it.plugin.host.no_reads = {403, "configmaps is forbidden"};
    it.ask("get");
    it.plugin.host.no_reads = {0, "connection refused"};
    it.ask("get");
    CHECK(came == Lines{"403 configmaps is forbidden", "0 connection refused"});
}

TEST_CASE("sdk: on a host without reads nothing is declared, and a read throws", "[sdk]") {
    berth_host raw{};
    raw.struct_size = sizeof raw;
    raw.get_service = [](const berth_host *, berth_str) -> const void * { return nullptr; };
    const berth::Host host(&raw);
    berth::Declare(&raw, nullptr).read(BERTH_READ_GET, "", "v1", "configmaps");
    CHECK_THROWS_WITH(host.read(berth::Get{.resource = "configmaps", .name = "a"}, {}),
                      "this host does not offer berth.host.reader/draft1");
}

TEST_CASE("sdk: in a dry run and a shadow a read begins nothing, and is no error", "[sdk]") {
    static std::int32_t code;
    static const berth_host_reader reader{
        sizeof reader, 0, nullptr,
        [](const berth_host *, const berth_read *, void (*)(void *, const berth_answer *), void *, std::uint64_t *id) {
            *id = 0;
            return code;
        },
        nullptr};
    berth_host raw{};
    raw.struct_size = sizeof raw;
    raw.get_service = [](const berth_host *, berth_str id) -> const void * {
        return berth::view(id) == BERTH_HOST_READER_DRAFT1 ? &reader : nullptr;
    };
    const berth::Host host(&raw);
    destroyed = 0;
    const auto read = [&] {
        return host.read(berth::Get{.resource = "configmaps", .name = "a"},
                         [counted = std::make_shared<Counted>()](const berth::Answer &) {});
    };
    code = BERTH_STATUS_UNSUPPORTED;
    CHECK_FALSE(read());
    CHECK(destroyed == 1);
    for (auto other : {BERTH_STATUS_INVALID, BERTH_STATUS_BUSY, BERTH_STATUS_CANCELLED}) {
        code = other;
        CHECK_THROWS(read());
    }
}

TEST_CASE("sdk: an answer has its code, the reason of a refusal, and what leads on", "[sdk]") {
    static std::vector<std::string> lines;
    lines.clear();
    const auto take = [](void *, const berth_answer *raw) {
        const berth::Answer answer(raw);
        lines.push_back(std::to_string(answer.status()) + (answer.ok() ? " ok " : " ") + std::string(answer.text()) +
                        " " + std::string(answer.reason()) + " " + std::string(answer.continue_token()));
    };
    const berth::testing::Taker taker{take, nullptr};
    taker.answer({409, "it is another"}, {.resource = "pods", .name = "p"});
    taker.answer({410, R"({"kind":"Status","message":"too old","reason":"Expired","metadata":{"continue":"next"}})"});
    taker.answer({201, R"({"kind":"Pod"})"});
    taker.answer({0, "connection refused"});
    CHECK(lines == Lines{"409 it is another Conflict ", "410 too old Expired next", R"(201 ok {"kind":"Pod"}  )",
                         "0 connection refused  "});
}
