// SPDX-License-Identifier: Apache-2.0
// berth.host.selective_watches/draft1: what a selection has, and what an instance that watches one sees.
#include "cluster/objects.h"
#include "live/needed_rights.h"
#include "object_text.h"
#include "plugin/host_context.h"
#include "plugin_world.h"

namespace plugin = berth::plugin;
namespace model = berth::model;
using berth::detail::Selection;

namespace {

using Lines = std::vector<std::string>;

const model::Kind maps = model::kind_of("", "v1", "configmaps");

struct Wanted {
    std::string_view name_space{}, name{}, labels{}, fields{};
};

std::optional<Selection> read(const Wanted &w, std::string &why) {
    berth_watch raw{};
    raw.struct_size = sizeof raw;
    raw.namespace_ = model::to_str(w.name_space);
    raw.name = model::to_str(w.name);
    raw.label_selector = model::to_str(w.labels);
    raw.field_selector = model::to_str(w.fields);
    return Selection::read(raw, why);
}

Selection selection(const Wanted &w) {
    std::string why;
    auto out = read(w, why);
    INFO(why);
    REQUIRE(out);
    return *out;
}

std::string fault(const Wanted &w) {
    std::string why;
    CHECK_FALSE(read(w, why));
    return why;
}

model::AnyPtr map(const std::string &name_space, const std::string &name, const std::string &more = "") {
    return berth::any_object(maps, "{apiVersion: v1, kind: ConfigMap, metadata: {namespace: " + name_space +
                                       ", name: " + name + ", uid: " + name + more + "}, data: {tier: front}, " +
                                       "immutable: true, count: 3, share: 0.5}");
}

bool has(const Wanted &w, const model::AnyPtr &object) {
    return selection(w).has(object->name_space, object->name, object->tree->value());
}

/// One instance that watches what is added to its context.
struct Host {
    plugin_world::Log log;
    berth::cluster::Objects objects;
    std::shared_ptr<plugin::HostContext> context = std::make_shared<plugin::HostContext>("Tea", "p");
    berth_host host = plugin::make_host(*context);
    const berth_host_cluster *cluster = nullptr;
    std::uint32_t kind = 0;
    Lines changes;

    explicit Host(const std::vector<Wanted> &selections, bool whole = false) {
        context->services.objects = &objects;
        context->services.log = &log;
        context->kinds = {maps};
        context->watches = {maps.text()};
        if (whole) context->whole_kinds = {maps};
        for (const auto &one : selections) context->selections.add(maps, selection(one));
        context->declared();
        cluster =
            static_cast<const berth_host_cluster *>(host.get_service(&host, model::to_str(BERTH_HOST_CLUSTER_V1)));
        REQUIRE(cluster);
        kind = cluster->kind(&host, {}, model::to_str("v1"), model::to_str("configmaps"));
        REQUIRE(cluster->subscribe(&host, kind, changed, this) == BERTH_STATUS_SUCCESS);
    }
    static void changed(void *ctx, const berth_object *before, const berth_object *after) {
        const auto name = [](const berth_object *o) {
            return o ? static_cast<const model::AnyObject *>(model::object_of(o))->key() : std::string("-");
        };
        static_cast<Host *>(ctx)->changes.push_back(name(before) + " " + name(after));
    }
    std::string listed(std::string_view name_space = {}) {
        std::string out;
        cluster->list(
            &host, kind, model::to_str(name_space),
            [](void *ctx, const berth_object *o) {
                *static_cast<std::string *>(ctx) +=
                    static_cast<const model::AnyObject *>(model::object_of(o))->key() + " ";
                return std::int32_t{1};
            },
            &out);
        return out;
    }
    bool gets(std::string_view name_space, std::string_view name) {
        return cluster->get(&host, kind, model::to_str(name_space), model::to_str(name)) != nullptr;
    }
};

plugin::Profile profile_of(const std::vector<std::pair<std::string, std::vector<Wanted>>> &plugins) {
    plugin::Profile out;
    out.scheduler_name = "default-scheduler";
    for (const auto &[name, selections] : plugins) {
        auto &instance = *out.instances.emplace_back(std::make_unique<plugin::Instance>());
        instance.name = name;
        instance.context = std::make_shared<plugin::HostContext>(name, "p");
        instance.context->kinds = {maps};
        for (const auto &one : selections) instance.context->selections.add(maps, selection(one));
    }
    return out;
}

Lines watched(const plugin::Profile &profile) {
    Lines out;
    for (const auto &one : plugin::watched_kinds({&profile, 1})) {
        out.push_back(one.kind.text() + " (" + one.part.text() + ")");
        for (const auto &name : one.plugins) out.back() += " " + name;
    }
    return out;
}

}  // namespace

