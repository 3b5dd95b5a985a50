// SPDX-License-Identifier: Apache-2.0
#include "pod_groups.h"

using namespace berth;

namespace {

std::vector<std::string> faults(const std::string &spec) {
    std::vector<std::string> out;
    const auto object = any_object(model::pod_group_kind(), "{metadata: {name: g}, spec: " + spec + "}");
    const auto group = model::read_pod_group(
        object,
        [&](model::Value, const std::string &path, const std::string &what) { out.push_back(path + ": " + what); });
    CHECK((group == nullptr) == !out.empty());
    return out;
}

}  // namespace

TEST_CASE("model: a PodGroup has one policy, a priority and a condition", "[model]") {
    const auto basic = pod_group("g");
    CHECK(basic->min_count == 0);
    CHECK(basic->priority == 0);
    CHECK(basic->key() == "default/g");
    CHECK_FALSE(basic->condition);
    const auto gang = pod_group("g", "gang: {minCount: 3}",
                                ", status: {conditions: [{type: Other}, {type: PodGroupInitiallyScheduled, status: "
                                "'False', reason: R, message: M, observedGeneration: 4}]}");
    CHECK(gang->min_count == 3);
    REQUIRE(gang->condition);
    CHECK(*gang->condition == model::GroupCondition{false, "R", "M", 4});
}

TEST_CASE("model: a PodGroup without exactly one policy, or with a wrong field, is refused", "[model]") {
    using Texts = std::vector<std::string>;
    CHECK(faults("{schedulingPolicy: {basic: {}}}").empty());
    CHECK(faults("{schedulingPolicy: {}}").size() == 1);
    CHECK(faults("{schedulingPolicy: {basic: {}, gang: {minCount: 1}}}").size() == 1);
    CHECK(faults("{schedulingPolicy: {gang: {}}}") ==
          Texts{"spec.schedulingPolicy.gang.minCount: expected how many pods have to run at once, got null"});
    for (const auto *count : {"0", "-1", "99999999999", "x"})
        CHECK(faults(std::string("{schedulingPolicy: {gang: {minCount: ") + count + "}}}").size() == 1);
    CHECK(faults("{priority: x, schedulingPolicy: {basic: {}}}").size() == 1);
    CHECK(faults("{schedulingPolicy: 3}").size() >= 1);
}

TEST_CASE("model: a pod names its group", "[model]") {
    CHECK(member("p", "g")->group() == "g");
    CHECK(model::group_key(*member("p", "g")) == "default/g");
    CHECK(plain_pod("p")->group().empty());
    CHECK(model::assumed_copy(member("p", "g"), "n")->group() == "g");
}
