// SPDX-License-Identifier: Apache-2.0
#include "model/readers.h"

#include "decode/write.h"
#include "model/resources.h"
#include "unit/object_text.h"

using namespace berth;
using model::view;

namespace {

/// One pod of a template; `more` is what its spec has beside it.
std::string pod(const std::string &name, const std::string &more = "", const std::string &status = "") {
    return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name + ", namespace: shop, labels: {app: web}}\n" +
           "spec:\n  priority: 7\n" + more +
           "  containers: [{name: a, image: 'reg/web:1', resources: {requests: {cpu: 300m, gpu.io/x: '2'}},"
           " ports: [{hostPort: 80}]}]\n  tolerations: [{key: gpu, operator: Exists}]\n" +
           status;
}

/// Everything that is read of a spec.
void check_like_alone(model::PodReader &reader, const std::string &text) {
    const auto tree = tree_of(text);
    const auto alone = model::read_pod(tree, no_faults), read = reader.read(tree, no_faults);
    CHECK(decode::to_json(read->tree->value()) == decode::to_json(tree->value()));
    const auto &a = alone->view, &b = read->view;
    for (auto [x, y] : {std::pair{a.requests, b.requests},
                        {a.requests_nonzero, b.requests_nonzero},
                        {a.container_requests, b.container_requests},
                        {a.container_requests_nonzero, b.container_requests_nonzero},
                        {a.current_requests, b.current_requests},
                        {alone->effective_nonzero, read->effective_nonzero}})
        CHECK(model::equal(*x, *y));
    CHECK(a.priority == b.priority);
    CHECK(a.pod_flags == b.pod_flags);
    CHECK(read->uid() == alone->uid());
    CHECK(read->key() == alone->key());
    CHECK(read->node_name() == alone->node_name());
    CHECK(read->scheduler_name() == alone->scheduler_name());
    CHECK(read->phase() == alone->phase());
    REQUIRE(read->labels().size() == 1);
    CHECK(view(read->labels()[0].value) == "web");
    REQUIRE(b.tolerations_len == a.tolerations_len);
    CHECK(view(b.tolerations[0].key) == "gpu");
    REQUIRE(b.images_len == 1);
    CHECK(view(b.images[0].name) == "reg/web:1");
    REQUIRE(b.host_ports_len == 1);
    CHECK(b.host_ports[0].port == 80);
}

}  // namespace

TEST_CASE("pod reader: pods of one template are read as each by itself, and share its spec", "[model]") {
    model::PodReader reader;
    for (const char *name : {"a", "b", "c"}) check_like_alone(reader, pod(name));
    const auto first = reader.read(tree_of(pod("d")), no_faults), second = reader.read(tree_of(pod("e")), no_faults);
    CHECK(first->tree->value()["spec"]["containers"].at(0).raw() ==
          second->tree->value()["spec"]["containers"].at(0).raw());
    CHECK(first->view.tolerations == second->view.tolerations);
    CHECK(first->name() != second->name());
}

// promise(tenant): Data that several pods share is freed when the last of these pods is gone.
TEST_CASE("pod reader: what no pod has any more is not kept", "[model]") {
    model::PodReader reader;
    auto first = reader.read(tree_of(pod("a")), no_faults), second = reader.read(tree_of(pod("b")), no_faults);
    const std::weak_ptr<const model::Tree> shared = second->tree->shared[0];
    REQUIRE(!shared.expired());
    auto third = reader.read(tree_of(pod("c")), no_faults);
    CHECK(third->tree->shared[0] == shared.lock());
    first = second = third = nullptr;
    CHECK(shared.expired());
    check_like_alone(reader, pod("d"));
}

TEST_CASE("pod reader: the node is a pod's own", "[model]") {
    model::PodReader reader;
    check_like_alone(reader, pod("a"));
    check_like_alone(reader, pod("b", "  nodeName: n1\n"));
    check_like_alone(reader, pod("c", "  nodeName: n2\n"));
    check_like_alone(reader, pod("d"));
    const auto one = reader.read(tree_of(pod("e", "  nodeName: n3\n")), no_faults);
    const auto other = reader.read(tree_of(pod("f")), no_faults);
    CHECK(one->node_name() == "n3");
    CHECK(other->node_name().empty());
    CHECK(one->view.tolerations == other->view.tolerations);
}