TEST_CASE("selective watches: namespace, name, labels and fields must all agree", "[plugin]") {
    const auto object = map("a", "x", ", labels: {app: web}");
    CHECK(has({}, object));
    CHECK(has({.name_space = "a"}, object));
    CHECK_FALSE(has({.name_space = "b"}, object));
    CHECK(has({.name = "x"}, object));
    CHECK_FALSE(has({.name = "y"}, object));
    CHECK(has({.labels = "app in (web, db),!old"}, object));
    CHECK_FALSE(has({.labels = "app!=web"}, object));
    CHECK(has({.fields = "share=0.5"}, object));
    CHECK(has({.fields = "data.tier=front,count==3,immutable=true,metadata.name!=y"}, object));
    CHECK_FALSE(has({.fields = "data.tier=back"}, object));
    CHECK_FALSE(has({.fields = "metadata.namespace=b"}, object));
    CHECK(has({.fields = "data.none="}, object));
    CHECK_FALSE(has({.fields = "data=front"}, object));
    CHECK_FALSE(has({.name_space = "a", .name = "x", .labels = "app=db"}, object));
    CHECK_FALSE(has({.name_space = "b", .name = "x", .labels = "app=web"}, object));
    CHECK_FALSE(has({.labels = "app"}, map("a", "x")));
}

TEST_CASE("selective watches: what is not valid is refused with a reason", "[plugin]") {
    CHECK(fault({.name_space = "a/b"}) == "the namespace is not valid in a path");
    CHECK(fault({.name_space = ".."}) == "the namespace is not valid in a path");
    CHECK(fault({.name = "a?watch=1"}) == "the name is not valid in a path");
    CHECK(fault({.labels = "a\nb"}) == "the label selector has a control character");
    const std::string longest(4097, 'a');
    CHECK(fault({.fields = longest}) == "the field selector has more than 4,096 bytes");
    CHECK(fault({.labels = "app in web"}).starts_with("its selectors cannot be read: unable to parse the selector"));
    CHECK(fault({.labels = "-a=b"}).starts_with("its selectors cannot be read: key: Invalid value"));
    for (std::string_view fields : {"a in (b)", "a>1", "a", "!a"})
        CHECK(fault({.fields = fields}) ==
              "its selectors cannot be read: expected '=', '==' or '!=' in the field selector");
    for (std::string_view key : {"a..b", "a.", "a/b", "a[0]", "."})
        CHECK(fault({.fields = std::string(key) + "=1"}) ==
              "its selectors cannot be read: field label not supported: " + std::string(key));
}

TEST_CASE("selective watches: a name that a field selector gives is one for paths and rights", "[plugin]") {
    const auto one = selection({.fields = "metadata.namespace=a,metadata.name=x"});
    CHECK(one.name_space() == "a");
    CHECK(one.name() == "x");
    CHECK(selection({.fields = "metadata.name!=x"}).name().empty());
    CHECK(selection({.fields = "metadata.name=a/b"}).name().empty());
    CHECK_FALSE(one.is_all());
    CHECK(selection({}).is_all());
    CHECK(selection({.name_space = "a", .name = "x", .labels = "l", .fields = "f=1"}).text() ==
          "namespace a, name x, labels l, fields f=1");
}

TEST_CASE("selective watches: an instance gets and lists the selected objects only", "[plugin]") {
    Host h({{.name_space = "a"}, {.name = "shared"}});
    for (const auto &[ns, name] : {std::pair{"a", "x"}, {"b", "x"}, {"b", "shared"}})
        h.objects.change(maps, nullptr, map(ns, name));
    CHECK(h.listed() == "a/x b/shared ");
    CHECK(h.listed("b") == "b/shared ");
    CHECK(h.gets("a", "x"));
    CHECK_FALSE(h.gets("b", "x"));
    CHECK(h.changes == Lines{"- a/x", "- b/shared"});
}

