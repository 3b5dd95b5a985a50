// SPDX-License-Identifier: Apache-2.0
// Pods and nodes whose every name is new come and go over a cluster of constant size: everything of `berth run` but the
// network, beside an API server in the same process. Prints the memory as it goes, and last
//
//     second tenth N MiB, last tenth N MiB: N.NN times
//
//     berth_churn [PODS [NODES [LIVE-PODS [LIVE-NODES]]]]
#include "beside.h"
#include "objects.h"

#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <iterator>
#include <optional>
#include <vector>

namespace {

using namespace churn;

constexpr double mib = 1024.0 * 1024.0;

double field_of_status(std::string_view field) {
    std::ifstream status("/proc/self/status");
    for (std::string name, rest; status >> name && std::getline(status, rest);)
        if (name == field) return std::strtod(rest.c_str(), nullptr) / 1024.0;
    return 0;
}

struct Size {
    std::uint64_t pods = 50'000, nodes = 5'000, live_pods = 2'000, live_nodes = 200;
};

/// Brings pods and nodes and takes them away again, the oldest first.
class Tide {
    struct Alive {
        std::uint64_t n;
        std::string node;  ///< "" while it waits
    };
    static constexpr std::uint64_t window = 1000;  ///< pods that wait for a node at a time
    static constexpr int samples_per_tenth = 20;

    Size size_;
    env::Loop &loop_;
    Server &server_;
    std::function<void()> look_;
    std::deque<Alive> alive_;
    std::uint64_t pods_ = 0, bound_ = 0, unfit_ = 0, nodes_ = 0, first_node_ = 0, namespaces_ = 0, first_namespace_ = 0;
    std::deque<std::uint64_t> services_;
    std::vector<double> samples_;

    void tell(const char *collection, const char *type, const std::string &object) {
        server_.tell(collection, type, object);
    }
    void add_node() { tell("/api/v1/nodes", "ADDED", Node{nodes_++}.json(server_.next_version())); }
    void drop_node() { tell("/api/v1/nodes", "DELETED", Node{first_node_++}.json(server_.next_version())); }

    void add_pod() {
        const Pod pod{pods_++};
        if (pod.n / pods_in_namespace >= namespaces_)
            tell("/api/v1/namespaces", "ADDED", Namespace{namespaces_++}.json(server_.next_version()));
        constexpr std::uint64_t pods_of_service = 500, live_services = 8;
        if (pod.n % pods_of_service == 0) {
            tell("/api/v1/services", "ADDED", Service{pod.n}.json(server_.next_version()));
            services_.push_back(pod.n);
            if (services_.size() > live_services) {
                tell("/api/v1/services", "DELETED", Service{services_.front()}.json(server_.next_version()));
                services_.pop_front();
            }
        }
        tell("/api/v1/pods", "ADDED", pod.json(server_.next_version(), ""));
        alive_.push_back({pod.n, ""});
        if (!pod.fits()) ++unfit_;
    }
    void drop_pod() {
        const auto &oldest = alive_.front();
        tell("/api/v1/pods", "DELETED", Pod{oldest.n}.json(server_.next_version(), oldest.node));
        alive_.pop_front();
        while (first_namespace_ < alive_.front().n / pods_in_namespace)
            tell("/api/v1/namespaces", "DELETED", Namespace{first_namespace_++}.json(server_.next_version()));
    }

    void bound(std::string_view path, const std::string &body) {
        // …/pods/job-N-x; {…"target":{…"name":"NODE"…}…}
        const auto n = std::strtoull(path.substr(path.rfind("/job-") + 5).data(), nullptr, 10);
        auto node = body.substr(body.find("\"node-") + 1);
        node.resize(node.find('"'));
        if (alive_.empty() || n < alive_.front().n) return;  // deleted meanwhile
        auto &pod = alive_[n - alive_.front().n];
        pod.node = node;
        ++bound_;
        tell("/api/v1/pods", "MODIFIED", Pod{n}.json(server_.next_version(), node));
    }

