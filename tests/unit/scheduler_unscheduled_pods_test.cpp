// SPDX-License-Identifier: Apache-2.0
#include "scheduler/unscheduled_pods.h"

#include "fake_plugin.h"

using namespace berth;
using scheduler::UnscheduledPods;

namespace {

model::PodPtr with_uid(const std::string &name, const std::string &uid) {
    return pod_of("{apiVersion: v1, kind: Pod, metadata: {name: " + name + ", namespace: default, uid: " + uid +
                  "}, spec: {containers: [{name: c, image: i}]}}");
}

}  // namespace

TEST_CASE("unscheduled pods: each is found by its key and by its UID", "[cycle]") {
    UnscheduledPods pods;
    CHECK_FALSE(pods.with_uid("u1"));
    const auto a = with_uid("a", "u1"), newer = with_uid("a", "u1"), recreated = with_uid("a", "u2");
    pods.set(a);
    pods.set(with_uid("b", "u3"));
    CHECK(pods.size() == 2);
    CHECK(pods.with_uid("u1") == a);
    pods.set(newer);
    CHECK(pods.with_uid("u1") == newer);
    CHECK(pods.find("default/a")->second == newer);
    pods.set(recreated);
    CHECK_FALSE(pods.with_uid("u1"));
    CHECK(pods.with_uid("u2") == recreated);
    CHECK(pods.size() == 2);
    pods.erase("default/a");
    pods.erase("default/a");
    CHECK_FALSE(pods.with_uid("u2"));
    CHECK(pods.find("default/a") == pods.end());
    CHECK(pods.with_uid("u3")->name() == "b");
    pods.erase(pods.find("default/b"));
    CHECK(pods.begin() == pods.end());
}

TEST_CASE("unscheduled pods: of two with one UID the later is found, until it goes", "[cycle]") {
    UnscheduledPods pods;
    const auto first = with_uid("a", "same"), second = with_uid("b", "same");
    pods.set(first);
    pods.set(second);
    CHECK(pods.with_uid("same") == second);
    pods.erase("default/a");
    CHECK(pods.with_uid("same") == second);
    pods.erase("default/b");
    CHECK_FALSE(pods.with_uid("same"));
    CHECK(pods.size() == 0);
}
