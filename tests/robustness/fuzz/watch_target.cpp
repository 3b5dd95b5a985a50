// SPDX-License-Identifier: Apache-2.0
// What the API server says to who follows a collection. The first byte says which one; every line after it goes to what
// is asked at that moment: to a watch as its next bytes, cut in two, to a list as the body of its answer. A line that
// begins with `=`, a number and a blank ends what is asked with that status.
#include "target.h"

#include "cluster/cache.h"
#include "kube/reflector.h"
#include "sim/virtual_clock.h"

#include <charconv>
#include <optional>
#include <set>

namespace berth::fuzz {
namespace {

/// One request at a time is open: a reflector has no more.
struct Server : kube::Transport {
    std::optional<Done> done;
    Data data;
    StreamId last = 0;

    void request(kube::HttpRequest, Done to) override {
        done = std::move(to);
        data = nullptr;
    }
    StreamId stream(kube::HttpRequest, Data more, Done to) override {
        done = std::move(to);
        data = std::move(more);
        return ++last;
    }
    void cancel(StreamId) override { data = nullptr; }

    void end(int status, std::string body) {
        data = nullptr;
        if (auto to = std::exchange(done, std::nullopt)) (*to)({status, std::move(body), false, 0});
    }
};

/// Holds what it is told against what it was told before, and keeps the cluster as the scheduler does.
struct World : env::Observer {
    cluster::Cache cache;
    std::set<std::string, std::less<>> nodes, pods, objects;
    bool changed = false;

    void node_added(model::NodePtr node) override {
        promise(nodes.insert(std::string(node->name)).second, "a node is added once");
        cache.add_node(std::move(node));
    }
    void node_updated(model::NodePtr before, model::NodePtr after) override {
        promise(nodes.contains(after->name) && before->name == after->name, "a known node is updated");
        cache.update_node(std::move(after));
    }
    void node_deleted(model::NodePtr node) override {
        promise(nodes.erase(std::string(node->name)) == 1, "a known node is deleted");
        cache.remove_node(node->name);
    }
    void pod_added(model::PodPtr pod) override {
        promise(pods.insert(pod->key()).second, "a pod is added once");
        cache.add_pod(std::move(pod));
    }
    void pod_updated(model::PodPtr before, model::PodPtr after) override {
        promise(pods.contains(after->key()) && before->uid() == after->uid(), "a known pod is updated");
        cache.update_pod(std::move(after));
    }
    void pod_deleted(model::PodPtr pod) override {
        promise(pods.erase(pod->key()) == 1, "a known pod is deleted");
        cache.remove_pod(*pod);
    }
    void object_changed(const model::Kind &, model::AnyPtr before, model::AnyPtr after) override {
        promise(before || after, "something changed");
        if (!before) promise(objects.insert(after->key()).second, "an object is added once");
        else if (!after) promise(objects.erase(before->key()) == 1, "a known object is deleted");
        else promise(objects.contains(after->key()), "a known object is updated");
    }
};

}  // namespace

void watch(std::string_view bytes) {
    if (bytes.empty()) return;
    World world;
    sim::VirtualClock clock{1'767'225'600'000'000'000};
    Server server;
    auto collection = bytes.front() == 'n'   ? kube::nodes_for(world)
                      : bytes.front() == 'p' ? kube::pods_for(world)
                                             : kube::objects_for(world, model::kind_of("", "v1", "services"));
    kube::Reflector reflector(server, clock, nullptr, std::move(collection), 7);
    int synced = 0;
    reflector.start([&] { ++synced; });
    bytes.remove_prefix(1);
    while (!bytes.empty()) {
        const auto newline = std::min(bytes.find('\n'), bytes.size() - 1);
        auto line = bytes.substr(0, newline + 1);
        bytes.remove_prefix(newline + 1);
        if (!server.done)  // it waits before it asks again
            if (auto next = clock.next_timer()) clock.advance_to(*next);
        if (line.starts_with('=')) {
            int status = 0;
            auto [rest, bad] = std::from_chars(line.data() + 1, line.data() + line.size(), status);
            server.end(status, std::string(rest, line.data() + line.size()));
        } else if (server.data) {
            server.data(line.substr(0, line.size() / 2));
            if (server.data) server.data(line.substr(line.size() / 2));
        } else {
            server.end(200, std::string(line));
        }
        clock.run();
        (void)world.cache.snapshot();
    }
    promise(synced <= 1, "the first list ends once");
    reflector.forget();
}

}  // namespace berth::fuzz