TEST_CASE("selective watches: leaving the selection is a deletion, entering it an addition", "[plugin]") {
    Host h({{.labels = "app=web"}});
    const auto in = map("a", "x", ", labels: {app: web}"), in_too = map("a", "x", ", labels: {app: web, more: yes}"),
               out = map("a", "x", ", labels: {app: db}"), out_too = map("a", "x");
    h.objects.change(maps, nullptr, out);
    h.objects.change(maps, out, out_too);
    CHECK(h.changes.empty());
    h.objects.change(maps, out_too, in);
    h.objects.change(maps, in, in_too);
    h.objects.change(maps, in_too, out);
    CHECK(h.changes == Lines{"- a/x", "a/x a/x", "a/x -"});
    CHECK_FALSE(h.gets("a", "x"));
    h.objects.change(maps, out, nullptr);
    CHECK(h.changes.size() == 3);
}

TEST_CASE("selective watches: who watches the whole kind, too, sees all of it", "[plugin]") {
    Host h({{.name_space = "a"}}, true);
    h.objects.change(maps, nullptr, map("b", "x"));
    CHECK(h.listed() == "b/x ");
    CHECK(h.changes == Lines{"- b/x"});
}

TEST_CASE("selective watches: what all selections of a kind share is watched", "[plugin]") {
    CHECK(watched(profile_of({{"A", {{.name_space = "a", .fields = "x=1"}}}, {"B", {{.name_space = "a"}}}})) ==
          Lines{"v1/configmaps (namespace a) A B"});
    CHECK(watched(profile_of({{"A", {{.name_space = "a", .labels = "l"}, {.name_space = "a", .labels = "m"}}}})) ==
          Lines{"v1/configmaps (namespace a) A"});
    CHECK(watched(profile_of({{"A", {{.name_space = "a", .name = "x", .labels = "l"}}},
                              {"B", {{.labels = "l", .fields = "metadata.name=x"}}}})) ==
          Lines{"v1/configmaps (name x, labels l) A B"});
    CHECK(watched(profile_of({{"A", {{.name_space = "a"}}}, {"B", {{.name = "x"}}}})) == Lines{"v1/configmaps () A B"});
    CHECK(watched(profile_of({{"A", {{.fields = "x=1"}}}})) == Lines{"v1/configmaps () A"});
    CHECK(watched(profile_of({{"A", {{.name_space = "a"}}}, {"B", {}}, {"C", {{.name_space = "a"}}}})) ==
          Lines{"v1/configmaps () A B C"});
}

TEST_CASE("selective watches: a text that is not there is empty", "[plugin]") {
    berth_watch raw{};
    raw.namespace_ = raw.name = raw.label_selector = raw.field_selector = {nullptr, 4};
    std::string why;
    const auto one = Selection::read(raw, why);
    REQUIRE(one);
    CHECK(one->is_all());
}

TEST_CASE("selective watches: a selection of one version of a kind holds for the others", "[plugin]") {
    const auto old = model::kind_of("scheduling.k8s.io", "v1alpha1", "podgroups"),
               now = model::kind_of("scheduling.k8s.io", "v1alpha2", "podgroups");
    REQUIRE(old.event_resource() == now.event_resource());
    plugin::Selections some;
    some.add(old, selection({.name_space = "a"}));
    for (const auto &kind : {old, now}) {
        model::AnyPtr before,
            after = berth::any_object(kind, "{apiVersion: " + kind.api_version() +
                                                ", kind: PodGroup, metadata: {namespace: b, name: x, uid: x}}");
        CHECK(some.reduce(kind.event_resource(), before, after));
        CHECK(after == nullptr);
    }
}

TEST_CASE("selective watches: the rights are those of the namespace and the name, or of the kind", "[plugin]") {
    const auto rights = [](const std::vector<std::pair<std::string, std::vector<Wanted>>> &plugins) {
        const auto profile = profile_of(plugins);
        Lines out;
        for (const auto &[right, who] : berth::live::needed_rights({}, {&profile, 1}))
            if (right.resource == "configmaps" && right.name_space != "kube-system")
                out.push_back(right.verb + " " + right.name_space + "/" + right.name + " " +
                              berth::live::names_of(who));
        return out;
    };
    CHECK(rights({{"A", {{.name_space = "a", .name = "x"}}}, {"B", {{.name_space = "a", .name = "x"}}}}) ==
          Lines{"list a/x plugins A, B", "watch a/x plugins A, B"});
    CHECK(rights({{"A", {{.fields = "metadata.name=y"}}}}) == Lines{"list /y plugin A", "watch /y plugin A"});
    CHECK(rights({{"A", {{.name_space = "a"}}}, {"B", {{.name_space = "b"}}}}) ==
          Lines{"list / plugins A, B", "watch / plugins A, B"});
}
