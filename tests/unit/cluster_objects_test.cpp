// SPDX-License-Identifier: Apache-2.0
#include "cluster/objects.h"

#include "object_text.h"

using namespace berth;

namespace {

const model::Kind claims = model::kind_of("", "v1", "persistentvolumeclaims"),
                  classes = model::kind_of("storage.k8s.io", "v1", "storageclasses");

model::AnyPtr claim(const std::string &name_space, const std::string &name, const std::string &meta = "") {
    return any_object(claims, "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {" + meta +
                                  " namespace: " + name_space + ", name: " + name + "}}");
}

std::string names(const cluster::Objects &objects, std::uint32_t kind, std::string_view name_space) {
    std::string text;
    objects.visit(kind, name_space, [&](const model::AnyObject &o) {
        text += o.key() + " ";
        return true;
    });
    return text;
}

}  // namespace

TEST_CASE("objects: are kept by kind, and listed by namespace and name", "[cluster]") {
    cluster::Objects objects;
    auto id = objects.kind(claims), other = objects.kind(classes);
    CHECK(id != 0);
    CHECK(other != id);
    CHECK(objects.kind(model::kind_of("", "v1", "persistentvolumeclaims")) == id);
    CHECK(objects.kind(model::kind_of("", "v2", "persistentvolumeclaims")) != id);
    for (const auto &[ns, name] : {std::pair{"b", "x"}, {"a-b", "x"}, {"a", "z"}, {"a", "y"}})
        objects.change(claims, nullptr, claim(ns, name));
    objects.change(classes, nullptr, any_object(classes, "{kind: StorageClass, metadata: {name: fast}}"));
    CHECK(names(objects, id, "") == "a/y a/z a-b/x b/x ");
    CHECK(names(objects, id, "a") == "a/y a/z ");
    CHECK(names(objects, id, "c").empty());
    CHECK(names(objects, other, "") == "fast ");
    REQUIRE(objects.get(id, "a", "z"));
    CHECK(objects.get(id, "a", "z")->name == "z");
    CHECK_FALSE(objects.get(id, "z", "a"));
    REQUIRE(objects.get(other, "", "fast"));
    int visited = 0;
    objects.visit(id, "", [&](const model::AnyObject &) { return ++visited < 2; });
    CHECK(visited == 2);
    // What nobody knows has no objects.
    CHECK_FALSE(objects.get(0, "a", "z"));
    CHECK_FALSE(objects.get(99, "a", "z"));
    CHECK(names(objects, 0, "").empty());
    CHECK(objects.version(0) == 0);
}

TEST_CASE("objects: a change is counted for its kind, and told to those who subscribed", "[cluster]") {
    cluster::Objects objects;
    auto id = objects.kind(claims), other = objects.kind(classes);
    std::string told;
    auto owner = std::make_shared<int>();
    const bool known = objects.subscribe(id, owner, [&](const model::AnyObject *before, const model::AnyObject *after) {
        told += std::string(before ? before->labels.empty() ? "old" : "labelled" : "none") + ">" +
                (after ? after->labels.empty() ? "plain" : "labelled" : "none") + " ";
        // It is there already.
        CHECK(objects.get(id, "a", "x") == after);
    });
    CHECK(known);
    CHECK_FALSE(objects.subscribe(99, owner, [](const auto *, const auto *) { FAIL("of an unknown kind"); }));
    auto plain = claim("a", "x"), labelled = claim("a", "x", "labels: {tea: green},");
    objects.change(claims, nullptr, plain);
    objects.change(claims, plain, labelled);
    CHECK(objects.version(id) == 2);
    objects.change(claims, labelled, nullptr);
    CHECK(told == "none>plain old>labelled labelled>none ");
    CHECK(objects.version(id) == 3);
    CHECK(objects.version(other) == 0);
    CHECK(names(objects, id, "").empty());
}

TEST_CASE("objects: who subscribes late hears first of what there is, and nobody hears after its end", "[cluster]") {
    cluster::Objects objects;
    auto id = objects.kind(claims);
    std::string told;
    auto owner = std::make_shared<int>();
    auto subscribe = [&](const std::string &who) {
        objects.subscribe(id, owner, [&told, who](const model::AnyObject *before, const model::AnyObject *after) {
            told += who + (before ? " -" + std::string(before->name) : "") +
                    (after ? " +" + std::string(after->name) : "") + "; ";
        });
    };
    subscribe("early");
    auto x = claim("a", "x"), y = claim("a", "y");
    objects.change(claims, nullptr, x);
    subscribe("late");
    objects.change(claims, nullptr, y);
    CHECK(told == "early +x; early +y; ");
    objects.introduce();
    objects.introduce();
    CHECK(told == "early +x; early +y; late +x; late +y; ");
    told.clear();
    objects.change(claims, x, nullptr);
    CHECK(told == "early -x; late -x; ");
    told.clear();
    owner.reset();
    objects.change(claims, y, nullptr);
    CHECK(told.empty());
    objects.change(claims, nullptr, x);
    const auto version = objects.version(id);
    objects.forget(claims);
    CHECK(names(objects, id, "").empty());
    CHECK(objects.version(id) > version);
}