    void sample() {
        const auto every = std::max<std::uint64_t>(1, size_.pods / (10 * samples_per_tenth));
        if (pods_ % every != 0) return;
        const auto resident = field_of_status("VmRSS:");
        samples_.push_back(resident);
        if (samples_.size() % samples_per_tenth != 0) return;
        look_();
        const auto heap = mallinfo2();
        std::printf("%10llu pods %8llu nodes: %7.1f MiB resident, %7.1f in use, %6.1f free in the heap\n",
                    static_cast<unsigned long long>(pods_), static_cast<unsigned long long>(nodes_), resident,
                    static_cast<double>(heap.uordblks + heap.hblkhd) / mib, static_cast<double>(heap.fordblks) / mib);
        std::fflush(stdout);
    }

    void turn() {
        for (int i = 0; i < 200 && pods_ < size_.pods && pods_ - unfit_ < bound_ + window; ++i) {
            add_pod();
            if (alive_.size() > size_.live_pods) drop_pod();
            while (nodes_ * size_.pods < pods_ * size_.nodes + size_.live_nodes * size_.pods) {
                add_node();
                if (nodes_ - first_node_ > size_.live_nodes) drop_node();
            }
            sample();
        }
        if (pods_ == size_.pods) return loop_.stop();
        constexpr std::int64_t soon_ns = 1'000'000;
        loop_.after(soon_ns, [this] { turn(); });
    }

public:
    Tide(Size size, env::Loop &loop, Server &server, std::function<void()> look)
        : size_(size), loop_(loop), server_(server), look_(std::move(look)) {
        server_.on_binding = [this](std::string_view pod, const std::string &body) { bound(pod, body); };
    }
    void begin() {
        if (!server_.watched("/api/v1/pods")) return loop_.after(1'000'000, [this] { begin(); });
        while (nodes_ < size_.live_nodes) add_node();
        turn();
    }

    /// Whether it was what it was to be; prints the last line.
    bool judge(int complaints) const {
        const auto of_tenth = [&](std::ptrdiff_t tenth) {
            const auto begin = samples_.begin() + tenth * samples_per_tenth;
            return *std::max_element(begin, begin + samples_per_tenth);
        };
        if (samples_.size() < 10 * samples_per_tenth) return std::puts("too few pods to be measured"), false;
        const auto missing = pods_ - unfit_ - bound_;
        std::printf("%llu pods and %llu nodes have come and all but %llu and %llu gone; %llu pods were bound\n",
                    static_cast<unsigned long long>(pods_), static_cast<unsigned long long>(nodes_),
                    static_cast<unsigned long long>(alive_.size()),
                    static_cast<unsigned long long>(nodes_ - first_node_), static_cast<unsigned long long>(bound_));
        std::printf("second tenth %.1f MiB, last tenth %.1f MiB: %.3f times\n", of_tenth(1), of_tenth(9),
                    of_tenth(9) / of_tenth(1));
        if (complaints > 0) std::printf("%d errors\n", complaints);
        // Those under way at the end, and some that were deleted first.
        return missing <= 2 * window && complaints == 0;
    }
};

int play(Size size) {
    std::optional<Tide> tide;
    const auto errors = run_beside([&](env::Loop &loop, Server &server, std::function<void()> scrape) {
        tide.emplace(size, loop, server, std::move(scrape));
        loop.post([&] { tide->begin(); });
    });
    return !errors ? 2 : tide->judge(*errors) ? 0 : 1;
}

}  // namespace

int main(int argc, char **argv) {
    Size size;
    std::uint64_t *const numbers[] = {&size.pods, &size.nodes, &size.live_pods, &size.live_nodes};
    for (int i = 1; i < argc && i <= 4; ++i) *numbers[i - 1] = std::strtoull(argv[i], nullptr, 10);
    return play(size);
}