TEST_CASE("pod reader: what a status says of resources counts for that pod alone", "[model]") {
    const std::string resized =
        "status: {phase: Running, containerStatuses: [{name: a, resources: {requests: {cpu: 900m}}}]}\n";
    model::PodReader reader;
    for (const char *name : {"a", "b"}) check_like_alone(reader, pod(name));
    for (const char *name : {"c", "d", "e"}) check_like_alone(reader, pod(name, "", resized));
    CHECK(reader.read(tree_of(pod("f", "", resized)), no_faults)->effective().cpu == 900);
    CHECK(reader.read(tree_of(pod("g")), no_faults)->effective().cpu == 300);
}

TEST_CASE("pod reader: a pod lives as long as it is held, without those it is like", "[model]") {
    model::PodPtr last;
    {
        model::PodReader reader;
        for (const char *name : {"a", "b", "c"})
            last = reader.read(tree_of(pod(name, "", "status: {phase: Pending}\n")), no_faults);
    }
    CHECK(last->phase() == "Pending");
    CHECK(last->tree->value()["spec"]["containers"].at(0)["image"].string() == "reg/web:1");
    CHECK(view(last->view.images[0].name) == "reg/web:1");
    CHECK(last->effective().cpu == 300);
}

TEST_CASE("pod reader: faults are told of the tree that was given", "[model]") {
    model::PodReader reader;
    const auto wrong = tree_of(pod("a", "  schedulerName: 7\n"));
    for (int i = 0; i < 3; ++i) {
        std::vector<std::string> faults;
        const auto read = reader.read(wrong, [&](model::Value at, const std::string &path, const std::string &) {
            faults.push_back(path);
            CHECK(at.raw() == wrong->value()["spec"]["schedulerName"].raw());
        });
        CHECK(read == nullptr);
        CHECK(faults == std::vector<std::string>{"spec.schedulerName"});
    }
}

TEST_CASE("node reader: nodes of one kind are read as each by itself, and share its status", "[model]") {
    auto node = [](const std::string &name) {
        return tree_of(
            "{apiVersion: v1, kind: Node, metadata: {name: " + name + ", labels: {zone: a}}, status: " +
            "{allocatable: {cpu: '4', memory: 8Gi, pods: '110'}, conditions: [{type: Ready, status: 'True'}]}}");
    };
    model::NodeReader reader;
    std::vector<model::NodePtr> read;
    for (const char *name : {"a", "b", "c", "d"}) {
        const auto tree = node(name);
        read.push_back(reader.read(tree, no_faults));
        CHECK(decode::to_json(read.back()->tree->value()) == decode::to_json(tree->value()));
        CHECK(read.back()->name == name);
        CHECK(model::equal(read.back()->allocatable, model::read_node(tree, no_faults)->allocatable));
    }
    CHECK(read[2]->tree->value()["status"]["conditions"].at(0).raw() ==
          read[3]->tree->value()["status"]["conditions"].at(0).raw());
}

TEST_CASE("shared values: neither order nor a number's kind is lost", "[model]") {
    auto value = [](const char *text) { return tree_of(text); };
    const auto ab = value("{a: 1, b: 2}"), ba = value("{b: 2, a: 1}"), real = value("{a: 1.0, b: 2}");
    CHECK(model::same(ab->value(), value("{a: 1, b: 2}")->value()));
    CHECK_FALSE(model::same(ab->value(), ba->value()));
    CHECK_FALSE(model::same(ab->value(), real->value()));
    CHECK_FALSE(model::same(ab->value(), value("{a: 1, b: '2'}")->value()));
    CHECK_FALSE(model::same(ab->value(), value("{a: 1, c: 2}")->value()));
    CHECK_FALSE(model::same(value("[1, 2]")->value(), value("[1]")->value()));
    CHECK(model::hash(ab->value()) == model::hash(value("{a: 1, b: 2}")->value()));
    CHECK(model::hash(ab->value()) != model::hash(ba->value()));
}
