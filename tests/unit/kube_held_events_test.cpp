// SPDX-License-Identifier: Apache-2.0
#include "kube/held_events.h"

#include "catch.h"
#include "model/any_object.h"

using namespace berth;
using Texts = std::vector<std::string>;

TEST_CASE("held news: they are told in their order once it is time, and at once from then on", "[unit]") {
    Texts heard;
    kube::Collection all;
    all.resource = "pods";
    all.added = [&](kube::ObjectPtr) { heard.emplace_back("added"); };
    all.updated = [&](kube::ObjectPtr before, kube::ObjectPtr after) {
        heard.emplace_back(before == after ? "the same" : "updated");
    };
    all.deleted = [&](kube::ObjectPtr) { heard.emplace_back("deleted"); };
    kube::HeldEvents held;
    const auto one = std::make_shared<model::AnyObject>(), other = std::make_shared<model::AnyObject>();
    auto followed = held.hold(all);
    CHECK(followed.resource == "pods");
    followed.added(one);
    followed.updated(one, other);
    followed.deleted(other);
    followed.added(one);
    CHECK(heard == Texts{});
    held.release();
    CHECK(heard == Texts{"added", "updated", "deleted", "added"});
    followed.updated(one, one);
    CHECK(heard.back() == "the same");
    held.release();
    CHECK(heard.size() == 5);
}
